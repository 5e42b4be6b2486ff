/** Renders the reasons of differences as sentences for people. No decision depends on the sentences. Pure. */
import type { VolumeUseReason } from '../../deployments/reason.ts'
import { type Messages, reasonNames } from '../../deployments/messages.ts'
import { placementText, volumeUserText } from '../../deployments/volume-reason-message.ts'
import type { DataState, Decision, DifferenceReason } from './table.ts'

const dataText: Record<DataState, string> = {
  present: 'Its data is there',
  missing: 'Its volume is gone',
  unknown: 'The node of its volume does not answer, so it is not known whether its data is there',
  none: 'It never had data',
}

const useText = (reason: VolumeUseReason) => `Its volume ${reason.volume} is in use by ${volumeUserText(reason)}`

const messages: Messages<DifferenceReason> = {
  AsRecorded: () => 'As recorded',
  OnOtherVolume: ({ found, recorded }) =>
    `Its service has the ${placementText(found)}. The state says ` +
    (recorded === null ? 'that it has no volume' : placementText(recorded)),
  StoppedSince: ({ node, isNodeReady }) =>
    isNodeReady
      ? 'It is stopped. The state says that it should run'
      : `It is stopped because of a move or because its node ${node} is not available. The state says that it should run`,
  StartedSince: ({ volume, node }) => `It runs on the volume ${volume} on ${node}. The state says that it is stopped`,
  RemovedSince: ({ data, usedBy, nameTaken }) => {
    if (usedBy !== null) return `It has no service any more. ${useText(usedBy)}`
    if (nameTaken) return 'It has no service any more. Another service has its name'
    return `It has no service any more. ${dataText[data]}`
  },
  InRemoval: ({ removesData, data, service, usedBy, nameTaken }) =>
    [
      `Its removal had begun, ${removesData ? 'with its data' : 'without its data'}.`,
      service === null ? 'It has no service any more.' : 'Its service still exists.',
      ...(nameTaken ? ['Another service has its name.'] : []),
      usedBy === null ? dataText[data] : useText(usedBy),
    ].join(' '),
  Unknown: ({ kind, volume, node, image, isRunning }) =>
    `The state does not know this service of the kind ${kind}. It uses the volume ${volume} on ${node} (${image})` +
    (isRunning ? '' : '. It is stopped, so Berth cannot log in to adopt it'),
  LeftFromMove: ({ volume, node }) => `A move left this temporary server on the volume ${volume} on ${node}`,
  Expiring: ({ objects }) => `${objects} object${objects === 1 ? '' : 's'} of expired dumps still had to be deleted`,
}

/** The names of all reasons, for the API. */
export const differenceReasons = reasonNames(messages)

export function differenceMessage(reason: DifferenceReason): string {
  const render = messages[reason.reason] as (reason: DifferenceReason) => string
  return render(reason)
}

const decisionTexts: Record<Decision, string> = {
  adopt: 'record what runs now. A service that the state does not know needs its credentials in `adoptions`',
  create: 'keep the record, and create the service again if it should run',
  forget: 'delete the record; what runs and the data stay',
  start: 'start it',
  stop: 'record it as stopped',
  finish: 'go on with the removal',
  keep: 'take the removal back',
  leave: 'leave it as it is',
  remove: 'remove the temporary server; its volume stays',
}

/** Each decision with what it does, for the description of the API. */
export const decisionsText = Object.entries(decisionTexts)
  .map(([decision, text]) => `${decision}: ${text}`)
  .join('. ')
