/** The work on a database: present and past, with its duration and outcome. */
import { useSignal } from '@preact/signals'
import { Link } from 'wouter-preact'
import { Button } from '../../../components/button.tsx'
import { Loaded } from '../../../components/loaded.tsx'
import { ReasonText } from '../../../components/reason-text.tsx'
import { WorkState } from '../../../components/state.tsx'
import { type Column, Table } from '../../../components/table.tsx'
import { Duration, Time } from '../../../components/time.tsx'
import type { Deployment } from '../../../data/lists/work.ts'
import { actionText, beginnerOf } from '../../../data/work-words.ts'
import { databasePath } from '../../../routes.ts'
import { type TabProps, useDeployments } from '../view.ts'

const pageSize = 20

const columns: readonly Column<Deployment>[] = [
  { title: 'Began', cell: ({ startedAt }) => <Time at={startedAt} /> },
  {
    title: 'Work',
    cell: ({ action }) => (
      <>
        {actionText(action)} <span class="muted">by {beginnerOf(action) ?? 'a call'}</span>
      </>
    ),
  },
  { title: 'Outcome', cell: (work) => <Outcome work={work} /> },
  { title: 'Took', isNumber: true, cell: ({ startedAt, finishedAt }) => <Duration from={startedAt} to={finishedAt} /> },
]

export function Deployments({ databaseId }: TabProps) {
  const limit = useSignal(pageSize)
  const query = useDeployments(databaseId, limit.value)
  return (
    <section class="stack" aria-labelledby="work">
      <h2 id="work">Work on this database</h2>
      <Loaded query={query} what="the work on this database">
        {(list) =>
          list.length === 0 ? (
            <p class="muted">Nothing was done yet. The first deploy appears here, with its outcome and its duration.</p>
          ) : (
            <>
              <Table
                caption="Work on this database, newest first"
                columns={columns}
                rows={list}
                rowKey={({ deploymentId }) => deploymentId}
                actions={(work) => <LogLink work={work} databaseId={databaseId} />}
              />
              {list.length >= limit.value && <Button onClick={() => (limit.value += 100)}>Show older work</Button>}
              <p class="hint">Work that ended more than 90 days ago is deleted from this list.</p>
            </>
          )
        }
      </Loaded>
    </section>
  )
}

function Outcome({ work: { state, reasonCode, reason } }: { work: Deployment }) {
  return (
    <>
      <WorkState state={state} />
      {reasonCode === 'RolledBack' && <p class="small muted">Berth went back to the last good one.</p>}
      {reason !== null && <ReasonText text={reason} />}
    </>
  )
}

const LogLink = ({ work, databaseId }: { work: Deployment; databaseId: string }) => (
  <Link
    href={`${databasePath(databaseId, 'logs')}?since=${encodeURIComponent(work.startedAt)}`}
    aria-label={`Log since the ${actionText(work.action)}`}
  >
    Log
  </Link>
)
