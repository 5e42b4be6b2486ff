/** berth backup restore: loads a dump into a database. */
import type { Client } from '../../../client/client.ts'
import type { CommandDeclaration, Outcome } from '../../command.ts'
import { databaseArgument, type DatabaseSummary, findDatabase, idInput, pathOf } from '../../databases.ts'
import { CommandError } from '../../exit.ts'
import { dumpText, findDump, findUndo, lossText, runOption } from './dumps.ts'
import { findDestination, findProject } from '../../names.ts'
import { type WaitOptions, waitOptions, waitSecondsOf } from '../../progress.ts'
import { confirmName } from '../../terminal/prompt.ts'
import { databaseRuns, type Run, runOutcome } from '../../runs.ts'
import type { CommonOptions, Session } from '../../connection/session.ts'
import { textFile } from '../../text-file.ts'

export const restoreCommand: CommandDeclaration = {
  name: 'restore',
  description: 'load a dump into its database or into another one; the present data is dumped first',
  arguments: [['[database]', databaseArgument[1]]],
  options: [
    runOption,
    ['--undo', 'the safety dump that the last restore made of the data that it replaced'],
    ['--key <key>', 'the dump with this key in a bucket (berth destination files DESTINATION)'],
    ['--from <destination>', 'with --key: the destination with the bucket'],
    ['--into <name>', 'another database, whose data is replaced, or the appName of a new one'],
    ['--project <name>', 'the project of the new database'],
    ['--default-configuration', 'give the new database no command, variables and limits of the dumped one'],
    ['--identity <file>', 'the age identity that opens the dump, if it is encrypted for another recipient'],
    ['--without-needs', 'restore although other databases are missing; leaves out the views that need them'],
    ['--skip-safety-dump', 'do not dump the present data'],
    ...waitOptions(),
  ],
  notes: [
    'Asks for the name of the database whose data is replaced; --yes confirms it in scripts.',
    'Without --run, --undo and --key, the newest good dump is restored, which is never a safety dump.',
  ],
  examples: [
    'berth backup restore shop/orders',
    'berth backup restore shop/orders --undo',
    'berth backup restore shop/orders --into shop-orders-copy',
    'berth backup restore shop/orders --into staging/orders',
    'berth backup restore --from s3 --key shop-orders/orders/dump.zst --into orders-old --project shop',
  ],
  run: restore,
}

interface RestoreOptions extends CommonOptions, WaitOptions {
  run?: string
  undo?: true
  key?: string
  from?: string
  into?: string
  project?: string
  defaultConfiguration?: true
  identity?: string
  skipSafetyDump?: true
  withoutNeeds?: true
}

async function restore(session: Session, options: RestoreOptions, name?: string): Promise<Outcome> {
  const seconds = waitSecondsOf(options)
  checkSource(options, name)
  const identity = options.identity === undefined ? {} : { identity: identityIn(options.identity) }
  const client = session.open(options)
  const database = name === undefined ? null : await findDatabase(client, name)
  const target = options.into === undefined ? database : await existingTarget(client, options.into)
  const dump = await dumpOf(client, options, database)
  const replaced = target === null ? null : await replacementOf(options, target, dump)
  const run = await client.backup.restore({
    ...dump.input,
    ...identity,
    ...(options.withoutNeeds === true ? { withoutNeeds: true } : {}),
    ...(replaced ?? {
      appName: options.into!,
      configuration: options.defaultConfiguration === true ? 'default' : 'dumped',
      ...(await projectFor(client, options.project, database)),
    }),
  })
  const what = target === null ? `The restore into ${options.into}` : `The restore of ${pathOf(target)}`
  const outcome = await runOutcome(session, databaseRuns(client), run, seconds, what)
  // Only the first answer has these. The last one says whether there is a safety dump.
  const { dump: loaded, notCarriedOver } = run
  const json = { ...outcome.json, ...(loaded && { dump: loaded }), ...(notCarriedOver && { notCarriedOver }) }
  return { ...outcome, json, show: () => showRestore(session, outcome, json, target) }
}

/** How the restore ended, which dump it loads, and how to undo it. */
function showRestore(
  { output }: Session,
  outcome: Outcome,
  { dump, safety, notCarriedOver = [] }: Run,
  target: DatabaseSummary | null,
) {
  outcome.show()
  if (outcome.failure !== undefined) return
  if (dump !== undefined) output.line(`It loads ${dumpText(dump)}. ${lossText(dump.startedAt)}`)
  if (notCarriedOver.length > 0)
    output.line(`The new database does not get these fields of the dumped one: ${uncarriedText(notCarriedOver)}`)
  if (target === null || safety !== null) return
  output.line(`To undo it, until its safety dump expires: berth backup restore ${pathOf(target)} --undo`)
}

/** Such as `env: TOKEN, TZ; externalPort`. */
const uncarriedText = (uncarried: NonNullable<Run['notCarriedOver']>): string =>
  uncarried.map(({ field, names }) => (names === undefined ? field : `${field}: ${names.join(', ')}`)).join('; ')

/** @throws CommandError if the options do not name one dump and one database */
function checkSource({ run, undo, key, from, into }: RestoreOptions, name: string | undefined): void {
  const refuse = (message: string) => {
    throw new CommandError('usage', message)
  }
  if (key !== undefined && run !== undefined) refuse('Give either --run or --key')
  if (undo === true && (run !== undefined || key !== undefined)) refuse('Give --undo without --run and --key')
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
  /** What the restore loses, or where the data comes from. Empty: unknown. */
  loss: string
}

async function dumpOf(client: Client, options: RestoreOptions, database: DatabaseSummary | null): Promise<ChosenDump> {
  const { key, from } = options
  if (key !== undefined) {
    const { destinationId, name } = await findDestination(client, from!)
    return { input: { destinationId, key }, text: `the dump ${key} in ${name}`, loss: '' }
  }
  const dump = await (options.undo === true ? findUndo(client, database!) : findDump(client, database!, options.run))
  const { runId, trigger, rowCount, createdAt, startedAt } = dump
  const at = startedAt ?? createdAt
  const text = `${dumpText({ trigger, rowCount, startedAt: at })}, of ${pathOf(database!)}`
  return { input: { runId }, text, loss: ` ${lossText(at)}` }
}

/** Asks whether the data of the database may be replaced. */
async function replacementOf(
  { skipSafetyDump: isSkipped, yes }: RestoreOptions,
  target: DatabaseSummary,
  { text, loss }: ChosenDump,
) {
  const path = pathOf(target)
  const skipSafetyDump = isSkipped === true
  const safety = skipSafetyDump ? 'The present data is lost.' : 'The present data is dumped first.'
  await confirmName(`This replaces the data of ${path} by ${text}.${loss} ${safety}`, path, yes)
  return { ...idInput(target), confirm: target.appName, skipSafetyDump }
}

async function projectFor(client: Client, name: string | undefined, database: DatabaseSummary | null) {
  if (name !== undefined) return { projectId: (await findProject(client, name)).projectId }
  return database === null ? {} : { projectId: database.projectId }
}
