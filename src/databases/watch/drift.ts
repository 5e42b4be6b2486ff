/** How what runs differs from what was deployed, and what Berth does about it by itself. Pure. */
import type { Drift } from '../status.ts'
import type { FoundService, FoundTask } from '../../engine/engine.ts'

export interface Sighted {
  /** Digests of the specifications that are to run; `gateway` null: none is to. */
  wanted: { database: string; gateway: string | null }
  database: FoundService | undefined
  gateway: FoundService | undefined
  /** Of the one and the other, those that are wanted running. */
  databaseTasks: FoundTask[]
  gatewayTasks: FoundTask[]
  /** The engine knows that this container is on no network of Berth's. */
  isDetached(task: FoundTask): boolean
}

/**
 * `repair` makes what is missing or was changed and touches nothing that runs; `reattach` is for a database, and
 * `remakeGateway` for a gateway, whose container was taken off the network.
 */
export type Remedy = 'none' | 'repair' | 'reattach' | 'remakeGateway'

export interface FoundDrift {
  drift: readonly Drift[]
  remedy: Remedy
}

const none: FoundDrift = { drift: [], remedy: 'none' }

export function driftOf(it: Sighted): FoundDrift {
  const found = [databaseDrift(it), containerDrift(it), gatewayDrift(it)].filter((one) => one !== null)
  if (found.length === 0) return none
  const remedies = found.map(({ remedy }) => remedy)
  const remedy = (['repair', 'reattach', 'remakeGateway'] as const).find((name) => remedies.includes(name)) ?? 'none'
  return { drift: found.map(({ drift }) => drift), remedy }
}

/** Nobody but Berth stops a service and leaves it as Berth made it: see hold.ts. */
const isHeld = ({ replicas, digest }: FoundService) => replicas === 0 && digest !== null

interface Found {
  drift: Drift
  remedy: Remedy
}

function databaseDrift({ database, databaseTasks, wanted }: Sighted): Found | null {
  if (database === undefined) return { drift: { reason: 'ServiceMissing' }, remedy: 'repair' }
  if (database.digest === wanted.database) return null
  if (isHeld(database)) return { drift: { reason: 'ServiceFenced' }, remedy: 'repair' }
  if (database.digest !== null) return { drift: { reason: 'ServiceOutdated' }, remedy: 'none' }
  // What runs is left as it is: whoever changed it may have had to.
  const remedy = running(databaseTasks) === undefined ? 'repair' : 'none'
  return { drift: { reason: 'ServiceChanged' }, remedy }
}

function containerDrift({ database, databaseTasks, isDetached }: Sighted): Found | null {
  if (database === undefined) return null
  const task = running(databaseTasks)
  if (task === undefined) {
    return { drift: { reason: 'ContainerNotRunning', ...stateOf(databaseTasks) }, remedy: 'none' }
  }
  return isDetached(task) ? { drift: { reason: 'ContainerDetached' }, remedy: 'reattach' } : null
}

function gatewayDrift({ gateway, gatewayTasks, wanted, isDetached }: Sighted): Found | null {
  if (wanted.gateway === null) {
    return gateway === undefined ? null : { drift: { reason: 'GatewayUnwanted' }, remedy: 'repair' }
  }
  if (gateway === undefined) return { drift: { reason: 'GatewayMissing' }, remedy: 'repair' }
  if (gateway.digest === null) return { drift: { reason: 'GatewayChanged' }, remedy: 'repair' }
  if (gateway.digest !== wanted.gateway) return { drift: { reason: 'GatewayOutdated' }, remedy: 'none' }
  const task = running(gatewayTasks)
  if (task === undefined) {
    return { drift: { reason: 'GatewayNotRunning', ...stateOf(gatewayTasks) }, remedy: 'none' }
  }
  return isDetached(task) ? { drift: { reason: 'GatewayDetached' }, remedy: 'remakeGateway' } : null
}

const running = (tasks: FoundTask[]) => tasks.find(({ state }) => state === 'running')

function stateOf([newest]: FoundTask[]) {
  return { state: newest?.state ?? null, detail: newest?.failure?.detail ?? null }
}
