/**
 * Converts the stored reasons of a database's status and drift to messages. No decision depends on these messages.
 * Pure.
 */
import { type Messages, reasonNames } from '../deployments/messages.ts'
import { databaseMessages } from '../deployments/reason-message.ts'
import { fromJson, type Json } from '../lib/json.ts'
import { driftDetail, taskText } from './drift-details.ts'
import type { Drift, StatusReason } from './status.ts'

const { Legacy, NodeMissing, NodeReturned, NodeDown, NodeDrained, PlacedElsewhere, AppNameTaken } = databaseMessages

const driftMessages: Messages<Drift> = {
  ServiceMissing: () => 'The Swarm service is missing',
  ServiceFenced: () => 'The Swarm service was scaled to zero while its node was unavailable',
  ServiceOutdated: () =>
    'The Swarm service was created by another version of Berth or from other records. Deploy to update it',
  ServiceChanged: () => 'The Swarm service was changed outside Berth. Deploy to undo the change',
  ContainerNotRunning: (drift) => `The container does not run: ${taskText(drift)}`,
  ContainerDetached: () => 'The container was disconnected from the network',
  GatewayUnwanted: () => 'No external port is deployed, but its gateway still exists',
  GatewayMissing: () => 'The gateway of the external port is missing',
  GatewayOutdated: () =>
    'The gateway of the external port was created by another version of Berth. Deploy to update it',
  GatewayChanged: () => 'The gateway of the external port was changed outside Berth',
  GatewayNotRunning: (drift) => `The gateway of the external port does not run: ${taskText(drift)}`,
  GatewayDetached: () => 'The gateway of the external port was disconnected from the network',
  NodeMissing,
  NodeReturned,
  NodeDown,
  NodeDrained,
  PlacedElsewhere,
  AppNameTaken,
  Legacy,
}

const statusMessages: Messages<StatusReason> = {
  ...databaseMessages,
  Recovered: ({ cause }) => `Running again. Before that: ${statusMessage(cause)}`,
  Repairing: ({ drift }) => `${drift.map(driftMessage).join('. ')}. Berth is repairing it`,
  ProcessKilled: ({ at, memoryLimitMiB }) =>
    `A process of the server was killed at ${at}, because it ran out of memory. ` +
    (memoryLimitMiB === null ? 'The node has too little memory' : `memoryLimit is ${memoryLimitMiB} MiB: raise it`),
  Moving: ({ node }) => `Stopped while its data is moved to node ${node}`,
  Restoring: ({ runId }) => `Stopped while a backup is restored into it (run ${runId})`,
  DataLost: ({ node }) =>
    `The data was on node ${node}, which was removed from the swarm by force. Restore a backup into a new service`,
}

/** The codes of all drift reasons and of all status reasons, for the response schemas. */
export const driftReasons = reasonNames(driftMessages)
export const statusReasons = reasonNames(statusMessages)

export function driftMessage(drift: Drift): string {
  const message = driftMessages[drift.reason] as (drift: Drift) => string
  return message(drift)
}

export function statusMessage(status: StatusReason): string {
  const message = statusMessages[status.reason] as (status: StatusReason) => string
  return message(status)
}

/** The message and the code of a stored status, as fields of a response. */
export function statusAnswer(stored: Json<StatusReason> | null) {
  const status = fromJson(stored)
  return { statusReason: status === null ? null : statusMessage(status), statusCode: status?.reason ?? null }
}

/** The messages, codes and details of stored drift, as fields of a response. */
export function driftAnswer(stored: Json<readonly Drift[]>) {
  const drift = fromJson(stored)
  return {
    drift: drift.map(driftMessage),
    driftCodes: drift.map(({ reason }) => reason),
    driftDetails: drift.map(driftDetail),
  }
}
