/** Commands that change what runs: create, deploy, start, stop, reload, rm. */
import { randomBytes } from 'node:crypto'
import { type Command, Option } from 'commander'
import type { Client } from '../../client/client.ts'
import { findDatabase, idInput, pathOf } from '../databases.ts'
import { CommandError } from '../exit.ts'
import { performOn, type WaitOptions, waitSecondsOf } from '../progress.ts'
import { confirmName } from '../prompt.ts'
import type { CommonOptions, Session } from '../session.ts'

type Options = CommonOptions & WaitOptions

const kinds = ['postgres', 'mysql', 'mariadb', 'mongo', 'redis'] as const
type Kind = (typeof kinds)[number]

const waitOption = () => new Option('--wait <seconds>', 'how long to wait for the end of the work (600)')
const noWaitOption = () => new Option('--no-wait', 'return when the work is recorded')

export function addLifecycle(program: Command, session: Session): void {
  addCreate(program, session)
  const verbs: [verb: 'deploy' | 'start' | 'stop' | 'reload', description: string][] = [
    ['deploy', 'make what runs match the record'],
    ['start', 'start a stopped database'],
    ['stop', 'stop a database; its data stays'],
    ['reload', 'restart a database'],
  ]
  for (const [verb, description] of verbs) {
    program
      .command(verb)
      .argument('<database>', 'project/name, name or appName')
      .description(description)
      .addOption(waitOption())
      .addOption(noWaitOption())
      .action((name: string, _, command: Command) => change(session, verb, name, command.optsWithGlobals()))
  }
  program
    .command('rm')
    .argument('<database>', 'project/name, name or appName')
    .description('remove a database; its volume is kept unless --delete-data is given')
    .option('--delete-data', 'delete the volume with the data, too')
    .addOption(waitOption())
    .addOption(noWaitOption())
    .action((name: string, _, command: Command) => remove(session, name, command.optsWithGlobals()))
}

async function change(
  session: Session,
  verb: 'deploy' | 'start' | 'stop' | 'reload',
  name: string,
  options: Options,
): Promise<void> {
  const seconds = waitSecondsOf(options)
  const client = session.open(options)
  const database = await findDatabase(client, name)
  const input = { ...idInput(database), ...(verb === 'reload' ? { appName: database.appName } : {}) }
  const answer = await performOn(session, client, database, verb, seconds, (callOptions) =>
    client.call(`${database.databaseType}.${verb}`, input, callOptions),
  )
  if (options.json === true) return session.output.json(answer)
  const isDone = seconds > 0
  const ends = { deploy: 'is up', start: 'is up', stop: 'is stopped', reload: 'is up again' }
  session.output.line(isDone ? `${pathOf(database)} ${ends[verb]}.` : `The ${verb} of ${pathOf(database)} has begun.`)
}

interface CreateOptions extends Options {
  project: string
  image?: string
  port?: string
  appName?: string
  memory?: string
  cpu?: string
  node?: string
  deploy: boolean
}

function addCreate(program: Command, session: Session): void {
  program
    .command('create')
    .argument('<kind>', `${kinds.slice(0, -1).join(', ')} or redis`)
    .argument('<name>', 'the name of the database in its project')
    .description('create a database and deploy it')
    .requiredOption('--project <name>', 'the project; it is created if it does not exist')
    .option('--image <image>', 'the image, for example postgres:17')
    .option('--port <port>', 'publish the database at this port')
    .option('--app-name <name>', 'the host name of the database for clients in the swarm (project-name)')
    .option('--memory <MiB>', 'limit of the memory')
    .option('--cpu <cores>', 'limit of the processor')
    .option('--node <host>', 'the node that gets the data')
    .option('--no-deploy', 'only create the record')
    .addOption(waitOption())
    .addOption(noWaitOption())
    .addHelpText(
      'after',
      `\nThe passwords are random: berth env NAME shows them.\n\nExample:\n  berth create postgres orders --project shop --image postgres:17 --port 15432\n`,
    )
    .action((kind: string, name: string, _, command: Command) => create(session, kind, name, command.optsWithGlobals()))
}

