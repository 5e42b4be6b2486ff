/**
 * The loop for the registry that Berth runs: its service, its volume and its garbage collections. The registry is up if
 * Berth can log in with the address and the credentials in the table `registry`. The loop also updates services that
 * use changed credentials of any registry. The loop is idempotent.
 */
import { isDeepStrictEqual } from 'node:util'
import * as deployments from '../deployments/queries.ts'
import { nodeUnavailableReason } from '../cluster/availability.ts'
import type { RegistryServerReason } from '../deployments/reason.ts'
import type { DeploymentTable } from '../deployments/table.ts'
import { EngineFailure, type FoundTask, type NamedService } from '../engine/engine.ts'
import { containerDigestOf, digestOf, type ServiceSpec } from '../engine/spec.ts'
import { fromJson, toJson } from '../lib/json.ts'
import type { Loop } from '../lib/async/loop.ts'
import { explain, openRegistry } from '../lib/registry-client/registry.ts'
import { forgetServer, openHtpasswd, openRegistryPassword, serverOf } from './queries.ts'
import { type RegistryServerTable, registryName, serverId } from './table.ts'
import type { RegistryTable, VolumeTable } from '../store/schema.ts'
import { sealSettings } from '../databases/targets.ts'
import * as volumes from '../volumes/queries.ts'
import { garbageCollector, type GarbageCollector } from './garbage-collection.ts'
import { renewCredentials } from './credentials.ts'
import { ensureService } from '../gateways/ensure-service.ts'
import { registryDataPath, registrySpec } from './specs.ts'
import { startObstacle } from '../databases/reconcile/data-identity.ts'
import { failureWindowMs, ownServiceStartMs, taskHealth } from '../databases/reconcile/task-health.ts'
import type { Runtime } from '../runtime.ts'

/**
 * During a deployment, a failed login is an error only if the current phase of the deployment has lasted this long. For
 * a host name, the proxy may need time to obtain a certificate.
 */
const loginTimeoutMs = { port: 60_000, host: 180_000 }

/** The result of a step. `changed`: the service is changing or starting, so another turn follows soon. */
type StepResult = { is: 'up' } | { is: 'failed'; reason: RegistryServerReason } | { is: 'changed' } | { is: 'removed' }

/** The rows about the registry in the store. */
interface Server {
  row: RegistryServerTable
  /** Null after registry.remove. */
  record: RegistryTable | null
  deployment: DeploymentTable | null
  volume: VolumeTable | null
}

export function registryLoop(runtime: Runtime): Loop<'registry'> {
  const collector = garbageCollector(runtime)
  return {
    name: 'registry',
    periodMs: 5000,
    againMs: 300,
    async turn() {
      if (runtime.gate.reason() !== null) return 'idle'
      await renewCredentials(runtime)
      const server = await readServer(runtime)
      if (server === null) return 'idle'
      await runtime.ensureEngine()
      const result = await step(runtime, server, collector)
      if (result.is === 'changed') return 'again'
      await recordOutcome(runtime, server, result)
      // A failed collection has ended the read-only mode in the store. The next turn updates the service.
      return server.row.collecting === 1 ? 'again' : 'idle'
    },
  }
}

