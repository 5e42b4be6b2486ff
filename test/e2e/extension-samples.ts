/** What the extensions of Debian's packages of PostgreSQL are tried with, and the names of the packages. */
import type { Samples } from './sample.ts'

export const extensionSamples: Samples = {
  address_standardizer: 'create view it as select * from parse_address($$1 Main St$$)',
  address_standardizer_data_us: 'insert into us_lex (seq, word, stdword, token) values (1, $$OWN$$, $$OWN$$, 1)',
  age:
    'load $$age$$; select ag_catalog.create_graph($$own$$); select * from ag_catalog.cypher($$own$$, $q$ ' +
    "create (:person {name: 'Ada'})-[:knows]->(:person {name: 'Bob'}) $q$) as (a ag_catalog.agtype)",
  amcheck:
    'create function it() returns void language sql as $$ select ' +
    'public.bt_index_check($q$pg_class_oid_index$q$) $$',
  asn1oid: 'create table it (a asn1oid primary key); insert into it values ($$1.2.840$$)',
  autoinc:
    'create sequence own; create table it (a int, b text); create trigger t before insert on it for each row ' +
    'execute function autoinc(a, own); insert into it (b) values ($$x$$)',
  bloom: 'create table it (a int, b int); insert into it values (1, 2); create index on it using bloom (a, b)',
  bool_plperl: 'create function it(a bool) returns bool language plperl transform for type bool as $$ return $_[0]; $$',
  bool_plperlu:
    'create function it(a bool) returns bool language plperlu transform for type bool as $$ return $_[0]; $$',
  btree_gin: 'create table it (a int); insert into it values (1); create index on it using gin (a)',
  btree_gist:
    'create table it (a int, r int4range, exclude using gist (a with =, r with &&)); insert into it values (1, ' +
    '$$[1,2)$$)',
  citext: 'create table it (a citext unique); insert into it values ($$Ab$$)',
  credcheck: 'create view it as select * from pg_banned_role',
  cube: 'create table it (a cube); insert into it values ($$(1,2)$$); create index on it using gist (a)',
  dblink: 'create view it as select * from dblink($$$$, $$$$) as t (a int)',
  debversion: 'create table it (a debversion primary key); insert into it values ($$1.0-1$$)',
  dict_int: 'create text search dictionary own (template = intdict_template, maxlen = 4)',
  dict_xsyn: 'create text search dictionary own (template = xsyn_template, rules = xsyn_sample)',
  earthdistance: 'create table it (a earth); insert into it values (ll_to_earth(1, 2))',
  extra_window_functions: 'create view it as select lag_ignore_nulls(a) over (order by a) from (values (1)) as v (a)',
  file_fdw: 'create server files foreign data wrapper file_fdw',
  first_last_agg: 'create view it as select first(a) from (values (1)) as v (a)',
  fuzzystrmatch:
    'create table it (a text, b text generated always as (public.soundex(a)) stored); insert into it values ($$a$$)',
  h3: 'create table it (a h3index primary key); insert into it values ($$8a63a9a99047fff$$)',
  h3_postgis:
    'create table it (a h3index, g geometry); insert into it values ($$8a63a9a99047fff$$, ' +
    'h3_cell_to_geometry($$8a63a9a99047fff$$))',
  hll: 'create table it (a hll); insert into it values (hll_add(hll_empty(), hll_hash_integer(1)))',
  hstore: 'create table it (a hstore); insert into it values ($$a=>1$$); create index on it using gin (a)',
  hstore_pllua:
    'create function it(a hstore) returns hstore language pllua transform for type hstore as $$ return a $$',
  hstore_plluau:
    'create function it(a hstore) returns hstore language plluau transform for type hstore as $$ return a $$',
  hstore_plperl:
    'create function it(a hstore) returns int language plperl transform for type hstore as $$ return 1; $$',
  hstore_plperlu:
    'create function it(a hstore) returns int language plperlu transform for type hstore as $$ return 1; $$',
  hstore_plpython3u:
    'create function it(a hstore) returns int language plpython3u transform for type hstore as $$ return 1 $$',
  http: 'create view it as select urlencode($$a b$$)',
  hypopg: 'create view it as select * from hypopg_list_indexes',
  icu_ext: 'create view it as select icu_version()',
  insert_username:
    'create table it (a int, b text); create trigger t before insert on it for each row execute function ' +
    'insert_username(b); insert into it values (1)',
  intagg: 'create view it as select int_array_aggregate(a) from (values (1)) as v (a)',
  intarray:
    'create table it (a int[]); insert into it values ($${1,2}$$); create index on it using gist (a gist__int_ops)',
  ip4r: 'create table it (a ip4r); insert into it values ($$10.0.0.0/8$$); create index on it using gist (a)',
  isn: 'create table it (a isbn13); insert into it values ($$978-0-393-04002-9$$)',
  jsonb_plperl: 'create function it(a jsonb) returns int language plperl transform for type jsonb as $$ return 1; $$',
  jsonb_plperlu: 'create function it(a jsonb) returns int language plperlu transform for type jsonb as $$ return 1; $$',
  jsonb_plpython3u:
    'create function it(a jsonb) returns int language plpython3u transform for type jsonb as $$ return 1 $$',
  jsquery: 'create table it (a jsonb, q jsquery); insert into it values ($${"a":1}$$, $$a = 1$$)',
  lo: 'create table it (a lo); create trigger t before delete on it for each row execute function lo_manage(a)',
  londiste: 'select pgq.create_queue($$own$$); select pgq.insert_event($$own$$, $$a$$, $$b$$)',
  ltree: 'create table it (a ltree); insert into it values ($$a.b$$); create index on it using gist (a)',
  ltree_plpython3u:
    'create function it(a ltree) returns int language plpython3u transform for type ltree as $$ return 1 $$',
  mimeo: '',
  mobilitydb:
    'create table it (a tint, b stbox); insert into it values ($$[1@2026-01-01, 2@2026-01-02]$$, $$STBOX ' +
    'X((1,2),(3,4))$$); create index on it using gist (b)',
  moddatetime:
    'create table it (a int, at timestamp); create trigger t before update on it for each row execute ' +
    'function moddatetime(at); insert into it values (1, $$2026-01-01$$)',
  mysql_fdw: 'create server mysql foreign data wrapper mysql_fdw options (host $$127.0.0.1$$)',
  numeral: 'create table it (a numeral); insert into it values ($$one$$)',
  ogr_fdw:
    'create server ogr foreign data wrapper ogr_fdw options (datasource ' +
    '$$/usr/share/postgresql/17/extension/own.csv$$, format $$CSV$$)',
  omnidb_plpgsql_debugger: '',
  orafce: 'create table it (a oracle.varchar2(9)); insert into it values ($$a$$)',
  pageinspect: 'create view it as select * from page_header(get_raw_page($$pg_class$$, 0))',
  periods:
    'create table it (id int, s date, e date); select periods.add_period($$it$$, $$p$$, $$s$$, $$e$$); ' +
    'insert into it values (1, $$2026-01-01$$, $$2026-02-01$$)',
  pg_buffercache: 'create view it as select bufferid from pg_buffercache',
  pg_cron: 'select cron.schedule($$j$$, $$* * * * *$$, $$select 1$$)',
  pg_dirtyread: 'create table it (a int); create view seen as select * from pg_dirtyread($$it$$) as t (a int)',
  pg_fact_loader: '',
  pg_freespacemap: 'create view it as select * from pg_freespace($$pg_class$$)',
  pg_hint_plan: 'insert into hint_plan.hints (query_id, application_name, hints) values (1, $$$$, $$SeqScan(a)$$)',
  pg_partman:
    'create table it (id bigint not null) partition by range (id); ' +
    'select create_parent(p_parent_table := $$public.it$$, p_control := $$id$$, p_interval := $$10$$); ' +
    'insert into it values (1), (11)',
  pg_permissions:
    'insert into public.permission_target (role_name, permissions, object_type, schema_name) values ' +
    '($$shop$$, $${USAGE}$$, $$SCHEMA$$, $$public$$)',
  pg_prewarm: 'create view it as select pg_prewarm($$pg_class$$)',
  pg_qualstats: 'create view it as select queryid from pg_qualstats',
  pg_rational: 'create table it (a rational primary key); insert into it values ($$1/2$$)',
  pg_repack: 'create view it as select relname from repack.tables',
  pg_rrule: {
    sql: '',
    remark: 'version 0.2.0 of Debian crashes the server while its values are dumped, so the sample has none',
  },
  pg_show_plans: 'create view it as select plan from pg_show_plans',
  pg_similarity: 'create view it as select jaro($$a$$, $$b$$)',
  pg_sphere: 'create table it (a spoint); insert into it values ($$(0.1,0.2)$$); create index on it using gist (a)',
  pg_squeeze: {
    sql:
      'create table it (id int primary key); insert into it values (1); insert into squeeze.tables (tabschema, ' +
      'tabname, schedule) values ($$public$$, $$it$$, row($${0}$$, $${0}$$, null, null, null))',
    result: 'rows not in the dump',
    remark: 'the extension does not mark its table of scheduled tables: register them again',
  },
  pg_stat_kcache: 'create view it as select * from pg_stat_kcache',
  pg_stat_statements: 'create view it as select query from pg_stat_statements',
  pg_statviz: 'select pgstatviz.snapshot()',
  pg_surgery:
    'create table it (a int); create function own() returns void language sql as $$ select ' +
    'public.heap_force_freeze($q$it$q$, array[$q$(0,1)$q$]::tid[]) $$',
  pg_track_settings: 'select pg_track_settings_snapshot()',
  pg_trgm: 'create table it (a text); insert into it values ($$abc$$); create index on it using gin (a gin_trgm_ops)',
  pg_visibility: 'create view it as select * from pg_visibility_map_summary($$pg_class$$)',
  pg_wait_sampling: 'create view it as select pid from pg_wait_sampling_current',
  pg_walinspect: 'create view it as select * from pg_get_wal_record_info($$0/1$$)',
  pgaudit: 'create table it (a int); grant select on it to public',
  pgcrypto: 'create table it (a bytea); insert into it values (digest($$a$$, $$sha256$$))',
  pgfaceting:
    'create table it (id int primary key, kind text); insert into it values (1, $$a$$); select ' +
    'faceting.add_faceting_to_table($$it$$, key => $$id$$, facets => array[faceting.plain_facet($$kind$$)])',
  pgfincore: 'create view it as select * from pgfincore($$pg_class$$)',
  pgl_ddl_deploy: '',
  pglogical: {
    sql:
      'select pglogical.create_node(node_name := $$n$$, dsn := $$host=127.0.0.1$$); select ' +
      'pglogical.create_replication_set($$s$$)',
    result: 'rows not in the dump',
    remark: 'the extension does not mark its nodes, sets and subscriptions: create them again',
  },
  pglogical_origin: '',
  pglogical_ticker: '',
  pgmemcache: 'create view it as select memcache_get($$a$$)',
  pgmp: 'create table it (a mpz); insert into it values (12)',
  pgpcre: 'create table it (a pcre); insert into it values ($$^a+$$)',
  pgq: 'select pgq.create_queue($$own$$); select pgq.insert_event($$own$$, $$a$$, $$b$$)',
  pgq_node: 'select pgq_node.create_node($$own$$, $$root$$, $$n$$, $$w$$, $$host=127.0.0.1$$, null, null)',
  pgrouting:
    'create table it (id int, source int, target int, cost float); insert into it values (1, 1, 2, 1); ' +
    'create view way as select * from pgr_dijkstra($$select * from public.it$$, 1, 2)',
  pgrowlocks: 'create table it (a int); create view locks as select * from pgrowlocks($$it$$)',
  pgstattuple: 'create view it as select * from pgstattuple($$pg_class$$)',
  pgtap: 'create function it() returns setof text language sql as $$ select public.pass($q$a$q$) $$',
  pgtt: '',
  pldbgapi: '',
  pllua: 'create function it() returns int language pllua as $$ return 1 $$',
  plluau: 'create function it() returns int language plluau as $$ return 1 $$',
  plperl: 'create function it() returns int language plperl as $$ return 1; $$',
  plperlu: 'create function it() returns int language plperlu as $$ return 1; $$',
  plpgsql_check: 'create view it as select * from plpgsql_profiler_functions_all()',
  plprofiler: '',
  plproxy: "create function it() returns int language plproxy as $$ connect 'host=127.0.0.1'; $$",
  plpython3u: 'create function it() returns int language plpython3u as $$ return 1 $$',
  plsh: 'create function it() returns text language plsh as $$#!/bin/sh\necho a$$',
  pltcl: 'create function it() returns int language pltcl as $$ return 1 $$',
  pltclu: 'create function it() returns int language pltclu as $$ return 1 $$',
  pointcloud: {
    sql:
      'insert into pointcloud_formats (pcid, srid, schema) values (1, 4326, $x$<?xml version="1.0" ' +
      'encoding="UTF-8"?><pc:PointCloudSchema ' +
      'xmlns:pc="http://pointcloud.org/schemas/PC/1.1"><pc:dimension><pc:position>1</pc:position><pc:size>4</pc' +
      ':size><pc:name>X</pc:name><pc:interpretation>int32_t</pc:interpretation></pc:dimension><pc:dimension><pc' +
      ':position>2</pc:position><pc:size>4</pc:size><pc:name>Y</pc:name><pc:interpretation>int32_t</pc:interpre' +
      'tation></pc:dimension></pc:PointCloudSchema>$x$); create table it (a pcpoint(1)); insert into it values ' +
      '(pc_makepoint(1, array[1, 2]))',
    result: 'restore refused',
    remark:
      'a dump has the rows of a schema in the order of the names of its tables, so those of `pointcloud_formats` come too ' +
      'late. Keep the tables in a schema that sorts after that of the extension, as in the next row',
  },
  'pointcloud, tables in a schema after it':
    'create schema shapes; insert into ' +
    'pointcloud_formats (pcid, srid, schema) values (1, 4326, $x$<?xml version="1.0" ' +
    'encoding="UTF-8"?><pc:PointCloudSchema ' +
    'xmlns:pc="http://pointcloud.org/schemas/PC/1.1"><pc:dimension><pc:position>1</pc:position><pc:size>4' +
    '</pc:size><pc:name>X</pc:name><pc:interpretation>int32_t</pc:interpretation></pc:dimension><pc:dimen' +
    'sion><pc:position>2</pc:position><pc:size>4</pc:size><pc:name>Y</pc:name><pc:interpretation>int32_t<' +
    '/pc:interpretation></pc:dimension></pc:PointCloudSchema>$x$); create table shapes.it (a ' +
    'pcpoint(1)); insert into shapes.it values (pc_makepoint(1, array[1, 2]))',
  pointcloud_postgis: 'create view it as select pc_intersects(null::pcpatch, null::geometry)',
  postgis:
    'create table it (g geometry(point, 4326)); insert into it values (st_setsrid(st_point(1, 2), 4326)); ' +
    'create index on it using gist (g); create index on it using gist ((g::geography)); ' +
    'insert into spatial_ref_sys (srid, auth_name, auth_srid, srtext, proj4text) values (990001, $$own$$, 1, ' +
    '$$a$$, $$b$$); ' +
    'create materialized view far as select st_transform(g, 3857) as g from it',
  postgis_raster: 'create table it (r raster); insert into it values (st_makeemptyraster(2, 2, 0, 0, 1))',
  postgis_sfcgal: 'create view it as select postgis_sfcgal_version()',
  postgis_tiger_geocoder: {
    sql: 'insert into tiger.state (statefp, stusps, name) values ($$99$$, $$ZZ$$, $$own$$)',
    result: 'rows not in the dump',
    remark:
      'its tables in the schema `tiger` are part of the extension, which does not mark them: load them again. ' +
      'The tables of the loader in `tiger_data` are in the dump',
  },
  postgis_topology: 'select topology.createtopology($$own$$, 4326)',
  postgres_fdw: 'create server other foreign data wrapper postgres_fdw; create foreign table it (a int) server other',
  powa: {
    sql: 'update powa_module_config set enabled = false where module = $$pg_role$$',
    remark: 'the rows of a dump replace those that the extension creates',
  },
  pre_prepare: 'create table it (name text, statement text); insert into it values ($$a$$, $$prepare a as select 1$$)',
  prefix: 'create table it (a prefix_range); insert into it values ($$123$$); create index on it using gist (a)',
  prioritize: 'create view it as select get_backend_priority(1)',
  q3c: 'create table it (a float8, b float8); insert into it values (1, 2); create index on it (q3c_ang2ipix(a, b))',
  rdkit: 'create table it (a mol); insert into it values ($$c1ccccc1$$); create index on it using gist (a)',
  refint:
    'create table it (id int primary key); create table b (id int); create trigger t before insert on b for ' +
    'each row execute function check_primary_key(id, it, id); insert into it values (1); insert into b ' +
    'values (1)',
  repmgr:
    'insert into repmgr.nodes (node_id, active, node_name, type, location, priority, conninfo, repluser, ' +
    'slot_name, config_file) values (1, true, $$n$$, $$primary$$, $$default$$, 100, $$$$, $$shop$$, null, ' +
    '$$$$)',
  roaringbitmap: 'create table it (a roaringbitmap); insert into it values (rb_build($${1,2}$$))',
  rum: 'create table it (a tsvector); insert into it values ($$a b$$); create index on it using rum (a rum_tsvector_ops)',
  seg: 'create table it (a seg); insert into it values ($$1..2$$)',
  semver: 'create table it (a semver primary key); insert into it values ($$1.2.3$$)',
  set_user: 'create view it as select proname from pg_proc where proname = $$set_user$$',
  sslinfo: 'create view it as select ssl_is_used()',
  table_log: 'create table it (id int primary key); select table_log_init(3, $$it$$); insert into it values (1)',
  tablefunc: 'create view it as select * from crosstab($$select 1, 2, 3$$) as t (a int, b int)',
  tcn:
    'create table it (id int primary key); create trigger t after insert on it for each row execute function ' +
    'triggered_change_notification(); insert into it values (1)',
  tdigest: 'create table it (a tdigest); insert into it select tdigest(i, 10) from generate_series(1, 9) as i',
  tds_fdw: 'create server tds foreign data wrapper tds_fdw options (servername $$127.0.0.1$$)',
  timescaledb: {
    sql:
      'create table it (at timestamptz not null, a int); select create_hypertable($$it$$, $$at$$); insert into ' +
      'it select $$2026-01-01$$::timestamptz + i * interval $$1 day$$, i from generate_series(1, 100) as i; ' +
      'create index on it (a)',
    remark: 'the Apache edition. Statistics of its jobs are not in the dump',
  },
  toastinfo: 'create view it as select pg_toastinfo($$a$$::text)::text',
  tsm_system_rows: 'create table it (a int); create view part as select * from it tablesample system_rows(1)',
  tsm_system_time: 'create table it (a int); create view part as select * from it tablesample system_time(1)',
  unaccent:
    'create text search configuration own (copy = simple); ' +
    'alter text search configuration own alter mapping for word with unaccent, simple',
  unit: 'create table it (a unit); insert into it values ($$1 km$$)',
  'uuid-ossp': 'create table it (a uuid default uuid_generate_v4()); insert into it values (default)',
  vector:
    'create table it (a vector(3)); insert into it values ($$[1,2,3]$$); create index on it using hnsw (a vector_l2_ops)',
  xml2: 'create view it as select xpath_string($$<a>1</a>$$, $$/a$$)',
}

/** The packages of Debian: `postgresql-VERSION-NAME` or `postgresql-NAME-VERSION`. */
export const extensionPackages = (
  'age asn1oid credcheck cron debversion dirtyread extra-window-functions first-last-agg h3 hll http hypopg icu-ext ' +
  'ip4r jsquery londiste-sql mimeo mobilitydb mysql-fdw numeral ogr-fdw omnidb orafce partman periods ' +
  'pg-fact-loader pg-hint-plan pg-permissions pg-qualstats pg-rrule pg-stat-kcache pg-track-settings ' +
  'pg-wait-sampling pgaudit pgfaceting pgfincore pgl-ddl-deploy pglogical pglogical-ticker pgmemcache pgmp pgpcre ' +
  'pgq-node pgq3 pgrouting pgsphere pgtap pgtt pgvector pldebugger pllua plperl plpgsql-check plprofiler plproxy ' +
  'plpython3 plsh pltcl pointcloud postgis-3 powa prefix preprepare prioritize q3c rational rdkit repack repmgr ' +
  'roaringbitmap rum semver set-user show-plans similarity squeeze statviz tablelog tdigest tds-fdw timescaledb ' +
  'toastinfo unit'
).split(' ')
