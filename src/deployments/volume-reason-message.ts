/** Converts the reasons that concern the volume of a database to messages. Pure. */
import { listOf } from '../lib/text/listing.ts'
import type { Messages } from './messages.ts'
import type {
  CopyFailure,
  DataPlaceReason,
  DataReason,
  ElsewhereReason,
  PlacementParameters,
  TaskReason,
  VolumeCopyReason,
  VolumeUseReason,
} from './reason.ts'

const restoreVolume = 'Put the volume with its previous files back on that node and start the service'

const copyFailures: Record<CopyFailure, string> = {
  missing: 'It is no longer on this node',
  inUse: 'A copy of files that a server changes would be incomplete. Stop what uses it',
  noData: 'It has no data of this kind of database',
  severalFolders: 'It has data of several servers. Remove the folders that are not needed from a copy of it',
  noSpace: 'The node has too little free space',
  changed: 'Its files changed while they were copied. Stop what uses it',
  failed: 'The program of the copy failed',
}

/** @param causeMessage the message of the reason why a server ended */
export const dataMessages = (causeMessage: (cause: TaskReason) => string): Messages<DataReason | VolumeCopyReason> => ({
  VolumeMissing: ({ volume, node, kind }) =>
    `Volume ${volume} is missing on node ${node}. ${restoreVolume}, or call ${kind}.start with acceptNewData: true ` +
    'to begin with empty data: backup.restore then restores a backup',
  DataReplaced: ({ volume, node, kind }) =>
    `Volume ${volume} on node ${node} holds other data than before, or none. ${restoreVolume}, or call ` +
    `${kind}.start with acceptNewData: true to use the data that is there now`,
  FirstStartInterrupted: ({ volume, node, kind, cause }) =>
    (cause === null ? '' : `${causeMessage(cause)}\n`) +
    `The first start was interrupted before the server had initialized its data, so the files on volume ${volume} of ` +
    `node ${node} are incomplete. Call ${kind}.start with anew: true to begin on a new volume. Berth keeps this one`,
  VolumeNotCopied: ({ volume, node, failure, users, detail }) =>
    `The volume ${volume} on node ${node} was not copied, and is unchanged. ` +
    (users.length === 0 ? '' : `It is in use by ${listOf(users)}. `) +
    `${copyFailures[failure]}${detail === null ? '' : ` (${detail})`}. Then deploy again`,
})

export const dataPlaceMessages: Messages<DataPlaceReason> = {
  DataOutsideVolume: ({ volume, folder, places, more, isFirstStart }) =>
    `The server keeps data outside its volume, in ${listOf(places.map(placeText))}${more > 0 ? ` and ${more} more` : ''}. ` +
    `The next restart would delete this data. The volume ${volume} is mounted at ${folder}, and all data must be there. ` +
    'If an option, a variable, a configuration file of the image or a symbolic link moves the data, remove it and ' +
    'deploy again. ' +
    (isFirstStart
      ? 'If the server then does not start, its first start left incomplete files: remove the service with ' +
        'removeData: true, and create it again'
      : 'If the running server already holds this data, move the data to the volume with the server first'),
}

const placeText = ({ path, target }: DataPlaceReason['places'][number]): string =>
  path === target ? path : `${path} (a symbolic link leads to ${target})`

export const volumeUseMessages: Messages<VolumeUseReason> = {
  VolumeInUse: ({ volume, service, ...users }) => {
    const user = volumeUserText(users)
    return service === null
      ? `The volume ${volume} is in use by ${user}, so its data was not deleted. Remove what uses it first`
      : `The volume ${volume} is in use by ${user}, so ${service} was not started on it: two servers would destroy ` +
          `the data. Remove what should not use the volume, then start ${service}`
  },
}

/** For example: `the service orders and the container copy`. */
export function volumeUserText({ services, containers }: Pick<VolumeUseReason, 'services' | 'containers'>): string {
  const users = [...services.map((name) => `the service ${name}`), ...containers.map((name) => `the container ${name}`)]
  return users.length === 0 ? 'a container' : listOf(users)
}

/** For example: `volume berth-1 on node web-2 (generation 2)`. */
export const placementText = ({ volume, node, generation }: PlacementParameters): string =>
  `volume ${volume}${node === null ? '' : ` on node ${node}`}${generation === 0 ? '' : ` (generation ${generation})`}`

export const elsewhereMessages: Messages<ElsewhereReason> = {
  PlacedElsewhere: ({ service, recorded, found }) =>
    `The service ${service} has the ${placementText(found)}, but the record of this database has ` +
    `${recorded === null ? 'no volume' : `the ${placementText(recorded)}`}. The record is older than the service, as ` +
    "after a restore of an old backup of Berth's state. Berth leaves the service as it is. To record what runs, " +
    'confirm the restored state: berth state review. To use the data of the record instead, run ' +
    `docker service rm ${service} and start the database`,
}
