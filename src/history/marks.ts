/** What happened to a database at which time, for the time axis of its values. */
import type { Reader } from '../store/schema.ts'

/** At most this many marks of each kind are answered, the newest. */
const maxMarks = 200

export const markKinds = ['deployment', 'restart', 'backup', 'condition'] as const

export interface Mark {
  kind: (typeof markKinds)[number]
  /** The action of a deployment or of a run of a backup, or the name of a condition. */
  name: string
  at: string
  /** Null if it has not ended. */
  endedAt: string | null
  /** The state of a deployment or a run; the severity of a condition. */
  state: string
}

/** Returns what lay between two times, oldest first. Conditions only of the database itself. */
export async function marksOf(db: Reader, databaseId: string, from: string, until: string): Promise<Mark[]> {
  const deployments = await db
    .selectFrom('deployment')
    .select(['action as name', 'startedAt as at', 'finishedAt as endedAt', 'state'])
    .where('subjectKind', '=', 'database')
    .where('subjectId', '=', databaseId)
    .where('startedAt', '<', until)
    .where(({ eb, or }) => or([eb('finishedAt', 'is', null), eb('finishedAt', '>=', from)]))
    .orderBy('id', 'desc')
    .limit(maxMarks)
    .execute()
  const runs = await db
    .selectFrom('backupRun')
    .select(['action as name', 'createdAt as at', 'finishedAt as endedAt', 'status as state'])
    .where('databaseId', '=', databaseId)
    .where('createdAt', '<', until)
    .where(({ eb, or }) => or([eb('finishedAt', 'is', null), eb('finishedAt', '>=', from)]))
    .orderBy('id', 'desc')
    .limit(maxMarks)
    .execute()
  const conditions = await conditionsOf(db, 'database', databaseId, from, until)
  return [
    ...deployments.map((row): Mark => ({ kind: unasked.has(row.name) ? 'restart' : 'deployment', ...row })),
    ...runs.map((row): Mark => ({ kind: 'backup', ...row })),
    ...conditions,
  ].sort((a, b) => (a.at < b.at ? -1 : 1))
}

/** The conditions of a node between two times, oldest first. */
export async function marksOfNode(db: Reader, nodeId: string, from: string, until: string): Promise<Mark[]> {
  return (await conditionsOf(db, 'node', nodeId, from, until)).sort((a, b) => (a.at < b.at ? -1 : 1))
}

async function conditionsOf(
  db: Reader,
  kind: 'database' | 'node',
  id: string,
  from: string,
  until: string,
): Promise<Mark[]> {
  let rows = db
    .selectFrom('condition')
    .select(['name', 'since as at', 'endedAt', 'severity as state'])
    .where('subjectKind', '=', kind)
    .where('subjectId', '=', id)
    .where('since', '<', until)
    .where(({ eb, or }) => or([eb('endedAt', 'is', null), eb('endedAt', '>=', from)]))
    .orderBy('id', 'desc')
    .limit(maxMarks)
  // Those of a node are read by administrators only.
  if (kind === 'database') rows = rows.where('adminOnly', '=', 0)
  return (await rows.execute()).map((row): Mark => ({ kind: 'condition', ...row }))
}

/** The actions that Berth records when a database has failed, without a call. */
const unasked = new Set<string>(['restart', 'repair', 'halt'])
