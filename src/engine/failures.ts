/** Failures of engine calls and of swarm tasks. Each has a reason from a closed union and a message. */

/**
 * The engine did not answer, the connection broke, or the engine cannot serve requests now. Whether the engine carried
 * out the request is unknown.
 */
export class EngineUnavailable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'EngineUnavailable'
  }
}

/**
 * Why a call to the engine failed:
 * - `missing`: an object that the request names does not exist
 * - `conflict`: the name is taken, the object is in use or in the wrong state, or another writer was first
 * - `nodeUnreachable`: another node could not be reached; the node may have carried out the request, and repeating the
 *   request is safe
 * - `nodeMissing`: the node is not in the swarm
 * - `noSuitableNode`: no node of the swarm satisfies the request
 * - `rejected`: the engine will never carry out this request
 * - `failed`: the engine failed while carrying out the request; a later attempt may succeed
 */
export type EngineFailureReason =
  | 'missing'
  | 'conflict'
  | 'nodeUnreachable'
  | 'nodeMissing'
  | 'noSuitableNode'
  | 'rejected'
  | 'failed'

/**
 * The engine answered with an error, or Berth found that the engine cannot carry out the call. In the first case,
 * `message` contains the engine's own text.
 */
export class EngineFailure extends Error {
  readonly reason: EngineFailureReason

  constructor(reason: EngineFailureReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'EngineFailure'
    this.reason = reason
  }
}

/** Whether a call to the engine failed, with or without an answer. */
export const isEngineError = (error: unknown): boolean =>
  error instanceof EngineFailure || error instanceof EngineUnavailable

/**
 * Whether the failure may pass soon: an object is missing, in use or was changed by another writer, or a node cannot be
 * reached. A caller must read the state of the swarm again before it repeats the request.
 */
export function isTransient({ reason }: EngineFailure): boolean {
  return reason === 'missing' || reason === 'conflict' || reason === 'nodeUnreachable'
}

/** Whether to prepare the engine again: another engine may have replaced it, or Berth's network is missing. */
export function mayNeedPreparation(error: unknown): boolean {
  return error instanceof EngineUnavailable || (error instanceof EngineFailure && error.reason === 'missing')
}

/**
 * Why a task does not run:
 * - `ImageMissing`: no registry or node has the image, or the registry refuses access
 * - `ImageInvalid`: the reference of the image is malformed
 * - `WrongArchitecture`: no node has the image's architecture
 * - `PortTaken`: another program or task uses the port on the node
 * - `InsufficientResources`: the node has too little free memory or CPU for the reservation
 * - `NodeUnavailable`: the node that the task is pinned to accepts no tasks
 * - `ProgramMissing`: the image has no such program, or the program cannot be executed
 * - `Other`: anything else; see `detail`
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
