/** The decisions about the differences of a restored state, in words. Pure. */
import type { Operations } from '../../../client/client.ts'

export type Differences = Awaited<ReturnType<Operations['state']['differences']>>
export type Entry = Differences['entries'][number]
export type Decision = NonNullable<Entry['proposal']>

export const decisionTexts: Record<Decision, string> = {
  adopt: 'Record what runs',
  create: 'Create the service again',
  forget: 'Delete the record',
  start: 'Start it',
  stop: 'Record it as stopped',
  finish: 'Finish the removal',
  keep: 'Take the removal back',
  leave: 'Leave it',
  remove: 'Remove the temporary server',
}

/** The entries about which a person decides. */
export const openEntries = ({ entries }: Pick<Differences, 'entries'>): Entry[] =>
  entries.filter(({ decisions }) => decisions.length > 0)

/** The decision for each open entry: what the person chose, if it is still possible, or the proposal. */
export function decisionsOf(entries: readonly Entry[], chosen: Readonly<Record<string, Decision>>) {
  const decided = entries.flatMap(({ subjectId, decisions, proposal }): [string, Decision][] => {
    const choice = decisions.find((each) => each === chosen[subjectId]) ?? proposal
    return choice === null ? [] : [[subjectId, choice]]
  })
  return Object.fromEntries(decided)
}

/** The labels of credentials, by the names of their fields. */
const credentialLabels: Record<string, string> = {
  databaseName: 'Database',
  databaseUser: 'User',
  databasePassword: 'Password',
  databaseRootPassword: 'Password of the user root',
}

export interface CredentialField {
  /** The path of the field in the input of state.confirm. */
  path: string
  label: string
  isSecret: boolean
}

/** The fields that the adoption of the entry needs. */
export const credentialFields = ({ subjectId, credentials }: Entry): CredentialField[] =>
  credentials.map(({ name, isSecret }) => ({
    path: `adoptions.${subjectId}.${name}`,
    label: credentialLabels[name] ?? name,
    isSecret,
  }))

/** The credentials of each service that is adopted, from the values of all fields by their paths. */
export function adoptionsOf(
  entries: readonly Entry[],
  decisions: Readonly<Record<string, Decision>>,
  values: Readonly<Record<string, string>>,
): Record<string, Record<string, string>> {
  const adopted = entries.filter(
    ({ subjectId, credentials }) => decisions[subjectId] === 'adopt' && credentials.length > 0,
  )
  return Object.fromEntries(
    adopted.map(({ subjectId, credentials }) => [
      subjectId,
      Object.fromEntries(credentials.map(({ name }) => [name, values[`adoptions.${subjectId}.${name}`] ?? ''])),
    ]),
  )
}
