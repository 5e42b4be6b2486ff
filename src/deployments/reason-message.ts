/**
 * Converts the stored reasons of deployments to messages for people. No decision depends on these messages, and no
 * other file produces messages for these reasons. Pure.
 */
import { drainMessages } from './drain-message.ts'
import type { PlacementReason } from '../engine/placement.ts'
import { fromJson, type Json } from '../lib/json.ts'
import { listOf } from '../lib/text/listing.ts'
import type {
  ApplicationReason,
  CollectionResult,
  CopyReason,
  DatabaseFailure,
  DatabaseWait,
  DeploymentReason,
  EngineAccessReason,
  LegacyReason,
  NodeDrainReason,
  NodeReason,
  NodeRemovalReason,
  Outage,
  PortReason,
  RegistryServerReason,
  ServiceReason,
  VolumeRemovalReason,
} from './reason.ts'
import { dataMessages, imageMessages, loginMessages, type Messages, taskMessages } from './server-message.ts'

export type { Messages } from './server-message.ts'

/** The codes of the reasons, in the order of the table. */
export const reasonNames = <U extends { reason: string }>(messages: Messages<U>) =>
  Object.keys(messages) as [U['reason'], ...U['reason'][]]

const legacyMessages: Messages<LegacyReason> = { Legacy: ({ message }) => message }

const nodeMessages: Messages<NodeReason> = {
  NodeMissing: ({ node, address }) =>
    `Node ${node} (${address}), which holds the volume, is not in the swarm any more. Restore a backup into another ` +
    'service',
  NodeDown: ({ node, address }) => `Node ${node} (${address}), which holds the volume, is down`,
  NodeDrained: ({ node, address }) => `Node ${node} (${address}), which holds the volume, is drained`,
}

const requiredNode = (node: string) => `Node ${node}, which this service requires,`

const placementMessages: Messages<PlacementReason> = {
  NodeUnknown: ({ node }) => `${requiredNode(node)} is not in the swarm, or is being drained or removed`,
  NodeNotReady: ({ node, state }) => `${requiredNode(node)} is not ready: its state is ${state}`,
  NodeNotActive: ({ node, availability }) =>
    `${requiredNode(node)} accepts no new containers: its availability is ${availability}`,
  NoNodeReady: () => 'No node of the swarm is ready to run a database',
  LabelUnknown: ({ nodeLabel }) =>
    `No node of the swarm has the label ${nodeLabel}. Add the label to a node with cluster.updateNode`,
  NoLabelledNodeReady: ({ nodeLabel }) => `No node with the label ${nodeLabel} is ready and active`,
}

const serviceMessages: Messages<ServiceReason> = {
  EngineFailed: ({ detail }) => detail,
  ServiceNameTaken: ({ service }) => `Another Swarm service is already called ${service}`,
}

const copyMessages: Messages<CopyReason> = {
  CopyUnsupported: () => 'This kind of server cannot be copied completely',
  CopyServerStopped: () => 'The temporary server for the copy has stopped',
  CopyServerFailed: ({ node, cause }) =>
    `The temporary server for the copy on ${node} did not start: ${reasonMessage(cause)}`,
  CopyFailed: ({ detail }) => detail,
  CopyDiffers: ({ database, differences }) =>
    `The copy of the database ${database} differs from the original. ${differences.join('. ')}`,
  ContentNotCopied: ({ items, more }) =>
    'The server contains items outside its databases that a copy would lack or change: ' +
    `${items.join(', ')}${more > 0 ? ` and ${more} more` : ''}. Remove these items, or restore a backup into a new ` +
    'service on that node',
}

