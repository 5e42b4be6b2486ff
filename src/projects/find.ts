/** Reads the project that a caller names by its id. */
import { refuse } from '../errors.ts'
import { prepared } from '../store/prepared.ts'
import type { ProjectTable, Reader } from '../store/schema.ts'

const projectById = prepared((db, id: string) => db.selectFrom('project').selectAll().where('id', '=', id))

/** Returns the project. Refuses with NOT_FOUND if it does not exist. */
export async function findProject(db: Reader, projectId: string): Promise<ProjectTable> {
  const [row] = await projectById(db, projectId)
  return row ?? refuse('NOT_FOUND', 'No project with this id. project.all lists all projects')
}
