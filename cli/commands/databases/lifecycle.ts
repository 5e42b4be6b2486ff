/** Commands that change what runs: deploy, start, stop, reload, move, rm. */
import type { CommandDeclaration, Outcome } from '../../command.ts'
import { databaseArgument, findDatabase, idInput, pathOf, readDatabase, shellPathOf } from '../../databases.ts'
import { CommandError } from '../../exit.ts'
import { findNode } from '../../names.ts'
import { adviseAfterFailure, performOn, type WaitOptions, waitOptions, waitSecondsOf } from '../../progress.ts'
import { confirmName } from '../../terminal/prompt.ts'
import type { CommonOptions, Session } from '../../connection/session.ts'

type Options = CommonOptions & WaitOptions

/** A command on one database that begins work of the same name. */
const verbCommand = (
  verb: 'deploy' | 'start' | 'stop' | 'reload',
  description: string,
  end: string,
  more: Pick<CommandDeclaration, 'options' | 'notes'> & { examples?: readonly string[] } = {},
): CommandDeclaration => ({
  name: verb,
  description,
  arguments: [databaseArgument],
  ...(more.notes === undefined ? {} : { notes: more.notes }),
  options: [...(more.options ?? []), ...waitOptions()],
  examples: [`berth ${verb} shop/orders`, ...(more.examples ?? [])],
  run: (session: Session, options: Options & WorkOptions, name: string) => change(session, options, name, verb, end),
})

interface WorkOptions {
  pull?: true
  acceptNewData?: true
  anew?: true
}

const anew = ['--anew', 'start on a new volume after an interrupted first start; the old one is kept'] as const
const acceptNewData = ['--accept-new-data', 'start although the volume is missing or has other data'] as const

export const lifecycleCommands: readonly CommandDeclaration[] = [
  verbCommand('deploy', 'make what runs match the record', 'is up', {
    options: [['--pull', 'look for a newer image of the same tag'], acceptNewData, anew],
    examples: ['berth deploy shop/orders --pull', 'berth deploy shop/orders --no-wait'],
  }),
  verbCommand('start', 'start a stopped database', 'is up', { options: [acceptNewData, anew] }),
  verbCommand('stop', 'stop a database; its data stays', 'is stopped'),
  verbCommand('reload', 'restart a database', 'is up again'),
]

export const moveCommand: CommandDeclaration = {
  name: 'move',
  description: 'move a database with its data to another node',
  arguments: [databaseArgument],
  options: [['--node <host>', 'the new node (berth node ls)'], ...waitOptions()],
  notes: [
    'The database is down during the copy. If the copy differs, the database starts on its old node again. The old',
    'volume is kept: berth volume ls.',
  ],
  examples: ['berth move shop/orders --node web-2'],
  run: move,
}

export const rmCommand: CommandDeclaration = {
  name: 'rm',
  description: 'remove a database; its volume is kept unless --delete-data is given',
  arguments: [databaseArgument],
  options: [['--delete-data', 'delete the volume with the data, too'], ...waitOptions()],
  notes: ['Asks for the name of the database first; --yes confirms it in scripts.'],
  examples: ['berth rm shop/orders', 'berth rm shop/orders --delete-data --yes'],
  run: remove,
}

async function change(
  session: Session,
  { pull, acceptNewData: accepts, anew: isAnew, ...options }: Options & WorkOptions,
  name: string,
  verb: string,
  end: string,
): Promise<Outcome> {
  const seconds = waitSecondsOf(options)
  const client = session.open(options)
  const database = await findDatabase(client, name)
  const path = pathOf(database)
  const input = {
    ...idInput(database),
    ...(verb === 'reload' ? { appName: database.appName } : {}),
    ...(pull === true ? { pull } : {}),
    ...(accepts === true ? { acceptNewData: accepts } : {}),
    ...(isAnew === true ? { anew: isAnew } : {}),
  }
  const work = performOn(session, client, database, verb, seconds, (call) =>
    client.call(`${database.databaseType}.${verb}`, input, call),
  )
  const word = shellPathOf(database)
  const advice = `Change the record: berth set ${word} …, or remove the database: berth rm ${word}`
  const answer = await (verb === 'deploy' ? work.catch(adviseAfterFailure(advice)) : work)
  const text = seconds > 0 ? `${path} ${end}.` : `The ${verb} of ${path} has begun.`
  return { json: answer, show: () => session.output.line(text) }
}

async function move(session: Session, options: Options & { node?: string }, name: string): Promise<Outcome> {
  const seconds = waitSecondsOf(options)
  if (options.node === undefined) throw new CommandError('usage', 'Name the new node: --node HOST (berth node ls)')
  const client = session.open(options)
  const database = await findDatabase(client, name)
  const kind = database.databaseType
  const path = pathOf(database)
  const { hostname, id } = await findNode(client, options.node)
  const input = { ...idInput(database), node: id }
  const answer = await performOn(session, client, database, 'move', seconds, (call) =>
    client.call(`${kind}.move`, input, call),
  )
  const text = seconds > 0 ? `${path} is up on ${hostname}. Its old volume is kept.` : `The move of ${path} has begun.`
  return { json: answer, show: () => session.output.line(text) }
}

async function remove(session: Session, options: Options & { deleteData?: true }, name: string): Promise<Outcome> {
  const seconds = waitSecondsOf(options)
  const client = session.open(options)
  const database = await findDatabase(client, name)
  const path = pathOf(database)
  const isFinal = options.deleteData === true
  const hasData = (await readDatabase(client, database)).volume !== null
  const effect = !hasData
    ? `This removes ${path}. It has no data, because it was never deployed.`
    : isFinal
      ? `This removes ${path} and deletes its data. The data cannot be brought back.`
      : `This removes ${path}. Its data is kept in the volume: berth volume ls shows it.`
  await confirmName(effect, path, options.yes)
  const input = { ...idInput(database), ...(isFinal ? { removeData: true } : {}) }
  const answer = await performOn(session, client, database, 'removal', seconds, (call) =>
    client.call(`${database.databaseType}.remove`, input, call),
  )
  const rest = isFinal ? ' and its data' : '. Its data is kept: berth volume ls'
  const done = `Removed ${path}${hasData ? rest : ''}.`
  return { json: answer, show: () => session.output.line(seconds > 0 ? done : `The removal of ${path} has begun.`) }
}