const failureMessages: Messages<DatabaseFailure> = {
  ...taskMessages,
  ...nodeMessages,
  ...placementMessages,
  ...serviceMessages,
  ...imageMessages,
  ...loginMessages,
  ...dataMessages,
  ...copyMessages,
  ...legacyMessages,
  AppNameTaken: ({ service }) => `Another Swarm service is already called ${service}. Choose another appName`,
  ExternalPortFailed: ({ cause }) => `The external port could not be opened: ${reasonMessage(cause)}`,
  NodeLeaving: ({ node }) => `Node ${node} is being drained or removed from the swarm`,
  MoveFailed: ({ node, cause }) => `The database could not be moved to ${node}: ${reasonMessage(cause)}`,
  RolledBack: ({ cause }) => `${reasonMessage(cause)}\nRolled back: the last good specification runs and answers.`,
  RollbackFailed: ({ cause, failure }) => `${reasonMessage(cause)}\nThe rollback failed too: ${reasonMessage(failure)}`,
  InternalError: ({ deploymentId }) => `Internal error in Berth; search its log for deployment ${deploymentId}`,
  InterruptedByRestore: () =>
    "This work was in progress when the restored backup of Berth's state was made, so its outcome is unknown. Check " +
    'the present state, and repeat the call if necessary',
}

/** The messages of reasons that both deployments and the status of a database can have. */
export const databaseMessages: Messages<DatabaseFailure | DatabaseWait | Outage> = {
  ...failureMessages,
  ContainersStopping: ({ containers }) =>
    containers.length === 1
      ? `Container ${containers[0]} has not stopped yet`
      : `Containers ${containers.join(' and ')} have not stopped yet`,
  StopUnconfirmed: ({ cause }) =>
    `${reasonMessage(cause)}. Berth cannot check whether the container has ended until the node returns`,
  MoveDelayed: ({ node, cause }) =>
    `The move to ${node} does not proceed: ${reasonMessage(cause)}. Berth tries again, and returns the database to its ` +
    'old node if this lasts',
  EngineUnavailable: ({ detail }) => `Waiting for Berth's Docker engine: ${detail}`,
  WentDown: ({ since, cause }) => `Went down at ${since}${cause === null ? '' : `: ${reasonMessage(cause)}`}`,
  // 0 seconds: the server failed several times within one second, or the clock was set back.
  StillDown: ({ seconds, cause }) =>
    `Still down${seconds === 0 ? '' : ` after ${seconds} s`}: ` +
    (cause === null ? 'Swarm runs no container for it' : reasonMessage(cause)),
}

const volumeMessages: Messages<VolumeRemovalReason> = {
  VolumeInUse: () => 'The volume is in use. Berth retries its removal for 30 seconds',
  VolumeNotRemoved: ({ detail }) => `The engine did not remove the volume: ${detail}`,
  VolumeKept: ({ volume, detail }) =>
    `The service is removed. Its volume ${volume} is kept, because the engine did not remove it (${detail})`,
  VolumeNodeMissing: ({ node }) => `Node ${node} has left the swarm. The data on its disk was not deleted`,
}

const nodeRemovalMessages: Messages<
  Exclude<NodeRemovalReason, ServiceReason | DatabaseFailure | LegacyReason | NodeDrainReason>
> = {
  LastManager: ({ node }) =>
    `${node} is the last manager of the swarm. Add another manager with cluster.addManager first`,
  OwnNode: ({ node }) =>
    `${node} is the node that Berth's own engine runs on. Point DOCKER_HOST to another manager first`,
  QuorumAtRisk: ({ node, reachable, managers, needed, unreachable }) =>
    `Without ${node} only ${reachable} of ${managers} managers would be reachable, but the swarm needs ${needed} to ` +
    `accept changes. Make these managers reachable first: ${unreachable.join(', ')}`,
  DrainPending: () => 'The node is about to be drained',
  NodeDraining: () => 'The node is being drained',
  NodeDemoting: () => 'The node is being demoted to a worker',
  TasksOnNode: ({ count, services }) =>
    'The node is drained, but ' +
    (count === 1
      ? `1 container of ${listOf(services)} is still there`
      : `${count} containers of ${listOf(services)} are still there`),
  StillManager: () => 'The node is drained, but the swarm still lists it as a manager',
  NodeRemovalTimedOut: ({ minutes, cause }) =>
    `The node could not be removed within ${minutes} minutes. ${reasonMessage(cause)}`,
  AvailabilityRestored: ({ availability, cause }) =>
    `${reasonMessage(cause)}. The node's availability is ${availability} again`,
  AvailabilityNotRestored: ({ cause, failure }) =>
    `${reasonMessage(cause)}. The engine did not restore the node's availability either: ${reasonMessage(failure)}`,
  VolumesLost: ({ volumes }) => `Lost with the node: ${listOf(volumes)}`,
}

