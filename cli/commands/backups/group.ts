/** berth backup: schedules, dumps, restores and drills of databases. */
import type { Client } from '../../../client/client.ts'
import type { CommandDeclaration, GroupDeclaration, Outcome } from '../../command.ts'
import { databaseArgument, findDatabase, pathOf } from '../../databases.ts'
import { type WaitOptions, waitOptions, waitSecondsOf } from '../../progress.ts'
import { backupOf, databaseRuns, dumpedDatabase, keptDumps, runInProgress, runOutcome, runStatus } from '../../runs.ts'
import type { CommonOptions, Session } from '../../connection/session.ts'
import { readableSize, readableTime } from '../../terminal/size.ts'
import { actionText, findDump, findingLines, runOption, verifiedText } from './dumps.ts'
import { downloadCommand, urlCommand } from './download.ts'
import { manifestCommand } from './manifest.ts'
import { restoreCommand } from './restore.ts'
import { scheduleCommand, unscheduleCommand } from './schedules.ts'

interface Options extends CommonOptions, WaitOptions {
  backup?: string
  run?: string
}

const backupOption = ['--backup <id>', 'which backup, if the database has several'] as const

const commands: CommandDeclaration[] = [
  {
    name: 'now',
    description: 'make a dump now',
    arguments: [databaseArgument],
    options: [backupOption, ...waitOptions()],
    examples: ['berth backup now shop/orders'],
    run: dumpNow,
  },
  {
    name: 'ls',
    description: 'list the dumps, restores and drills of a database; without a database, all schedules',
    arguments: [['[database]', databaseArgument[1]]],
    examples: ['berth backup ls', 'berth backup ls shop/orders'],
    run: list,
  },
  restoreCommand,
  {
    name: 'verify',
    description: 'restore a dump into a scratch server and compare it',
    arguments: [databaseArgument],
    options: [backupOption, runOption, ...waitOptions()],
    examples: ['berth backup verify shop/orders'],
    run: verify,
  },
  manifestCommand,
  downloadCommand,
  urlCommand,
  scheduleCommand,
  unscheduleCommand,
  {
    name: 'cancel',
    description: 'end a dump, restore or drill that is in progress',
    arguments: [databaseArgument],
    options: [['--run <id>', 'which run, if several are in progress']],
    examples: ['berth backup cancel shop/orders'],
    run: cancel,
  },
  {
    name: 'accept',
    description: 'accept that the dumps of a database have become much smaller, so that old dumps expire again',
    arguments: [databaseArgument],
    options: [backupOption],
    examples: ['berth backup accept shop/orders'],
    run: accept,
  },
]

export const backupGroup: GroupDeclaration = {
  name: 'backup',
  description: 'back up databases, and restore them',
  examples: ["berth backup schedule shop/orders '0 3 * * *' --to s3 --keep 7", 'berth backup now shop/orders'],
  commands,
}

const manual = {
  postgres: 'manualBackupPostgres',
  mysql: 'manualBackupMySql',
  mariadb: 'manualBackupMariadb',
  mongo: 'manualBackupMongo',
  redis: 'manualBackupRedis',
} as const

async function dumpNow(session: Session, options: Options, name: string): Promise<Outcome> {
  const seconds = waitSecondsOf(options)
  const client = session.open(options)
  const database = await findDatabase(client, name)
  const { backupId } = await backupOf(client, database, options.backup)
  const run = await client.backup[manual[database.databaseType]]({ backupId })
  const outcome = await runOutcome(session, databaseRuns(client), run, seconds, `The dump of ${pathOf(database)}`)
  return withLines(session, outcome, findingLines(outcome.json))
}

async function verify(session: Session, options: Options, name: string): Promise<Outcome> {
  const seconds = waitSecondsOf(options)
  const client = session.open(options)
  const database = await findDatabase(client, name)
  const { backupId } = await backupOf(client, database, options.backup)
  const runId = options.run === undefined ? {} : { runId: (await findDump(client, database, options.run)).runId }
  const run = await client.backup.verify({ backupId, ...runId })
  const what = `The drill of ${pathOf(database)}`
  const outcome = await runOutcome(session, databaseRuns(client), run, seconds, what)
  const { verification, verificationReason } = outcome.json
  if (verification !== 'notVerifiable') return outcome
  return { ...outcome, show: () => session.output.line(`${what} has no result. ${verificationReason}.`) }
}

/** Adds lines to what the command prints. */
const withLines = ({ output }: Session, outcome: Outcome, lines: readonly string[]): Outcome => ({
  ...outcome,
  show() {
    outcome.show()
    for (const line of lines) output.line(line)
  },
})

async function cancel({ open, output }: Session, options: Options, name: string): Promise<Outcome> {
  const client = open(options)
  const database = await findDatabase(client, name)
  const runs = await client.backup.runs({ serviceId: database.databaseId, order: 'desc', limit: 100 })
  const { runId, action } = runInProgress(pathOf(database), runs, options.run)
  const answer = await client.backup.cancel({ runId })
  return { json: answer, show: () => output.line(`Ended the ${action} of ${pathOf(database)}.`) }
}

async function accept({ open, output }: Session, options: Options, name: string): Promise<Outcome> {
  const client = open(options)
  const database = await findDatabase(client, name)
  const { backupId } = await backupOf(client, database, options.backup)
  const answer = await client.backup.acceptShrink({ backupId })
  return { json: answer, show: () => output.line(`Old dumps of ${pathOf(database)} expire again.`) }
}

async function list(session: Session, options: CommonOptions, name?: string): Promise<Outcome> {
  const client = session.open(options)
  if (name === undefined) return listSchedules(session, client)
  const database = await findDatabase(client, name)
  const runs = await client.backup.runs({ serviceId: database.databaseId, order: 'desc', limit: 50 })
  const { output } = session
  return {
    json: runs,
    show() {
      if (runs.length === 0)
        output.remark(`${pathOf(database)} has no dumps. Make one: berth backup now ${pathOf(database)}`)
      output.table(
        ['when', 'action', 'status', 'size', 'rows', 'findings', 'verified', 'run', 'reason'],
        runs.map((run) => [
          readableTime(run.finishedAt ?? run.startedAt ?? run.createdAt),
          actionText(run),
          runStatus(output, run),
          run.sizeBytes === null ? '-' : readableSize(run.sizeBytes),
          String(run.rowCount ?? '-'),
          run.findingCount === 0 ? '-' : output.styled('busy', String(run.findingCount)),
          verifiedText(run),
          run.runId,
          run.reason ?? '',
        ]),
      )
    },
  }
}

async function listSchedules({ output }: Session, client: Client): Promise<Outcome> {
  const [backups, databases] = await Promise.all([client.backup.all(), client.database.all()])
  const destinations = new Map((await client.destination.all()).map((each) => [each.destinationId, each.name]))
  const paths = new Map(databases.map((each) => [each.databaseId, pathOf(each)]))
  return {
    json: backups,
    show() {
      if (backups.length === 0) {
        output.remark('There are no schedules. Add one: berth backup schedule DATABASE @daily --to DESTINATION')
      }
      output.table(
        ['database', 'schedule', 'next', 'to', 'verify', 'keep'],
        backups.map((each) => [
          paths.get(dumpedDatabase(each) ?? '') ?? dumpedDatabase(each) ?? '',
          each.schedule,
          each.enabled ? readableTime(each.nextAt) : output.styled('busy', 'disabled'),
          destinations.get(each.destinationId) ?? each.destinationId,
          each.verifySchedule ?? '-',
          keptDumps(each),
        ]),
      )
    },
  }
}
