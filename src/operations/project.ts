/** Projects: what a team's services are gathered under. */
import { z } from 'zod'
import { command, query } from '../contract.ts'
import { refuse } from '../errors.ts'
import type { ProjectTable, Reader } from '../store/schema.ts'
import { cutPage, Description, Id, Name, page } from './fields.ts'

const Project = z.object({
  projectId: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  createdAt: z.string(),
})

export const create = command({
  name: 'project.create',
  summary: 'Make a project',
  access: 'user',
  input: z.object({ name: Name, description: Description }),
  output: Project,
  async run({ tx, now, newId }, { name, description }) {
    const row = { id: newId(), name, description: description ?? null, createdAt: now().toISOString() }
    await tx.insertInto('project').values(row).execute()
    return toRecord(row)
  },
})

export const one = query({
  name: 'project.one',
  summary: 'Read a project with its services',
  access: 'user',
  input: z.object({ projectId: Id }),
  output: Project,
  refusals: ['NOT_FOUND'],
  async run({ db }, { projectId }) {
    return toRecord(await find(db, projectId))
  },
})

export const all = query({
  name: 'project.all',
  summary: 'List the projects with their services, oldest first',
  access: 'user',
  input: z.object(page),
  output: z.array(Project),
  async run({ db, more }, { limit, cursor }) {
    let rows = db.selectFrom('project').selectAll().orderBy('id')
    if (cursor !== undefined) rows = rows.where('id', '>', cursor)
    if (limit !== undefined) rows = rows.limit(limit + 1)
    return cutPage(await rows.execute(), limit, more).map(toRecord)
  },
})

async function find(db: Reader, projectId: string): Promise<ProjectTable> {
  const row = await db.selectFrom('project').selectAll().where('id', '=', projectId).executeTakeFirst()
  return row ?? refuse('NOT_FOUND', 'There is no such project. project.all lists those there are')
}

function toRecord({ id, ...rest }: ProjectTable) {
  return { projectId: id, ...rest }
}
