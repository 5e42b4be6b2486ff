/** Derives whether the engine of a node can be reached, and why not, from what was observed. Pure. */
import type { FoundNode, FoundTask } from '../../engine/engine.ts'
import type { NodeContactFailure } from '../../engine/node-contact.ts'
import { failureWindowMs, taskHealth } from '../../databases/reconcile/task-health.ts'
import type { TaskReason } from '../../deployments/reason.ts'
import type { NodeEngineReason, Port } from './reason.ts'
import type { EngineState } from './table.ts'

export interface Observed {
  state: EngineState
  reason: NodeEngineReason | null
}

/** For this time after the start of HAProxy, a failed contact means that the port is still starting. */
const startMs = 3000

/** The state of a port on a node that Swarm cannot use; null if Swarm can use the node. */
export function unavailableState({ hostname: node, state, availability, ready }: FoundNode): Observed | null {
  if (availability === 'drain') return { state: 'unavailable', reason: { reason: 'NodeDrained', node } }
  return ready ? null : { state: 'unavailable', reason: { reason: 'NodeDown', node, state } }
}

/**
 * The state of a port by the tasks of its service. `running`: the contact decides.
 *
 * @param tasks all tasks of the service, newest first
 * @param digest the digest of the container part of the wanted specification
 */
export function taskState(
  port: Port & { image: string; isPaused: boolean },
  tasks: FoundTask[],
  digest: string,
  now: number,
): Observed | { state: 'running'; sinceMs: number } {
  const { node, image, isPaused } = port
  const health = taskHealth(tasks, digest, now - failureWindowMs, now)
  if (health.is === 'running') return { state: 'running', sinceMs: now - Date.parse(health.task.updatedAt) }
  if (isPaused) return { state: 'unreachable', reason: { reason: 'NodePaused', node } }
  if (health.is === 'starting') return { state: 'starting', reason: null }
  return { state: 'unreachable', reason: taskFailure(port, image, health.reason) }
}

/** The exit code of HAProxy if it cannot listen. Its configuration is fixed, so nothing else can be wrong at the start. */
const startFailed = 1

function taskFailure({ node, address, port }: Port, image: string, cause: TaskReason): NodeEngineReason {
  if (cause.reason === 'TaskFailed' && cause.failure === 'ImageMissing') {
    return { reason: 'ImageMissing', node, image, detail: cause.detail }
  }
  if (cause.reason === 'TaskExited' && cause.exitCode === startFailed)
    return { reason: 'PortTaken', node, address, port }
  return { reason: 'PortTaskFailed', node, cause }
}

/**
 * The state of a port whose task runs.
 *
 * @param failure null if the engine answered
 * @param source the address of Berth's node
 * @param runningMs for how long the task has been running
 */
export function contactState(
  { node, address, port }: Port,
  failure: Pick<NodeContactFailure, 'fault' | 'detail'> | null,
  source: string,
  runningMs: number,
): Observed {
  if (failure === null) return { state: 'reachable', reason: null }
  if (runningMs < startMs) return { state: 'starting', reason: null }
  const { fault, detail } = failure
  return { state: 'unreachable', reason: { reason: 'PortUnreachable', fault, source, detail, node, address, port } }
}
