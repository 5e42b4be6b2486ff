/** Berths for tests over all operations: with one record of each type, and without an engine, so loops do nothing. */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Operation } from '../src/api/contract.ts'
import { memoryEngine } from './engine/memory/engine.ts'
import { kinds } from '../src/kinds/index.ts'
import { operations } from '../src/operations.ts'
import { sealSettings } from '../src/databases/targets.ts'
import { issueToken } from '../src/accounts/tokens.ts'
import { folderUnder } from './fixtures/folder.ts'
import { type Berth, startBerth } from './fixtures/harness.ts'
import { type Known, makeRecords } from './sweep-inputs.ts'
import { startFakeRegistry } from './fixtures/fake-registry.ts'

/** Creates the records once. Each Berth starts with a copy of them. Also starts a registry. */
export async function startSweep() {
  const end = new AsyncDisposableStack()
  const registry = end.use(await startFakeRegistry())
  const folder = folderUnder(end)
  const first = await startWithoutEngine(folder)
  const known = await makeKnown({ ...first, registryUrl: registry.host })
  await first.close()
  return { known, start: () => startCopy(folder), [Symbol.asyncDispose]: () => end.disposeAsync() }
}

async function startCopy(original: string) {
  const end = new AsyncDisposableStack()
  const folder = folderUnder(end)
  cpSync(original, folder, { recursive: true })
  const berth = await startWithoutEngine(folder)
  end.defer(berth.close)
  // Signs in now, because a later sign-in would write to the store.
  await berth.admin()
  const { stored, close } = readerOf(join(folder, 'berth.db'))
  end.defer(close)
  return { ...berth, stored, [Symbol.asyncDispose]: () => end.disposeAsync() }
}

/** The engine is unavailable, so that loops change nothing while tests compare the stored rows. */
function startWithoutEngine(folder: string) {
  return startBerth({
    folder,
    connect(id) {
      const engine = memoryEngine(id)
      engine.setDown(true)
      return engine
    },
  })
}

/** Creates one record of each type. A kept volume is inserted, because only the removal of a service creates one. */
export async function makeKnown(berth: Berth & { registryUrl: string }): Promise<Known> {
  const { app, registryUrl } = berth
  const volumeId = app.newId()
  const sealed = sealSettings(
    app.vault,
    'volume',
    volumeId,
    { databaseName: 'a', databaseUser: 'b', databasePassword: 'c', databaseRootPassword: 'd' },
    ['databasePassword', 'databaseRootPassword'],
  )
  const at = app.now().toISOString()
  await app.transact((tx) =>
    tx
      .insertInto('volume')
      .values({
        ...sealed,
        id: volumeId,
        name: 'kept',
        kind: kinds[0]!.name,
        serverVersion: '15',
        dataPath: '/data',
        nodeId: 'node1',
        nodeName: 'memory',
        nodeAddress: '192.0.2.10',
        ownerKind: 'database',
        ownerId: null,
        state: 'kept',
        appName: 'kept',
        dockerImage: kinds[0]!.defaultImage,
        createdAt: at,
        keptAt: at,
        generation: 1,
        deploymentId: null,
      })
      .execute(),
  )
  return { ...(await makeRecords(berth, operations, { registryUrl })), volumeId }
}

/**
 * The tables and columns that may change beside a refused call: refusals, attempts and times of use, and the conditions
 * with their events, which the loop of conditions writes.
 */
const bookkeepingTables = ['audit', 'attempt', 'condition', 'event']
const bookkeepingColumns = ['lastUsedAt', 'lastSeenAt', 'attempts']
/** Which rows may not change, of tables in which others may: Berth stores the trusted time every minute. */
const rowsOf: Record<string, string> = { meta: "where key not in ('trustedTime', 'eventMarks')" }

/** Reads all other stored rows as one text. Reads again only after a commit. */
function readerOf(path: string) {
  const file = new DatabaseSync(path, { readOnly: true, returnArrays: true })
  const tables = file.prepare("select name from sqlite_master where type = 'table' and name not like 'sqlite_%'").all()
  const statements = (tables as unknown as [string][])
    .filter(([table]) => !bookkeepingTables.includes(table))
    .map(([table]) => file.prepare(`select ${columnsOf(table).join()} from "${table}" ${rowsOf[table] ?? ''}`))
  const version = file.prepare('pragma data_version')
  let [readAt, text] = [-1, '']
  return { stored, close: () => file.close() }

  function columnsOf(table: string) {
    const columns = file.prepare('select name from pragma_table_info(?)').all(table) as unknown as [string][]
    return columns.filter(([name]) => !bookkeepingColumns.includes(name)).map(([name]) => `"${name}"`)
  }

  function stored(): string {
    const [now] = version.get() as unknown as [number]
    if (now !== readAt) [readAt, text] = [now, JSON.stringify(statements.map((statement) => statement.all()))]
    return text
  }
}

/** Creates a token with which the administrator can call the operation. */
export async function freshToken({ app, admin }: Berth, { access }: Operation): Promise<string> {
  const kind = access === 'secondFactor' ? 'challenge' : 'session'
  const fields = { kind, accountId: (await admin()).id, id: app.newId(), address: '' } as const
  return (await app.transact((tx) => issueToken(tx, fields, app.now()))).token
}
