/** berth backup: schedules, runs, restores and drills of the backups of databases. */
import type { Command } from 'commander'
import type { Client, Operations } from '../../client/client.ts'
import { type DatabaseSummary, findDatabase, idInput, pathOf } from '../databases.ts'
import { findNamed } from '../names.ts'
import { CommandError } from '../exit.ts'
import type { Output } from '../output.ts'
import { waitForRun, type WaitOptions, waitSecondsOf } from '../progress.ts'
import { confirmName } from '../prompt.ts'
import type { CommonOptions, Session } from '../session.ts'
import { readableSize, readableTime } from '../size.ts'

export type Run = Awaited<ReturnType<Operations['backup']['runs']>>[number]
type Backup = Awaited<ReturnType<Operations['backup']['all']>>[number]
type Options = CommonOptions & WaitOptions

const databaseArgument = ['<database>', 'project/name, name or appName'] as const

export function addBackups(program: Command, session: Session): void {
  const backup = program.command('backup').description('back up databases, and restore them')
  backup
    .command('schedule')
    .argument(...databaseArgument)
    .argument('<cron>', "when, for example '0 3 * * *' or @daily")
    .description('back up a database at regular times')
    .requiredOption('--to <destination>', 'the name of the destination')
    .option('--prefix <text>', 'the beginning of the keys in the bucket (the name of the database)')
    .option('--verify <cron>', 'when to restore the last dump into a scratch server and compare it')
    .option('--keep <count>', 'how many of the newest dumps to keep')
    .option('--keep-days <days>', 'for how many days to keep dumps')
    .option('--recipient <age>', 'encrypt dumps for this age recipient, or for `installation`')
    .option('--timezone <zone>', 'the time zone of the schedules (UTC)')
    .action((name: string, cron: string, _, command: Command) =>
      schedule(session, name, cron, command.optsWithGlobals()),
    )
  backup
    .command('now')
    .argument(...databaseArgument)
    .description('make a dump now')
    .option('--wait <seconds>', 'how long to wait for the end of the dump (600)')
    .option('--no-wait', 'return when the dump is recorded')
    .action((name: string, _, command: Command) => dumpNow(session, name, command.optsWithGlobals()))
  backup
    .command('ls')
    .argument('[database]', 'project/name, name or appName; without it, the schedules of all databases')
    .description('list the dumps of a database, or all schedules')
    .action((name: string | undefined, _, command: Command) => list(session, name, command.optsWithGlobals()))
  backup
    .command('verify')
    .argument(...databaseArgument)
    .description('restore the last dump into a scratch server and compare it')
    .option('--run <id>', 'another dump than the last')
    .option('--wait <seconds>', 'how long to wait (600)')
    .option('--no-wait', 'return when the drill is recorded')
    .action((name: string, _, command: Command) => verify(session, name, command.optsWithGlobals()))
  backup
    .command('restore')
    .argument(...databaseArgument)
    .description('load a dump into its database; the data of now is dumped first')
    .option('--run <id>', 'another dump than the last')
    .option('--into <name>', 'create a new database with this name in place of overwriting')
    .option('--wait <seconds>', 'how long to wait (600)')
    .option('--no-wait', 'return when the restore is recorded')
    .action((name: string, _, command: Command) => restore(session, name, command.optsWithGlobals()))
}

/** The id of the database. */
const serviceOf = ({ postgresId, mysqlId, mariadbId, mongoId }: Backup) =>
  postgresId ?? mysqlId ?? mariadbId ?? mongoId ?? ''

/** @throws CommandError if the database has no backup */
async function backupsOf(client: Client, database: DatabaseSummary): Promise<Backup[]> {
  const all = await client.backup.all()
  const own = all.filter((each) => serviceOf(each) === database.databaseId)
  if (own.length > 0) return own
  const hint = `Schedule one: berth backup schedule ${pathOf(database)} @daily --to DESTINATION`
  throw new CommandError('notFound', `${pathOf(database)} has no backup`, hint)
}

interface ScheduleOptions extends CommonOptions {
  to: string
  prefix?: string
  verify?: string
  keep?: string
  keepDays?: string
  recipient?: string
  timezone?: string
}

async function schedule(session: Session, name: string, cron: string, options: ScheduleOptions): Promise<void> {
  const client = session.open(options)
  const database = await findDatabase(client, name)
  const destination = findNamed(
    'destination',
    options.to,
    await client.destination.all(),
    ({ name: each, destinationId }) => [each, destinationId],
  )
  const record = (await client.call(`${database.databaseType}.one`, idInput(database))) as { databaseName?: string }
  const backup = await client.backup.create({
    ...idInput(database),
    databaseType: database.databaseType as 'postgres',
    database: record.databaseName ?? 'admin',
    destinationId: destination.destinationId,
    schedule: cron,
    prefix: options.prefix ?? database.appName,
    ...(options.verify === undefined ? {} : { verifySchedule: options.verify }),
    ...(options.keep === undefined ? {} : { keepLatest: Number(options.keep) }),
    ...(options.keepDays === undefined ? {} : { keepDays: Number(options.keepDays) }),
    ...(options.recipient === undefined ? {} : { recipient: options.recipient }),
    ...(options.timezone === undefined ? {} : { timezone: options.timezone }),
  })
  if (options.json === true) return session.output.json(backup)
  session.output.line(
    `${pathOf(database)} is backed up to ${destination.name}. The next dump is due ${readableTime(backup.nextAt)}.`,
  )
}

