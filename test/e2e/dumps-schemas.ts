/** Databases with every kind of object that a backup must preserve, and changes that are made after the dump. */
import type { Document, MongoClient } from 'mongodb'

export const postgresSchema = String.raw`
create role "rea'der x" nologin; create role other nologin;
create extension if not exists plpgsql;
create schema "od d.""s";
create type mood as enum ('sad', 'o''k "x"'); create domain short as varchar(9) check (value <> 'no');
create table person (id serial primary key, name text, raw bytea, mood mood, s short, at timestamptz, data jsonb,
  many int[], twice int generated always as (num * 2) stored, num int default 7, big numeric, f float8);
insert into person (name, raw, mood, at, data, many, num, big, f)
  select case i % 3 when 0 then null when 1 then e'tab\there \\. \\ new\nline "q" ''s'' 😀 é' || i else '' end,
    decode(repeat(md5(i::text), 9) || '00ff0a0d5c', 'hex'), (array['sad','o''k "x"'])[1 + i % 2]::mood,
    '2026-01-01'::timestamptz + i * interval '1 h', jsonb_build_object('k', i, 'e', '😀'), array[i, null], i,
    i / 7.0, i / 7.0 from generate_series(1, 2000) i;
insert into person (name) values ('\.'), (e'\\.'), (e'-- Name: x; Type: TABLE; Schema: y; Owner: z'), ('NaN');
create table "od d.""s"."ta b(le" ("c o(l" int references person (id), b text); insert into "od d.""s"."ta b(le"
  values (1, 'x'), (1, 'x'), (2, null);
create table empty (id int); create table none ();
create table part (id int, k text) partition by range (id);
create table part_a partition of part for values from (0) to (100);
create table part_b partition of part for values from (100) to (1000);
insert into part select i, i::text from generate_series(0, 500) i;
create index on part (k); create unique index named on person (name, id) where name is not null;
create view seen as select id, name from person; create materialized view kept as select count(*) from person;
create sequence own start 5 increment 3; select nextval('own'), nextval('own');
create function f(x int) returns int language plpgsql as $f$ begin
-- Name: fake; Type: TABLE; Schema: public; Owner: nobody
  return x + 1; -- ; '
end $f$;
create function touch() returns trigger language plpgsql as $$ begin return new; end $$;
create procedure p() language sql begin atomic select 1; select 2; end;
create trigger t before update on person for each row execute function touch();
create rule r as on delete to empty do instead nothing;
alter table person enable row level security;
create policy pol on person for select to "rea'der x", other using (id > 0);
grant select on person to "rea'der x" with grant option; grant select (name), update (name) on person to other;
grant usage on schema "od d.""s" to other; revoke execute on function f(int) from public;
alter default privileges for role other in schema public grant select on tables to "rea'der x";
alter table empty owner to other;
select lo_from_bytea(0, decode(repeat('00ff0a5c', 20000), 'hex')), lo_from_bytea(0, ''), lo_from_bytea(77777, 'a');
grant select on large object 77777 to other; comment on large object 77777 is 'it''s';
comment on table person is 'a -- b ; $$ 😀';
create publication pub for table person;
create function watch() returns event_trigger language plpgsql as $$ begin end $$;
create event trigger et on ddl_command_start execute function watch();
`

export const postgresWrites = `drop event trigger et; delete from person where id > 1000; drop table part cascade;
create table stray (id int); insert into stray values (1); create schema strays; create function strays.f() returns int
language sql as 'select 1'; select lo_unlink(77777), lo_from_bytea(88888, 'stray'); drop view seen`

/** A statement that sets a setting of the database, if the server has it. */
const ofDatabase = (name: string, value: string) =>
  `do $$ begin if exists (select from pg_settings where lower(name) = lower('${name}')) then
    execute format('alter database %I set ${name} = %L', current_database(), '${value}'); end if; end $$`

