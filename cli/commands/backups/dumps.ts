/** Finds the dump that a command of backups means, and says in words what it is. */
import type { Client } from '../../../client/client.ts'
import { type DatabaseSummary, pathOf } from '../../databases.ts'
import { CommandError } from '../../exit.ts'
import { findNamed } from '../../names.ts'
import type { Run } from '../../runs.ts'
import { exactTime, readableTime } from '../../terminal/size.ts'

export const runOption = ['--run <id>', 'another dump than the last good one (berth backup ls DATABASE)'] as const

/** The newest good dump, which is never a safety dump, or the dump whose id begins with `id`. Berth decides which. */
export async function findDump(client: Client, database: DatabaseSummary, id: string | undefined): Promise<Run> {
  if (id === undefined) {
    const { newest } = await client.backup.restorable({ serviceId: database.databaseId })
    if (newest !== null) return newest
    const path = pathOf(database)
    throw new CommandError('notFound', `${path} has no good dump`, `Make one: berth backup now ${path}`)
  }
  const runs = await client.backup.runs({ serviceId: database.databaseId, order: 'desc' })
  const dumps = runs.filter(({ action, status, key }) => action === 'dump' && status === 'done' && key !== null)
  return findNamed('good dump', id, dumps, ({ runId }) => [runId])
}

/** The safety dump that the last restore made before it replaced the data of the database. */
export async function findUndo(client: Client, database: DatabaseSummary): Promise<Run> {
  const { undo, noUndo } = await client.backup.restorable({ serviceId: database.databaseId })
  if (undo !== null) return undo
  const hint = `List the dumps with berth backup ls ${pathOf(database)}, and restore one with --run`
  throw new CommandError('notFound', noUndo?.message ?? 'There is nothing to undo', hint)
}

type Described = NonNullable<Run['dump']>

/** Such as `the scheduled dump of 2026-11-22 03:00 UTC (5 h ago), with 20000 rows`. */
export function dumpText({
  trigger,
  startedAt,
  rowCount,
}: Omit<Described, 'rowCount'> & Pick<Run, 'rowCount'>): string {
  const rows = rowCount === null ? '' : `, with ${rowCount} ${rowCount === 1 ? 'row' : 'rows'}`
  return `the ${trigger === null ? 'dump' : dumpKinds[trigger]} of ${exactTime(startedAt)}${rows}`
}

const dumpKinds: Record<Run['trigger'], string> = {
  schedule: 'scheduled dump',
  manual: 'manual dump',
  safety: 'safety dump',
}

/** What a run does, for lists; of a dump also its kind. */
export const actionText = ({ action, trigger }: Pick<Run, 'action' | 'trigger'>): string =>
  action === 'dump' ? dumpKinds[trigger] : action

/** When a drill verified the dump, or why no drill did. */
export const verifiedText = ({ verification, verifiedAt }: Pick<Run, 'verification' | 'verifiedAt'>): string => {
  if (verification === 'failed') return 'failed'
  return verification === 'notVerifiable' ? 'not verifiable' : readableTime(verifiedAt)
}

/** What a person should know about a dump, a line for each finding. */
export function findingLines({ findings, findingCount }: Pick<Run, 'findings' | 'findingCount'>): string[] {
  const lines = findings.map(({ message, remedy }) => `${message}. ${remedy}.`)
  const more = findingCount - findings.length
  return more > 0 ? [...lines, `${more} more: berth backup manifest DATABASE --json`] : lines
}

/** What a restore of this dump loses. */
export const lossText = (startedAt: string) => `What changed since ${exactTime(startedAt)} is not in the dump.`
