/** What a person can do about the reason of a state, and what drift means. Pure. */
import type { DatabaseRecord } from '../../../data/kinds.ts'

export interface Advice {
  text: string
  /** The tab that helps, such as logs. */
  tab?: 'connect' | 'logs' | 'settings' | 'backups' | 'danger'
  /** The screen that helps, if it is not a tab. */
  screen?: '/nodes' | '/registries' | '/volumes'
}

const readLog: Advice = {
  text: 'Read the end of the log. Correct the image, the command, the variables or the memory limit, then deploy.',
  tab: 'logs',
}
const imageMissing: Advice = {
  text:
    'Check the spelling of the image, and read the cause above: the machine may also not reach the registry, or need a ' +
    'login to it under Registries. Then deploy again.',
  tab: 'settings',
}
const fixImage: Advice = {
  text: 'Check the spelling of the image. A private registry also needs a login under Registries. Then deploy again.',
  tab: 'settings',
}
const otherStart: Advice = {
  text: 'Choose an image whose entry point takes arguments, or begin the command with a program that does. Then deploy.',
  tab: 'settings',
}
const nodeBack: Advice = {
  text: 'Bring the node back: the database then starts by itself. If the node is lost, restore a backup into a new database.',
  screen: '/nodes',
}
const placement: Advice = {
  text: 'Make a fitting node available, or change the node or its label in the settings, then deploy.',
  screen: '/nodes',
}
const logIn: Advice = {
  text: 'Somebody may have changed the password inside the server. Enter the present one under Settings, then deploy.',
  tab: 'settings',
}
const volumeBack: Advice = {
  text: 'Put the volume with its files back and press Start. Or accept the data that is there: see the buttons below.',
}
const repaired: Advice = { text: 'Nothing to do now: Berth repairs this by itself and reports how it ended.' }
const copy: Advice = {
  text: 'The database runs on its old node. Remove what the message names, or restore a backup into a new database.',
  tab: 'danger',
}
const port: Advice = {
  text: 'Choose another external port, or free this one on the node. Then deploy again.',
  tab: 'connect',
}

