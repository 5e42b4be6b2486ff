/** Berth's own state: the backups of what Berth itself knows, and what a restore needs. */
import { useSignal } from '@preact/signals'
import { BerthError, type State as Schedule } from '../../../client/client.ts'
import { Button, LinkButton } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { ErrorNotice } from '../../components/notice.tsx'
import { Empty, Page } from '../../components/page.tsx'
import { keepText } from '../../components/schedule/keep-fields.tsx'
import { State } from '../../components/state.tsx'
import { TimeOr } from '../../components/time.tsx'
import { api } from '../../data/api.ts'
import { cronText } from '../../components/schedule/cron.ts'
import { useQuery } from '../../data/live/query.ts'
import { Authorities } from './authorities.tsx'
import { HowToRestore } from './how-to-restore.tsx'
import { StateForm } from './state-form.tsx'
import { StateRuns } from './state-runs.tsx'

export default function StateScreen() {
  const schedule = useQuery('state.one', {}, { kinds: ['backup'] })
  const isEditing = useSignal(false)
  const error = schedule.error.value
  // Berth answers 404 while there is no schedule.
  const isMissing = error instanceof BerthError && error.code === 'NOT_FOUND'
  const present = isMissing ? undefined : schedule.data.value
  const edit = () => {
    isEditing.value = true
  }
  return (
    <Page
      title="Berth's own state"
      sub="Accounts, projects, records with their secrets, runs and the audit log: one file, which Berth can back up."
    >
      {isMissing ? (
        <NoSchedule onAdd={edit} />
      ) : (
        <Loaded query={schedule} what="the schedule">
          {(data) => <ScheduleCard schedule={data} onEdit={edit} onGone={schedule.reload} />}
        </Loaded>
      )}
      <StateRuns hasSchedule={present !== undefined} />
      <Authorities />
      <HowToRestore destinationId={present?.destinationId ?? null} />
      {isEditing.value && (
        <StateForm
          schedule={present ?? null}
          onClose={() => {
            isEditing.value = false
            void schedule.reload()
          }}
        />
      )}
    </Page>
  )
}

function NoSchedule({ onAdd }: { onAdd: () => void }) {
  const destinations = useQuery('destination.all', {}).data.value
  const isFirst = destinations?.length === 0
  return (
    <Empty
      title="Berth's own state is not backed up"
      action={
        isFirst ? (
          <LinkButton kind="primary" href="/destinations">
            Add a destination
          </LinkButton>
        ) : (
          <Button kind="primary" onClick={onAdd}>
            Schedule backups
          </Button>
        )
      }
    >
      If this machine is lost, the databases on other machines keep running, but nobody can manage them any more. A
      backup of the state brings Berth back on another machine.{' '}
      {isFirst && 'It needs a destination: a bucket for the files.'}
    </Empty>
  )
}

interface CardProps {
  schedule: Schedule
  onEdit: () => void
  onGone: () => Promise<void>
}

function ScheduleCard({ schedule, onEdit, onGone }: CardProps) {
  const isAsking = useSignal(false)
  return (
    <section class="card">
      <div class="card-head">
        <h2>Schedule</h2>
        <div class="buttons">
          <BackUpNow />
          <Button small onClick={onEdit}>
            Change
          </Button>
          <Button small kind="danger" onClick={() => (isAsking.value = true)}>
            Remove the schedule
          </Button>
        </div>
      </div>
      <ScheduleFacts schedule={schedule} />
      {isAsking.value && (
        <ConfirmDialog
          title="Remove the schedule"
          action="Remove the schedule"
          phrase={null}
          onClose={() => (isAsking.value = false)}
          run={async () => {
            await api.state.unschedule()
            await onGone()
          }}
        >
          <p>Berth makes no more backups of its own state. Those in the bucket stay, and can still be restored.</p>
        </ConfirmDialog>
      )}
    </section>
  )
}

function ScheduleFacts({ schedule }: { schedule: Schedule }) {
  const destinations = useQuery('destination.all', {}).data.value
  const destination = destinations?.find(({ destinationId }) => destinationId === schedule.destinationId)
  return (
    <dl class="facts">
      <dt>Backups</dt>
      <dd>
        {cronText(schedule.schedule)} ({schedule.timezone}).{' '}
        {schedule.enabled ? (
          <>
            Next <TimeOr at={schedule.nextAt} none="never" />
          </>
        ) : (
          <State tone="neutral">switched off</State>
        )}
      </dd>
      <dt>Destination</dt>
      <dd>
        {destination?.name ?? 'unknown'}, under <code>{schedule.prefix === '' ? 'berth/state/' : schedule.prefix}</code>
      </dd>
      <dt>Keeps</dt>
      <dd>{keepText(schedule)}</dd>
      <dt>Encryption</dt>
      <dd>by the master key of this Berth</dd>
      {schedule.signalUrl !== null && (
        <>
          <dt>Calls after a good one</dt>
          <dd>
            <code>{schedule.signalUrl}</code>
          </dd>
        </>
      )}
    </dl>
  )
}

function BackUpNow() {
  const isBusy = useSignal(false)
  const error = useSignal<unknown>(null)
  const run = async () => {
    isBusy.value = true
    error.value = null
    try {
      await api.state.backup()
    } catch (caught) {
      error.value = caught
    }
    isBusy.value = false
  }
  return (
    <>
      <Button small kind="primary" busy={isBusy.value} onClick={() => void run()}>
        Back up now
      </Button>
      {error.value !== null && <ErrorNotice error={error.value} />}
    </>
  )
}
