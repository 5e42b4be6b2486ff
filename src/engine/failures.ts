/** How calls to the engine and tasks of the swarm fail: a reason from a closed union, and the engine's words. */

/** The engine did not answer, or not in time. Whether the request was carried out is unknown. */
export class EngineUnavailable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'EngineUnavailable'
  }
}

/**
 * Why a call to the engine failed:
 * - `missing`: a thing that the request names does not exist
 * - `conflict`: the name is taken, the thing is in use or not in the needed state, or another writer was first
 * - `nodeUnreachable`: another node could not be asked; whether the request was carried out there is unknown, and a
 *   repetition does no harm
 * - `nodeMissing`: the node is not in the swarm
 * - `noSuitableNode`: no node of the swarm can take what was asked for
 * - `rejected`: the engine will never carry out this request
 * - `failed`: the engine failed while it carried out the request, and may succeed later
 */
export type EngineFailureReason =
  | 'missing'
  | 'conflict'
  | 'nodeUnreachable'
  | 'nodeMissing'
  | 'noSuitableNode'
  | 'rejected'
  | 'failed'

/** The engine answered and did not carry out the request. The message is in the engine's words. */
export class EngineFailure extends Error {
  readonly reason: EngineFailureReason
  constructor(reason: EngineFailureReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'EngineFailure'
    this.reason = reason
  }
}

/** What stood against the request may be over at the next look: ask again then. */
export function isTransient({ reason }: EngineFailure): boolean {
  return reason === 'missing' || reason === 'conflict' || reason === 'nodeUnreachable'
}

/**
 * Why a task does not run:
 * - `ImageMissing`: no registry or node has the image, or the registry refuses access
 * - `ImageInvalid`: the reference of the image is malformed
 * - `WrongArchitecture`: no node of the image's architecture
 * - `PortTaken`: another program or task holds the port on the node
 * - `InsufficientResources`: the node has too little free memory or CPU for the reservation
 * - `NodeUnavailable`: the node that the task is pinned to takes no tasks
 * - `ProgramMissing`: the image has no such program, or the program cannot be executed
 * - `Other`: anything else; only `detail` tells
 */
export type TaskFailureReason =
  | 'ImageMissing'
  | 'ImageInvalid'
  | 'WrongArchitecture'
  | 'PortTaken'
  | 'InsufficientResources'
  | 'NodeUnavailable'
  | 'ProgramMissing'
  | 'Other'

/** `detail` is the engine's own text. */
export interface TaskFailure {
  reason: TaskFailureReason
  detail: string
}
