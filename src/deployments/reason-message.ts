/**
 * Converts the stored reasons of deployments to messages for people. No decision depends on these messages, and no
 * other file produces messages for these reasons. Pure.
 */
import type { TaskFailureReason } from '../engine/failures.ts'
import type { PlacementReason } from '../engine/placement.ts'
import { fromJson, type Json } from '../lib/json.ts'
import { listOf } from '../lib/text/listing.ts'
import { type Messages, reasonNames } from './messages.ts'
import type {
  ApplicationReason,
  CollectionResult,
  CopyReason,
  DatabaseFailure,
  DatabaseWait,
  DeploymentReason,
  ExitReport,
  ImageReason,
  LegacyReason,
  LoginReason,
  NodeReason,
  NodeRemovalReason,
  Outage,
  PortReason,
  RegistryServerReason,
  ServiceReason,
  TaskReason,
  VolumeRemovalReason,
  VolumeUseReason,
} from './reason.ts'
import { dataMessages, dataPlaceMessages, elsewhereMessages, volumeUseMessages } from './volume-reason-message.ts'

const legacyMessages: Messages<LegacyReason> = { Legacy: ({ message }) => message }

const taskFailures: Record<TaskFailureReason, string> = {
  ImageMissing: 'Image not found',
  ImageInvalid: 'Invalid image reference',
  WrongArchitecture: "The image is for another architecture than the node's",
  PortTaken: 'The port is taken on the node',
  InsufficientResources: 'The node has too little free memory or CPU for the reservation',
  NodeUnavailable: 'The node that holds the volume is not available',
  ProgramMissing: 'The image has no such program',
  Other: 'The engine could not start the container',
}

const taskMessages: Messages<TaskReason> = {
  TaskExited: ({ exitCode, report }) =>
    (exitCode === 0 ? 'The server ended by itself (exit code 0)' : `The server ended with exit code ${exitCode}`) +
    reportText(report),
  TaskFailed: ({ failure, detail, report }) => `${taskFailures[failure]} (${detail})${reportText(report)}`,
  TaskNotStarted: ({ state, report }) =>
    `The container has not started (Swarm reports its task as ${state})${reportText(report)}`,
  ImageTimeout: ({ minutes, report }) => `The image was not pulled within ${minutes} minutes${reportText(report)}`,
  StartTimeout: ({ minutes, report }) =>
    `Not ready in time: the server did not answer within ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}${reportText(report)}`,
}

/** Returns the text to append to a message: whether memory ran out, and the end of the log. */
function reportText(report: ExitReport | undefined): string {
  if (report === undefined) return ''
  const { outOfMemory, memoryLimitMiB, lastLines, fault } = report
  const limit = memoryLimitMiB === null ? '' : ` (memoryLimit is ${memoryLimitMiB} MiB)`
  const memory = outOfMemory ? `: out of memory${limit}` : ''
  const cause = fault === undefined ? memory : `${memory}: ${fault}`
  return lastLines.length === 0 ? cause : `${cause}. Its last lines:\n${lastLines.join('\n')}`
}

const nodeMessages: Messages<NodeReason> = {
  NodeMissing: ({ node, address }) =>
    `Node ${node} (${address}), which holds the volume, is not in the swarm any more. Restore a backup into another ` +
    'service',
  NodeReturned: ({ node, address, nodeId, foundOn }) =>
    `Node ${node} (${address}), which holds the volume, is not in the swarm any more, but node ${foundOn} has a volume of ` +
    'this name. If it is the same machine, take the data back with cluster.adoptNode: ' +
    `berth node adopt ${nodeId} --node ${foundOn}`,
  NodeDown: ({ node, address }) => `Node ${node} (${address}), which holds the volume, is down`,
  NodeDrained: ({ node, address }) => `Node ${node} (${address}), which holds the volume, is drained`,
}

const requiredNode = (node: string) => `Node ${node}, which this service requires,`

