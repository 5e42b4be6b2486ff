/**
 * Makes a gateway enforce a list: tells HAProxy the sources, ends the connections of others, reads both back, and
 * records what it found. Idempotent: if it is interrupted, the next call completes the work.
 */
import { EngineFailure, type FoundTask } from '../../engine/engine.ts'
import { hash } from '../../engine/spec.ts'
import { toJson } from '../../lib/json.ts'
import type { Runtime } from '../../runtime.ts'
import type { GatewayOwner } from '../own-names.ts'
import { admits, admittedSources, type SourceFaultOf } from './admitted.ts'
import { type ControlAction, controlProgram, type GatewayStatus, parseStatus } from './control.ts'
import { findGateway, measurementOf, updateGateway, wantedSources } from './queries.ts'
import type { SourcesReason } from './reason.ts'
import type { GatewaySourcesTable, Measurement, RefusedSource } from './table.ts'

/** A running gateway. */
export interface SourcesSubject {
  /** The running task of the gateway. */
  task: FoundTask & { nodeId: string }
  /** The host name of the node, for messages. */
  node: string
  owner: GatewayOwner
}

/** What the gateway has after a call. */
export interface AppliedSources {
  /** The canonical list that applies; empty: everyone. */
  sources: readonly string[]
  status: GatewayStatus
}

/** HAProxy, or the script that controls it, did not do what Berth asked for. */
export class GatewayFault extends Error {
  constructor(detail: string) {
    super(detail)
    this.name = 'GatewayFault'
  }
}

const controlTimeoutMs = 10_000
/** The number of refused sources that are stored. */
const maxRefusedSources = 20

/**
 * Runs a program in the container of the gateway.
 * @throws GatewayFault if the program fails; EngineFailure if it could not be run
 */
export async function control(
  { engine }: Pick<Runtime, 'engine'>,
  task: FoundTask,
  action: ControlAction,
  lines: readonly string[] = [],
): Promise<GatewayStatus> {
  const { exitCode, stdout, stderr } = await engine.run(task, controlProgram(action, lines), controlTimeoutMs)
  if (exitCode !== 0) throw new GatewayFault(stderr.trim().slice(-300) || `exit code ${exitCode}`)
  return parseStatus(stdout)
}

/** Identifies a list and what was known about the node when it was applied. */
export const sourcesHash = (sources: readonly string[], measurement: Measurement | null): string =>
  hash({
    sources,
    measurement:
      measurement === null
        ? null
        : [measurement.ipv4, measurement.ipv6, measurement.loopback, measurement.hiddenAddresses],
  })

/**
 * Applies the list of the store to the gateway, unless it enforces the list already. Records the state in any case. Calls
 * for the same gateway follow one another, so that an older list never replaces a newer one.
 * @param isUnchanged whether the gateway probably has the list. False saves a call: the list is then applied in any case
 * @returns null if the gateway has no list any more, because its owner is being removed
 * @throws GatewayFault, EngineFailure, EngineUnavailable
 */
export const applySources = (
  runtime: Runtime,
  subject: SourcesSubject,
  isUnchanged = true,
): Promise<AppliedSources | null> =>
  runtime.onGateway(subject.task.serviceName, async () => {
    const wanted = await wantedSources(runtime.db, subject.owner)
    if (wanted === null) return null
    return { sources: wanted.sources, status: await applyList(runtime, subject, wanted.sources, isUnchanged) }
  })

async function applyList(
  runtime: Runtime,
  subject: SourcesSubject,
  sources: readonly string[],
  isUnchanged: boolean,
): Promise<GatewayStatus> {
  const { task } = subject
  const measurement = await measurementOf(runtime.db, task.nodeId)
  // A change of a gateway that is known is applied at once: the state afterwards is read in the same call.
  const before = measurement === null || isUnchanged ? await control(runtime, task, 'status') : null
  const { admitted, faults } = admittedSources(sources, withHidden(measurement, before?.routers ?? []))
  const isApplied = before !== null && isSameSet(before.allowed, admitted)
  const applied = isApplied ? before : await control(runtime, task, 'apply', admitted)
  if (!isSameSet(applied.allowed, admitted)) throw new GatewayFault('HAProxy has other sources than Berth has set')
  const status = await endOthers(runtime, task, applied, admitted)
  await recordApplied(runtime, subject, sourcesHash(sources, measurement), faults, status)
  return status
}