/** Settings that refuse, end or change sessions, and objects that need the settings of their database. */
export const postgresHardening = [
  "insert into person (many, name) values (array[null, 1], 'null in an array')",
  'create view nulls as select name from person where name = null',
  "set timezone = 'Asia/Kolkata'",
  'create table daily (at timestamptz, day date check (day = at::date))',
  "insert into daily values ('2026-03-01 23:30+00', '2026-03-02')",
  ofDatabase('timezone', 'Asia/Kolkata'),
  ofDatabase('array_nulls', 'off'),
  ofDatabase('transform_null_equals', 'on'),
  ofDatabase('quote_all_identifiers', 'on'),
  ofDatabase('default_transaction_isolation', 'serializable'),
  ofDatabase('default_transaction_deferrable', 'on'),
  ofDatabase('session_replication_role', 'replica'),
  ofDatabase('datestyle', 'German, DMY'),
  ofDatabase('intervalstyle', 'sql_standard'),
  ofDatabase('client_encoding', 'LATIN1'),
  ofDatabase('row_security', 'off'),
  ofDatabase('event_triggers', 'off'),
  ofDatabase('restrict_nonsystem_relation_kind', 'view'),
  ofDatabase('idle_in_transaction_session_timeout', '1ms'),
  ofDatabase('idle_session_timeout', '1ms'),
  ofDatabase('transaction_timeout', '1ms'),
  'alter role all set role = other',
  `create function tenant() returns text stable language sql as $$ select current_setting('app.tenant') $$`,
  `do $$ begin execute format('alter database %I set app.tenant = %L', current_database(), 'x'); end $$`,
  "set app.tenant = 'x'",
  'create materialized view tenants as select tenant() as name',
  `do $$ begin execute format('alter role %I set search_path = nowhere', current_user); end $$`,
  `do $$ begin execute format('alter database %I set default_transaction_read_only = on', current_database()); end $$`,
  "alter system set statement_timeout = '1ms'",
  "alter system set lock_timeout = '1ms'",
  'alter system set default_transaction_read_only = on',
  'select pg_reload_conf()',
]

/** @param isMaria whether to add statements that only MariaDB supports, instead of those that only MySQL supports */
export const mysqlHardening = (isMaria: boolean) => [
  'create table keyless (id int) row_format = dynamic',
  'insert into keyless values (1), (1)',
  "set global time_zone = '+05:30', completion_type = 2, sql_safe_updates = 1",
  'set global innodb_strict_mode = 1, wait_timeout = 10, net_read_timeout = 10, autocommit = 0, lock_wait_timeout = 1',
  "set global sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES,TRADITIONAL'",
  ...(isMaria
    ? ['set global max_statement_time = 0.0001, innodb_force_primary_key = 1, tx_read_only = 1']
    : [
        'set global sql_require_primary_key = 1, transaction_read_only = 1',
        '/*!80030 set global sql_generate_invisible_primary_key = 1 */',
        '/*!80400 set global max_execution_time = 1, sql_select_limit = 1, sql_big_selects = 0, max_join_size = 1 */',
      ]),
]

