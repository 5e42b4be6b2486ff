/** berth create and berth set: the record of a database. */
import { Option } from 'commander'
import type { Client } from '../../../client/client.ts'
import { type CommandDeclaration, type Outcome, repeatedOption } from '../../command.ts'
import {
  checkNewName,
  databaseArgument,
  type DatabaseRecord,
  type DatabaseSummary,
  findDatabase,
  idInput,
  type Kind,
  kinds,
  pathOf,
  readDatabase,
  refuseSlash,
  shellPathOf,
} from '../../databases.ts'
import { CommandError } from '../../exit.ts'
import { appNameOf, given, numberOf, optionalNumber } from '../../names.ts'
import { suggestion } from '../../nearest.ts'
import { adviseAfterFailure, performOn, waitOptions, waitSecondsOf } from '../../progress.ts'
import type { Session } from '../../connection/session.ts'
import {
  envField,
  fieldOptions,
  type FieldOptions,
  loginFields,
  plainFields,
  registryField,
  secretsNote,
  tlsNote,
} from './fields.ts'
import { credentialsFor } from './passwords.ts'
import { changedSourcesText } from './sources.ts'

interface CreateOptions extends FieldOptions {
  project: string
  appName?: string
  node?: string
}

interface SetOptions extends FieldOptions {
  name?: string
  unset?: string[]
}

export const createCommand: CommandDeclaration = {
  name: 'create',
  description: 'create a database and deploy it',
  arguments: [
    ['<kind>', `${kinds.slice(0, -1).join(', ')} or redis`],
    ['<name>', 'the name of the database in its project'],
  ],
  options: [
    new Option('--project <name>', 'the project; it is created if it does not exist').makeOptionMandatory(),
    ['--port <port>', 'publish the database at this port of its node'],
    ['--app-name <name>', 'the host name of the database for clients in the swarm (project-name)'],
    ['--node <host>', 'the node that gets the data'],
    ...fieldOptions,
    ['--no-deploy', 'only create the record'],
    ...waitOptions(),
  ],
  notes: [
    'A user, a database and passwords that are not given are made up: berth env DATABASE prints them.',
    tlsNote,
    secretsNote,
  ],
  examples: [
    'berth create postgres orders --project shop --image postgres:17 --port 15432',
    'berth create redis cache --project shop --memory 512MiB',
    'berth create postgres ledger --project shop --port 15433 --tls require --tls-name db.example.org',
    'berth create postgres old --project shop --user ann --database-name sales --ask-password',
  ],
  run: create,
}

/** The fields whose changes take effect without a deploy. */
const liveFields: readonly string[] = ['name', 'description', 'allowedSources', 'tlsNames']

export const setCommand: CommandDeclaration = {
  name: 'set',
  description: 'change the record of a database, and deploy the change',
  arguments: [databaseArgument],
  options: [
    ...fieldOptions,
    ['--port <port>', 'publish the database at this port; `none` ends it'],
    repeatedOption('--unset <name>', 'remove a variable of the container; may be repeated'),
    ['--name <name>', 'another name in the project'],
    ['--no-deploy', 'only change the record; the next deploy applies the change'],
    ...waitOptions(),
  ],
  notes: [
    '`none` takes a limit, the command, the label or the names in the certificate away. A list of sources or of names in',
    'the certificate replaces the former list. Port, sources, name and description change without a deploy, and so do the',
    'names where the server can reload its certificate. All else is deployed at once, except with --no-deploy.',
    '--env-file replaces all variables; --env and --unset keep the others. A password that differs from the one in the',
    'server is set in the server. If somebody changed the password in the server, --ask-password tells it to Berth.',
    tlsNote,
    secretsNote,
  ],
  examples: [
    'berth set shop/orders --image postgres:17.2',
    'berth set shop/orders --memory 2GiB --cpu 2',
    'berth set shop/orders --port none',
    'berth set shop/orders --tls require --tls-name db.example.org',
    'berth set shop/orders --env TZ=UTC --unset LANG',
    'berth set shop/orders --ask-password',
  ],
  run: set,
}

