/** The head of a database: what it is, its state with the reason, the work under way, and changes to deploy. */
import { Link } from 'wouter-preact'
import type { Database } from '../../../client/client.ts'
import { Notice } from '../../components/notice.tsx'
import { Progress } from '../../components/progress.tsx'
import { ReasonText } from '../../components/reason-text.tsx'
import { DatabaseStatus } from '../../components/state.tsx'
import { now } from '../../data/clock.ts'
import { databaseState } from '../../data/database-state.ts'
import { durationText } from '../../data/format.ts'
import { type DatabaseRecord, kindLabels } from '../../data/kinds.ts'
import type { Deployment } from '../../data/lists/work.ts'
import { actionText } from '../../data/work-words.ts'
import { databasePath } from '../../routes.ts'
import { ActionButtons } from './actions/action-buttons.tsx'
import { type TabProps, useDeployments } from './view.ts'
import { phaseText } from './work-words.ts'

/** The line below the title. */
export function HeadLine({ database, record }: { database: Database; record: DatabaseRecord | undefined }) {
  return (
    <span class="head-facts">
      <PresentStatus record={record ?? database} />
      <span>
        {kindLabels[database.databaseType]}
        {record?.imageVersion != null && ` ${record.imageVersion}`}
      </span>
      <span>
        in project <Link href={`/projects/${database.projectId}`}>{database.projectName}</Link>
      </span>
      {(record?.node ?? database.node) !== null && <span>on node {record?.node ?? database.node}</span>}
    </span>
  )
}

/** The status, and whether Swarm starts the container again at this moment. */
export const PresentStatus = ({ record }: { record: Pick<DatabaseRecord, 'applicationStatus' | 'containerState'> }) => (
  <DatabaseStatus state={databaseState(record)} />
)

/** What a person has to know before the tabs. @param isReasonBelow the tab itself shows the reason of the state */
export function HeadNotices({ isReasonBelow, ...props }: TabProps & { isReasonBelow: boolean }) {
  const { record, databaseId } = props
  const work = usePresentWork(databaseId)
  return (
    <>
      {work !== null && <PresentWork work={work} record={record} />}
      {work === null && !isReasonBelow && <Reason {...props} />}
      {record.pendingChanges && work === null && (
        <Notice tone="warning">
          <div class="card-head">
            <p>
              <strong>Changes are saved, but not deployed yet.</strong> {pendingText(record)}
            </p>
            <span class="buttons">
              <ActionButtons {...props} actions={['deploy']} />
            </span>
          </div>
        </Notice>
      )}
    </>
  )
}

function pendingText({ lastDeployedAt, applicationStatus }: DatabaseRecord): string {
  if (lastDeployedAt === null) return 'No deploy has succeeded so far. The next one uses them.'
  if (applicationStatus === 'done') return 'The database runs as it was last deployed.'
  return 'The next deploy uses them and starts the database.'
}

/** The work under way on the database; null: there is none. */
function usePresentWork(databaseId: string): Deployment | null {
  const [newest] = useDeployments(databaseId, 1).data.value ?? []
  return newest?.state === 'running' ? newest : null
}

function PresentWork({ work, record }: { work: Deployment; record: DatabaseRecord }) {
  const elapsed = Math.max(0, now.value - Date.parse(work.startedAt))
  const since = elapsed < 10_000 ? 'began just now' : `for ${durationText(elapsed)}`
  const phase = `${actionText(work.action)}: ${phaseText(work, record)}`
  return (
    <Notice tone="working">
      <span class="visually-hidden" role="status">
        {phase}
      </span>
      <Progress phase={phase} part={null} detail={since} />
      {work.reason !== null && <ReasonText text={work.reason} />}
    </Notice>
  )
}

function Reason({ record, databaseId }: TabProps) {
  const { applicationStatus, statusReason, volume } = record
  if (applicationStatus === 'idle' && volume === null && statusReason === null) {
    return (
      <Notice>
        <p>The database was never deployed: there is no server yet. Press Deploy in the tab State to start it.</p>
      </Notice>
    )
  }
  if (statusReason === null) return null
  return (
    <Notice tone={applicationStatus === 'error' ? 'critical' : 'neutral'}>
      <ReasonText text={statusReason} />
      <p>
        <Link href={databasePath(databaseId, 'state')}>
          {applicationStatus === 'error' ? 'What to do about it' : 'Details'}
        </Link>
      </p>
    </Notice>
  )
}