/** @param isMaria whether to add statements that only MariaDB supports, instead of those that only MySQL supports */
export const mysqlSchema = (isMaria: boolean) => [
  'create table person (id int auto_increment primary key, name varchar(200), raw longblob, bits bit(9),' +
    ' at timestamp(6), geo point, d decimal(20,7), f double, y json,' +
    ' twice int generated always as (id2 * 2) stored, id2 int,' +
    " kind enum('a', 'it''s'), comments text comment 'a; -- ` \\\\ AUTO_INCREMENT=5 x')",
  ...Array.from(
    { length: 60 },
    (_, i) => `insert into person (name, raw, bits, at, geo, d, f, y, id2, kind, comments)
    values (${['null', "'it''s \\\\ \\n \\0 \\Z \"q\" 😀 é ); (' ", "''"][i % 3]}, x'00ff275c0a1a22${'aB'.repeat(i)}',
    b'10101010${i % 2}', '2026-01-02 03:04:05.678', point(${i}, 1.5), ${i} / 7, ${i} / 7, '{"k": "😀\\\\n"}', ${i},
    'it''s', '); INSERT INTO x VALUES (')`,
  ),
  "insert into person (raw) values (repeat('\\0\\'\\\\', 3000000))",
  'create table `od d``"\'t;(` (`c o"l` int, `val(ues` int, constraint `fk ("`' +
    ' foreign key (`c o"l`) references person (id))',
  'insert into `od d``"\'t;(` values (1, 2), (1, 2), (null, 3)',
  'create table `empty` (id int)',
  'create table part (id int, k varchar(9)) partition by range (id) (partition a values less than (10),' +
    ' partition b values less than maxvalue)',
  "insert into part values (1, 'x'), (100, null)",
  'create table binaries (id binary(3), v varbinary(9), t tinytext collate utf8mb4_bin)',
  "insert into binaries values (x'000000', x'', 'A'), (x'ff0027', null, 'a')",
  "create view seen as select id, name from person where name <> 'it\\\\ ''s;'",
  'create view above as select * from seen',
  "create trigger tr before insert on part for each row begin set new.k = 'q;'; set new.id = new.id; end",
  "create procedure p(a int) begin select ';', \"x\"; -- it's\n select 2; end",
  "create function f(a int) returns int deterministic return a + length(';;')",
  "set sql_mode = 'NO_BACKSLASH_ESCAPES,ANSI_QUOTES'",
  'create procedure odd() select \'\\\' as "x"',
  'set sql_mode = default',
  "create event ev on schedule every 1 day starts '2037-01-01' do delete from `empty` where id = 0",
  "create user if not exists 'rea der''x'@'10.%' identified by 'Some-1-pass'",
  "grant select, insert on person to 'rea der''x'@'10.%'",
  "grant select (id), update (k) on part to 'rea der''x'@'10.%' with grant option",
  "grant execute on procedure p to 'rea der''x'@'10.%'",
  'create role if not exists clerk',
  'grant select on seen to clerk',
  'alter database character set latin1 collate latin1_german1_ci',
  ...(isMaria
    ? [
        'create sequence seq start with 5 increment by 3',
        'select nextval(seq)',
        'create table hidden (a int, b int invisible default 3)',
        'insert into hidden (a, b) values (1, 2)',
      ]
    : [
        'create table hidden (a int, b int invisible default 3, index ((a + 1)))',
        'insert into hidden (a, b) values (1, 2)',
      ]),
]

/**
 * Views that the server refuses to read for different causes, objects without a definer, and objects that need another
 * database. The views `kept…` are good.
 */
export const mysqlFaults = [
  'create database other_db',
  'create table other_db.customers (id int primary key)',
  'insert into other_db.customers values (1), (2)',
  'create function other_db.one() returns int deterministic return 1',
  'create database lost_db',
  'create table lost_db.t (i int)',
  'create table dying (x int, y int)',
  'insert into dying values (1, 2), (3, 4)',
  'create table dead_table (i int)',
  'create function dead_function() returns int deterministic return 1',
  'create view lost_column as select x from dying',
  'create view lost_table as select i from dead_table',
  'create view lost_function as select dead_function() as i',
  'create view lost_database as select i from lost_db.t',
  'create view above_lost as select i from lost_table',
  'create table loop_table (i int)',
  'create view loop_a as select i from loop_table',
  'create view loop_b as select i from loop_a',
  'drop table loop_table',
  'rename table loop_b to loop_table',
  'create table `odd ``"\\ table` (i int)',
  'create view `odd ``"\'\\ view` as select i from `odd ``"\\ table`',
  'drop table `odd ``"\\ table`, dead_table',
  'drop function dead_function',
  'alter table dying drop x',
  'drop database lost_db',
  "create user gone@'%' identified by 'Some-1-pass'",
  "grant all on *.* to gone@'%'",
  "create definer = gone@'%' view kept_undefined as select y from dying",
  "create definer = gone@'%' sql security invoker view kept_invoker as select y from dying",
  'create view above_undefined as select y from kept_undefined',
  "create definer = gone@'%' trigger undefined_trigger before insert on dying for each row set new.y = 1",
  "create definer = gone@'%' procedure undefined_procedure() select 1",
  "create definer = gone@'%' event undefined_event on schedule every 1 day starts '2037-01-01' do do 1",
  "drop user gone@'%'",
  "create user definer@'%' identified by 'Some-1-pass'",
  "grant all on *.* to definer@'%'",
  "create definer = definer@'%' view kept_defined as select y from dying",
  'create view kept_other as select id from other_db.customers',
  'create view kept_above_other as select * from kept_other where id > other_db.one()',
  'create table kept_reference (id int, foreign key (id) references other_db.customers (id))',
  'insert into kept_reference values (1)',
  'create procedure kept_procedure() select count(*) from other_db . customers',
  'create user if not exists reader@localhost',
  'grant select on kept_above_other to reader@localhost',
]

