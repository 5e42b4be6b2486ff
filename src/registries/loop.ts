/**
 * The loop for the registry that Berth runs: its service, its volume and its garbage collections. The registry counts
 * as up once Berth has logged in at the address and with the credentials of its record. Idempotent.
 */
import { isDeepStrictEqual } from 'node:util'
import * as deployments from '../deployments/queries.ts'
import type { RegistryServerReason } from '../deployments/reason.ts'
import type { DeploymentTable } from '../deployments/table.ts'
import { EngineFailure, type FoundTask, type NamedService } from '../engine/engine.ts'
import { containerDigestOf } from '../engine/spec.ts'
import { fromJson, toJson } from '../lib/json.ts'
import type { Loop } from '../lib/async/loop.ts'
import { explain, openRegistry } from '../lib/registry-client/registry.ts'
import { openHtpasswd, openRegistryPassword, serverOf } from './queries.ts'
import { type RegistryServerTable, registryName, serverId } from './table.ts'
import type { RegistryTable, VolumeTable, Writer } from '../store/schema.ts'
import { sealSettings } from '../databases/targets.ts'
import * as volumes from '../volumes/queries.ts'
import { type Collection, collectionsIn } from './garbage-collection.ts'
import { renewCredentials } from './credentials.ts'
import { ensureService } from '../gateways/ensure-service.ts'
import { registryDataPath, registrySpec } from './specs.ts'
import { taskHealth } from '../databases/reconcile/task-health.ts'
import type { Runtime } from '../runtime.ts'

/**
 * Time from the call until a failed login is an error. Behind the proxy, a certificate may have to be obtained first.
 */
const reachMs = { port: 60_000, host: 180_000 }
/** Task failures older than this are ignored: they belong to earlier work. */
const failureWindowMs = 300_000

/** The state of the registry. `changed`: something is changing or starting, so take another turn soon. */
type Standing = { is: 'up' } | { is: 'failed'; reason: RegistryServerReason } | { is: 'changed' } | { is: 'gone' }

/** What the store knows of the registry. */
interface Server {
  row: RegistryServerTable
  /** Null after the registry was removed. */
  record: RegistryTable | null
  deployment: DeploymentTable | null
  volume: VolumeTable | null
}

export function registryLoop(runtime: Runtime): Loop<'registry'> {
  const collections = collectionsIn(runtime)
  return {
    name: 'registry',
    periodMs: 5000,
    againMs: 300,
    async turn() {
      await renewCredentials(runtime)
      const server = await read(runtime)
      if (server === null) return 'idle'
      await runtime.ensureEngine()
      const standing = await step(runtime, server, collections)
      if (standing.is === 'changed') return 'again'
      await recordOutcome(runtime, server, standing)
      // A failed collection ends the read-only mode, which needs another turn.
      return server.row.collecting === 1 ? 'again' : 'idle'
    },
  }
}

async function read(runtime: Runtime): Promise<Server | null> {
  const { db } = runtime
  const row = await serverOf(db)
  if (row === undefined) return null
  const [record, deployment, volume] = await Promise.all([
    db
      .selectFrom('registry')
      .selectAll()
      .where('id', '=', row.registryId ?? '')
      .executeTakeFirst(),
    deployments.find(db, row.deploymentId),
    volumes.find(db, row.volumeId),
  ])
  return { row, record: record ?? null, deployment, volume }
}

async function step(runtime: Runtime, server: Server, collections: Collection): Promise<Standing> {
  const { engine, config, vault } = runtime
  const { row, volume } = server
  const isUp = row.goal === 'up'
  if (isUp && volume === null) return chooseVolume(runtime, row)
  if (isUp && row.collecting === 1 && !(await collections.begin(row))) return { is: 'changed' }
  const { username, hash } = openHtpasswd(vault, row)
  const spec = isUp ? registrySpec({ ...row, htpasswd: `${username}:${hash}\n` }, volume!, config) : null
  const services: NamedService[] = await engine.servicesNamed([registryName])
  const ensured = await ensureService(runtime, registryName, spec, services)
  if (ensured !== null) return ensured
  if (spec === null) return { is: (await engine.liveContainers(registryName)).length > 0 ? 'changed' : 'gone' }
  const at = runtime.now().getTime()
  const since = server.deployment === null ? at - failureWindowMs : Date.parse(server.deployment.phaseAt)
  const health = taskHealth(await engine.tasks([registryName]), containerDigestOf(spec), since, at)
  if (health.is === 'failed') return { is: 'failed', reason: { reason: 'RegistryDown', cause: health.reason } }
  if (health.is === 'coming') return row.deploymentId === null ? storedStanding(row) : { is: 'changed' }
  return runningStanding(runtime, server, health.task, collections, at - since)
}

