/** What a gateway enforces of a list of allowed sources: since when, why not, and whom it refused. */
import type { EnforcedSources } from '../../../client/operations.ts'
import { countText } from '../../data/format.ts'
import { sourcesState } from '../../data/forms/sources.ts'
import { ReasonText } from '../reason-text.tsx'
import { State } from '../state.tsx'
import { type Column, Table } from '../table.tsx'
import { Time } from '../time.tsx'

interface Props {
  sources: EnforcedSources
  /** Whether there is a port that clients could reach. */
  isPortOpen: boolean
}

export function SourcesState(props: Props) {
  const { tone, word } = sourcesState(props.sources, props.isPortOpen)
  return <State tone={tone}>{word}</State>
}

export function EnforcedSourcesPanel({ sources, isPortOpen }: Props) {
  const { reason, refusedSources } = sources
  return (
    <>
      <p>{sourcesState(sources, isPortOpen).text}</p>
      {isPortOpen && reason !== null && <ReasonText text={reason} />}
      <Facts sources={sources} isPortOpen={isPortOpen} />
      {refusedSources.length > 0 && (
        <Table
          caption="Sources that were refused most often in the last 24 hours"
          columns={refusedColumns}
          rows={refusedSources}
          rowKey={({ source }) => source}
        />
      )}
    </>
  )
}

const refusedColumns: readonly Column<EnforcedSources['refusedSources'][number]>[] = [
  { title: 'Refused in the last 24 hours', cell: ({ source }) => <code>{source}</code> },
  { title: 'Attempts', cell: ({ attempts }) => attempts.toLocaleString('en'), isNumber: true },
  { title: 'Last one', cell: ({ lastAt }) => <Time at={lastAt} /> },
]

/** A longer list is cut. */
const maxShown = 30

function Facts({ sources, isPortOpen }: Props) {
  const { allowedSources, isOfProject, enforcedSince, refusedAttempts } = sources
  const rest = allowedSources.length - maxShown
  return (
    <dl class="facts">
      {allowedSources.length > 0 && (
        <>
          <dt>{isOfProject ? 'List of the project' : 'List'}</dt>
          <dd>
            <ul class="name-list">
              {allowedSources.slice(0, maxShown).map((source) => (
                <li key={source}>
                  <code>{source}</code>
                </li>
              ))}
              {rest > 0 && <li class="muted">and {rest} more</li>}
            </ul>
          </dd>
        </>
      )}
      {isPortOpen && enforcedSince !== null && (
        <>
          <dt>{allowedSources.length === 0 ? 'Open since' : 'Enforced since'}</dt>
          <dd>
            <Time at={enforcedSince} />
          </dd>
        </>
      )}
      {isPortOpen && (
        <>
          <dt>Refused</dt>
          <dd>
            {refusedAttempts === null ? 'not counted for UDP' : `${countText(refusedAttempts, 'connection')} so far`}
          </dd>
        </>
      )}
    </dl>
  )
}
