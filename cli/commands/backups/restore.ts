/** berth backup restore: loads a dump into a database. */
import type { Client } from '../../../client/client.ts'
import type { CommandDeclaration, Outcome } from '../../command.ts'
import { databaseArgument, type DatabaseSummary, findDatabase, idInput, pathOf } from '../../databases.ts'
import { CommandError } from '../../exit.ts'
import { findNamed, findProject } from '../../names.ts'
import { type WaitOptions, waitOptions, waitSecondsOf } from '../../progress.ts'
import { confirmName } from '../../prompt.ts'
import { databaseRuns, type Run, runOutcome } from '../../runs.ts'
import type { CommonOptions, Session } from '../../session.ts'
import { readableTime } from '../../size.ts'

export const runOption = ['--run <id>', 'another dump than the last good one (berth backup ls DATABASE)'] as const

export const restoreCommand: CommandDeclaration = {
  name: 'restore',
  description: 'load a dump into its database; the present data is dumped first',
  arguments: [databaseArgument],
  options: [
    runOption,
    ['--into <name>', 'create a new database with this appName in place of replacing the data'],
    ['--project <name>', 'with --into: the project of the new database'],
    ['--skip-safety-dump', 'do not dump the present data'],
    ...waitOptions(),
  ],
  notes: ['Asks for the name of the database before its data is replaced; --yes confirms it in scripts.'],
  examples: ['berth backup restore shop/orders', 'berth backup restore shop/orders --into shop-orders-copy'],
  run: restore,
}

interface RestoreOptions extends CommonOptions, WaitOptions {
  run?: string
  into?: string
  project?: string
  skipSafetyDump?: true
}

async function restore(session: Session, options: RestoreOptions, name: string): Promise<Outcome> {
  const seconds = waitSecondsOf(options)
  const client = session.open(options)
  const database = await findDatabase(client, name)
  const dump = await findDump(client, database, options.run)
  const path = pathOf(database)
  const skipSafetyDump = options.skipSafetyDump === true
  if (options.into === undefined) {
    const safety = skipSafetyDump ? 'The present data is lost.' : 'The present data is dumped first.'
    const effect = `This replaces the data of ${path} by the dump of ${readableTime(dump.finishedAt)}. ${safety}`
    await confirmName(effect, path, options.yes)
  }
  const run = await client.backup.restore({
    runId: dump.runId,
    ...(options.into === undefined
      ? { ...idInput(database), confirm: database.appName, skipSafetyDump }
      : { appName: options.into, projectId: await projectFor(client, database, options.project) }),
  })
  const what = options.into === undefined ? `The restore of ${path}` : `The restore into ${options.into}`
  return runOutcome(session, databaseRuns(client), run, seconds, what)
}

const projectFor = async (client: Client, database: DatabaseSummary, name: string | undefined) =>
  name === undefined ? database.projectId : (await findProject(client, name)).projectId

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
