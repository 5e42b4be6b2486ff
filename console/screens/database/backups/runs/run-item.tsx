/** One run in a list: what it is, its proof, its size, why it failed, and what can be done with its dump. */
import type { ComponentChildren } from 'preact'
import type { Run } from '../../../../../client/client.ts'
import { ReasonText } from '../../../../components/reason-text.tsx'
import { WorkState } from '../../../../components/state.tsx'
import { Duration } from '../../../../components/time.tsx'
import { bytesText, countText, exactText } from '../../../../data/format.ts'
import { Findings } from './findings.tsx'
import { ProofState } from './proof.tsx'
import { runTitle } from '../../../../data/work-words.ts'
import { proofOf, triggerText } from './words.ts'

interface Props {
  run: Run
  /** Whether the day is shown, too. */
  isDated?: boolean
  children?: ComponentChildren
}

export function RunItem({ run, isDated = false, children }: Props) {
  const at = run.startedAt ?? run.createdAt
  const trigger = triggerText(run.trigger)
  return (
    <li class="run">
      <div class="run-line">
        <strong>
          <time dateTime={at} title={exactText(Date.parse(at))}>
            {new Date(at).toLocaleString('en-GB', isDated ? { ...dayFormat, ...timeFormat } : timeFormat)}
          </time>{' '}
          {runTitle(run)}
        </strong>
        {run.action === 'dump' || run.reasonCode === 'Cancelled' ? (
          <ProofState proof={proofOf(run)} />
        ) : (
          <WorkState state={run.status} />
        )}
        {trigger !== null && <span class="muted">{trigger}</span>}
        {run.finishedAt !== null && run.startedAt !== null && (
          <span class="muted">
            took <Duration from={run.startedAt} to={run.finishedAt} />
          </span>
        )}
      </div>
      {run.action === 'dump' && run.status === 'done' && <Sizes run={run} />}
      {run.reason !== null && <ReasonText text={run.reason} />}
      {run.shrunkFrom !== null && (
        <p>This dump has less than half of the rows or bytes of the dump that it was compared with.</p>
      )}
      <Findings findings={run.findings} count={run.findingCount} />
      {children !== undefined && <div class="buttons">{children}</div>}
    </li>
  )
}

const timeFormat = { hour: '2-digit', minute: '2-digit' } as const
const dayFormat = { day: 'numeric', month: 'short' } as const

function Sizes({ run: { sizeBytes, rawBytes, rowCount, encrypted, expiresAt } }: { run: Run }) {
  const parts = [
    sizeBytes === null ? null : `${bytesText(sizeBytes)} in the bucket`,
    rawBytes === null ? null : `${bytesText(rawBytes)} before compression`,
    rowCount === null ? null : countText(rowCount, 'row'),
    encrypted ? 'encrypted' : 'not encrypted',
    expiresAt === null ? null : `deleted on ${exactText(Date.parse(expiresAt))}`,
  ]
  return <p class="muted">{parts.filter((part) => part !== null).join(' · ')}</p>
}