async function create(session: Session, options: CreateOptions, kind: string, name: string): Promise<Outcome> {
  const seconds = waitSecondsOf(options)
  const known = kindNamed(kind)
  const { project } = options
  const port = optionalNumber('--port', options.port)
  const fields = {
    ...credentialsFor(known, name),
    ...plainFields(options),
    ...(await envField(options, async () => null)),
    ...(await loginFields(session, options, known, `${project}/${name}`)),
  }
  refuseSlash(name)
  const client = session.open(options)
  const input = {
    name,
    appName: options.appName ?? appNameOf(project, name),
    projectId: await projectFor(session, client, project, name),
    ...fields,
    ...(await registryField(client, options)),
    ...given('node', options.node),
    ...given('externalPort', port),
  }
  const record = (await client.call(`${known}.create`, input)) as { appName: string }
  const database = await client.database.find({ name: record.appName })
  const path = pathOf(database)
  const word = shellPathOf(database)
  const remains = `The record of ${path} remains. Change it: berth set ${word} …, or remove it: berth rm ${word}`
  const deployed = options.deploy
    ? await deploy(session, client, database, seconds).catch(adviseAfterFailure(remains))
    : null
  return {
    json: deployed ?? record,
    show() {
      if (deployed === null) session.output.line(`Created ${path}. Start it: berth deploy ${word}`)
      else session.output.line(seconds > 0 ? `${path} is up.` : `Created ${path}. The deploy has begun.`)
      if (deployed !== null) session.output.line(`Connect with: berth env ${word}`)
    },
  }
}

export function kindNamed(kind: string): Kind {
  const known = kinds.find((each) => each === kind)
  if (known !== undefined) return known
  const hint = suggestion(kind, kinds) || `The kinds are ${kinds.join(', ')}`
  throw new CommandError('usage', `'${kind}' is no kind of database. ${hint}`)
}

const deploy = (session: Session, client: Client, database: DatabaseSummary, seconds: number) =>
  performOn(session, client, database, 'deploy', seconds, (call) =>
    client.call(`${database.databaseType}.deploy`, idInput(database), call),
  )

/** The id of the project of a new database. Creates a project that does not exist. */
async function projectFor({ output }: Session, client: Client, project: string, name: string): Promise<string> {
  const projects = await client.project.all()
  const matching = projects.filter((each) => each.name === project || each.projectId === project)
  if (matching.length > 1) {
    const ids = matching.map(({ projectId }) => projectId).join(', ')
    throw new CommandError('usage', `${matching.length} projects are called ${project}`, `Use an id: ${ids}`)
  }
  const [known] = matching
  if (known !== undefined) {
    await checkNewName(client, name, { projectId: known.projectId, projectName: known.name })
    return known.projectId
  }
  refuseSlash(project)
  const created = await client.project.create({ name: project })
  output.remark(`Created the project ${project}.`)
  return created.projectId
}

async function set(session: Session, options: SetOptions, name: string): Promise<Outcome> {
  const seconds = waitSecondsOf(options)
  const { port } = options
  const externalPort = port === undefined ? undefined : port === 'none' ? null : numberOf('--port', port)
  const plain = plainFields(options)
  const client = session.open(options)
  const database = await findDatabase(client, name)
  if (options.name !== undefined && options.name !== database.name) await checkNewName(client, options.name, database)
  const changes = {
    ...plain,
    ...given('name', options.name),
    ...(await registryField(client, options)),
    ...(await envField(options, async () => (await readDatabase(client, database)).env)),
    ...(await loginFields(session, options, database.databaseType, pathOf(database))),
  }
  const hasChanges = Object.keys(changes).length > 0
  if (!hasChanges && port === undefined) {
    throw new CommandError('usage', 'Nothing to change. Give at least one option: berth set --help')
  }
  const call = (verb: string, input: object) => client.call(`${database.databaseType}.${verb}`, input)
  // A change that needs no deploy must not deploy what was changed earlier.
  const isLive = Object.keys(changes).every((name) => liveFields.includes(name))
  const wasPending = isLive && (await readDatabase(client, database)).pendingChanges
  let record: unknown = hasChanges ? await call('update', { ...idInput(database), ...changes }) : null
  if (externalPort !== undefined) record = await call('saveExternalPort', { ...idInput(database), externalPort })
  // The server decides whether the change needs a deploy. After a failed deploy, the deployed values need one too.
  const { pendingChanges } = record as { pendingChanges: boolean }
  const sources = options.allowFrom === undefined ? '' : ` ${changedSourcesText(record as DatabaseRecord)}`
  const needsDeploy = pendingChanges || (!isLive && database.applicationStatus === 'error')
  const isDeployed = hasChanges && needsDeploy && !wasPending && options.deploy && database.applicationStatus !== 'idle'
  const renamed = { ...database, name: options.name ?? database.name }
  const [path, word] = [pathOf(renamed), shellPathOf(renamed)]
  const remains = `The record of ${path} keeps the change. Correct it: berth set ${word} …`
  if (isDeployed) record = await deploy(session, client, renamed, seconds).catch(adviseAfterFailure(remains))
  const rest = needsDeploy && !isDeployed ? ` Deploy the change: berth deploy ${word}` : ''
  const again = database.applicationStatus === 'done' ? ' again' : ''
  const done = isDeployed && seconds > 0 ? `${path} is up${again}.` : `Changed ${path}.`
  return { json: record, show: () => session.output.line(`${done}${sources}${rest}`) }
}
