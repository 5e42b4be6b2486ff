/** How lists and messages name a database: as commands and documents do. */
import type { Reader } from '../../store/schema.ts'
import type { ConditionTable } from '../table.ts'

type Subject = Pick<ConditionTable, 'subjectKind' | 'subjectId' | 'projectId'>

/** Returns the path (project/name) of the database of a condition; null for other subjects. */
export type PathOf = (condition: Pick<Subject, 'subjectId' | 'projectId'>) => string | null

/**
 * Reads the paths of the databases of conditions and of their backups. A database that was moved to another project since
 * has none: who sees its former conditions may not know of that project.
 */
export async function readPaths(db: Reader, conditions: readonly Subject[]): Promise<PathOf> {
  const idsOf = (kind: ConditionTable['subjectKind']) =>
    conditions.filter(({ subjectKind }) => subjectKind === kind).map(({ subjectId }) => subjectId)
  const rows = db
    .selectFrom('database')
    .innerJoin('project', 'project.id', 'database.projectId')
    .select(['project.id as projectId', 'project.name as projectName', 'database.name as databaseName'])
  const databases = await rows.select('database.id').where('database.id', 'in', idsOf('database')).execute()
  const backups = await rows
    .innerJoin('backup', 'backup.databaseId', 'database.id')
    .select('backup.id')
    .where('backup.id', 'in', idsOf('backup'))
    .execute()
  const found = new Map([...databases, ...backups].map((row) => [row.id, row]))
  return ({ subjectId, projectId }) => {
    const row = found.get(subjectId)
    return row !== undefined && row.projectId === projectId ? `${row.projectName}/${row.databaseName}` : null
  }
}
