/** One backup of the database: its buttons, its calendar, the runs of the chosen day, and its schedule. */
import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import type { Backup, Run } from '../../../../client/client.ts'
import { Button } from '../../../components/button.tsx'
import { Loaded } from '../../../components/loaded.tsx'
import { ErrorNotice } from '../../../components/notice.tsx'
import { TimeOr } from '../../../components/time.tsx'
import { api } from '../../../data/api.ts'
import { now } from '../../../data/clock.ts'
import { useQuery } from '../../../data/live/query.ts'
import { hasTimeIn } from '../../../components/schedule/cron.ts'
import type { TabProps } from '../view.ts'
import { Calendar, Legend } from './calendar/calendar.tsx'
import { type Day, dayText, daysOf } from './calendar/days.ts'
import { RunDialog } from './runs/run-dialog.tsx'
import { RunItem } from './runs/run-item.tsx'
import type { RunList } from './runs/store.ts'
import { isGoodDump } from './runs/words.ts'
import { BackupButtons, BackupFacts, ShrunkNotice } from './schedules/backup-card.tsx'

interface Props {
  tab: TabProps
  backup: Backup
  runs: RunList
  onAdd: () => void
  onRestore: (runId: string) => void
}

export function BackupView({ tab, backup, runs, onAdd, onRestore }: Props) {
  // Safety dumps, and restores by key, belong to no backup. They are shown with each.
  const own = runs.data.value?.filter(({ backupId }) => backupId === backup.backupId || backupId === null)
  const restorable = useQuery('backup.restorable', { backupId: backup.backupId }, { kinds: ['backup'] })
  const ended = runs.data.value?.filter(({ finishedAt }) => finishedAt !== null).length
  // The end of a run may change which dump is the newest.
  useEffect(() => void restorable.reload(), [ended])
  return (
    <>
      <ShrunkNotice backup={backup} onRestore={onRestore} />
      <Actions {...{ tab, backup, runs }} restorable={restorable.data.value} onRestore={onRestore} />
      <Loaded query={{ data: { value: own } as never, error: runs.error, reload: runs.reload }} what="the runs">
        {(list: readonly Run[]) => (
          <CalendarCard runs={list} backup={backup} isPartial={runs.isPartial.value} onRestore={onRestore} />
        )}
      </Loaded>
      <section class="card">
        <div class="card-head">
          <h2>Schedule</h2>
          <div class="buttons">
            <BackupButtons backup={backup} />
            <Button small onClick={onAdd}>
              Add another backup
            </Button>
          </div>
        </div>
        <BackupFacts backup={backup} />
      </section>
    </>
  )
}

const manual = {
  postgres: api.backup.manualBackupPostgres,
  mysql: api.backup.manualBackupMySql,
  mariadb: api.backup.manualBackupMariadb,
  mongo: api.backup.manualBackupMongo,
  redis: api.backup.manualBackupRedis,
}

type Restorable = Awaited<ReturnType<typeof api.backup.restorable>>

interface ActionProps {
  tab: TabProps
  backup: Backup
  /** Undefined until it was read. */
  restorable: Restorable | undefined
  runs: RunList
  onRestore: (runId: string) => void
}

/** What is known in one line, and the three buttons. */
function Actions({ tab: { kind }, backup, restorable, runs, onRestore }: ActionProps) {
  const lastGood = restorable?.newest ?? null
  const undo = restorable?.undo ?? null
  const busy = useSignal('')
  const error = useSignal<unknown>(null)
  const call = (name: string, run: () => Promise<unknown>) => async () => {
    busy.value = name
    error.value = null
    try {
      await run()
      await runs.reload()
    } catch (caught) {
      error.value = caught
    }
    busy.value = ''
  }
  const { backupId } = backup
  const none = restorable === undefined ? 'The runs are being read' : 'There is no good dump yet'
  const verified = runs.data.value?.find((run) => run.backupId === backupId && run.verifiedAt !== null) ?? null
  return (
    <div class="stack">
      <p>
        Last good dump: <TimeOr at={lastGood?.startedAt ?? null} none="none" />. Last verified by a restore:{' '}
        <TimeOr at={verified?.verifiedAt ?? null} none="never" />. Next dump:{' '}
        <TimeOr at={backup.nextAt} none="none, the schedule is switched off" />.
      </p>
      <div class="buttons">
        <Button kind="primary" busy={busy.value === 'dump'} onClick={call('dump', () => manual[kind]({ backupId }))}>
          Back up now
        </Button>
        <Button
          busy={busy.value === 'verify'}
          unavailable={lastGood === null ? none : null}
          onClick={call('verify', () => api.backup.verify({ backupId }))}
        >
          Verify the last dump
        </Button>
        <Button unavailable={lastGood === null ? none : null} onClick={() => onRestore(lastGood!.runId)}>
          Restore the last dump …
        </Button>
        {undo !== null && <Button onClick={() => onRestore(undo.runId)}>Undo the last restore …</Button>}
      </div>
      <p class="hint">
        To verify, Berth restores the dump to a temporary server and compares every table. No database is changed. The
        last dump is never a safety dump.{' '}
        {restorable?.noUndo?.reason === 'SafetyDumpDeleted' && restorable.noUndo.message}
      </p>
      {error.value !== null && <ErrorNotice error={error.value} />}
    </div>
  )
}

