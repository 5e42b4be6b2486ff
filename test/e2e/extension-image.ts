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
 * Builds an image of a version with Debian's packages, which are named without `postgresql-VERSION-`. Packages that Debian
 * does not have are left out. The image remains, so that the next test does not build it again.
 * @returns the name of the image
 */
export async function extensionImage(version: string, kind: string, packages: readonly string[]): Promise<string> {
  const folder = `/usr/share/postgresql/${version}/extension`
  const files = Object.entries(standIn).map(
    ([file, text]) => `RUN echo ${Buffer.from(text).toString('base64')} | base64 -d >${folder}/${file}`,
  )
  const install =
    `apt-get update -qq && apt-get install -q -y --no-install-recommends $(apt-cache search --names-only . | ` +
    `awk '{ print $1 }' | grep -xE 'postgresql-${version}-(${packages.join('|')})') && rm -rf /var/lib/apt/lists/*`
  await buildImage(name(version, kind), `${[`FROM postgres:${version}`, `RUN ${install}`, ...files].join('\n')}\n`)
  return name(version, kind)
}
