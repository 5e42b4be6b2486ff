/** The messages about a server that did not start, was refused, or lacks its data: tasks, images, logins, volumes. Pure. */
import type { TaskFailureReason } from '../engine/failures.ts'
import type { DataReason, ExitReport, ImageReason, LoginReason, TaskReason } from './reason.ts'

/** For each reason of a union, a function that returns the message. */
export type Messages<U extends { reason: string }> = {
  [R in U['reason']]: (reason: Extract<U, { reason: R }>) => string
}

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

export const taskMessages: Messages<TaskReason> = {
  TaskExited: ({ exitCode, report }) =>
    (exitCode === 0 ? 'The server ended by itself (exit code 0)' : `The server ended with exit code ${exitCode}`) +
    reportText(report),
  TaskFailed: ({ failure, detail, report }) => `${taskFailures[failure]} (${detail})${reportText(report)}`,
  TaskNotStarted: ({ state, report }) =>
    `The container has not started (Swarm reports its task as ${state})${reportText(report)}`,
  ImageTimeout: ({ minutes, report }) => `The image was not pulled within ${minutes} minutes${reportText(report)}`,
  StartTimeout: ({ seconds, report }) =>
    `Not ready in time: the server did not answer within ${seconds} seconds${reportText(report)}`,
}

/** Returns the text to append to a message: whether memory ran out, and the end of the log. */
function reportText(report: ExitReport | undefined): string {
  if (report === undefined) return ''
  const { outOfMemory, memoryLimitMiB, lastLines } = report
  const limit = memoryLimitMiB === null ? '' : ` (memoryLimit is ${memoryLimitMiB} MiB)`
  const memory = outOfMemory ? `: out of memory${limit}` : ''
  return lastLines.length === 0 ? memory : `${memory}. Its last lines:\n${lastLines.join('\n')}`
}

export const imageMessages: Messages<ImageReason> = {
  ImageMissing: ({ image, detail, node }) =>
    `Image not found${node === undefined ? '' : ` on node ${node}`} (No such image: ${image}` +
    (detail === null ? ')' : `, and it cannot be pulled: ${detail})`),
  ImagePullFailed: ({ image, detail }) => `The image ${image} could not be pulled: ${detail}`,
  ImageGone: ({ image, imageId, node }) =>
    `The deployed image of ${image} (${imageId}) is no longer on ${node === undefined ? 'its node' : `node ${node}`} ` +
    'and is in no registry. The image that has this name now may contain another version, so Berth does not start ' +
    'it by itself. Deploy with pull: true to use it',
  VersionUnknown: ({ product, dataVersion, image, detail }) =>
    `The volume holds data of ${product} ${dataVersion}, and the version of the server in ${image} could not be read ` +
    `(${detail}). Nothing was changed. Try again, or use an image whose tag names its version`,
  VersionIncompatible: ({ product, dataVersion, image, version }) =>
    `The volume holds data of ${product} ${dataVersion}, which ${image} cannot open: that image contains version ` +
    `${version}. Nothing was changed. Make a backup, create a new service with this image and restore the backup ` +
    'into it',
}

export const loginMessages: Messages<LoginReason> = {
  LoginRefused: ({ detail, isFirstStart }) =>
    `Server is up but rejects the stored user or password: ${detail}` +
    (isFirstStart
      ? '. No login to it has ever succeeded: if its first start was interrupted, its files are incomplete. In that ' +
        'case remove the service with removeData: true, and create it again'
      : ''),
  LoginNotTried: ({ detail }) => `Server is up, but no login could be tried: ${detail}`,
  RotationFailed: ({ detail }) => `The new credentials could not be set: ${detail}`,
  NewCredentialsRefused: ({ detail }) => `The server refuses the new credentials: ${detail}`,
  OldCredentialsAccepted: () =>
    'Password change incomplete: the old password still works. Deploy again; if it persists, change the password ' +
    'inside the server and deploy again',
  ExternalPortUnreachable: ({ detail }) => `The external port does not answer: ${detail}`,
}

const restoreVolume = 'Put the volume with its previous files back on that node and start the service'

export const dataMessages: Messages<DataReason> = {
  VolumeMissing: ({ volume, node, kind }) =>
    `Volume ${volume} is missing on node ${node}. ${restoreVolume}, or call ${kind}.start with acceptNewData: true ` +
    'to begin with empty data: backup.restore then restores a backup',
  DataReplaced: ({ volume, node, kind }) =>
    `Volume ${volume} on node ${node} holds other data than before, or none. ${restoreVolume}, or call ` +
    `${kind}.start with acceptNewData: true to use the data that is there now`,
}
