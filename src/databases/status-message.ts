/** Renders stored status and drift reasons as sentences. No decision depends on the sentences. Pure. */
import { databaseMessages, type Messages, reasonNames } from '../deployments/reason-message.ts'
import { fromJson, type Json } from '../lib/json.ts'
import type { Drift, StatusReason } from './status.ts'

const { Legacy, NodeMissing, NodeDown, NodeDrained } = databaseMessages

const driftMessages: Messages<Drift> = {
  ServiceMissing: () => 'The Swarm service is missing',
  ServiceFenced: () => 'The Swarm service was scaled to zero while its node was unavailable',
  ServiceOutdated: () =>
    'The Swarm service was made by another version of Berth or from other records. Deploy to renew it',
  ServiceChanged: () => 'The Swarm service was changed outside Berth. Deploy to undo the change',
  ContainerNotRunning: (it) => `The container does not run: ${taskText(it)}`,
  ContainerDetached: () => 'The container was disconnected from the network',
  GatewayUnwanted: () => 'The external port is to be closed, and its gateway still exists',
  GatewayMissing: () => 'The gateway of the external port is missing',
  GatewayOutdated: () => 'The gateway of the external port was made by another version of Berth. Deploy to renew it',
  GatewayChanged: () => 'The gateway of the external port was changed outside Berth',
  GatewayNotRunning: (it) => `The gateway of the external port does not run: ${taskText(it)}`,
  GatewayDetached: () => 'The gateway of the external port was disconnected from the network',
  NodeMissing,
  NodeDown,
  NodeDrained,
  Legacy,
}

function taskText({ state, detail }: { state: string | null; detail: string | null }): string {
  if (state === null) return 'there is none'
  return detail === null ? state : `${state} (${detail})`
}

const statusMessages: Messages<StatusReason> = {
  ...databaseMessages,
  Recovered: ({ cause }) => `Running again. Before that: ${statusMessage(cause)}`,
  Repairing: ({ drift }) => `${drift.map(driftMessage).join('. ')}. Berth is repairing it`,
  ProcessKilled: ({ at, memoryLimitMiB }) =>
    `A process of the server was killed at ${at}, because it ran out of memory. ` +
    (memoryLimitMiB === null ? 'The node has too little' : `memoryLimit is ${memoryLimitMiB} MiB: raise it`),
  Moving: ({ node }) => `Stopped while its data is moved to node ${node}`,
  DataLost: ({ node }) =>
    `The data was on node ${node}, which was removed from the swarm by force. Restore a backup into a new service`,
}

/** The names of all reasons, for the schema of responses. */
export const driftReasons = reasonNames(driftMessages)
export const statusReasons = reasonNames(statusMessages)

export function driftMessage(it: Drift): string {
  const message = driftMessages[it.reason] as (it: Drift) => string
  return message(it)
}

export function statusMessage(it: StatusReason): string {
  const message = statusMessages[it.reason] as (it: StatusReason) => string
  return message(it)
}

/** The message and the name of a stored status, as fields of a response. */
export function statusAnswer(stored: Json<StatusReason> | null) {
  const value = fromJson(stored)
  return { statusReason: value === null ? null : statusMessage(value), statusCode: value?.reason ?? null }
}

/** The messages and the names of stored drift, as fields of a response. */
export function driftAnswer(stored: Json<readonly Drift[]>) {
  const value = fromJson(stored)
  return { drift: value.map(driftMessage), driftCodes: value.map(({ reason }) => reason) }
}