const placementMessages: Messages<PlacementReason> = {
  NodeUnknown: ({ node }) => `${requiredNode(node)} is not in the swarm or is being removed`,
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

const imageMessages: Messages<ImageReason> = {
  ImageMissing: ({ image, detail }) =>
    detail === null
      ? `Image not found (No such image: ${image})`
      : `Image not found (No such image: ${image}, and it cannot be pulled: ${detail})`,
  ImagePullFailed: ({ image, detail }) => `The image ${image} could not be pulled: ${detail}`,
  ImageGone: ({ image, imageId }) =>
    `The deployed image of ${image} (${imageId}) is no longer on its node and is in no registry. The image that has ` +
    'this name now may contain another version, so Berth does not start it by itself. Deploy with pull: true to use it',
  EntrypointIgnoresArguments: ({ image, entrypoint }) =>
    `The entry point of ${image} is a line for a shell, which ignores the arguments of the server: ` +
    `${entrypoint.join(' ')}. Nothing was changed. Set dockerImage to an image whose entry point passes its arguments on`,
  CommandIsNotServer: ({ image, product, command, program }) =>
    `The image ${image} has no entry point that takes the arguments of ${product}, and its command does not begin with ` +
    `${program}${command.length === 0 ? '' : `: ${command.join(' ')}`}. Nothing was changed. Set dockerImage to an ` +
    `image that does, or begin the field command with a program of the image that takes these arguments, such as ${program}`,
  ArgumentRefused: ({ product, detail }) =>
    `Berth does not start ${product} with this command. Nothing was changed. The field command must not contain ${detail}`,
  VersionUnknown: ({ product, dataVersion, image, detail }) =>
    `The volume holds data of ${product} ${dataVersion}, and the version of the server in ${image} could not be read ` +
    `(${detail}). Nothing was changed. Try again, or use an image whose tag names its version`,
  VersionIncompatible: ({ product, dataVersion, image, version }) =>
    `The volume holds data of ${product} ${dataVersion}, which ${image} cannot open: that image contains version ` +
    `${version}. Nothing was changed. Make a backup, create a new service with this image and restore the backup ` +
    'into it',
}

const loginMessages: Messages<LoginReason> = {
  LoginRefused: ({ detail, isFirstStart }) =>
    `Server is up but rejects the stored user or password: ${detail}` +
    (isFirstStart
      ? '. No login to it has ever succeeded: if its first start was interrupted, its files are incomplete. In that ' +
        'case start it with anew: true, which begins on a new volume'
      : ''),
  LoginNotTried: ({ detail }) => `Server is up, but no login could be tried: ${detail}`,
  RotationFailed: ({ detail }) => `The new credentials could not be set: ${detail}`,
  NewCredentialsRefused: ({ detail }) => `The server refuses the new credentials: ${detail}`,
  OldCredentialsAccepted: () =>
    'Password change incomplete: the old password still works. Deploy again; if it persists, change the password ' +
    'inside the server and deploy again',
  OwnAccountRefused: ({ detail }) =>
    `The server was started in its maintenance mode, but refuses Berth's own account: ${detail}`,
  NotPrepared: ({ detail }) => `Server is up, but is not ready for clients: ${detail}`,
  ExternalPortUnreachable: ({ detail }) => `The external port does not answer: ${detail}`,
}

const copyMessages: Messages<CopyReason> = {
  CopyUnsupported: () => 'This kind of server cannot be copied completely',
  CopyServerStopped: () => 'The temporary server for the copy has stopped',
  CopyServerFailed: ({ node, cause }) =>
    `The temporary server for the copy on ${node} did not start: ${reasonMessage(cause)}`,
  CopyFailed: ({ detail }) => detail,
  CopyIncomplete: ({ database, objects }) =>
    `The move would lose objects of the database ${database}, because the server cannot read them: ` +
    `${objects.map(({ type, name }) => `${type.toLowerCase()} ${name}`).join(', ')}. Correct or remove them, and move again`,
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
  ...dataMessages(reasonMessage),
  ...dataPlaceMessages,
  ...volumeUseMessages,
  ...elsewhereMessages,
  ...copyMessages,
  ...legacyMessages,
  AppNameTaken: ({ service }) => `Another Swarm service is already called ${service}. Choose another appName`,
  ExternalPortFailed: ({ cause }) => `The external port could not be opened: ${reasonMessage(cause)}`,
  NodeLeaving: ({ node }) => `Node ${node} is being removed from the swarm`,
  RestoreFailed: ({ runId, cause }) =>
    `The backup could not be restored, and the data is unchanged (run ${runId}): ${reasonMessage(cause)}`,
  RestoreStopped: () => 'The run of the restore was ended',
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
  Starting: ({ since, silentSince, lastLine }) =>
    `The server has been starting since ${since}. Berth waits as long as its container lives. ` +
    (lastLine === null ? 'Its log is empty' : `Its log has been silent since ${silentSince}. Last line: ${lastLine}`),
  WentDown: ({ since, cause }) => `Went down at ${since}${cause === null ? '' : `: ${reasonMessage(cause)}`}`,
  // 0 seconds: the server failed several times within one second, or the clock was set back.
  StillDown: ({ seconds, cause }) =>
    `Still down${seconds === 0 ? '' : ` after ${seconds} s`}: ` +
    (cause === null ? 'Swarm runs no container for it' : reasonMessage(cause)),
}

const volumeMessages: Messages<VolumeRemovalReason> = {
  ...volumeUseMessages,
  VolumeNotRemoved: ({ detail }) => `The engine did not remove the volume: ${detail}`,
  VolumeKept: ({ volume, detail }) =>
    `The service is removed. Its volume ${volume} is kept, because the engine did not remove it (${detail})`,
  VolumeNodeMissing: ({ node }) => `Node ${node} has left the swarm. The data on its disk was not deleted`,
}

const nodeRemovalMessages: Messages<Exclude<NodeRemovalReason, ServiceReason | DatabaseFailure | LegacyReason>> = {
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

const registryMessages: Messages<
  Exclude<RegistryServerReason, ServiceReason | NodeReason | VolumeUseReason | LegacyReason> | CollectionResult
> = {
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
