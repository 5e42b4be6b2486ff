/** Opens a gateway that was just created: it refuses everyone until Berth has told it the list that applies. */
import type { Runtime } from '../../runtime.ts'
import { type GatewayOwner, gatewayNameOf } from '../own-names.ts'
import { applySources, isGatewayFault } from './apply.ts'
import type { GatewayProxy } from './control.ts'
import { nodeNameOf } from './queries.ts'

/** `restricted`: a list applies. `served`: the proxies of the gateway that reach a task of its target. */
export type OpenedGateway =
  | { is: 'open' }
  | { is: 'restricted'; served: readonly GatewayProxy[] }
  | { is: 'failed'; detail: string }

/**
 * Makes the running gateway of the owner enforce its list. Idempotent.
 * @param nodeId the node of the gateway
 * @throws EngineUnavailable
 */
export async function openGateway(runtime: Runtime, owner: GatewayOwner, nodeId: string): Promise<OpenedGateway> {
  const name = gatewayNameOf(owner)
  const tasks = await runtime.engine.tasks([name])
  const task = tasks.find(
    ({ state, desired, nodeId }) => state === 'running' && desired === 'running' && nodeId !== null,
  )
  if (task === undefined) return notRunning
  try {
    const node = await nodeNameOf(runtime.db, nodeId)
    const applied = await applySources(runtime, { task: { ...task, nodeId }, node, owner })
    if (applied === null) return notRunning
    return applied.sources.length === 0 ? { is: 'open' } : { is: 'restricted', served: applied.status.served }
  } catch (error) {
    if (!isGatewayFault(error)) throw error
    return { is: 'failed', detail: error.message }
  }
}

const notRunning: OpenedGateway = { is: 'failed', detail: 'The gateway does not run' }
