/** The reasons why the engine of a node cannot be reached: a closed union with parameters, as stored. */
import type { ServiceReason, TaskReason } from '../../deployments/reason.ts'
import type { ContactFault } from '../../engine/node-contact.ts'

/** A node, and the address and port at which Berth calls its engine. */
export interface Port {
  node: string
  address: string
  port: number
}

export type NodeEngineReason =
  | { reason: 'NodeDown'; node: string; state: string }
  | { reason: 'NodeDrained'; node: string }
  /** The node is paused and the port's container does not run, so Swarm does not start it. */
  | { reason: 'NodePaused'; node: string }
  | { reason: 'ImageMissing'; node: string; image: string; detail: string }
  /** HAProxy ended at its start: it could not listen at the address and port. */
  | ({ reason: 'PortTaken' } & Port)
  | { reason: 'PortTaskFailed'; node: string; cause: TaskReason }
  | { reason: 'PortServiceFailed'; node: string; cause: ServiceReason }
  /** HAProxy runs, but Berth does not reach it or the engine behind it. `source`: the address of Berth's node. */
  | ({ reason: 'PortUnreachable'; fault: ContactFault; source: string; detail: string } & Port)
