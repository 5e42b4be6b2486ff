/** Renders the reasons why a dump was streamed through Berth. Pure. */
import { fromJson, type Json } from '../lib/json.ts'
import type { StreamedReason } from './streamed-reason.ts'

type Messages = { [R in StreamedReason['reason']]: (reason: Extract<StreamedReason, { reason: R }>) => string }

const messages: Messages = {
  StorageLocal: () => "Only Berth's own machine reaches the storage, because the endpoint is a loopback address",
  NoContainer: () => 'The service had no single running container',
  WorkerImageMissing: ({ image, detail }) =>
    `The node has no image ${image}, and cannot get it: ${detail}. Load it on the node with docker load, or set ` +
    'BERTH_NODE_IMAGE',
  NodeUnreachable: ({ detail }) => detail,
  WorkerFailed: ({ detail }) => `The container that exchanges the dump with the storage did not start: ${detail}`,
  StorageUnreachable: ({ detail }) => `The node does not reach the storage: ${detail}`,
}

/** The names of all reasons, for the API's schema. */
export const streamedReasonNames = Object.keys(messages) as [StreamedReason['reason'], ...StreamedReason['reason'][]]

/** Returns the sentence for a reason. */
export function streamedReasonMessage(reason: StreamedReason): string {
  const render = messages[reason.reason] as (reason: StreamedReason) => string
  return render(reason)
}

/** The field `streamed` of an API answer; null: nothing was streamed. */
export function streamedAnswer(stored: Json<StreamedReason> | null) {
  const reason = fromJson(stored)
  return reason === null ? null : { reason: reason.reason, message: streamedReasonMessage(reason) }
}
