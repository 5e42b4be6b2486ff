/** What the storage engines and plugins of MariaDB and MySQL are tried with. */
import type { Sample, Samples } from './sample.ts'

const rowsOf = (engine: string, options = '') =>
  `create table it (id int primary key, a varchar(99)) engine = ${engine} ${options}; ` +
  `insert into it values (1, 'a'), (2, null), (3, 'it''s')`

const memory: Sample = {
  sql: rowsOf('MEMORY'),
  remark:
    'a dump has the rows. Each start of the server empties the table, also the one at the end of a restore in ' +
    'place or of a move',
}
const blackhole: Sample = { sql: rowsOf('BLACKHOLE'), remark: 'such a table has no rows' }
const archive =
  `create table it (id int auto_increment primary key, a text) engine = ARCHIVE; insert into it ` +
  `(a) values ('a'), ('b')`
const csv = `create table it (id int not null, a varchar(99) not null) engine = CSV; insert into it values (1, 'a,"b')`
const merge = (keyword: string) =>
  `create table one (id int primary key) engine = MyISAM; create table two like one; insert into one values (1); ` +
  `insert into two values (2); create table it (id int primary key) engine = ${keyword} union = (one, two) ` +
  `insert_method = last`
const onOtherServer = 'the rows are on the other server, so back up that server too'
const fulltext = (parser: string) =>
  `create table it (id int primary key, a text, fulltext (a) with parser ${parser}) engine = InnoDB; insert ` +
  `into it values (1, 'a b')`
const compressed = (algorithm: string) =>
  `set global innodb_compression_algorithm = ${algorithm}; ${rowsOf('InnoDB', 'page_compressed = 1')}`
const sameKey = 'a restore needs the same plugin and a key of the same number'

export const mariadbSamples: Samples = {
  ARCHIVE: archive,
  Aria: rowsOf('Aria'),
  BLACKHOLE: blackhole,
  'CONNECT, file of the table':
    'create table it (id int not null, a char(9)) engine = CONNECT table_type = CSV; insert into it values (1, ' +
    "'a'), (2, 'b')",
  'CONNECT, other file': {
    sql:
      "create table it (id int not null, a char(9)) engine = CONNECT table_type = CSV file_name = 'own.csv'; " +
      "insert into it values (1, 'a')",
    result: 'rows elsewhere',
    remark: 'a file that has a name can belong to other programs, so a dump has the definition only: back up the file',
  },
  'CONNECT, other server': {
    sql:
      'create table it (id int not null) engine = CONNECT table_type = MYSQL connection = ' +
      "'mysql://ada:pass@127.0.0.1:1/x/t'",
    result: 'rows elsewhere',
    remark: onOtherServer,
  },
  CSV: csv,
  MEMORY: memory,
  MRG_MyISAM: merge('MERGE'),
  Mroonga:
    "create table it (id int primary key, a text, fulltext (a)) engine = Mroonga; insert into it values (1, 'a b')",
  MyISAM: rowsOf('MyISAM'),
  OQGRAPH:
    'create table way (a bigint unsigned not null, b bigint unsigned not null, primary key (a, b), key (b)); ' +
    'insert into way values (1, 2), (2, 3); create table it (latch varchar(32), origid bigint unsigned, ' +
    'destid bigint unsigned, weight double, seq bigint unsigned, linkid bigint unsigned, ' +
    'key (latch, origid, destid) using hash, key (latch, destid, origid) using hash) ' +
    "engine = OQGRAPH data_table = 'way' origid = 'a' destid = 'b'",
  RocksDB: rowsOf('ROCKSDB'),
  SEQUENCE: 'create view it as select seq from seq_1_to_5',
  SPHINX: {
    sql:
      'create table it (id bigint unsigned not null, weight int not null, query varchar(99) not null, key (query)) ' +
      "engine = SPHINX connection = 'sphinx://127.0.0.1:1/x'",
    remark: 'the rows are answers of a search server, so a dump has the definition only',
  },
  SPIDER: {
    sql:
      `create table it (id int primary key) engine = SPIDER comment = 'wrapper "mysql", host "127.0.0.1", ` +
      `port "1", table "t"'`,
    result: 'rows elsewhere',
    remark: onOtherServer,
  },
  auth_ed25519:
    "create user own@'%' identified via ed25519 using password('Ab1;efgh_9'); create definer = own@'%' view it " +
    'as select 1 as a',
  file_key_management: { sql: rowsOf('InnoDB', 'encrypted = yes encryption_key_id = 1'), remark: sameKey },
  metadata_lock_info: 'create view it as select * from information_schema.metadata_lock_info',
  provider_bzip2: compressed("'bzip2'"),
  provider_lz4: compressed("'lz4'"),
  provider_lzma: compressed("'lzma'"),
  provider_lzo: compressed("'lzo'"),
  provider_snappy: compressed("'snappy'"),
  query_response_time: 'create view it as select * from information_schema.query_response_time',
  sequences: 'create sequence it start with 5; do nextval(it)',
  simple_password_check:
    "create user strict@'%' identified by 'Ab1;efgh_9'; create definer = strict@'%' view it as select 1 as a",
  type_inet: "create table it (a inet6, b inet4, c uuid); insert into it values ('::1', '10.0.0.1', uuid())",
  type_mysql_json: 'create table it (a json); insert into it values (json_array(1))',
}

export const mysqlSamples: Samples = {
  ARCHIVE: archive,
  BLACKHOLE: blackhole,
  CSV: csv,
  FEDERATED: {
    sql: "create table it (id int primary key) engine = FEDERATED connection = 'mysql://ada:pass@127.0.0.1:1/x/t'",
    result: 'rows elsewhere',
    remark: onOtherServer,
  },
  MEMORY: memory,
  MRG_MYISAM: merge('MERGE'),
  MyISAM: rowsOf('MyISAM'),
  component_query_attributes: "create view it as select mysql_query_attribute_string('a') as a",
  component_validate_password:
    "create user strict@'%' identified by 'Ab1;efgh_9'; create definer = strict@'%' view it as select 1 as a",
  locking_service: "create function it() returns int no sql return service_get_read_locks('a', 'b', 1)",
  mysql_no_login:
    "create user own@'%' identified with mysql_no_login; create definer = own@'%' view it as select 1 as a",
  ngram: fulltext('ngram'),
  rewriter: 'create table it (id int primary key)',
}
