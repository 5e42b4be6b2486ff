/** The statements that other features need on projects. */
import { preparedInsert } from '../store/prepared.ts'
import type { Writer } from '../store/schema.ts'

export const insertProject = preparedInsert('project')

/** Returns the id of the oldest project. Creates a project with the given name if there is none. */
export async function someProject(tx: Writer, name: string, newId: () => string, now: Date): Promise<string> {
  const oldest = await tx.selectFrom('project').select('id').orderBy('id').limit(1).executeTakeFirst()
  if (oldest !== undefined) return oldest.id
  const id = newId()
  await insertProject(tx, { id, name, description: null, createdAt: now.toISOString() })
  return id
}
