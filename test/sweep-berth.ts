/** The Berth of the sweeps: nothing runs by itself, one record of each sort, and everything stored as one text. */
import type { Operation } from '../src/contract.ts'
import { memoryEngine } from '../src/engine/memory.ts'
import { kinds } from '../src/kinds/index.ts'
import { operations } from '../src/operations/index.ts'
import type { Schema } from '../src/store/schema.ts'
import { sealSettings } from '../src/store/targets.ts'
import { issueToken } from '../src/store/tokens.ts'
import { type Berth, startBerth } from './harness.ts'
import { type Known, makeRecords } from './sweep-inputs.ts'
import { startTinyRegistry } from './tiny-registry.ts'

export type Quiet = Awaited<ReturnType<typeof startQuiet>>

/** An engine that is away: loops change nothing while what was written is compared. And a registry to log in to. */
export async function startQuiet() {
  const registry = await startTinyRegistry()
  const berth = await startBerth({
    connect(id) {
      const engine = memoryEngine(id)
      engine.setDown(true)
      return engine
    },
  })
  return {
    ...berth, registryUrl: registry.host,
    async [Symbol.asyncDispose]() {
      await berth.close()
      await registry[Symbol.asyncDispose]()
    },
  }
}

/** One record of each sort; a kept volume has no `create`, for only the removal of a service leaves one. */
export async function makeKnown(berth: Pick<Quiet, keyof Berth | 'registryUrl'>): Promise<Known> {
  const { app, registryUrl } = berth
  const volumeId = app.newId()
  const sealed = sealSettings(app.vault, 'volume', volumeId,
    { databaseName: 'a', databaseUser: 'b', databasePassword: 'c' }, ['databasePassword'])
  const at = app.now().toISOString()
  await app.transact((tx) => tx.insertInto('volume').values({
    ...sealed, id: volumeId, name: 'kept', kind: kinds[0]!.name, serverVersion: '15', dataPath: '/data',
    nodeId: 'node1', nodeName: 'memory', nodeAddress: '192.0.2.10', databaseId: null, state: 'kept', appName: 'kept',
    dockerImage: kinds[0]!.defaultImage,
    createdAt: at, keptAt: at, deploymentId: null,
  }).execute())
  return { ...await makeRecords(berth, operations, { registryUrl }), volumeId }
}

const tables: (keyof Schema)[] = [
  'meta', 'account', 'token', 'recoveryCode', 'invitation', 'idempotency', 'project', 'volume', 'database',
  'deployment', 'destination', 'redirect', 'security', 'port', 'certificate', 'registry', 'node',
]
const notes = ['lastUsedAt', 'lastSeenAt', 'tries']

/** Everything that is stored, but for the notes of use, of tries and of refusals, which are there to be written. */
export async function dump({ app }: Berth): Promise<string> {
  const rows = await Promise.all(tables.map((name) => app.db.selectFrom(name).selectAll().execute()))
  return JSON.stringify(rows, (key, value: unknown) => (notes.includes(key) ? undefined : value))
}

/** What opens the operation to the administrator. */
export async function freshToken({ app, admin }: Berth, { access }: Operation): Promise<string> {
  const kind = access === 'secondFactor' ? 'challenge' : 'session'
  const asked = { kind, accountId: (await admin()).id, id: app.newId(), address: '' } as const
  return (await app.transact((tx) => issueToken(tx, asked, app.now()))).token
}