/** The findings of a dump of a database with these faults. */
export const mysqlFaultFindings = [
  ...['PROCEDURE kept_procedure', 'TABLE kept_reference', 'VIEW kept_above_other', 'VIEW kept_other'].map(
    (object) => `DatabaseNeeded ${object} other_db`,
  ),
  ...['EVENT event', 'PROCEDURE procedure', 'TRIGGER trigger'].map(
    (object) => `DefinerMissing ${object.replace(' ', ' undefined_')} gone@%`,
  ),
  'DefinerMissing VIEW kept_undefined gone@%',
  ...[
    'above_lost',
    'above_undefined',
    'loop_a',
    'loop_table',
    'lost_column',
    'lost_database',
    'lost_function',
    'lost_table',
  ].map((view) => `ViewBroken VIEW ${view}`),
  'ViewBroken VIEW odd `"\'\\ view',
]

export const mysqlWrites = [
  'drop table part',
  'delete from person where id > 20',
  'create table stray (id int)',
  'create view strays as select * from stray',
  'create procedure stray_p() select 1',
  'drop view above',
  'create event stray_e on schedule every 1 day do do 1',
  'create function stray_f() returns int deterministic return 1',
  "drop user 'rea der''x'@'10.%'",
  'drop role clerk',
  'alter database character set utf8mb4',
]

export async function fillMongo(client: MongoClient, name: string): Promise<void> {
  const db = client.db(name)
  const documents: Document[] = Array.from({ length: 3000 }, (_, i) => ({
    _id: i,
    text: `é😀 ${i}`,
    raw: Buffer.from([0, 255, i & 255]),
    none: null,
    at: new Date(i),
    deep: { a: [i, { b: i / 7 }] },
  }))
  await db.collection('person').insertMany(documents)
  await db.collection<{ _id: string; it: Buffer }>('big').insertOne({ _id: 'x', it: Buffer.alloc(9_000_000, 7) })
  await db.collection('person').createIndex({ text: 1 }, { name: 'by "text" é', unique: true, sparse: true })
  await db.collection('person').createIndex({ at: -1, 'deep.a': 1 }, { expireAfterSeconds: 2_000_000_000 })
  // The format of indexes before MongoDB 3.4.
  await db.command({ createIndexes: 'person', indexes: [{ key: { none: 1 }, name: 'old', v: 1 }] })
  await db.createCollection('odd name "é', { capped: true, size: 4096 })
  await db.createCollection('checked', { validator: { n: { $type: 'int' } }, collation: { locale: 'de' } })
  await db.createCollection('empty')
  await db.createCollection('seen', { viewOn: 'person', pipeline: [{ $match: { _id: 1 } }] })
  await db.command({
    createRole: 'clerk',
    privileges: [{ resource: { db: name, collection: 'person' }, actions: ['find'] }],
    roles: [],
  })
  await db.command({ createUser: 'ap p', pwd: 'x', roles: ['clerk', { role: 'read', db: name }] })
}

/** Adds a rule that documents break, and records queries. */
export async function hardenMongo(client: MongoClient, name: string): Promise<void> {
  const db = client.db(name)
  await db.command({ collMod: 'person', validator: { none: { $type: 'int' } }, validationLevel: 'strict' })
  await db.command({ profile: 2 })
  await db.collection('person').findOne({})
}

export async function dropMongo(client: MongoClient, name: string): Promise<void> {
  const db = client.db(name)
  await db.dropDatabase()
  await db.command({ dropAllUsersFromDatabase: 1 })
  await db.command({ dropAllRolesFromDatabase: 1 })
}

export async function changeMongo(client: MongoClient, name: string): Promise<void> {
  const db = client.db(name)
  await db.collection('person').deleteMany({ _id: { $lt: 9 } as object })
  await db.collection('stray').insertOne({ a: 1 })
  await db.collection('checked').drop()
  await db.command({ dropUser: 'ap p' })
  await db.command({ createUser: 'stray', pwd: 'x', roles: [] })
}
