/** Compares what runs with what was deployed, and decides how Berth repairs a difference by itself. Pure. */
import type { Drift } from '../status.ts'
import type { FoundService, FoundTask } from '../../engine/engine.ts'
import type { Wanted } from '../reconcile/wanted-digests.ts'

export interface DriftInput {
  wanted: Wanted
  database: FoundService | undefined
  gateway: FoundService | undefined
  /** The tasks of the database's service and of its gateway. Only those with the desired state `running`. */
  databaseTasks: FoundTask[]
  gatewayTasks: FoundTask[]
  /** Whether the task's container is disconnected from Berth's network. */
  isDetached(task: FoundTask): boolean
}

/**
 * How Berth repairs drift:
 * - `repair`: creates, updates or removes services until they are as wanted, but does not change a running server
 * - `reattach`: restarts a database whose container was disconnected from the network
 * - `recreateGateway`: recreates a gateway whose container was disconnected from the network
 */
export type Remedy = 'none' | 'repair' | 'reattach' | 'recreateGateway'

export interface FoundDrift {
  drift: readonly Drift[]
  remedy: Remedy
}

const none: FoundDrift = { drift: [], remedy: 'none' }

export function driftOf(input: DriftInput): FoundDrift {
  const parts = [databaseDrift(input), containerDrift(input), gatewayDrift(input)].filter((part) => part !== null)
  if (parts.length === 0) return none
  const remedies = parts.map(({ remedy }) => remedy)
  const remedy = (['repair', 'reattach', 'recreateGateway'] as const).find((name) => remedies.includes(name)) ?? 'none'
  return { drift: parts.map(({ drift }) => drift), remedy }
}

/** Whether Berth fenced the service (see fence.ts): the service has zero replicas and Berth's digest. */
const isFenced = ({ replicas, digest }: FoundService) => replicas === 0 && digest !== null

interface DriftPart {
  drift: Drift
  remedy: Remedy
}

function databaseDrift({ database, databaseTasks, wanted }: DriftInput): DriftPart | null {
  if (database === undefined) return { drift: { reason: 'ServiceMissing' }, remedy: 'repair' }
  if (database.digest === wanted.database) return null
  if (isFenced(database)) return { drift: { reason: 'ServiceFenced' }, remedy: 'repair' }
  if (database.digest !== null) return { drift: { reason: 'ServiceOutdated' }, remedy: 'none' }
  // A running server is not changed, because somebody may have needed the change.
  const remedy = running(databaseTasks) === undefined ? 'repair' : 'none'
  return { drift: { reason: 'ServiceChanged' }, remedy }
}

function containerDrift({ database, databaseTasks, isDetached }: DriftInput): DriftPart | null {
  if (database === undefined) return null
  const task = running(databaseTasks)
  if (task === undefined) {
    return { drift: { reason: 'ContainerNotRunning', ...stateOf(databaseTasks) }, remedy: 'none' }
  }
  return isDetached(task) ? { drift: { reason: 'ContainerDetached' }, remedy: 'reattach' } : null
}

function gatewayDrift({ gateway, gatewayTasks, wanted, isDetached }: DriftInput): DriftPart | null {
  if (wanted.gateway === null) {
    return gateway === undefined ? null : { drift: { reason: 'GatewayUnwanted' }, remedy: 'repair' }
  }
  if (gateway === undefined) return { drift: { reason: 'GatewayMissing' }, remedy: 'repair' }
  if (gateway.digest === null) return { drift: { reason: 'GatewayChanged' }, remedy: 'repair' }
  // A gateway of an earlier version stays until the next deploy. If a list applies to it, the loop `sources` removes it.
  const isWanted = gateway.digest === wanted.gateway || gateway.digest === wanted.openGateway
  if (!isWanted) return { drift: { reason: 'GatewayOutdated' }, remedy: 'none' }
  const task = running(gatewayTasks)
  if (task === undefined) {
    return { drift: { reason: 'GatewayNotRunning', ...stateOf(gatewayTasks) }, remedy: 'none' }
  }
  return isDetached(task) ? { drift: { reason: 'GatewayDetached' }, remedy: 'recreateGateway' } : null
}

const running = (tasks: FoundTask[]) => tasks.find(({ state }) => state === 'running')

function stateOf([newest]: FoundTask[]) {
  return { state: newest?.state ?? null, detail: newest?.failure?.detail ?? null }
}