async function readServer(runtime: Runtime): Promise<Server | null> {
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

async function step(runtime: Runtime, server: Server, collector: GarbageCollector): Promise<StepResult> {
  const { engine, config, vault } = runtime
  const { row, volume } = server
  const isUp = row.goal === 'up'
  if (isUp && volume === null) return chooseVolume(runtime, row)
  if (isUp && row.collecting === 1 && !(await collector.begin(row))) return { is: 'changed' }
  const { username, hash } = openHtpasswd(vault, row)
  const spec = isUp ? registrySpec({ ...row, htpasswd: `${username}:${hash}\n` }, volume!, config) : null
  const services: NamedService[] = await engine.servicesNamed([registryName])
  const obstacle = await obstacleTo(runtime, spec, volume, services)
  if (obstacle !== null) return obstacle
  const ensured = await ensureService(runtime, registryName, null, spec, services)
  if (ensured !== null) return ensured
  if (spec === null) return { is: (await engine.liveContainers(registryName)).length > 0 ? 'changed' : 'removed' }
  const at = runtime.now().getTime()
  const since = server.deployment === null ? at - failureWindowMs : Date.parse(server.deployment.phaseAt)
  const health = taskHealth(await engine.tasks([registryName]), containerDigestOf(spec), since, at, ownServiceStartMs)
  if (health.is === 'failed') return { is: 'failed', reason: { reason: 'RegistryDown', cause: health.reason } }
  if (health.is === 'starting') return row.deploymentId === null ? storedResult(row) : { is: 'changed' }
  return runningResult(runtime, server, health.task, collector, at - since)
}

/**
 * Returns a result if the registry must not start on its volume now: its node left the swarm, or somebody else uses the
 * volume.
 */
async function obstacleTo(
  runtime: Runtime,
  spec: ServiceSpec | null,
  volume: VolumeTable | null,
  services: NamedService[],
): Promise<StepResult | null> {
  const isAsWanted =
    spec === null || services.some(({ name, digest }) => name === spec.name && digest === digestOf(spec))
  if (isAsWanted || volume === null) return null
  const unavailable = nodeUnavailableReason(await runtime.engine.nodes(), volume)
  if (unavailable?.reason === 'NodeMissing' || unavailable?.reason === 'NodeReturned')
    return { is: 'failed', reason: unavailable }
  const obstacle = await startObstacle(runtime, volume, registryName, null)
  if (obstacle?.is === 'inUse') return { is: 'failed', reason: obstacle.reason }
  return obstacle?.is === 'ending' ? { is: 'changed' } : null
}

/** Returns the stored status as the result. Used while Swarm replaces a task and no deployment is in progress. */
function storedResult({ status, reason }: RegistryServerTable): StepResult {
  return status === 'error' && reason !== null ? { is: 'failed', reason: fromJson(reason) } : { is: 'up' }
}

/**
 * Returns the result while a task runs.
 * @param ageMs time since the current phase of the deployment began
 */
async function runningResult(
  runtime: Runtime,
  server: Server,
  task: FoundTask,
  collector: GarbageCollector,
  ageMs: number,
): Promise<StepResult> {
  const { row, record } = server
  if (row.collecting === 1) return collector.step(row, task)
  if (row.status === 'done') return { is: 'up' }
  const reason = await checkLogin(runtime, record!)
  if (reason === null) return { is: 'up' }
  const isEarly = row.deploymentId !== null && ageMs < loginTimeoutMs[row.port === null ? 'host' : 'port']
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

/**
 * Places the registry on the engine's own node. Uses the kept volume of an earlier registry on that node, or creates a
 * new volume.
 */
async function chooseVolume(runtime: Runtime, { id, deploymentId }: RegistryServerTable): Promise<StepResult> {
  const { engine, vault, transact, newId, now, config } = runtime
  const localNode = (await engine.nodes()).find((node) => node.local)
  if (localNode === undefined) {
    throw new EngineFailure('noSuitableNode', 'The Docker engine does not report which node of the swarm it runs on')
  }
  const volumeId = newId()
  const settings = {
    kind: 'registry',
    ...registryOwner,
    dataPath: registryDataPath,
    nodeId: localNode.id,
    nodeName: localNode.hostname,
    nodeAddress: localNode.address,
    appName: registryName,
    dockerImage: config.registryImage,
    ...sealSettings(vault, 'volume', volumeId, {}, []),
  }
  const newVolume = volumes.newVolume(volumeId, settings, now())
  await transact(async (tx) => {
    const present = await tx.selectFrom('registryServer').select('deploymentId').where('id', '=', id).executeTakeFirst()
    if (present?.deploymentId !== deploymentId) return
    const kept = await volumes.lastKept(tx, registryOwner.ownerKind, localNode.id)
    if (kept === null) await volumes.insert(tx, newVolume)
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
 * Stores the result, and finishes the deployment if one is in progress. Stores nothing if the result is stored already,
 * or if a call has begun another deployment since this turn read the row.
 */
async function recordOutcome(
  runtime: Runtime,
  { row }: Server,
  result: Exclude<StepResult, { is: 'changed' }>,
): Promise<void> {
  const { transact, now, log } = runtime
  const reason = result.is === 'failed' ? result.reason : null
  const status = result.is === 'failed' ? ('error' as const) : ('done' as const)
  if (result.is !== 'removed' && row.deploymentId === null && row.status === status) {
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
    if (result.is === 'removed') await forgetServer(tx, row, now())
    else {
      const changes = { status, reason: reason && toJson(reason), deploymentId: null, collecting: 0 as const }
      await tx.updateTable('registryServer').set(changes).where('id', '=', row.id).execute()
    }
    if (deploymentId === null) return
    // A successful deployment keeps its stored reason: the result of a garbage collection.
    await deployments.finish(tx, deploymentId, status, reason ?? undefined, now())
  })
  log.info('registry changed', { result: result.is, reason })
}
