/** Dumps, changes and restores databases of every kind on real servers, and compares the contents. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { MongoClient } from 'mongodb'
import { createConnection } from 'mysql2/promise'
import pg from 'pg'
import { type ArchiveContents, type Backup, BrokenArchive, differences } from '../../src/kinds/backup.ts'
import { type DumpFinding, isLeftOut } from '../../src/kinds/dump-finding.ts'
import { kindNamed } from '../../src/kinds/index.ts'
import { compareData } from '../fixtures/compare-data.ts'
import { containersOf, job, type Server, withoutTimeZones } from './container.ts'
import {
  changeMongo,
  dropMongo,
  fillMongo,
  hardenMongo,
  mysqlFaultFindings,
  mysqlFaults,
  mysqlHardening,
  mysqlSchema,
  mysqlWrites,
  postgresHardening,
  postgresSchema,
  postgresWrites,
} from './dumps-schemas.ts'
import { representative } from './representative.ts'

type Settings = Record<string, string>

/** What a dump leaves out of a database, or what it needs besides the dump. */
interface Faults {
  fill(url: string): Promise<void>
  /** The findings, as `findingText` renders them. */
  findings: string[]
  /** Drops the database with what it needs, so that the server is like new. */
  drop(url: string): Promise<void>
}

interface Product {
  kind: string
  versions: string[]
  settings: Settings
  database: string
  /** Arguments of the server. */
  args?: string[]
  /** Whether a failed restore leaves the database unchanged. */
  isRestoreAtomic: boolean
  fill(url: string): Promise<void>
  change(url: string): Promise<void>
  /** Sets what could refuse, end or change sessions of clients. */
  harden(url: string): Promise<void>
  /** Drops the database with its accounts, so that the server is like new. */
  drop(url: string): Promise<void>
  faults?: Faults
  /** A setting that hides data from the dump program of these versions. */
  hiding?: { name: string; versions: string[]; set(url: string): Promise<void> }
}

/** Without the error of the server, which depends on its version. */
function findingText(finding: DumpFinding): string {
  const { reason, type, name } = finding
  const parameter =
    reason === 'DefinerMissing' ? finding.definer : reason === 'DatabaseNeeded' ? finding.database : null
  return [reason, type, name, ...(parameter === null ? [] : [parameter])].join(' ')
}

