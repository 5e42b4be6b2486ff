/** The tab Backups of a database: what is proven, the runs, and how to dump, verify and restore. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Backup } from '../../../../client/client.ts'
import { Button, LinkButton } from '../../../components/button.tsx'
import { SelectField } from '../../../components/forms/fields.tsx'
import { Loaded } from '../../../components/loaded.tsx'
import { Empty } from '../../../components/page.tsx'
import { isAdmin } from '../../../data/session.ts'
import { useQuery } from '../../../data/live/query.ts'
import type { TabProps } from '../view.ts'
import { BackupView } from './backup-view.tsx'
import { BucketFiles } from './restore/bucket-files.tsx'
import { RestoreDialog } from './restore/restore-dialog.tsx'
import type { Source } from './restore/values.ts'
import { type RunList, useRuns } from './runs/store.ts'
import { RunItem } from './runs/run-item.tsx'
import { RunProgress } from './runs/progress.tsx'
import { NewBackupDialog } from './schedules/backup-form.tsx'
import { isGoodDump } from './runs/words.ts'

export function BackupsTab(tab: TabProps) {
  const backups = useQuery('backup.all', { serviceId: tab.databaseId }, { kinds: ['backup'] })
  const runs = useRuns(tab.databaseId)
  const isAdding = useSignal(false)
  const source = useSignal<Source | null>(null)
  const ended = runs.data.value?.filter(({ finishedAt }) => finishedAt !== null).length
  // The end of a run may mark the backup as shrunk, which has no event of its own.
  useEffect(() => void backups.reload(), [ended])
  return (
    <>
      <Running runs={runs} />
      <Loaded query={backups} what="the backups">
        {(list) => (
          <>
            {list.length === 0 ? (
              <>
                <NoBackup onAdd={() => (isAdding.value = true)} />
                <OtherRuns runs={runs} />
              </>
            ) : (
              <ChosenBackup
                {...{ tab, list, runs }}
                onAdd={() => (isAdding.value = true)}
                onRestore={(runId) => (source.value = { runId })}
              />
            )}
            <BucketFiles
              destinationId={list[0]?.destinationId ?? null}
              prefix={list[0]?.prefix ?? ''}
              known={new Set(runs.data.value?.flatMap(({ key }) => (key === null ? [] : [key])))}
              onRestore={(chosen) => (source.value = chosen)}
            />
          </>
        )}
      </Loaded>
      {isAdding.value && <NewBackupDialog tab={tab} onClose={() => (isAdding.value = false)} />}
      {source.value !== null && (
        <RestoreDialog
          tab={tab}
          source={source.value}
          run={runs.data.value?.find((run) => 'runId' in source.value! && run.runId === source.value.runId) ?? null}
          onClose={() => (source.value = null)}
        />
      )}
    </>
  )
}

function Running({ runs: { data } }: { runs: RunList }) {
  const all = data.value ?? []
  const lastOf = (database: string) => all.find((run) => isGoodDump(run) && run.database === database) ?? null
  return (
    <div class="stack" aria-live="polite">
      {all
        .filter(({ status }) => status === 'running')
        .map((run) => (
          <RunProgress key={run.runId} run={run} last={lastOf(run.database)} />
        ))}
    </div>
  )
}

/** Restores and safety dumps of a database that has no backup. */
function OtherRuns({ runs: { data } }: { runs: RunList }) {
  const ended = data.value?.filter(({ status }) => status !== 'running') ?? []
  if (ended.length === 0) return null
  return (
    <section class="card">
      <h2>Runs of the last 90 days</h2>
      <ul class="list">
        {ended.map((run) => (
          <RunItem key={run.runId} run={run} isDated />
        ))}
      </ul>
    </section>
  )
}

function NoBackup({ onAdd }: { onAdd: () => void }) {
  const destinations = useQuery('destination.all', {}).data.value
  if (destinations?.length === 0) {
    return (
      <Empty
        title="This database has no backup"
        action={
          isAdmin() ? (
            <LinkButton kind="primary" href="/destinations">
              Add a destination
            </LinkButton>
          ) : undefined
        }
      >
        A backup dumps the database by a schedule and proves that the dump can be restored. Dumps go to a destination: a
        bucket of any storage with the S3 protocol. There is none yet.{' '}
        {!isAdmin() && 'An administrator has to add one.'}
      </Empty>
    )
  }
  return (
    <Empty
      title="This database has no backup"
      action={
        <Button kind="primary" onClick={onAdd}>
          Schedule a backup
        </Button>
      }
    >
      If its disk is lost, its data is lost. A backup dumps the database by a schedule, reads each dump back, and proves
      by test restores that it can be restored.
    </Empty>
  )
}

interface ChosenProps {
  tab: TabProps
  list: Backup[]
  runs: RunList
  onAdd: () => void
  onRestore: (runId: string) => void
}

/** A database may have several backups, such as one for each destination. One of them is shown. */
function ChosenBackup({ tab, list, runs, onAdd, onRestore }: ChosenProps) {
  const chosen = useSignal(list[0]!.backupId)
  const backup = list.find(({ backupId }) => backupId === chosen.value) ?? list[0]!
  const destinations = useQuery('destination.all', {}).data.value
  const name = ({ database, destinationId }: Backup) =>
    `${database} to ${destinations?.find((each) => each.destinationId === destinationId)?.name ?? '…'}`
  return (
    <>
      {list.length > 1 && (
        <div class="tools">
          <SelectField
            field={chosen}
            label="Backup"
            choices={list.map((each) => ({ value: each.backupId, text: name(each) }))}
          />
        </div>
      )}
      <BackupView key={backup.backupId} {...{ tab, backup, runs, onAdd, onRestore }} />
    </>
  )
}