/** Keeps the stored standing while the swarm replaces a task. */
function storedStanding({ status, reason }: RegistryServerTable): Standing {
  return status === 'error' && reason !== null ? { is: 'failed', reason: fromJson(reason) } : { is: 'up' }
}

/** The standing while a task runs. `ageMs` is the time since the call. */
async function runningStanding(
  runtime: Runtime,
  server: Server,
  task: FoundTask,
  collections: Collection,
  ageMs: number,
): Promise<Standing> {
  const { row, record } = server
  if (row.collecting === 1) return collections.step(row, task)
  if (row.status === 'done') return { is: 'up' }
  const reason = await checkLogin(runtime, record!)
  if (reason === null) return { is: 'up' }
  const isEarly = row.deploymentId !== null && ageMs < reachMs[row.port === null ? 'host' : 'port']
  return isEarly ? { is: 'changed' } : { is: 'failed', reason }
}

/** Logs in to the registry. Returns null if the login works and the registry checks passwords. */
async function checkLogin({ config, vault }: Runtime, record: RegistryTable): Promise<RegistryServerReason | null> {
  using registry = openRegistry(
    { ...record, password: openRegistryPassword(vault, record) },
    { insecure: record.insecure === 1, egress: config.egress },
  )
  try {
    const { host, isChecked } = await registry.signIn(new AbortController().signal)
    return isChecked ? null : { reason: 'RegistryOpen', host }
  } catch (error) {
    return { reason: 'RegistryLoginFailed', detail: explain(error) }
  }
}

const registryOwner = { ownerKind: 'registry', ownerId: serverId } as const

/** Chooses the engine's own node, and there the volume that an earlier registry left or a new one. */
async function chooseVolume(runtime: Runtime, { id, deploymentId }: RegistryServerTable): Promise<Standing> {
  const { engine, vault, transact, newId, now, config } = runtime
  const local = (await engine.nodes()).find((it) => it.local)
  if (local === undefined)
    throw new EngineFailure('noSuitableNode', 'The engine does not say which node of the swarm it is')
  const volumeId = newId()
  const settings = {
    kind: 'registry',
    ...registryOwner,
    dataPath: registryDataPath,
    nodeId: local.id,
    nodeName: local.hostname,
    nodeAddress: local.address,
    appName: registryName,
    dockerImage: config.registryImage,
    ...sealSettings(vault, 'volume', volumeId, {}, []),
  }
  const fresh = volumes.newVolume(volumeId, settings, now())
  await transact(async (tx) => {
    const present = await tx.selectFrom('registryServer').select('deploymentId').where('id', '=', id).executeTakeFirst()
    if (present?.deploymentId !== deploymentId) return
    const kept = await volumes.lastKept(tx, registryOwner.ownerKind, local.id)
    if (kept === null) await volumes.insert(tx, fresh)
    else await volumes.attach(tx, kept.id, registryOwner)
    await tx
      .updateTable('registryServer')
      .set({ volumeId: kept?.id ?? volumeId })
      .where('id', '=', id)
      .execute()
  })
  return { is: 'changed' }
}

/**
 * Stores the standing and finishes the deployment. Does nothing if a later call has changed the registry since the turn
 * read it.
 */
async function recordOutcome(
  runtime: Runtime,
  { row }: Server,
  standing: Exclude<Standing, { is: 'changed' }>,
): Promise<void> {
  const { transact, now, log } = runtime
  const reason = standing.is === 'failed' ? standing.reason : null
  const status = standing.is === 'failed' ? ('error' as const) : ('done' as const)
  if (standing.is !== 'gone' && row.deploymentId === null && row.status === status) {
    if (isDeepStrictEqual(fromJson(row.reason), reason)) return
  }
  await transact(async (tx) => {
    const { deploymentId } = row
    const present = await tx
      .selectFrom('registryServer')
      .select('deploymentId')
      .where('id', '=', row.id)
      .executeTakeFirst()
    if (present?.deploymentId !== deploymentId) return
    if (standing.is === 'gone') await remove(tx, row, now())
    else {
      const changes = { status, reason: reason && toJson(reason), deploymentId: null, collecting: 0 as const }
      await tx.updateTable('registryServer').set(changes).where('id', '=', row.id).execute()
    }
    if (deploymentId === null) return
    // A successful deployment keeps its reason, which says what a garbage collection deleted.
    await deployments.finish(tx, deploymentId, status, reason ?? undefined, now())
  })
  log.info('registry changed', { standing: standing.is, reason })
}

/** Deletes the row and keeps the volume with the pushed images for the next registry. */
async function remove(tx: Writer, { id, volumeId }: RegistryServerTable, now: Date): Promise<void> {
  await tx.deleteFrom('registryServer').where('id', '=', id).execute()
  if (volumeId !== null) await volumes.keep(tx, volumeId, now)
}