async function withPostgres(connectionString: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

async function withMysql(uri: string, statements: string[]): Promise<void> {
  const connection = await createConnection({ uri, charset: 'utf8mb4' })
  try {
    for (const statement of statements) await connection.query(statement)
  } finally {
    await connection.end()
  }
}

async function withMongo(url: string, work: (client: MongoClient) => Promise<void>): Promise<void> {
  const client = new MongoClient(url, { serverSelectionTimeoutMS: 5000 })
  try {
    await work(await client.connect())
  } finally {
    await client.close()
  }
}

const foreignTable =
  "create table far_rows (id int primary key) engine = FEDERATED connection = 'mysql://ada:pass@127.0.0.1:1/x/t'"
const mysqlDrops = ['drop database `da_ta b$e;#&=@`', "drop user 'rea der''x'@'10.%'", 'drop role clerk']
const mysqlLike = (kind: string, versions: string[]): Product => ({
  kind,
  versions,
  // MariaDB's packages have this engine as a plugin that the images lack.
  args: kind === 'mysql' ? ['--federated'] : [],
  isRestoreAtomic: false,
  database: 'da_ta b$e;#&=@',
  settings: {
    databaseName: 'da_ta b$e;#&=@',
    databaseUser: 'u ser"$`',
    databasePassword: 'p"a$s# ;',
    databaseRootPassword: 'ro ot;$`id`-- #☃😀',
  },
  fill: (url) => withMysql(url, mysqlSchema(kind === 'mariadb')),
  change: (url) => withMysql(url, mysqlWrites),
  harden: (url) => withMysql(url, mysqlHardening(kind === 'mariadb')),
  hiding: {
    name: 'sql_select_limit',
    versions: ['11', '10.11', '8.0'],
    set: (url) => withMysql(url, ['set global sql_select_limit = 1']),
  },
  drop: (url) => withMysql(url, mysqlDrops),
  faults: {
    fill: (url) => withMysql(url, [...mysqlFaults, ...(kind === 'mysql' ? [foreignTable] : [])]),
    findings: [...mysqlFaultFindings, ...(kind === 'mysql' ? ['RowsElsewhere TABLE far_rows'] : [])].sort(),
    drop: (url) => withMysql(url, [...mysqlDrops, 'drop database other_db', "drop user definer@'%', reader@localhost"]),
  },
})

const products: Product[] = [
  {
    kind: 'postgres',
    versions: ['18', '17', '15'],
    isRestoreAtomic: true,
    database: 'da ta"b\'a$e=\\ ☃',
    settings: { databaseName: 'da ta"b\'a$e=\\ ☃', databaseUser: 'ow ner=☃', databasePassword: 'p\'a"s$s\\ :☃😀' },
    fill: (url) => withPostgres(url, postgresSchema),
    change: (url) => withPostgres(url, postgresWrites),
    harden: (url) => withPostgres(url, ...postgresHardening),
    drop: (url) =>
      withPostgres(
        Object.assign(new URL(url), { pathname: 'template1' }).href,
        'drop database "da ta""b\'a$e=\\ ☃"',
        'drop role "rea\'der x"',
        'drop role other',
      ),
  },
  mysqlLike('mariadb', ['11', '10.11']),
  mysqlLike('mysql', ['8.4', '8.0', '9.7']),
  {
    kind: 'mongo',
    versions: ['3.6', '3.6-mongosh'],
    isRestoreAtomic: false,
    database: 'shop-é',
    settings: { databaseUser: 'sp ace@ü:/#?[]%;-`😀"', databasePassword: 'p\'a"s$s\\w`ord; --' },
    fill: (url) => withMongo(url, (client) => fillMongo(client, 'shop-é')),
    change: (url) => withMongo(url, (client) => changeMongo(client, 'shop-é')),
    harden: (url) => withMongo(url, (client) => hardenMongo(client, 'shop-é')),
    drop: (url) => withMongo(url, (client) => dropMongo(client, 'shop-é')),
  },
]

/** The lengths of truncated archives: empty, half, and without the last bytes. */
const cuts = (archive: Buffer) => [0, archive.length >> 1, archive.length - 40, archive.length - 1]

describe('backups', { concurrency: 2 }, () => products.forEach(suite))

function suite({
  kind: name,
  versions,
  settings,
  database,
  args = [],
  isRestoreAtomic,
  fill,
  change,
  harden,
  drop,
  faults,
  hiding,
}: Product) {
  const kind = kindNamed(name)
  const backup = kind.backup as Backup
  const { startServer, removeAll } = containersOf<Settings>(kind, name)
  const root = { ...settings, databaseUser: 'root', databasePassword: settings.databaseRootPassword ?? '' }
  const login = settings.databaseRootPassword === undefined ? settings : root
  const urlOf = ({ address }: Server) => kind.url(login, address)
  after(removeAll)

  for (const version of representative(versions)) {
    describe(`${name} ${version}`, { concurrency: false }, () => {
      const image = `${name}:${version}`
      const targetOf = ({ address }: Server) => ({ ...address, database })

      async function dump(server: Server): Promise<Buffer> {
        const { exitCode, stdout, stderr } = await job(
          image,
          backup.dump({ settings, own: null }, targetOf(server), version),
        )
        assert.equal(exitCode, 0, `${stderr}. The dump ends with ${stdout.subarray(-200).toString()}`)
        return stdout
      }

      async function contentsOf(archive: Buffer): Promise<ArchiveContents> {
        const reader = backup.reader()
        const program = backup.unpack?.(version)
        const unpacked = program === undefined ? null : await job(image, program, archive)
        if (unpacked !== null && unpacked.exitCode !== 0) throw new BrokenArchive(unpacked.stderr)
        reader.write(unpacked?.stdout ?? archive)
        return reader.end()
      }

      async function restore(server: Server, archive: Buffer, roles: string[] | null, withoutNeeds = false) {
        const target = { ...targetOf(server), roles: roles ?? [], withoutNeeds }
        return job(image, backup.restore({ settings, own: null }, target, version), archive)
      }

      /** Dumps faults, and restores that dump into its database and, without what it needs, into a server like a new one. */
      async function testFaults(server: Server, { fill: damage, findings, drop: clear }: Faults): Promise<void> {
        await damage(urlOf(server))
        const archive = await dump(server)
        const { findings: found = [], ...expected } = await contentsOf(archive)
        assert.deepEqual(found.map(findingText).sort(), findings)
        for (const it of found.filter(isLeftOut))
          assert.ok(archive.includes(`VIEW \`${it.name.replaceAll('`', '``')}\` AS `))
        for (const withoutNeeds of [false, true]) {
          if (withoutNeeds) await clear(urlOf(server))
          const { exitCode, stderr } = await restore(server, archive, null, withoutNeeds)
          assert.equal(exitCode, 0, stderr)
          const { findings: left = [], ...restored } = await contentsOf(await dump(server))
          assert.deepEqual(left.filter(isLeftOut), [])
          if (!withoutNeeds) assert.deepEqual(restored, expected)
        }
      }

      test('a restore brings back the dumped contents in a changed database and on an empty server', async () => {
        const server = await startServer(
          version,
          settings,
          ...withoutTimeZones,
          '--',
          ...backup.temporaryServerArgs,
          ...args,
        )
        await fill(urlOf(server))
        const archive = await dump(server)
        const expected = await contentsOf(archive)
        for (const cut of cuts(archive)) await assert.rejects(contentsOf(archive.subarray(0, cut)), BrokenArchive)
        await change(urlOf(server))
        const changed = await contentsOf(await dump(server))
        assert.notDeepEqual(differences(expected, changed), [])
        const broken = await restore(server, archive.subarray(0, archive.length >> 1), expected.roles)
        assert.notEqual(broken.exitCode, 0, broken.stderr)
        if (isRestoreAtomic) {
          const left = await contentsOf(await dump(server))
          await compareData('the contents after a failed restore', () => assert.deepEqual(left, changed))
        }
        for (const prepare of [null, drop]) {
          await prepare?.(urlOf(server))
          const { exitCode, stderr } = await restore(server, archive, expected.roles)
          assert.equal(exitCode, 0, stderr)
          const restored = await contentsOf(await dump(server))
          await compareData(`the restored contents. ${stderr}`, () =>
            assert.deepEqual([differences(expected, restored), restored], [[], expected]),
          )
        }
        if (faults !== undefined) {
          await testFaults(server, faults)
          assert.equal((await restore(server, archive, expected.roles)).exitCode, 0)
        }
        await harden(urlOf(server))
        const hardened = await dump(server)
        const { exitCode, stderr } = await restore(server, hardened, expected.roles)
        assert.equal(exitCode, 0, stderr)
        const [before, after] = [await contentsOf(hardened), await contentsOf(await dump(server))]
        await compareData('the contents of a server with strict settings', () => assert.deepEqual(after, before))
        if (hiding?.versions.includes(version) === true) {
          await hiding.set(urlOf(server))
          const refused = await job(image, backup.dump({ settings, own: null }, targetOf(server), version))
          assert.notEqual(refused.exitCode, 0)
          assert.ok(refused.stderr.includes(hiding.name), refused.stderr)
        }
      })
    })
  }
}
