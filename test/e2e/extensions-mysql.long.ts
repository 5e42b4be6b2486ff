/**
 * Dumps a database with each storage engine and plugin of Debian's packages of MariaDB, and of MySQL, restores it into a
 * temporary server like that of a drill, in place and into a new server, and compares the contents. docs/extensions.md has
 * the results, as for extensions.long.ts.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { mariadb } from '../../src/kinds/mariadb/mariadb.ts'
import { mysql } from '../../src/kinds/mysql/mysql.ts'
import type { Kind } from '../../src/kinds/kind.ts'
import { containersOf, type Server, withoutTimeZones } from './container.ts'
import { mariadbSamples, mysqlSamples } from './engine-samples.ts'
import { pluginImage } from './extension-image.ts'
import { query } from './mysql-products.ts'
import { type Row, type Samples, sampleOf, writeRows } from './sample.ts'
import { type Laboratory, prepareOrigin, resultOf } from './trial.ts'

const settings = {
  databaseName: 'shop',
  databaseUser: 'root',
  databasePassword: 'secret',
  databaseRootPassword: 'secret',
}
const created = { ...settings, databaseUser: 'shop' }

interface Product {
  heading: string
  kind: Kind
  image: string
  version: string
  /** Builds the image. */
  build(): Promise<unknown>
  args: string[]
  /** Statements that each server needs once. */
  prepare: string
  samples: Samples
}

const loaded = (...libraries: string[]) => libraries.map((library) => `--plugin-load-add=${library}`)

const products: Product[] = [
  {
    heading: 'MariaDB',
    kind: mariadb,
    image: 'berth-test-mariadb-plugins',
    version: '11.8',
    build: () => pluginImage('11.8'),
    args: [
      ...loaded('ha_archive', 'ha_blackhole', 'ha_sphinx', 'auth_ed25519', 'metadata_lock_info', 'query_response_time'),
      ...loaded('type_mysql_json'),
    ],
    prepare: "install soname 'ha_mroonga'; install soname 'simple_password_check'",
    samples: mariadbSamples,
  },
  {
    heading: 'MySQL',
    kind: mysql,
    image: 'mysql',
    version: '8.4',
    build: () => Promise.resolve(),
    args: ['--federated', ...loaded('mysql_no_login=mysql_no_login.so')],
    prepare:
      "install component 'file://component_validate_password'; install component 'file://component_query_attributes'; " +
      "create function service_get_read_locks returns integer soname 'locking_service.so'; " +
      "install plugin rewriter soname 'rewriter.so'",
    samples: mysqlSamples,
  },
]

const versions = (server: string) => `select coalesce((select plugin_version from information_schema.plugins
  where plugin_name = ?), '') as version, version() as server -- ${server}`

for (const { heading, kind, image, version, build, args, prepare, samples } of products) {
  const { startServer, removeAll, urlOf } = containersOf<typeof settings>(kind, image)
  const backup = kind.backup!
  const rows: Row[] = []
  let laboratory: Laboratory
  const urlIn = (server: Server, database = '') =>
    Object.assign(new URL(urlOf(server, settings)), { pathname: `/${database}` }).href

  async function countRows(server: Server, database: string): Promise<Record<string, unknown>> {
    const tables = await query(
      urlIn(server),
      `select table_name as name from information_schema.tables where table_schema = ? and table_type <> 'VIEW'
        and engine not in ('SPHINX', 'FEDERATED', 'SPIDER', 'CONNECT') order by 1`,
      [database],
    )
    const counts = tables.map(async ({ name }) => [
      name,
      (
        await query(urlIn(server, database), `select count(*) as count from \`${String(name)}\``).catch(() => [
          { count: null },
        ])
      )[0]!.count,
    ])
    return Object.fromEntries(await Promise.all(counts)) as Record<string, unknown>
  }

  describe(`each storage engine and plugin of ${heading} is restored, or its refusal is documented`, {
    concurrency: 3,
  }, () => {
    before(async () => {
      await build()
      const start = async (...further: string[]) => {
        const server = await startServer(version, created, ...withoutTimeZones, '--', ...args, ...further)
        await query(urlIn(server), prepare)
        return server
      }
      const [origin, drill, fresh] = await Promise.all([start(), start(...backup.temporaryServerArgs), start()])
      await prepareOrigin(origin)
      const targets = { drill, 'in place': origin, new: fresh }
      laboratory = { backup, login: { settings: created, own: null }, version, origin, targets, countRows }
    })
    after(async () => {
      if (process.env.WRITE_TABLE === '1') writeRows(heading, rows)
      await removeAll()
    })

    for (const [index, name] of Object.keys(samples).entries()) {
      test(name, { timeout: 10 * 60_000 }, async (t) => {
        const { origin, targets } = laboratory
        const sample = sampleOf(samples, name)
        const database = `x_${index}`
        await query(urlIn(origin), `create database ${database}`)
        await query(urlIn(origin, database), sample.sql)
        const [found] = await query(urlIn(origin), versions(heading), [name.split(',')[0]])
        const outcome = await resultOf(laboratory, database)
        for (const server of new Set([origin, ...Object.values(targets)])) {
          // A file of the engine CONNECT that has a name stays, and so does its folder.
          await query(urlIn(server), `drop database if exists ${database}`).catch(() => undefined)
        }
        if (outcome.text !== '') t.diagnostic(`${name}: ${outcome.text.slice(0, 2000)}`)
        rows.push({ name, version: String(found!.version), result: outcome.result, remark: sample.remark })
        assert.equal(outcome.result, sample.result)
      })
    }
  })
}