const advices: Partial<Record<NonNullable<DatabaseRecord['statusCode']>, Advice>> = {
  TaskExited: readLog,
  TaskFailed: readLog,
  StartTimeout: readLog,
  WentDown: readLog,
  StillDown: readLog,
  TaskNotStarted: {
    text: 'Swarm has not started the container yet. If this stays, the node may lack memory or processors for the reservation.',
    tab: 'settings',
  },
  ImageTimeout: { text: 'The registry may be slow or unreachable from the node. Deploy again later.', tab: 'settings' },
  ImageMissing: imageMissing,
  ImagePullFailed: imageMissing,
  ImageGone: { text: 'Deploy with a newly resolved image to use the image that has this name now.' },
  EntrypointIgnoresArguments: otherStart,
  CommandIsNotServer: otherStart,
  ArgumentRefused: { text: 'Remove the argument from the command. Then deploy again.', tab: 'settings' },
  VersionUnknown: fixImage,
  VersionIncompatible: {
    text: 'Set the image back to the version of the data. To upgrade, restore a backup into a new database of the new version.',
    tab: 'settings',
  },
  NodeMissing: nodeBack,
  NodeReturned: { text: 'Under Nodes, take back the volumes that were found.', screen: '/nodes' },
  NodeDown: nodeBack,
  NodeDrained: {
    text: 'Set the availability of the node to active again: the database then starts by itself.',
    screen: '/nodes',
  },
  NodeUnknown: placement,
  NodeNotReady: placement,
  NodeNotActive: placement,
  NoNodeReady: placement,
  LabelUnknown: placement,
  NoLabelledNodeReady: placement,
  LoginRefused: logIn,
  LoginNotTried: { text: 'Berth tries again by itself.' },
  RotationFailed: logIn,
  NewCredentialsRefused: logIn,
  NotPrepared: { text: 'Deploy again. If it stays, read the log of the server.', tab: 'logs' },
  OldCredentialsAccepted: { text: 'Deploy again. If it stays, change the password inside the server and deploy.' },
  OwnAccountRefused: { text: 'Read the log of the server, then try again.', tab: 'logs' },
  ExternalPortUnreachable: port,
  ExternalPortFailed: port,
  VolumeMissing: volumeBack,
  DataReplaced: volumeBack,
  DataOutsideVolume: {
    text: 'Remove what moves the data out of the volume, then deploy. Move data that the server already has first.',
  },
  FirstStartInterrupted: { text: 'Press Start and choose a new volume. Correct first what the message names.' },
  Starting: { text: 'Wait, or read the whole log. Stopping it now may leave its data incomplete.', tab: 'logs' },
  VolumeInUse: { text: 'Remove the service or the container that should not use the volume, then start the database.' },
  PlacedElsewhere: {
    text: 'Adopt the service when you confirm the restored state. If somebody moved it by hand, move it back.',
  },
  CopyDiffers: copy,
  CopyIncomplete: { text: 'Correct the objects that the message names, or remove them. Then move again.' },
  CopyFailed: copy,
  ContentNotCopied: copy,
  MoveFailed: copy,
  RestoreFailed: { text: 'The data is unchanged. Correct what the message names, then restore again.', tab: 'backups' },
  RestoreStopped: { text: 'The data is unchanged. Restore again if you still want it.', tab: 'backups' },
  AppNameTaken: {
    text: 'Remove the other service, or choose another host name before the first deploy.',
    tab: 'settings',
  },
  ServiceNameTaken: { text: 'Remove the other Swarm service of this name, then deploy.' },
  RolledBack: {
    text: 'The last good configuration runs. Correct what the message names, then deploy again.',
    tab: 'settings',
  },
  RollbackFailed: readLog,
  InternalError: { text: "Search Berth's own log for the id of the deployment, and report it." },
  InterruptedByRestore: { text: 'Look at the state below, and repeat the call if necessary.' },
  Repairing: repaired,
  ContainersStopping: { text: 'Wait: the server gets up to 50 seconds to stop.' },
  StopUnconfirmed: nodeBack,
  ProcessKilled: { text: 'Raise the memory limit under Settings, or let the server use less memory.', tab: 'settings' },
  Moving: { text: 'Wait: the move ends by itself. If it fails, the database starts on its old node.' },
  DataLost: { text: 'Restore a backup into a new database.', tab: 'backups' },
}

/** Null: there is nothing to do, or the message says it. */
export const adviceFor = (code: DatabaseRecord['statusCode']): Advice | null =>
  code === null ? null : (advices[code] ?? null)

/** Explains the exit code that a message names; null: it needs no explanation. The text is for people only. */
export const exitCodeText = (message: string | null): string | null =>
  message !== null && /exit code 137\b/.test(message)
    ? 'Exit code 137 means that the server was killed from outside. Often the memory was not enough: compare the memory ' +
      'limit under Settings with what Metrics shows.'
    : null

type DriftCode = DatabaseRecord['driftCodes'][number]

const byItself = 'Berth repairs it by itself.'
const nodeReturns = 'Berth starts it again when the node is back.'

const driftOutcomes: Record<DriftCode, string> = {
  ServiceMissing: byItself,
  ServiceFenced: nodeReturns,
  ServiceOutdated: 'A deploy updates it.',
  ServiceChanged: 'Berth does not undo it by itself, because somebody may need the change. A deploy undoes it.',
  ContainerNotRunning: 'Swarm starts it again. If that fails, see the log.',
  ContainerDetached: byItself,
  GatewayUnwanted: byItself,
  GatewayMissing: byItself,
  GatewayOutdated: 'A deploy updates it.',
  GatewayChanged: byItself,
  GatewayNotRunning: 'Swarm starts it again.',
  GatewayDetached: byItself,
  NodeMissing: 'Restore a backup into a new database.',
  NodeReturned: 'Take the volume back under Nodes.',
  NodeDown: nodeReturns,
  NodeDrained: nodeReturns,
  PlacedElsewhere: 'Berth leaves the service as it is, because the record is older.',
  AppNameTaken: 'Berth creates its own service after the other one is removed.',
  Legacy: 'A deploy renews it.',
}

/** What happens about a difference between what was deployed and what runs. */
export const driftOutcome = (code: string): string => driftOutcomes[code as DriftCode] ?? driftOutcomes.Legacy
