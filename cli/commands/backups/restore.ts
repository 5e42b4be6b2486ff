/** berth backup restore: loads a dump into a database. */
import type { Client } from '../../../client/client.ts'
import type { CommandDeclaration, Outcome } from '../../command.ts'
import { databaseArgument, type DatabaseSummary, findDatabase, idInput, pathOf } from '../../databases.ts'
import { CommandError } from '../../exit.ts'
import { findDestination, findNamed, findProject } from '../../names.ts'
import { type WaitOptions, waitOptions, waitSecondsOf } from '../../progress.ts'
import { confirmName } from '../../terminal/prompt.ts'
import { databaseRuns, type Run, runOutcome } from '../../runs.ts'
import type { CommonOptions, Session } from '../../connection/session.ts'
import { readableTime } from '../../terminal/size.ts'
import { textFile } from '../../text-file.ts'

export const runOption = ['--run <id>', 'another dump than the last good one (berth backup ls DATABASE)'] as const

export const restoreCommand: CommandDeclaration = {
  name: 'restore',
  description: 'load a dump into its database or into another one; the present data is dumped first',
  arguments: [['[database]', databaseArgument[1]]],
  options: [
    runOption,
    ['--key <key>', 'the dump with this key in a bucket (berth destination files DESTINATION)'],
    ['--from <destination>', 'with --key: the destination with the bucket'],
    ['--into <name>', 'another database, whose data is replaced, or the appName of a new one'],
    ['--project <name>', 'the project of the new database'],
    ['--identity <file>', 'the age identity that opens the dump, if it is encrypted for another recipient'],
    ['--skip-safety-dump', 'do not dump the present data'],
    ...waitOptions(),
  ],
  notes: ['Asks for the name of the database whose data is replaced; --yes confirms it in scripts.'],
  examples: [
    'berth backup restore shop/orders',
    'berth backup restore shop/orders --into shop-orders-copy',
    'berth backup restore shop/orders --into staging/orders',
    'berth backup restore --from s3 --key shop-orders/orders/dump.zst --into orders-old --project shop',
  ],
  run: restore,
}

interface RestoreOptions extends CommonOptions, WaitOptions {
  run?: string
  key?: string
  from?: string
  into?: string
  project?: string
  identity?: string
  skipSafetyDump?: true
}

async function restore(session: Session, options: RestoreOptions, name?: string): Promise<Outcome> {
  const seconds = waitSecondsOf(options)
  checkSource(options, name)
  const identity = options.identity === undefined ? {} : { identity: identityIn(options.identity) }
  const client = session.open(options)
  const database = name === undefined ? null : await findDatabase(client, name)
  const target = options.into === undefined ? database : await existingTarget(client, options.into)
  const dump = await dumpOf(client, options, database)
  const replaced = target === null ? null : await replacementOf(options, target, dump.text)
  const run = await client.backup.restore({
    ...dump.input,
    ...identity,
    ...(replaced ?? { appName: options.into!, ...(await projectFor(client, options.project, database)) }),
  })
  const what = target === null ? `The restore into ${options.into}` : `The restore of ${pathOf(target)}`
  return runOutcome(session, databaseRuns(client), run, seconds, what)
}

/** @throws CommandError if the options do not name one dump and one database */
function checkSource({ run, key, from, into }: RestoreOptions, name: string | undefined): void {
  const refuse = (message: string) => {
    throw new CommandError('usage', message)
  }
  if (key !== undefined && run !== undefined) refuse('Give either --run or --key')
  if ((key === undefined) !== (from === undefined)) {
    refuse('Give both --key and --from: a dump in a bucket has a destination and a key')
  }
  if (name !== undefined) return
  if (key === undefined) refuse('Name the database of the dump, or the dump with --from and --key')
  if (into === undefined) refuse('Name the database to restore into')
}

/** The last line that is no comment, in the format of age-keygen. */
function identityIn(path: string): string {
  const lines = textFile('--identity', path)
    .split('\n')
    .map((line) => line.trim())
  const identity = lines.findLast((line) => line !== '' && !line.startsWith('#'))
  if (identity !== undefined) return identity
  throw new CommandError('usage', `--identity: ${path} has no identity: a line AGE-SECRET-KEY-…`)
}

/** The database of this name; null if a new one is to be created. A part of a name is not enough here. */
async function existingTarget(client: Client, name: string): Promise<DatabaseSummary | null> {
  // An appName has no slash.
  if (name.includes('/')) return findDatabase(client, name)
  const databases = await client.database.all()
  return databases.find(({ appName, databaseId }) => appName === name || databaseId === name) ?? null
}

interface ChosenDump {
  input: { runId: string } | { destinationId: string; key: string }
  /** For messages. */
  text: string
}

async function dumpOf(client: Client, options: RestoreOptions, database: DatabaseSummary | null): Promise<ChosenDump> {
  const { key, from } = options
  if (key !== undefined) {
    const { destinationId, name } = await findDestination(client, from!)
    return { input: { destinationId, key }, text: `the dump ${key} in ${name}` }
  }
  const { runId, finishedAt } = await findDump(client, database!, options.run)
  return { input: { runId }, text: `the dump of ${pathOf(database!)} made ${readableTime(finishedAt)}` }
}

/** Asks whether the data of the database may be replaced. */
async function replacementOf(
  { skipSafetyDump: isSkipped, yes }: RestoreOptions,
  target: DatabaseSummary,
  dump: string,
) {
  const path = pathOf(target)
  const skipSafetyDump = isSkipped === true
  const safety = skipSafetyDump ? 'The present data is lost.' : 'The present data is dumped first.'
  await confirmName(`This replaces the data of ${path} by ${dump}. ${safety}`, path, yes)
  return { ...idInput(target), confirm: target.appName, skipSafetyDump }
}

async function projectFor(client: Client, name: string | undefined, database: DatabaseSummary | null) {
  if (name !== undefined) return { projectId: (await findProject(client, name)).projectId }
  return database === null ? {} : { projectId: database.projectId }
}

/** The last good dump, or the dump whose id begins with `id`. */
export async function findDump(client: Client, database: DatabaseSummary, id: string | undefined): Promise<Run> {
  const runs = await client.backup.runs({ serviceId: database.databaseId, order: 'desc' })
  const dumps = runs.filter(({ action, status, key }) => action === 'dump' && status === 'done' && key !== null)
  if (id !== undefined) return findNamed('good dump', id, dumps, ({ runId }) => [runId])
  if (dumps.length > 0) return dumps[0]!
  throw new CommandError(
    'notFound',
    `${pathOf(database)} has no good dump`,
    `Make one: berth backup now ${pathOf(database)}`,
  )
}