const engineAccessMessages: Messages<EngineAccessReason> = {
  AccessPending: ({ nodes }) =>
    `Waiting for the engine ports of ${listOf(nodes)}. A port changes when no work uses the node and the node is not paused`,
  AccessDelayed: ({ nodes }) =>
    `${listOf(nodes)} cannot be reached by Swarm, and would accept the earlier certificate until Swarm reaches them`,
}

const registryMessages: Messages<Exclude<RegistryServerReason, ServiceReason | LegacyReason> | CollectionResult> = {
  RegistryDown: ({ cause }) => `The registry does not run: ${reasonMessage(cause)}`,
  RegistryLoginFailed: ({ detail }) => `The registry runs, but a login to it fails. ${detail}`,
  RegistryOpen: ({ host }) =>
    `The registry runs, but a login to it fails. ${host} requires no login, so another registry answers there`,
  CollectionOnOtherNode: () =>
    "Garbage can be collected only on the node of Berth's own engine, and the registry is on another node",
  CollectionFailed: ({ detail }) => `The garbage collection failed: ${detail}`,
  NothingToCollect: () => 'No unused blobs or manifests were found',
  GarbageCollected: ({ blobs, manifests }) =>
    `${blobs} blobs and ${manifests} manifests that no image uses were deleted`,
}

const applicationMessages: Messages<ApplicationReason> = {
  ApplicationMissing: ({ given }) =>
    `No service on the swarm has the id, the name or the label berth.application "${given}" yet`,
  ApplicationAmbiguous: ({ given, services }) =>
    `Several services have the label berth.application "${given}": ${services.join(', ')}`,
  ApplicationOffNetwork: ({ service, network }) =>
    `The service ${service} is not on the network ${network}. Attach it: ` +
    `docker service update --network-add ${network} ${service}`,
}

const portMessages: Messages<Exclude<PortReason, ServiceReason | ApplicationReason | LegacyReason>> = {
  GatewayCreating: () => 'The gateway is being created',
  GatewayChanging: () => 'The gateway is being changed',
  GatewayRemoving: () => 'The gateway is being removed',
  GatewayDown: ({ cause }) => `The gateway does not run: ${reasonMessage(cause)}`,
  NothingListens: ({ targetPort }) => `The application does not answer at port ${targetPort} yet`,
}

export const messages: Messages<DeploymentReason> = {
  ...databaseMessages,
  ...volumeMessages,
  ...nodeRemovalMessages,
  ...drainMessages,
  ...engineAccessMessages,
  ...registryMessages,
  ...applicationMessages,
  ...portMessages,
}

/** The codes of all reasons, for the response schemas. */
export const deploymentReasons = reasonNames(messages)

/** Returns the message of a reason. */
export function reasonMessage(reason: DeploymentReason): string {
  const message = messages[reason.reason] as (reason: DeploymentReason) => string
  return message(reason)
}

/** Returns the API fields `reason` (a message) and `reasonCode` for a stored reason. */
export function reasonAnswer(stored: Json<DeploymentReason> | null) {
  const reason = fromJson(stored)
  return { reason: reason === null ? null : reasonMessage(reason), reasonCode: reason?.reason ?? null }
}
