/**
 * A Berth on the in-memory engine with a large cluster in its store and its engine, in a separate process whose memory can
 * be measured. At a message with the `Size`, the process starts Berth and sends its URL and a token. At the next message
 * it sends the durations of turns of the loop `watch` without changes.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openApp, routingOn } from '../src/app.ts'
import { parseConfig } from '../src/config.ts'
import { memoryEngine, type MemoryEngine } from '../test/engine/memory/engine.ts'
import { openServer } from '../src/http/server.ts'
import { kindNamed } from '../src/kinds/index.ts'
import { openLog } from '../src/lib/log.ts'
import { initialState } from '../src/databases/operations/databases.ts'
import { operations } from '../src/operations.ts'
import { insertAccount } from '../src/accounts/accounts.ts'
import type { DatabaseTable, VolumeTable } from '../src/store/schema.ts'
import { sealSettings, sealTarget, targetOf } from '../src/databases/targets.ts'
import { issueToken } from '../src/accounts/tokens.ts'
import { specsOf } from '../src/databases/reconcile/specs.ts'
import { watchLoop } from '../src/databases/watch/loop.ts'
import { applicationRecorder } from '../src/routing/record-applications.ts'
import type { Runtime } from '../src/runtime.ts'

export interface Size {
  folder: string
  nodes: number
  databases: number
  applications: number
  turns: number
}

export interface BerthClient {
  url: string
  token: string
}

/** The durations of turns in milliseconds. */
export interface Turns {
  turnsMs: number[]
}

const atOnce = 500
const warmUps = 3
const kind = kindNamed('postgres')
const settings = { databaseName: 'shop', databaseUser: 'shop', databasePassword: 'only-for-the-bench' }

async function open({ folder, nodes, databases, applications }: Size): Promise<BerthClient & { runtime: Runtime }> {
  mkdirSync(folder, { recursive: true })
  const config = parseConfig({ BERTH_DATA: folder, BERTH_PROXY: 'off' })
  const log = openLog(join(folder, 'berth.log'))
  let [engine, runtime]: [MemoryEngine | null, Runtime | null] = [null, null]
  const connect = (id: string) => {
    engine = memoryEngine(id, () => new Date())
    // The loops wait until all data exists.
    engine.setDown(true)
    return engine
  }
  const routing = (created: Runtime) => {
    runtime = created
    return routingOn(created)
  }
  const app = await openApp(config, log, connect, { routing })
  const server = openServer(app, operations)
  await fill(runtime!, engine!, nodes, databases, applications)
  const token = await app.transact(async (tx) => {
    const [id, now] = [app.newId(), app.now()]
    await insertAccount(tx, { id, email: 'bench@example.org', passwordHash: 'none fits', rol: 'admin' }, now)
    return (await issueToken(tx, { id: app.newId(), kind: 'session', accountId: id, address: '' }, now)).token
  })
  return { url: await server.listen({ host: '127.0.0.1', port: 0 }), token, runtime: runtime! }
}

async function fill(runtime: Runtime, engine: MemoryEngine, nodes: number, databases: number, applications: number) {
  for (let at = 2; at <= nodes; at++) engine.addNode(`node${at}`, { labels: { disk: 'ssd', zone: `zone-${at % 3}` } })
  const projectId = runtime.newId()
  await runtime.transact((tx) =>
    tx
      .insertInto('project')
      .values({ id: projectId, name: 'bench', description: null, createdAt: runtime.now().toISOString() })
      .execute(),
  )
  engine.setDown(false)
  for (let from = 0; from < databases; from += atOnce) {
    const rows = Array.from({ length: Math.min(atOnce, databases - from) }, (_, at) =>
      rowsOf(runtime, projectId, `db-${from + at}`, `node${((from + at) % nodes) + 1}`),
    )
    // Services are created first, because Berth would repair a missing service.
    for (const { row, target, volume } of rows) {
      await engine.createService(specsOf(row, target, volume, kind, runtime.config).database)
    }
    await runtime.transact(async (tx) => {
      for (const { row, volume } of rows) {
        await tx.insertInto('volume').values(volume).execute()
        await tx.insertInto('database').values(row).execute()
      }
    })
  }
  for (let at = 0; at < applications; at++) {
    engine.putForeign(`app-${at}`, { onNetwork: true, labels: { 'berth.host': `app-${at}.example.org` } })
  }
}

/** The rows of a running, verified database. */
function rowsOf({ vault, now, newId }: Runtime, projectId: string, appName: string, nodeId: string) {
  const [id, volumeId, at] = [newId(), newId(), now().toISOString()]
  const volume: VolumeTable = {
    ...sealSettings(vault, 'volume', volumeId, settings, kind.secrets),
    id: volumeId,
    name: `berth-${volumeId}`,
    kind: kind.name,
    serverVersion: '15',
    dataPath: kind.dataPath('15'),
    nodeId,
    nodeName: nodeId,
    nodeAddress: '192.0.2.10',
    foundNodeId: null,
    foundNodeName: null,
    ownerKind: 'database',
    ownerId: id,
    state: 'attached',
    appName,
    dockerImage: kind.defaultImage,
    createdAt: at,
    keptAt: null,
    deploymentId: null,
    tried: null,
    startSecrets: null,
    ownAccount: null,
    access: null,
    initializingSince: null,
    dataPlaces: null,
    restoreSettings: null,
    copyOf: null,
    copiedAt: null,
    identity: null,
    fault: null,
    generation: 1,
  }
  const before: DatabaseTable = {
    ...initialState,
    ...sealSettings(vault, 'database', id, settings, kind.secrets),
    id,
    kind: kind.name,
    projectId,
    name: appName,
    appName,
    dockerImage: kind.defaultImage,
    createdAt: at,
    goal: 'up',
    volumeId,
    observed: 'up',
    containerState: 'running',
    applicationStatus: 'done',
    lastDeployedAt: at,
  }
  const target = targetOf(vault, before, 0)
  const sealed = (column: 'target' | 'lastGood') => sealTarget(vault, column, id, target)
  return { row: { ...before, target: sealed('target'), lastGood: sealed('lastGood') }, target, volume }
}

/** The first turns observe each database for the first time and compile code, so they do not count. */
async function time(runtime: Runtime, count: number): Promise<Turns> {
  const quiet = { ...runtime, wake: () => undefined }
  const loop = watchLoop(quiet, applicationRecorder(quiet))
  const turn = () => loop.turn(new AbortController().signal)
  for (let at = 0; at < warmUps; at++) await turn()
  const turnsMs: number[] = []
  for (let at = 0; at < count; at++) {
    const start = performance.now()
    await turn()
    turnsMs.push(performance.now() - start)
  }
  const [row] = await runtime.db
    .selectFrom('database')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('deploymentId', 'is not', null)
    .execute()
  if (Number(row!.count) > 0) throw new Error(`${row!.count} databases are being mended: they are not as made`)
  return { turnsMs }
}

process.once('message', async (size: Size) => {
  const { runtime, ...place } = await open(size)
  // Garbage of the preparation does not count as Berth's memory.
  globalThis.gc!()
  process.on('message', async () => process.send!(await time(runtime, size.turns)))
  process.send!(place)
})
