/** Why a run transferred its dump through Berth instead of directly between the data's node and the storage. */
import type { FaultKind } from '../lib/s3/faults.ts'

/**
 * - `StorageLocal`: the endpoint is a loopback address, at which only Berth's own machine reaches the storage
 * - `NoContainer`: the database has no single running container whose network a worker could share
 * - `WorkerImageMissing`: the node has no image for workers, and neither can get one
 * - `NodeUnreachable`: Berth does not reach the engine of the node
 * - `WorkerFailed`: the worker could not be started
 * - `StorageUnreachable`: the node does not reach the storage
 */
export type StreamedReason =
  | { reason: 'StorageLocal' }
  | { reason: 'NoContainer' }
  | { reason: 'WorkerImageMissing'; image: string; detail: string }
  | { reason: 'NodeUnreachable'; detail: string }
  | { reason: 'WorkerFailed'; detail: string }
  | { reason: 'StorageUnreachable'; fault: FaultKind; detail: string }