const manual = {
  postgres: 'manualBackupPostgres',
  mysql: 'manualBackupMySql',
  mariadb: 'manualBackupMariadb',
  mongo: 'manualBackupMongo',
} as const

async function dumpNow(session: Session, name: string, options: Options): Promise<void> {
  const seconds = waitSecondsOf(options)
  const client = session.open(options)
  const database = await findDatabase(client, name)
  if (database.databaseType === 'redis') throw new CommandError('usage', 'Berth makes no backups of Redis')
  const [backup] = await backupsOf(client, database)
  const verb = manual[database.databaseType]
  const run = await client.backup[verb]({ backupId: backup!.backupId })
  await report(
    session,
    client,
    await waitForRun(session, client, run, seconds),
    `The dump of ${pathOf(database)}`,
    options,
  )
}

async function verify(session: Session, name: string, options: Options & { run?: string }): Promise<void> {
  const seconds = waitSecondsOf(options)
  const client = session.open(options)
  const database = await findDatabase(client, name)
  const [backup] = await backupsOf(client, database)
  const run = await client.backup.verify({
    backupId: backup!.backupId,
    ...(options.run === undefined ? {} : { runId: options.run }),
  })
  await report(
    session,
    client,
    await waitForRun(session, client, run, seconds),
    `The drill of ${pathOf(database)}`,
    options,
  )
}

async function restore(
  session: Session,
  name: string,
  options: Options & { run?: string; into?: string },
): Promise<void> {
  const seconds = waitSecondsOf(options)
  const client = session.open(options)
  const database = await findDatabase(client, name)
  const runId = options.run ?? (await lastDump(client, database)).runId
  const target =
    options.into === undefined
      ? { ...idInput(database), confirm: database.appName }
      : { appName: options.into, projectId: database.projectId }
  if (options.into === undefined) {
    const effect = `This replaces the data of ${pathOf(database)} by the dump ${runId}. The data of now is dumped first.`
    await confirmName(effect, database.name, options.yes)
  }
  const [backup] = await backupsOf(client, database)
  const run = await client.backup.restore({ backupId: backup!.backupId, runId, ...target })
  await report(
    session,
    client,
    await waitForRun(session, client, run, seconds),
    `The restore of ${pathOf(database)}`,
    options,
  )
}

async function lastDump(client: Client, { databaseId, ...database }: DatabaseSummary): Promise<Run> {
  const runs = await client.backup.runs({ serviceId: databaseId, order: 'desc', limit: 200 })
  const good = runs.find(({ action, status, key }) => action === 'dump' && status === 'done' && key !== null)
  if (good !== undefined) return good
  throw new CommandError('notFound', `${pathOf({ databaseId, ...database })} has no good dump`)
}

async function list({ open, output }: Session, name: string | undefined, options: CommonOptions): Promise<void> {
  const client = open(options)
  if (name === undefined) return listSchedules(client, output, options)
  const database = await findDatabase(client, name)
  const runs = await client.backup.runs({ serviceId: database.databaseId, order: 'desc', limit: 50 })
  if (options.json === true) return output.json(runs)
  if (runs.length === 0) return output.note(`${pathOf(database)} has no runs of backups.`)
  output.table(
    ['run', 'action', 'status', 'when', 'size', 'verified', 'reason'],
    runs.map((run) => [
      run.runId,
      run.action,
      output.styled(run.status === 'done' ? 'good' : run.status === 'error' ? 'bad' : 'busy', run.status),
      readableTime(run.finishedAt ?? run.startedAt ?? run.createdAt),
      run.sizeBytes === null ? '-' : readableSize(run.sizeBytes),
      readableTime(run.verifiedAt),
      run.reason ?? '',
    ]),
  )
}

async function listSchedules(client: Client, output: Output, { json }: CommonOptions): Promise<void> {
  const [backups, databases] = [await client.backup.all(), await client.database.all()]
  if (json === true) return output.json(backups)
  if (backups.length === 0)
    return output.note('There are no schedules. Add one: berth backup schedule DATABASE @daily --to DESTINATION')
  const nameOf = new Map(databases.map((each) => [each.databaseId, pathOf(each)]))
  output.table(
    ['database', 'schedule', 'next', 'verify', 'keep', 'enabled'],
    backups.map((each) => [
      nameOf.get(serviceOf(each)) ?? serviceOf(each),
      each.schedule,
      readableTime(each.nextAt),
      each.verifySchedule ?? '-',
      [each.keepLatest === null ? '' : `${each.keepLatest}`, each.keepDays === null ? '' : `${each.keepDays} d`]
        .filter(Boolean)
        .join(', ') || 'all',
      each.enabled ? 'yes' : 'no',
    ]),
  )
}

async function report(
  session: Session,
  _client: Client,
  run: Run,
  what: string,
  { json }: CommonOptions,
): Promise<void> {
  if (json === true) session.output.json(run)
  if (run.status === 'error') throw new CommandError('failed', `${what} failed: ${run.reason}`)
  if (json === true) return
  const size = run.sizeBytes === null ? '' : ` (${readableSize(run.sizeBytes)})`
  session.output.line(run.status === 'done' ? `${what} succeeded${size}.` : `${what} has begun: run ${run.runId}.`)
}
