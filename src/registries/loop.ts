/**
 * The loop over the registry that Berth runs: its service, its volume, its collections of garbage. It is up once
 * Berth has logged in to it by the address and with the credentials of its record. Idempotent.
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
import { make } from '../gateways/ensure-service.ts'
import { registryDataPath, registrySpec } from './specs.ts'
import { taskHealth } from '../databases/reconcile/task-health.ts'
import type { Runtime } from '../runtime.ts'

/** From the call on until it has to be reached: a certificate may have to be had first, where the proxy serves it. */
const reachMs = { port: 60_000, host: 180_000 }
/** Failures of longer ago are of other work. */
const lookBackMs = 300_000

/** How it stands. `more`: something was done, and has to be looked at again soon. */
type Standing = { is: 'up' } | { is: 'failed'; reason: RegistryServerReason } | { is: 'more' } | { is: 'gone' }

interface Server {
  row: RegistryServerTable
  /** Null once it was removed. */
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
      const standing = await advance(runtime, server, collections)
      if (standing.is === 'more') return 'again'
      await write(runtime, server, standing)
      // After a collection that failed it is to take pushes again.
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

async function advance(runtime: Runtime, server: Server, collections: Collection): Promise<Standing> {
  const { engine, config, vault } = runtime
  const { row, volume } = server
  const isUp = row.goal === 'up'
  if (isUp && volume === null) return findPlacement(runtime, row)
  if (isUp && row.collecting === 1 && !(await collections.begin(row))) return { is: 'more' }
  const { username, hash } = openHtpasswd(vault, row)
  const spec = isUp ? registrySpec({ ...row, htpasswd: `${username}:${hash}\n` }, volume!, config) : null
  const found: NamedService[] = await engine.servicesNamed([registryName])
  const making = await make(runtime, registryName, spec, found)
  if (making !== null) return making
  if (spec === null) return { is: (await engine.liveContainers(registryName)).length > 0 ? 'more' : 'gone' }
  const at = runtime.now().getTime()
  const since = server.deployment === null ? at - lookBackMs : Date.parse(server.deployment.phaseAt)
  const verdict = taskHealth(await engine.tasks([registryName]), containerDigestOf(spec), since, at)
  if (verdict.is === 'failed') return { is: 'failed', reason: { reason: 'RegistryDown', cause: verdict.reason } }
  if (verdict.is === 'coming') return row.deploymentId === null ? asNoted(row) : { is: 'more' }
  return running(runtime, server, verdict.task, collections, at - since)
}

/** Between two tasks. */
function asNoted({ status, reason }: RegistryServerTable): Standing {
  return status === 'error' && reason !== null ? { is: 'failed', reason: fromJson(reason) } : { is: 'up' }
}

async function running(
  runtime: Runtime,
  server: Server,
  task: FoundTask,
  collections: Collection,
  ageMs: number,
): Promise<Standing> {
  const { row, record } = server
  if (row.collecting === 1) return collections.goOn(row, task)
  if (row.status === 'done') return { is: 'up' }
  const reason = await proveLogin(runtime, record!)
  if (reason === null) return { is: 'up' }
  const isEarly = row.deploymentId !== null && ageMs < reachMs[row.port === null ? 'host' : 'port']
  return isEarly ? { is: 'more' } : { is: 'failed', reason }
}

/** Null where it lets in whom it should, and looks at passwords. */
async function proveLogin({ config, vault }: Runtime, record: RegistryTable): Promise<RegistryServerReason | null> {
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

/** The engine's own node, and there the volume that an earlier one left. */
async function findPlacement(runtime: Runtime, { id, deploymentId }: RegistryServerTable): Promise<Standing> {
  const { engine, vault, transact, newId, now, config } = runtime
  const local = (await engine.nodes()).find((it) => it.local)
  if (local === undefined)
    throw new EngineFailure('noSuitableNode', 'The engine does not say which node of the swarm it is')
  const volumeId = newId()
  const given = {
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
  const fresh = volumes.newVolume(volumeId, given, now())
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
  return { is: 'more' }
}

/** Only while no later call has changed it; work that waited for this ends. */
async function write(runtime: Runtime, { row }: Server, standing: Exclude<Standing, { is: 'more' }>): Promise<void> {
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
    // Work that is done keeps the reason: what a collection of garbage deleted.
    await deployments.finish(tx, deploymentId, status, reason ?? undefined, now())
  })
  log.info('the registry was looked after', { standing: standing.is, reason })
}

/** What was pushed is kept, for the next one. */
async function remove(tx: Writer, { id, volumeId }: RegistryServerTable, now: Date): Promise<void> {
  await tx.deleteFrom('registryServer').where('id', '=', id).execute()
  if (volumeId !== null) await volumes.keep(tx, volumeId, now)
}
