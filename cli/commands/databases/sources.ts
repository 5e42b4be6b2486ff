/** Says who may connect to the external port of a database, and what the gateway enforces of it. Pure. */
import type { DatabaseRecord } from '../../databases.ts'
import { readableDistance } from '../../terminal/size.ts'

const maxShownSources = 10

/** The first texts, with the number of the others. */
function shortList(texts: readonly string[]): string {
  const rest = texts.length - maxShownSources
  const shown = texts.slice(0, maxShownSources).join(', ')
  return rest > 0 ? `${shown} and ${rest} more (--json)` : shown
}

/** Who may connect to the external port, and what the gateway enforces of it. Null without a port. */
export function sourcesText({ externalPort, sources }: DatabaseRecord): string | null {
  if (externalPort === null) return null
  const { allowedSources, isOfProject, enforcedSince, reason, refusedAttempts, refusedSources } = sources
  const isOpen = allowedSources.length === 0
  const list = isOpen ? 'open to everyone' : shortList(allowedSources)
  const state = enforcedSince === null ? 'not enforced' : `enforced for ${readableDistance(enforcedSince)}`
  const refused = refusedSources.map(({ source, attempts }) => `${source} (${attempts})`)
  return [
    isOfProject ? `${list} (the list of the project)` : list,
    ...(isOpen ? [] : [state]),
    ...(reason === null ? [] : [reason]),
    ...(refusedAttempts ? [`refused attempts: ${refusedAttempts}`] : []),
    ...(refused.length === 0 ? [] : [`in the last 24 hours: ${shortList(refused)}`]),
  ].join('; ')
}

/** The list after a change of it, as a sentence. The server stores networks in another form than people write them. */
export function changedSourcesText({ externalPort, sources }: DatabaseRecord): string {
  const { allowedSources, isOfProject } = sources
  const list = allowedSources.join(', ') || 'everyone'
  const start = externalPort === null ? 'A published port will accept' : 'Its port accepts'
  return `${start} connections from ${list}${isOfProject ? ' (the list of the project)' : ''}.`
}
