/** Lists of allowed sources in forms, and what a gateway enforces of them in words. Pure. */
import type { EnforcedSources } from '../../../client/operations.ts'
import type { Tone } from '../../components/state.tsx'
import { countText } from '../format.ts'
import { wordsIn } from './tls-modes.ts'

/** Who can connect. `project`: whoever the list of the project allows. */
export type Who = 'everyone' | 'listed' | 'project'

export interface SourceValues {
  who: Who
  /** The entries of the list, one in a line. */
  allowedSources: string
}

export const sourceLabels = { who: 'Who can connect', allowedSources: 'Addresses and networks' }

export const whoTexts: Record<Who, string> = {
  everyone: 'everyone',
  listed: 'only these sources',
  project: 'the list of the project',
}

/** The fields for a list of the API: null stands for the list of the project, an empty list for everyone. */
export const sourceValues = (sources: readonly string[] | null): SourceValues => ({
  who: sources === null ? 'project' : sources.length === 0 ? 'everyone' : 'listed',
  allowedSources: (sources ?? []).join('\n'),
})

/** The list of the API for the fields of a record that can have the list of its project. */
export const listOrProject = (values: SourceValues): string[] | null =>
  values.who === 'project' ? null : listOf(values)

export const listOf = ({ who, allowedSources }: SourceValues): string[] =>
  who === 'listed' ? wordsIn(allowedSources) : []

/** Why the form cannot be sent; null: it can. An empty list would admit everyone. */
export const reasonAgainstSources = (values: SourceValues): string | null =>
  values.who === 'listed' && listOf(values).length === 0 ? 'Enter at least one address or network' : null

/** The words of `berth` for a list. */
export const sourceWords = (sources: readonly string[] | null): readonly string[] =>
  sources === null ? ['project'] : sources.length === 0 ? ['everyone'] : sources

export interface SourcesState {
  tone: Tone
  word: string
  text: string
}

/** @param isPortOpen whether there is a port that clients could reach */
export function sourcesState(sources: EnforcedSources, isPortOpen: boolean): SourcesState {
  const { allowedSources, isEnforced, reasonCode } = sources
  const count = allowedSources.length
  if (!isPortOpen) {
    const text = count === 0 ? 'A port would be open to everyone.' : `A port would admit only ${sourceCount(count)}.`
    return { tone: 'neutral', word: 'no port', text: `Nobody can connect from outside. ${text}` }
  }
  if (count === 0) {
    const text =
      'Everyone who reaches the node can connect. Say from where clients come, and the gateway refuses all others.'
    return { tone: 'warning', word: 'open to everyone', text }
  }
  const text = `The gateway admits ${sourceCount(count)} and refuses all others.`
  if (isEnforced && reasonCode === null) return { tone: 'good', word: 'enforced', text }
  if (isEnforced) return { tone: 'warning', word: 'enforced in part', text: 'The gateway does not admit some entries.' }
  if (reasonCode === null || reasonCode === 'SourcesPending') {
    return {
      tone: 'working',
      word: 'not enforced yet',
      text: 'The gateway is not ready. It refuses everyone until it has the list.',
    }
  }
  return { tone: 'critical', word: 'not enforced', text: 'The gateway does not enforce this list.' }
}

const sourceCount = (count: number) => countText(count, 'address or network', 'addresses or networks')
