/** berth ls and berth show. */
import { choiceOption, type CommandDeclaration, type Outcome } from '../../command.ts'
import {
  databaseArgument,
  type DatabaseSummary,
  findDatabase,
  kinds,
  pathOf,
  readDatabase,
  shellPathOf,
} from '../../databases.ts'
import { findProject, given } from '../../names.ts'
import type { Output, Style } from '../../terminal/output.ts'
import type { CommonOptions, Session } from '../../connection/session.ts'
import { readableTime } from '../../terminal/size.ts'

interface ListOptions extends CommonOptions {
  project?: string
  kind?: DatabaseSummary['databaseType']
  status?: DatabaseSummary['applicationStatus']
  node?: string
  search?: string
}

const statuses = ['idle', 'running', 'done', 'error'] as const

export const lsCommand: CommandDeclaration = {
  name: 'ls',
  alias: 'list',
  description: 'list databases',
  options: [
    ['--project <name>', 'only databases in this project'],
    choiceOption('--kind <kind>', 'only this kind', kinds),
    choiceOption('--status <status>', 'only this status: done is up, idle is stopped', statuses),
    ['--node <host>', 'only databases with their data on this node'],
    ['--search <text>', 'only databases with this text in their names'],
  ],
  examples: ['berth ls', 'berth ls --project shop', 'berth ls --status error --json'],
  run: list,
}

export const showCommand: CommandDeclaration = {
  name: 'show',
  description: 'show one database with its state and its image',
  arguments: [databaseArgument],
  examples: ['berth show shop/orders', 'berth show shop/orders --json'],
  run: show,
}

async function list({ open, output }: Session, options: ListOptions): Promise<Outcome> {
  const client = open(options)
  const { kind, status, node, search } = options
  const projectId = options.project === undefined ? undefined : (await findProject(client, options.project)).projectId
  const filters = { ...given('kind', kind), ...given('status', status), ...given('node', node) }
  const databases = await client.database.all({
    ...filters,
    ...given('search', search),
    ...given('projectId', projectId),
  })
  const isFiltered = Object.keys(filters).length > 0 || search !== undefined || projectId !== undefined
  const none = isFiltered
    ? 'No database fits.'
    : 'There are no databases. Create one: berth create postgres NAME --project PROJECT'
  return {
    json: databases,
    show() {
      if (databases.length === 0) output.remark(none)
      output.table(
        ['name', 'kind', 'status', 'image', 'node', 'port'],
        databases.map((each) => [
          nameAmong(databases, each),
          each.databaseType,
          statusText(output, each),
          each.dockerImage,
          each.node ?? '-',
          String(each.externalPort ?? '-'),
        ]),
      )
    },
  }
}

/** The path, with the appName if another database has the same path. */
function nameAmong(databases: readonly DatabaseSummary[], database: DatabaseSummary): string {
  const path = pathOf(database)
  const isUnique = databases.filter((each) => pathOf(each) === path).length === 1
  return isUnique ? path : `${path} (${database.appName})`
}

const styles: Record<DatabaseSummary['applicationStatus'], Style> = {
  idle: 'faint',
  running: 'busy',
  done: 'good',
  error: 'bad',
}
const names = { idle: 'stopped', running: 'working', done: 'up', error: 'error' }

function statusText(output: Output, { applicationStatus, pendingChanges }: DatabaseSummary): string {
  const text = output.styled(styles[applicationStatus], names[applicationStatus])
  return pendingChanges && applicationStatus !== 'idle' ? `${text} (changed)` : text
}

async function show({ open, output }: Session, options: CommonOptions, name: string): Promise<Outcome> {
  const client = open(options)
  const database = await findDatabase(client, name)
  const record = await readDatabase(client, database)
  const text = (value: unknown) => (value === null || value === undefined ? null : String(value))
  const version = record.imageVersion === null ? '' : ` (version ${record.imageVersion})`
  return {
    json: record,
    show: () =>
      output.fields([
        ['name', pathOf(database)],
        ['kind', database.databaseType],
        ['status', statusText(output, database)],
        ['reason', database.statusReason],
        ['changes', database.pendingChanges ? `not deployed yet: berth deploy ${shellPathOf(database)}` : null],
        ['drift', record.drift.join('; ') || null],
        ['image', `${record.resolvedImage}${version}`],
        ['host', `${database.appName}, for clients in the swarm`],
        ['port', text(database.externalPort)],
        ['node', database.node],
        ['volume', record.volume],
        ['memory', record.memoryLimit === null ? null : `at most ${record.memoryLimit} MiB`],
        ['processor', record.cpuLimit === null ? null : `at most ${record.cpuLimit} cores`],
        ['start', record.startTimeout === null ? null : `at most ${record.startTimeout} minutes`],
        ['replica set', record.replicaSet ?? null],
        ['deployed', record.lastDeployedAt === null ? null : readableTime(record.lastDeployedAt)],
        ['backups', backupsText(record)],
        ['id', database.databaseId],
      ]),
  }
}

function backupsText({ backups }: { backups?: { schedule: string; nextAt: string | null }[] }): string | null {
  if (backups === undefined || backups.length === 0) return null
  return backups.map(({ schedule, nextAt }) => `${schedule}, next ${readableTime(nextAt)}`).join('; ')
}
