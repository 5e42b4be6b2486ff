/** berth state: backups of Berth's own state. `state backup` and `state restore` act on the machine: see src/machine.ts. */
import type { Client, Operations } from '../../../client/client.ts'
import type { CommandDeclaration, GroupDeclaration, Outcome } from '../../command.ts'
import { findDestination, given } from '../../names.ts'
import { type WaitOptions, waitOptions, waitSecondsOf } from '../../progress.ts'
import { confirmName } from '../../terminal/prompt.ts'
import { keptDumps, runInProgress, runOutcome, type RunSource, runStatus } from '../../runs.ts'
import type { CommonOptions, Session } from '../../connection/session.ts'
import { readableSize, readableTime } from '../../terminal/size.ts'
import { reviewCommands } from './review.ts'
import { cronArgument, ruleOptions, type RuleOptions, rulesOf, toOption } from '../backups/schedules.ts'

type StateRun = Awaited<ReturnType<Operations['state']['runs']>>[number]

const commands: CommandDeclaration[] = [
  {
    name: 'schedule',
    description: "back up Berth's own state at regular times, or change the schedule",
    arguments: [cronArgument],
    options: [toOption, ['--prefix <text>', 'text before the keys of the backups in the bucket'], ...ruleOptions],
    notes: ['Options that are left out keep their values. Without --keep and --keep-days, all backups are kept.'],
    examples: ['berth state schedule @hourly --to s3 --keep 48'],
    run: schedule,
  },
  {
    name: 'unschedule',
    description: "end the schedule of Berth's own state; its backups stay in the bucket",
    examples: ['berth state unschedule', 'berth state unschedule --yes'],
    run: unschedule,
  },
  {
    name: 'now',
    description: 'back up now, to the destination of the schedule',
    options: waitOptions(),
    examples: ['berth state now'],
    run: backUpNow,
  },
  { name: 'ls', description: 'list the last 50 backups', examples: ['berth state ls'], run: list },
  { name: 'show', description: 'show the schedule', examples: ['berth state show'], run: show },
  { name: 'cancel', description: 'end the backup that is in progress', examples: ['berth state cancel'], run: cancel },
  ...reviewCommands,
]

export const stateGroup: GroupDeclaration = {
  name: 'state',
  description: "back up Berth's own state, and confirm a restored one",
  notes: [
    'Backups are sealed with the master key. Three commands act on the machine of Berth: `berth state backup FILE`,',
    '`berth state restore FILE` and `berth state code`. `berth state help` explains them.',
  ],
  examples: ['berth state schedule @hourly --to s3 --keep 48', 'berth state ls'],
  commands,
}

async function schedule({ open, output }: Session, options: RuleOptions, cron: string): Promise<Outcome> {
  const rules = { ...rulesOf(options), ...given('prefix', options.prefix) }
  const client = open(options)
  const { destinationId, name } = await findDestination(client, options.to)
  const backup = await client.state.schedule({ schedule: cron, destinationId, enabled: true, ...rules })
  const next = `The next backup is due ${readableTime(backup.nextAt)}.`
  return { json: backup, show: () => output.line(`Berth's own state is backed up to ${name}. ${next}`) }
}

async function unschedule({ open, output }: Session, options: CommonOptions): Promise<Outcome> {
  const client = open(options)
  const { schedule: cron } = await client.state.one()
  const effect = `This ends the schedule ${cron} of Berth's own state. Its backups stay in the bucket.`
  await confirmName(effect, 'state', options.yes)
  const removed = await client.state.unschedule({})
  return { json: removed, show: () => output.line("Berth's own state is not backed up any more.") }
}

/** Schedules have no more runs in progress than this page. */
const readRuns = (client: Client) => client.state.runs({ order: 'desc', limit: 50 })

const stateRuns = (client: Client): RunSource<StateRun> => ({
  follow: 'berth state ls',
  read: async (run) => (await readRuns(client)).find(({ runId }) => runId === run.runId) ?? run,
})

async function backUpNow(session: Session, options: CommonOptions & WaitOptions): Promise<Outcome> {
  const seconds = waitSecondsOf(options)
  const client = session.open(options)
  const run = await client.state.backup({})
  return runOutcome(session, stateRuns(client), run, seconds, "The backup of Berth's own state")
}

async function list({ open, output }: Session, options: CommonOptions): Promise<Outcome> {
  const runs = await readRuns(open(options))
  return {
    json: runs,
    show() {
      if (runs.length === 0) output.remark('There are no backups. Make one: berth state now')
      output.table(
        ['when', 'status', 'size', 'key', 'reason'],
        runs.map((run) => [
          readableTime(run.finishedAt ?? run.startedAt ?? run.createdAt),
          runStatus(output, run),
          run.sizeBytes === null ? '-' : readableSize(run.sizeBytes),
          run.key ?? '-',
          run.reason ?? '',
        ]),
      )
    },
  }
}

async function show({ open, output }: Session, options: CommonOptions): Promise<Outcome> {
  const client = open(options)
  const backup = await client.state.one()
  const destinations = await client.destination.all()
  const destination = destinations.find((each) => each.destinationId === backup.destinationId)
  return {
    json: backup,
    show: () =>
      output.fields([
        ['schedule', `${backup.schedule} (${backup.timezone})`],
        ['next', backup.enabled ? readableTime(backup.nextAt) : output.styled('busy', 'disabled')],
        ['to', destination?.name ?? backup.destinationId],
        ['prefix', backup.prefix || null],
        ['keep', keptDumps(backup)],
        ['signal', backup.signalUrl],
      ]),
  }
}

async function cancel({ open, output }: Session, options: CommonOptions): Promise<Outcome> {
  const client = open(options)
  const { runId } = runInProgress("Berth's own state", await readRuns(client), undefined)
  const answer = await client.state.cancel({ runId })
  return { json: answer, show: () => output.line("Ended the backup of Berth's own state.") }
}
