/** Commands that show databases. */
import { type Command, Option } from 'commander'
import { findDatabase, idInput, pathOf, type DatabaseSummary } from '../databases.ts'
import type { Output, Style } from '../output.ts'
import type { CommonOptions, Session } from '../session.ts'

interface ListOptions extends CommonOptions {
  project?: string
  kind?: string
  status?: string
  search?: string
}

export function addList(program: Command, session: Session): void {
  program
    .command('ls')
    .alias('list')
    .description('list databases')
    .option('--project <name>', 'only databases in this project')
    .addOption(
      new Option('--kind <kind>', 'only this kind').choices(['postgres', 'mysql', 'mariadb', 'mongo', 'redis']),
    )
    .addOption(new Option('--status <status>', 'only this status').choices(['idle', 'running', 'done', 'error']))
    .option('--search <text>', 'only databases with this text in their names')
    .action((_, command: Command) => list(session, command.optsWithGlobals()))
  program
    .command('show')
    .argument('<database>', 'project/name, name or appName')
    .description('show one database with its address and state')
    .action((name: string, _, command: Command) => show(session, name, command.optsWithGlobals()))
}

async function list(
  { open, output }: Session,
  { project, kind, status, search, ...common }: ListOptions,
): Promise<void> {
  const client = open(common)
  const found = await client.database.all({
    ...(kind === undefined ? {} : { kind: kind as DatabaseSummary['databaseType'] }),
    ...(status === undefined ? {} : { status: status as DatabaseSummary['applicationStatus'] }),
    ...(search === undefined ? {} : { search }),
  })
  const rows = found.filter(({ projectName }) => project === undefined || projectName === project)
  if (common.json === true) return output.json(rows)
  if (rows.length === 0)
    return output.note('There are no databases. Create one: berth create postgres NAME --project P')
  output.table(
    ['name', 'kind', 'status', 'image', 'node', 'port'],
    rows.map((row) => [
      pathOf(row),
      row.databaseType,
      statusText(output, row),
      row.dockerImage,
      row.node ?? '-',
      row.externalPort === null ? '-' : String(row.externalPort),
    ]),
  )
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
  return pendingChanges ? `${text} (changed)` : text
}

async function show({ open, output }: Session, name: string, common: CommonOptions): Promise<void> {
  const client = open(common)
  const summary = await findDatabase(client, name)
  const record = (await client.call(`${summary.databaseType}.one`, idInput(summary))) as Record<string, unknown>
  if (common.json === true) return output.json(record)
  const connection = record.connection as { internalUrl: string; externalUrl: string | null }
  const text = (value: unknown) => (value === null || value === undefined ? null : String(value))
  output.fields([
    ['name', pathOf(summary)],
    ['id', summary.databaseId],
    ['kind', summary.databaseType],
    ['status', statusText(output, summary)],
    ['reason', summary.statusReason],
    ['image', text(record.resolvedImage)],
    ['node', summary.node],
    ['volume', text(record.volume)],
    ['memory limit', record.memoryLimit === null ? null : `${String(record.memoryLimit)} MiB`],
    ['cpu limit', text(record.cpuLimit)],
    ['inside', connection.internalUrl],
    ['outside', connection.externalUrl],
    ['deployed', text(record.lastDeployedAt)],
  ])
}