async function create(session: Session, kind: string, name: string, options: CreateOptions): Promise<void> {
  waitSecondsOf(options)
  if (!kinds.some((each) => each === kind)) {
    throw new CommandError('usage', `'${kind}' is no kind of database. The kinds are ${kinds.join(', ')}`)
  }
  const client = session.open(options)
  const projectId = await projectNamed(client, options.project)
  const appName = options.appName ?? appNameOf(options.project, name)
  const input = {
    name,
    appName,
    projectId,
    ...credentialsFor(kind as Kind, name),
    ...(options.image === undefined ? {} : { dockerImage: options.image }),
    ...(options.memory === undefined ? {} : { memoryLimit: numberOf('--memory', options.memory) }),
    ...(options.cpu === undefined ? {} : { cpuLimit: numberOf('--cpu', options.cpu) }),
    ...(options.node === undefined ? {} : { node: options.node }),
  }
  const record = (await client.call(`${kind}.create`, input)) as Record<string, unknown>
  const database = await client.database.find({ name: appName })
  if (options.port !== undefined) {
    const port = numberOf('--port', options.port)
    await client.call(`${kind}.saveExternalPort`, { ...idInput(database), externalPort: port })
  }
  if (!options.deploy) {
    if (options.json === true) return session.output.json(record)
    return session.output.line(`Created ${pathOf(database)}. Start it: berth deploy ${pathOf(database)}`)
  }
  await change(session, 'deploy', database.databaseId, options)
  if (options.json !== true) session.output.line(`Connect with: berth env ${pathOf(database)}`)
}

async function projectNamed(client: Client, name: string): Promise<string> {
  const projects = await client.project.all()
  const matching = projects.filter((each) => each.name === name || each.projectId === name)
  if (matching.length > 1) throw new CommandError('usage', `${matching.length} projects are called ${name}. Use the id`)
  return matching[0]?.projectId ?? (await client.project.create({ name })).projectId
}

/** Host names are lower case and have at most 63 characters. The server checks the result. */
const appNameOf = (project: string, name: string) =>
  `${project}-${name}`
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 63)

const newPassword = () => randomBytes(18).toString('base64url')

/** The database, the user and random passwords, as the kind needs them. */
function credentialsFor(kind: Kind, name: string): Record<string, string> {
  const databaseName = name.replace(/[^A-Za-z0-9_]/g, '_')
  const account = { databaseUser: databaseName, databasePassword: newPassword() }
  if (kind === 'redis') return { databasePassword: account.databasePassword }
  if (kind === 'mongo') return account
  const own = { ...account, databaseName }
  return kind === 'postgres' ? own : { ...own, databaseRootPassword: newPassword() }
}

function numberOf(option: string, text: string): number {
  const number = Number(text)
  if (text.trim() === '' || Number.isNaN(number)) throw new CommandError('usage', `${option} must be a number`)
  return number
}

async function remove(session: Session, name: string, options: Options & { deleteData?: boolean }): Promise<void> {
  const seconds = waitSecondsOf(options)
  const client = session.open(options)
  const database = await findDatabase(client, name)
  const isFinal = options.deleteData === true
  const effect = isFinal
    ? `This removes ${pathOf(database)} and deletes its data. The data cannot be brought back.`
    : `This removes ${pathOf(database)}. Its data is kept in the volume: berth api volume.all lists it.`
  await confirmName(effect, database.name, options.yes)
  const input = { ...idInput(database), ...(isFinal ? { removeData: true } : {}) }
  const answer = await performOn(session, client, database, 'removal', seconds, (callOptions) =>
    client.call(`${database.databaseType}.remove`, input, callOptions),
  )
  if (options.json === true) return session.output.json(answer)
  session.output.line(`Removed ${pathOf(database)}${isFinal ? ' and its data' : ''}.`)
}
