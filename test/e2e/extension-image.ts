/** Images of PostgreSQL with packages of extensions, and with an extension that stands in for TimescaleDB. */
import { buildImage } from './swarm.ts'

/**
 * Stands in for TimescaleDB, which Debian does not have. Like TimescaleDB, it has tables whose rows a dump contains, and
 * functions for the time before and after a restore. Between them, it accepts the rows of its tables.
 */
const standIn = {
  'timescaledb.control': `comment = 'Stands in for TimescaleDB'
default_version = '1'
relocatable = false
`,
  'timescaledb--1.sql': `
create schema _timescaledb_catalog;
create table _timescaledb_catalog.hypertable (id int primary key, name name not null);
select pg_catalog.pg_extension_config_dump('_timescaledb_catalog.hypertable', '');
create function _timescaledb_catalog.check_row() returns trigger language plpgsql set search_path = pg_catalog as $$ begin
  if coalesce(current_setting('timescaledb.restoring', true), 'off') <> 'on' then
    raise exception 'rows of a chunk outside of a restore';
  end if;
  return new;
end $$;
create function timescaledb_pre_restore() returns boolean language plpgsql set search_path = pg_catalog as $$ begin
  execute format('alter database %I set timescaledb.restoring = on', current_database());
  set session timescaledb.restoring = 'on';
  return true;
end $$;
create function timescaledb_post_restore() returns boolean language plpgsql set search_path = pg_catalog as $$ begin
  execute format('alter database %I reset timescaledb.restoring', current_database());
  set session timescaledb.restoring = 'off';
  return true;
end $$;
`,
}

const name = (version: string, kind: string) => `berth-test-postgres-${kind}:${version}`

/**
 * Builds an image of a version with Debian's packages, which are named `postgresql-VERSION-NAME` or ' +
   '`postgresql-NAME-VERSION`.
 * Packages that Debian does not have are left out. If TimescaleDB is among them, the image has a stand-in. The image
 * remains, so that the next test does not build it again.
 * @returns the name of the image
 */
export async function extensionImage(version: string, kind: string, packages: readonly string[]): Promise<string> {
  const folder = `/usr/share/postgresql/${version}/extension`
  const files = Object.entries(standIn).map(
    ([file, text]) => `echo ${Buffer.from(text).toString('base64')} | base64 -d >${folder}/${file}`,
  )
  const names = packages.join('|')
  const install =
    `apt-get update -qq && apt-get install -q -y --no-install-recommends $(apt-cache search --names-only . | ` +
    `awk '{ print $1 }' | grep -xE 'postgresql-(${version}-(${names})|(${names})-${version})') && rm -rf ` +
    `/var/lib/apt/lists/*`
  // The foreign data wrapper ogr_fdw reads this file.
  const addFile = `echo a,b >${folder}/own.csv`
  const addStandIn = `[ -e ${folder}/timescaledb.control ] || { ${files.join('; ')}; }`
  await buildImage(name(version, kind), `FROM postgres:${version}\nRUN ${install}\nRUN ${addStandIn}; ${addFile}\n`)
  return name(version, kind)
}

const plugins =
  'connect mroonga oqgraph rocksdb s3 spider provider-bzip2 provider-lz4 provider-lzma provider-lzo provider-snappy'
const keyFile = '/etc/mysql/keys'

/**
 * Builds an image of MariaDB with Debian's packages of plugins, and with the plugins of the package ' +
   '`mariadb-server`, which
 * the images lack.
 */
export async function pluginImage(version: string): Promise<string> {
  const packages = plugins.split(' ').map((plugin) => `mariadb-plugin-${plugin}`)
  const install = [
    'apt-get update -qq',
    'apt-get install -q -y --no-install-recommends --fix-broken',
    `apt-get install -q -y --no-install-recommends ${packages.join(' ')}`,
    'cd /tmp && apt-get download mariadb-server && dpkg-deb -x mariadb-server_*.deb server',
    'cp -r server/usr/lib/mysql/plugin/. /usr/lib/mysql/plugin/',
    `echo '1;770a8a65da156d24ee2a093277530142' >${keyFile}`,
    `echo 'file_key_management_filename = ${keyFile}' | sed '1i [mariadb]\\nplugin_load_add = ` +
      `file_key_management' >/etc/mysql/conf.d/keys.cnf`,
  ]
  const name = `berth-test-mariadb-plugins:${version}`
  await buildImage(name, `FROM mariadb:${version}\nRUN ${install.join(' && ')}\n`)
  return name
}
