/** berth backup schedule and berth backup unschedule. */
import type { Client } from '../../../client/client.ts'
import type { CommandDeclaration, Outcome } from '../../command.ts'
import { databaseArgument, type DatabaseSummary, findDatabase, idInput, pathOf, readDatabase } from '../../databases.ts'
import { Option } from 'commander'
import { CommandError } from '../../exit.ts'
import { findDestination, given, optionalNumber } from '../../names.ts'
import { confirmName } from '../../terminal/prompt.ts'
import { backupOf, wholeServer } from '../../runs.ts'
import type { CommonOptions, Session } from '../../connection/session.ts'
import { readableTime } from '../../terminal/size.ts'

/** The options of every schedule. */
export interface RuleOptions extends CommonOptions {
  to: string
  prefix?: string
  keep?: string
  keepDays?: string
  timezone?: string
  signal?: string
}

interface ScheduleOptions extends RuleOptions {
  databaseName?: string
  verify?: string
  recipient?: string
}

export const cronArgument = ['<cron>', "when, for example '0 3 * * *' or @daily"] as const

export const toOption = new Option(
  '--to <destination>',
  'the name of the destination (berth destination ls)',
).makeOptionMandatory()

export const ruleOptions = [
  ['--keep <count>', 'how many of the newest dumps to keep'],
  ['--keep-days <days>', 'for how many days to keep dumps'],
  ['--timezone <zone>', 'the time zone of the schedules (UTC)'],
  ['--signal <url>', 'a URL that Berth calls after each good dump'],
] as const

/** @throws CommandError if a number is none */
export const rulesOf = (options: RuleOptions) => ({
  ...given('keepLatest', optionalNumber('--keep', options.keep)),
  ...given('keepDays', optionalNumber('--keep-days', options.keepDays)),
  ...given('timezone', options.timezone),
  ...given('signalUrl', options.signal),
})

export const scheduleCommand: CommandDeclaration = {
  name: 'schedule',
  description: 'back up a database at regular times, or change the schedule',
  arguments: [databaseArgument, cronArgument],
  options: [
    toOption,
    ['--database-name <name>', 'the database within the server (the one that Berth created)'],
    ['--prefix <text>', 'the beginning of the keys in the bucket (the appName)'],
    ['--verify <cron>', 'when to restore the last dump into a scratch server and compare it'],
    ['--recipient <age>', 'encrypt dumps for this age recipient, or for `installation`'],
    ...ruleOptions,
  ],
  examples: [
    "berth backup schedule shop/orders '0 3 * * *' --to s3 --keep 7 --verify @weekly",
    'berth backup schedule shop/orders @hourly --to s3 --keep-days 30 --recipient installation',
  ],
  run: schedule,
}

export const unscheduleCommand: CommandDeclaration = {
  name: 'unschedule',
  description: 'end the schedule of a database; its dumps stay in the bucket',
  arguments: [databaseArgument],
  options: [['--backup <id>', 'which backup, if the database has several']],
  examples: ['berth backup unschedule shop/orders'],
  run: unschedule,
}

async function schedule(session: Session, options: ScheduleOptions, name: string, cron: string): Promise<Outcome> {
  const rules = {
    ...rulesOf(options),
    ...given('verifySchedule', options.verify),
    ...given('recipient', options.recipient),
  }
  const client = session.open(options)
  const database = await findDatabase(client, name)
  const { databaseType } = database
  const hasWholeServer = databaseType === 'redis'
  if (hasWholeServer && options.databaseName !== undefined) {
    throw new CommandError('usage', '--database-name cannot be used: a backup of Redis has all databases of the server')
  }
  const { destinationId, ...destination } = await findDestination(client, options.to)
  const source = hasWholeServer
    ? wholeServer
    : (options.databaseName ?? (await readDatabase(client, database)).databaseName ?? 'admin')
  const present = await presentBackup(client, database, destinationId, source)
  const common = { schedule: cron, destinationId, ...rules }
  const created = { ...common, prefix: options.prefix ?? database.appName }
  const backup =
    present !== undefined
      ? await client.backup.update({ ...present, ...common, database: source, ...given('prefix', options.prefix) })
      : hasWholeServer
        ? await client.backup.createRedis({ ...created, redisId: database.databaseId })
        : await client.backup.create({ ...created, ...idInput(database), databaseType, database: source })
  return {
    json: backup,
    show() {
      const next = `The next dump is due ${readableTime(backup.nextAt)}.`
      session.output.line(`${pathOf(database)} is backed up to ${destination.name}. ${next}`)
    },
  }
}

/** The backup of the same database to the same destination, as backup.update takes it. A schedule replaces another. */
async function presentBackup(client: Client, { databaseId }: DatabaseSummary, destinationId: string, source: string) {
  const backups = await client.backup.all({ serviceId: databaseId })
  const present = backups.find((each) => each.destinationId === destinationId && each.database === source)
  if (present === undefined) return undefined
  const { backupId, prefix, timezone, verifySchedule, keepLatest, keepDays, recipient, signalUrl } = present
  return { backupId, prefix, timezone, verifySchedule, keepLatest, keepDays, recipient, signalUrl, enabled: true }
}

async function unschedule(
  { open, output }: Session,
  options: CommonOptions & { backup?: string },
  name: string,
): Promise<Outcome> {
  const client = open(options)
  const database = await findDatabase(client, name)
  const path = pathOf(database)
  const { backupId, schedule: cron } = await backupOf(client, database, options.backup)
  await confirmName(`This ends the schedule ${cron} of ${path}. Its dumps stay in the bucket.`, path, options.yes)
  const removed = await client.backup.remove({ backupId })
  return { json: removed, show: () => output.line(`${path} is not backed up any more.`) }
}
