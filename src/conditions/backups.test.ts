/** The conditions of backups and of destinations. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findingSummary } from '../dumps/finding-summary.ts'
import type { RunReason } from '../dumps/run-reason.ts'
import type { DumpFinding } from '../kinds/dump-finding.ts'
import { toJson } from '../lib/json.ts'
import { type BackupFact, backupFindings, type RunFact } from './backups.ts'
import { destinationFindings } from './destinations.ts'
import type { Finding } from './finding.ts'

const now = new Date('2030-01-10T12:00:00.000Z')
const hoursAgo = (hours: number) => new Date(now.getTime() - hours * 3600_000).toISOString()

const backup: BackupFact = {
  id: 'backup1',
  subjectKind: 'database',
  database: 'shop',
  destinationId: 'bucket1',
  appName: 'orders',
  projectId: 'project1',
  goal: 'up',
  nextAt: hoursAgo(-1),
  nextVerifyAt: null,
  verifySchedule: null,
  lastGoodAt: hoursAgo(72),
  lastDrillAt: null,
  findings: null,
  shrink: null,
}
const drilled: Partial<BackupFact> = { verifySchedule: '@weekly', nextVerifyAt: hoursAgo(-1), lastDrillAt: null }

let count = 0
const reasonOf = (reason: RunReason) => ({ reason: toJson(reason) })

/** A scheduled dump that failed some hours ago, with other columns. */
function run(hours: number, columns: Partial<RunFact> = {}): RunFact {
  const at = hoursAgo(hours)
  const ended = { createdAt: at, dueAt: at, finishedAt: at }
  const about = { id: `run${++count}`, backupId: 'backup1', destinationId: 'bucket1' }
  return {
    ...about,
    action: 'dump',
    trigger: 'schedule',
    status: 'error',
    attempt: 4,
    reason: null,
    ...ended,
    ...columns,
  }
}

const open = { status: 'waiting', finishedAt: null, attempt: 1 } as const
const running = { ...open, status: 'running' } as const
const drill = { action: 'verify' } as const
const skippedDrill = { ...drill, status: 'skipped', ...reasonOf({ reason: 'NothingToVerify' }) } as const
const missed = { status: 'skipped', ...reasonOf({ reason: 'MissedSchedule', dueAt: hoursAgo(30) }) } as const
const engineDown = reasonOf({ reason: 'EngineUnavailable', detail: 'no answer' })

const broken = { reason: 'ViewBroken', type: 'VIEW', name: 'v', code: '1146', detail: 'no table' } as const
const needing = { reason: 'DatabaseNeeded', type: 'VIEW', name: 'w', database: 'crm' } as const
const findingsOf = (...findings: DumpFinding[]) => findingSummary({ findings })

const cases: [title: string, change: Partial<BackupFact>, runs: RunFact[], expected: string[]][] = [
  ['nothing after a good dump', {}, [], []],
  ['a failed dump', {}, [run(1)], ['BackupFailed warning RunFailed']],
  ['a failed dump while the next one runs', {}, [run(1), run(0, running)], ['BackupFailed warning RunFailed']],
  ['nothing after a cancelled dump', {}, [run(1, reasonOf({ reason: 'Cancelled' }))], []],
  [
    'two failed scheduled dumps as overdue',
    {},
    [run(25), run(1)],
    ['BackupFailed warning RunFailed', 'BackupOverdue critical RunsFailed'],
  ],
  ['two failed manual dumps', {}, [run(25, { trigger: 'manual' }), run(1)], ['BackupFailed warning RunFailed']],
  ['a missed dump as overdue', {}, [run(2, missed)], ['BackupOverdue critical ScheduleMissed']],
  [
    'nothing if a dump was skipped because the previous one still ran',
    {},
    [run(2, { status: 'skipped', ...reasonOf({ reason: 'PreviousRunOpen', runId: 'run0' }) })],
    [],
  ],
  ['a due time that passed without a run', { nextAt: hoursAgo(2) }, [], ['BackupOverdue critical ScheduleMissed']],
  ['nothing if a due time has just passed', { nextAt: hoursAgo(0.5) }, [], []],
  ['a dump that waits for hours', {}, [run(2, { ...open, ...engineDown })], ['BackupOverdue critical RunWaiting']],
  [
    'a dump that waits for hours and is just trying again',
    {},
    [run(2, { ...running, ...engineDown })],
    ['BackupOverdue critical RunWaiting'],
  ],
  ['nothing while a long dump runs', {}, [run(5, running)], []],
  ['nothing while a dump waits for a short time', {}, [run(0.5, open)], []],
  ['nothing if the database is stopped', { goal: 'stopped' }, [run(25), run(1)], []],
  ['a dump that shrank', { shrink: { runId: 'run2', shrunkFrom: 'run1' } }, [], ['BackupShrunk warning DumpShrunk']],
  [
    'faults in the last good dump',
    { findings: findingsOf(broken, needing) },
    [],
    ['BackupIncomplete warning DumpIncomplete'],
  ],
  ['nothing if objects only need another database', { findings: findingsOf(needing) }, [], []],
  ['nothing of faults if the database is stopped', { findings: findingsOf(broken), goal: 'stopped' }, [], []],
  ['nothing without a schedule for drills', {}, [run(2, drill)], []],
  ['nothing before the first drill is due', drilled, [], []],
  ['a failed drill', drilled, [run(2, drill)], ['BackupUnverified critical DrillFailed']],
  ['nothing after one skipped drill', drilled, [run(2, skippedDrill)], []],
  [
    'two skipped drills',
    drilled,
    [run(170, skippedDrill), run(2, skippedDrill)],
    ['BackupUnverified warning DrillsMissed'],
  ],
  [
    'a drill that was due and did not begin',
    { ...drilled, nextVerifyAt: hoursAgo(2) },
    [],
    ['BackupUnverified warning DrillsMissed'],
  ],
]
const textOf = ({ name, severity, reason }: Finding) => `${name} ${severity} ${reason.reason}`
for (const [title, change, runs, expected] of cases) {
  test(`reports ${title}`, () => {
    assert.deepEqual(backupFindings([{ ...backup, ...change }, state], runs, true, now).map(textOf), expected)
  })
}

