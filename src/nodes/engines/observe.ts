/** Observes the port to a node's engine: the tasks of its service, and a call through it. Records the state. */
import { isDeepStrictEqual } from 'node:util'
import { EngineFailure, type FoundNode } from '../../engine/engine.ts'
import { NodeContactFailure } from '../../engine/node-contact.ts'
import { fromJson } from '../../lib/json.ts'
import type { Runtime } from '../../runtime.ts'
import { recordEngineState } from './queries.ts'
import type { Port } from './reason.ts'
import type { ServiceStep } from './service.ts'
import { engineServiceName } from './spec.ts'
import { contactState, type Observed, taskState, unavailableState } from './state.ts'
import type { NodeEngineTable } from './table.ts'

/** How long the last successful call proves that the engine can be reached. */
const contactMs = 15_000

/** When the engine of each node last answered, by the id of the node, in milliseconds since the epoch. */
export type Contacts = Map<string, number>

export const contactsOf = (): Contacts => new Map()

/** @param own Berth's node */
export async function observeEngine(
  runtime: Runtime,
  contacts: Contacts,
  own: FoundNode,
  node: FoundNode,
  row: NodeEngineTable,
  service: ServiceStep,
): Promise<void> {
  const observed = await observe(runtime, contacts, own, node, row, service)
  if (observed.state !== 'reachable') contacts.delete(node.id)
  await record(runtime, row, observed)
}

async function observe(
  runtime: Runtime,
  contacts: Contacts,
  own: FoundNode,
  node: FoundNode,
  row: NodeEngineTable,
  service: ServiceStep,
): Promise<Observed> {
  const unavailable = unavailableState(node)
  if (unavailable !== null) return unavailable
  const { hostname, address, port } = row
  if (service.is === 'failed') {
    return { state: 'unreachable', reason: { reason: 'PortServiceFailed', node: hostname, cause: service.reason } }
  }
  if (service.is !== 'kept') return { state: 'starting', reason: null }
  const now = runtime.now().getTime()
  const at: Port = { node: hostname, address, port }
  const tasks = await runtime.engine.tasks([engineServiceName(node.id)])
  const isPaused = node.availability === 'pause'
  const health = taskState({ ...at, image: runtime.config.gatewayImage, isPaused }, tasks, service.digest, now)
  if (health.state !== 'running') return health
  const lastContact = contacts.get(node.id)
  if (row.state === 'reachable' && lastContact !== undefined && Math.abs(now - lastContact) < contactMs) {
    return { state: 'reachable', reason: null }
  }
  // The connection is refused while the store has an obstacle that has ended.
  if (row.state !== 'reachable' && fromJson(row.reason)?.reason !== 'PortUnreachable') {
    await record(runtime, row, { state: 'starting', reason: null })
  }
  const failure = await contact(runtime, node.id)
  if (failure === null) contacts.set(node.id, now)
  return contactState(at, failure, own.address, health.sinceMs)
}

async function contact(
  { engine }: Runtime,
  nodeId: string,
): Promise<Pick<NodeContactFailure, 'fault' | 'detail'> | null> {
  try {
    await engine.pingNode(nodeId)
    return null
  } catch (error) {
    if (error instanceof NodeContactFailure) return error
    if (error instanceof EngineFailure) return { fault: 'failed', detail: error.message }
    throw error
  }
}

/** Work that needs the engine of the node, and would otherwise wait for its next period. */
const waitingLoops = ['services', 'volumes', 'backups'] as const

async function record({ transact, now, log, wake }: Runtime, row: NodeEngineTable, { state, reason }: Observed) {
  if (row.state === state && isDeepStrictEqual(fromJson(row.reason), reason)) return
  await transact((tx) => recordEngineState(tx, row.nodeId, state, reason, now()))
  if (row.state === state) return
  if (state === 'reachable') for (const loop of waitingLoops) wake(loop)
  const fields = { nodeId: row.nodeId, hostname: row.hostname, state, reason: reason?.reason ?? '' }
  if (state === 'unreachable') log.warn('the engine of a node cannot be reached', fields)
  else log.info('the port to the engine of a node changed', fields)
}
