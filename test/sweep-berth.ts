/** The Berths of the sweeps: nothing runs by itself, one record of each sort, and everything stored as one text. */
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

/** The records are made once: each Berth of a sweep begins with a copy of them. There is a registry to log in to. */
export async function startSweep() {
  const end = new AsyncDisposableStack()
  const registry = end.use(await startFakeRegistry())
  const folder = folderUnder(end)
  const first = await startAway(folder)
  const known = await makeKnown({ ...first, registryUrl: registry.host })
  await first.close()
  return { known, start: () => startQuiet(folder), [Symbol.asyncDispose]: () => end.disposeAsync() }
}

async function startQuiet(begun: string) {
  const end = new AsyncDisposableStack()
  const folder = folderUnder(end)
  cpSync(begun, folder, { recursive: true })
  const berth = await startAway(folder)
  end.defer(berth.close)
  // With its session: who signs in later writes.
  await berth.admin()
  const { stored, close } = readerOf(join(folder, 'berth.db'))
  end.defer(close)
  return { ...berth, stored, [Symbol.asyncDispose]: () => end.disposeAsync() }
}

/** An engine that is away: loops change nothing while what was written is compared. */
function startAway(folder: string) {
  return startBerth({
    folder,
    connect(id) {
      const engine = memoryEngine(id)
      engine.setDown(true)
      return engine
    },
  })
}

/** One record of each sort; a kept volume has no `create`, for only the removal of a service leaves one. */
export async function makeKnown(berth: Berth & { registryUrl: string }): Promise<Known> {
  const { app, registryUrl } = berth
  const volumeId = app.newId()
  const sealed = sealSettings(
    app.vault,
    'volume',
    volumeId,
    { databaseName: 'a', databaseUser: 'b', databasePassword: 'c' },
    ['databasePassword'],
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
        deploymentId: null,
      })
      .execute(),
  )
  return { ...(await makeRecords(berth, operations, { registryUrl })), volumeId }
}

/** There to be written by calls that change nothing: notes of refusals, of tries and of use. */
const noteTables = ['audit', 'attempt']
const noteColumns = ['lastUsedAt', 'lastSeenAt', 'attempts']

/** Everything else that is stored, as one text. It is read anew only after a commit. */
function readerOf(path: string) {
  const file = new DatabaseSync(path, { readOnly: true, returnArrays: true })
  const listed = file.prepare("select name from sqlite_master where type = 'table' and name not like 'sqlite_%'").all()
  const statements = (listed as unknown as [string][])
    .filter(([table]) => !noteTables.includes(table))
    .map(([table]) => file.prepare(`select ${columnsOf(table).join()} from "${table}"`))
  const version = file.prepare('pragma data_version')
  let [readAt, text] = [-1, '']
  return { stored, close: () => file.close() }

  function columnsOf(table: string) {
    const columns = file.prepare('select name from pragma_table_info(?)').all(table) as unknown as [string][]
    return columns.filter(([name]) => !noteColumns.includes(name)).map(([name]) => `"${name}"`)
  }

  function stored(): string {
    const [now] = version.get() as unknown as [number]
    if (now !== readAt) [readAt, text] = [now, JSON.stringify(statements.map((statement) => statement.all()))]
    return text
  }
}

/** What opens the operation to the administrator. */
export async function freshToken({ app, admin }: Berth, { access }: Operation): Promise<string> {
  const kind = access === 'secondFactor' ? 'challenge' : 'session'
  const asked = { kind, accountId: (await admin()).id, id: app.newId(), address: '' } as const
  return (await app.transact((tx) => issueToken(tx, asked, app.now()))).token
}