const state: BackupFact = {
  ...backup,
  id: 'state1',
  subjectKind: 'installation',
  appName: null,
  projectId: null,
  goal: null,
}
const ofState = { backupId: 'state1' }
const stateCases: [title: string, backups: BackupFact[], hasDatabases: boolean, runs: RunFact[], expected: string[]][] =
  [
    ['no backup of the state', [], true, [], ['StateNotBackedUp warning NoStateBackup']],
    ['nothing before the first deploy', [], false, [], []],
    ['nothing after a good backup of the state', [state], true, [], []],
    ['a failed backup of the state', [state], true, [run(1, ofState)], ['StateNotBackedUp warning RunFailed']],
    [
      'two failed backups of the state',
      [state],
      true,
      [run(25, ofState), run(1, ofState)],
      ['StateNotBackedUp critical RunsFailed'],
    ],
  ]
for (const [title, backups, hasDatabases, runs, expected] of stateCases) {
  test(`reports ${title}`, () => {
    assert.deepEqual(backupFindings(backups, runs, hasDatabases, now).map(textOf), expected)
  })
}

test('names the backup, the first failure and the last one', () => {
  const [first, last] = [run(25), run(1, reasonOf({ reason: 'DumpEmpty' }))]
  const [failed] = backupFindings([backup, state], [first!, last!], true, now)
  assert.deepEqual(failed, {
    name: 'BackupFailed',
    severity: 'warning',
    subject: { kind: 'backup', id: 'backup1', name: 'orders/shop' },
    projectId: 'project1',
    since: hoursAgo(25),
    reason: { reason: 'RunFailed', runId: last!.id, at: hoursAgo(1), cause: { reason: 'DumpEmpty' } },
  })
})

const storageFault = (fault: 'unreachable' | 'missing') =>
  reasonOf({ reason: 'StorageFailed', fault, detail: 'no route' })
const unreachable = storageFault('unreachable')
const destinationCases: [title: string, runs: RunFact[], failedHoursAgo: number | null][] = [
  ['is reported after a failed run', [run(2, unreachable), run(1, unreachable)], 1],
  ['is not reported after another failure', [run(1)], null],
  ['is not reported if an object is missing', [run(1, storageFault('missing'))], null],
  ['is not reported after one failed attempt', [run(0, { ...open, ...unreachable, attempt: 2 })], null],
  [
    'is reported after two failed attempts',
    [run(1, { ...open, ...unreachable, attempt: 3, dueAt: hoursAgo(-4 / 60) })],
    0,
  ],
  ['is not reported if a run of another backup succeeded later', [run(73, unreachable)], null],
  ['is not reported for runs on other destinations', [run(1, { ...unreachable, destinationId: 'bucket2' })], null],
]
for (const [title, runs, failedHoursAgo] of destinationCases) {
  test(`an unreachable destination ${title}`, () => {
    const findings = destinationFindings([{ id: 'bucket1', name: 'Nightly' }], [backup], runs)
    assert.deepEqual(
      findings.map(({ name, reason, subject }) => [name, reason, subject.name]),
      failedHoursAgo === null
        ? []
        : [
            [
              'DestinationUnreachable',
              { reason: 'StorageFailed', fault: 'unreachable', detail: 'no route', at: hoursAgo(failedHoursAgo) },
              'Nightly',
            ],
          ],
    )
  })
}