/** The routers of the container stand for hidden clients, also if nothing was measured yet. */
function withHidden(measurement: Measurement | null, routers: readonly string[]): Measurement {
  const known = measurement ?? { ipv4: 'kept', ipv6: 'kept', loopback: 'kept', hiddenAddresses: [] }
  return { ...known, hiddenAddresses: [...new Set([...known.hiddenAddresses, ...routers])] }
}

const isSameSet = (some: readonly string[], others: readonly string[]) =>
  new Set(some).symmetricDifference(new Set(others)).size === 0

/** Ends the connections of sources that are not admitted, which were accepted before. */
async function endOthers(
  runtime: Runtime,
  task: FoundTask,
  status: GatewayStatus,
  admitted: readonly string[],
): Promise<GatewayStatus> {
  const isAdmitted = admits(admitted)
  const others = status.sessions.filter(({ address }) => !isAdmitted(address)).map(({ id }) => id)
  if (others.length === 0) return status
  runtime.log.info('connections that are no longer allowed are closed', {
    gateway: task.serviceName,
    connections: others.length,
  })
  return control(runtime, task, 'close', others)
}

/**
 * Records what the gateway enforces. Writes nothing if all of it is recorded already.
 * @param faults why the gateway ignores entries of the list
 * @param refused what the gateway has counted
 */
export async function recordApplied(
  runtime: Runtime,
  { task, node }: SourcesSubject,
  appliedHash: string,
  faults: readonly SourceFaultOf[],
  refused: Refused,
): Promise<void> {
  const reason: SourcesReason | null =
    faults.length === 0 ? null : { reason: 'SourcesIncomplete', faults: faults.map((fault) => ({ ...fault, node })) }
  const key = { gateway: task.serviceName, nodeId: task.nodeId }
  const row = await findGateway(runtime.db, key.gateway, key.nodeId)
  if (row === null) return
  const isSame = row.appliedHash === appliedHash && row.enforcedSince !== null
  await store(runtime, row, {
    taskId: task.id,
    appliedHash,
    enforcedSince: isSame ? row.enforcedSince : runtime.now().toISOString(),
    reason: reason === null ? null : toJson(reason),
    ...counted(runtime, row, task, refused),
  })
}

type Refused = Pick<GatewayStatus, 'refused' | 'refusedSources'>

/** Adds the connections that were refused since the last call. HAProxy counts from its start. */
function counted({ now }: Runtime, row: GatewaySourcesTable, task: FoundTask, status: Refused) {
  const known = row.taskId === task.id && status.refused >= row.counter ? row.counter : 0
  if (known === status.refused && row.taskId === task.id) return {}
  const atMs = now().getTime()
  const refusedSources: RefusedSource[] = [...status.refusedSources]
    .sort((a, b) => b.attempts - a.attempts)
    .slice(0, maxRefusedSources)
    .map(({ source, attempts, ageMs }) => ({ source, attempts, lastAt: new Date(atMs - ageMs).toISOString() }))
  return {
    refused: row.refused + status.refused - known,
    counter: status.refused,
    refusedSources: toJson<readonly RefusedSource[]>(refusedSources),
  }
}

/** Records why the gateway does not enforce the list. The list that it enforced before may still be in force. */
export async function recordFault(
  runtime: Runtime,
  task: FoundTask & { nodeId: string },
  error: GatewayFault | EngineFailure,
): Promise<void> {
  const row = await findGateway(runtime.db, task.serviceName, task.nodeId)
  if (row === null) return
  const reason = toJson<SourcesReason>({ reason: 'SourcesRefused', detail: error.message })
  await store(runtime, row, { reason, enforcedSince: null, appliedHash: null })
}

async function store(runtime: Runtime, row: GatewaySourcesTable, changes: Partial<GatewaySourcesTable>): Promise<void> {
  const names = Object.keys(changes) as (keyof GatewaySourcesTable)[]
  if (names.every((name) => changes[name] === row[name])) return
  await runtime.transact((tx) => updateGateway(tx, row, changes))
}

/** Whether the error concerns one gateway only. Berth tries again. */
export const isGatewayFault = (error: unknown): error is GatewayFault | EngineFailure =>
  error instanceof GatewayFault || error instanceof EngineFailure