interface CalendarProps {
  runs: readonly Run[]
  backup: Backup
  isPartial: boolean
  onRestore: (runId: string) => void
}

function CalendarCard({ runs, backup, isPartial, onRestore }: CalendarProps) {
  const { schedule, timezone, enabled, createdAt } = backup
  const minute = Math.floor(now.value / 60_000)
  const days = useMemo(() => {
    // A run begins a little after its time, and older runs may still be on their way.
    const until = minute * 60_000 - 120_000
    const oldest = isPartial ? Date.parse(runs.at(-1)?.createdAt ?? createdAt) : 0
    const isDue = (from: number, to: number) => {
      const begin = Math.max(from, Date.parse(createdAt), oldest)
      const end = Math.min(to, until)
      return enabled && begin < end && hasTimeIn(schedule, timezone, begin, end)
    }
    return daysOf(runs, minute * 60_000 + 59_999, isDue)
  }, [runs.length, runs[0], runs, minute, isPartial, schedule, timezone, enabled, createdAt])
  const chosen = useSignal(days.at(-1)!.from)
  const day = days.find(({ from }) => from === chosen.value) ?? days.at(-1)!
  return (
    <section class="card">
      <div class="card-head">
        <h2>The last 90 days</h2>
        {isPartial && <span class="muted small">Reading older runs …</span>}
      </div>
      <Calendar days={days} chosen={chosen} />
      <Legend />
      <DayRuns day={day} backup={backup} onRestore={onRestore} />
    </section>
  )
}

/** At most this many runs of a day are drawn at first. */
const shownAtFirst = 12

function DayRuns({ day, backup, onRestore }: { day: Day; backup: Backup; onRestore: (runId: string) => void }) {
  const isWhole = useSignal<number | null>(null)
  const opened = useSignal<string | null>(null)
  const newestFirst = day.runs.toReversed()
  const shown = isWhole.value === day.from ? newestFirst : newestFirst.slice(0, shownAtFirst)
  const run = day.runs.find(({ runId }) => runId === opened.value)
  return (
    <div class="stack" aria-live="polite">
      <h3>{dayText(day.from)}</h3>
      {shown.length === 0 && (
        <p class="muted">
          {day.counts.missed === undefined ? 'No runs on this day.' : 'A dump was due, and none was made.'}
        </p>
      )}
      <ul class="list">
        {shown.map((each) => (
          <RunItem key={each.runId} run={each}>
            {isGoodDump(each) ? (
              <DumpButtons run={each} onRestore={onRestore} onOpen={() => (opened.value = each.runId)} />
            ) : undefined}
          </RunItem>
        ))}
      </ul>
      {shown.length < newestFirst.length && (
        <Button small onClick={() => (isWhole.value = day.from)}>
          Show all {newestFirst.length} runs of the day
        </Button>
      )}
      {run !== undefined && (
        <RunDialog run={run} destinationId={backup.destinationId} onClose={() => (opened.value = null)} />
      )}
    </div>
  )
}

interface DumpButtonsProps {
  run: Run
  onRestore: (runId: string) => void
  onOpen: () => void
}

function DumpButtons({ run, onRestore, onOpen }: DumpButtonsProps) {
  const error = useSignal<unknown>(null)
  const verify = async () => {
    error.value = null
    try {
      await api.backup.verify({ backupId: run.backupId!, runId: run.runId })
    } catch (caught) {
      error.value = caught
    }
  }
  return (
    <>
      <Button small onClick={onOpen}>
        Details
      </Button>
      <Button
        small
        unavailable={run.backupId === null ? 'A safety dump belongs to no backup, and drills do not test it' : null}
        onClick={() => void verify()}
      >
        Verify
      </Button>
      <Button small onClick={() => onRestore(run.runId)}>
        Restore …
      </Button>
      {error.value !== null && <ErrorNotice error={error.value} />}
    </>
  )
}
