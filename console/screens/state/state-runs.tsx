/** The backups of Berth's own state, newest first, with those that are under way. */
import { useSignal } from '@preact/signals'
import type { StateBackup } from '../../../client/client.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Progress } from '../../components/progress.tsx'
import { CopyButton } from '../../components/copy.tsx'
import { WorkState } from '../../components/state.tsx'
import { Table } from '../../components/table.tsx'
import { Time, TimeOr } from '../../components/time.tsx'
import { api } from '../../data/api.ts'
import { bytesText, countText } from '../../data/format.ts'
import { useQuery } from '../../data/live/query.ts'

/** Runs are shown in steps of this many. */
const step = 25

const phases: Record<string, string> = {
  dump: 'Copying, sealing and uploading the state',
  check: 'Reading it back from the bucket',
}

export function StateRuns({ hasSchedule }: { hasSchedule: boolean }) {
  const limit = useSignal(step)
  const runs = useQuery('state.runs', { order: 'desc', limit: limit.value + 1 })
  return (
    <Loaded query={runs} what="the backups">
      {(list) => {
        if (list.length === 0) return hasSchedule && <p class="muted">There is no backup of the state yet.</p>
        const shown = list.slice(0, limit.value)
        return (
          <section class="stack">
            <h2>{list.length > limit.value ? `The last ${limit.value} backups` : countText(shown.length, 'backup')}</h2>
            <RunTable runs={shown} />
            {list.length > limit.value && <Button onClick={() => (limit.value += step)}>Show older ones</Button>}
          </section>
        )
      }}
    </Loaded>
  )
}

function RunTable({ runs }: { runs: readonly StateBackup[] }) {
  const cancelled = useSignal<string | null>(null)
  return (
    <>
      <Table
        caption="Backups of Berth's own state"
        rows={runs}
        rowKey={({ runId }) => runId}
        columns={[
          { title: 'Begun', cell: (run) => <Time at={run.startedAt ?? run.createdAt} /> },
          { title: 'By', cell: ({ trigger }) => (trigger === 'schedule' ? 'the schedule' : 'a call') },
          { title: 'State', cell: (run) => <Outcome run={run} /> },
          { title: 'Size', cell: ({ sizeBytes }) => (sizeBytes === null ? '' : bytesText(sizeBytes)), isNumber: true },
          { title: 'Ended', cell: ({ finishedAt }) => <TimeOr at={finishedAt} none="not yet" /> },
          { title: 'Key in the bucket', cell: ({ key }) => key !== null && <code>{key}</code> },
        ]}
        actions={({ runId, status, key }) =>
          status === 'running' ? (
            <Button small onClick={() => (cancelled.value = runId)}>
              Cancel
            </Button>
          ) : (
            key !== null && <CopyButton text={key} what="the key" />
          )
        }
      />
      {cancelled.value !== null && (
        <ConfirmDialog
          title="End this backup?"
          action="End the backup"
          phrase={null}
          onClose={() => (cancelled.value = null)}
          run={() => api.state.cancel({ runId: cancelled.value! })}
        >
          <p>Berth deletes what was uploaded for it. Earlier backups stay.</p>
        </ConfirmDialog>
      )}
    </>
  )
}

function Outcome({ run: { status, step: present, startedAt, reason } }: { run: StateBackup }) {
  if (status === 'running') {
    const phase = startedAt === null ? 'Waiting for its turn' : (phases[present ?? ''] ?? 'At work')
    return (
      <>
        <Progress phase={phase} part={null} />
        {reason}
      </>
    )
  }
  return (
    <>
      <WorkState state={status} />
      {reason !== null && <div>{reason}</div>}
    </>
  )
}
