/** Runs that are under way: the phase in words, what was transferred, and a button to end them. */
import { useSignal } from '@preact/signals'
import type { Run } from '../../../../../client/client.ts'
import { Button } from '../../../../components/button.tsx'
import { ConfirmDialog } from '../../../../components/dialog.tsx'
import { Notice } from '../../../../components/notice.tsx'
import { Progress } from '../../../../components/progress.tsx'
import { ReasonText } from '../../../../components/reason-text.tsx'
import { Time } from '../../../../components/time.tsx'
import { api } from '../../../../data/api.ts'
import { now } from '../../../../data/clock.ts'
import { bytesText, countText } from '../../../../data/format.ts'
import { runPhaseText, runTitle } from '../../../../data/work-words.ts'
import { partDone } from './words.ts'

interface Props {
  run: Run
  /** The last good dump of the same database, to estimate how much remains. */
  last: Run | null
}

export function RunProgress({ run, last }: Props) {
  const isAsking = useSignal(false)
  return (
    <Notice tone="working">
      <div class="card-head">
        <strong>
          {runTitle(run)} of {run.database}
        </strong>
        <Button small onClick={() => (isAsking.value = true)}>
          Cancel the {run.action === 'restore' ? 'restore' : run.action === 'verify' ? 'verification' : 'dump'}
        </Button>
      </div>
      <Progress phase={runPhaseText(run)} part={partDone(run, last?.rawBytes ?? null)} {...detailOf(run)} />
      {run.reason !== null && <ReasonText text={run.reason} />}
      <p class="small muted">
        Begun <Time at={run.startedAt ?? run.createdAt} />.{lastText(last)} The work goes on when you close this page.
      </p>
      {isAsking.value && <CancelDialog run={run} onClose={() => (isAsking.value = false)} />}
    </Notice>
  )
}

/** How much was transferred, and how fast. */
function detailOf({ progressBytes, startedAt }: Run): { detail?: string } {
  if (progressBytes === 0) return {}
  const seconds = startedAt === null ? 0 : (now.value - Date.parse(startedAt)) / 1000
  const rate = seconds >= 5 ? `, ${bytesText(progressBytes / seconds)}/s on average` : ''
  return { detail: `${bytesText(progressBytes)} so far${rate}` }
}

function lastText(last: Run | null): string {
  if (last?.rawBytes == null) return ''
  const rows = last.rowCount === null ? '' : ` and ${countText(last.rowCount, 'row')}`
  return ` The last good dump had ${bytesText(last.rawBytes)} before compression${rows}.`
}

function CancelDialog({ run, onClose }: { run: Run; onClose: () => void }) {
  return (
    <ConfirmDialog
      title={`End this ${runTitle(run).toLowerCase()}?`}
      action={`End the ${runTitle(run).toLowerCase()}`}
      phrase={null}
      onClose={onClose}
      run={() => api.backup.cancel({ runId: run.runId })}
    >
      {run.action === 'restore' && run.safety !== 'NewService' && run.step === 'load' ? (
        <p>
          The database keeps its present data, unless the restore ends first. Afterwards, the run says which of both is
          true.
        </p>
      ) : run.action === 'restore' ? (
        <p>The database is not changed yet, and stays as it is.</p>
      ) : (
        <p>Berth deletes what was uploaded or restored for it. Earlier dumps and the database stay as they are.</p>
      )}
    </ConfirmDialog>
  )
}
