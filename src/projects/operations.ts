/** Operations on projects, which group the services of a team. */
import { z } from 'zod'
import { command, type CommandContext, query } from '../api/contract.ts'
import { refuse } from '../errors.ts'
import { kindNamed, kinds } from '../kinds/index.ts'
import { prepared } from '../store/prepared.ts'
import { insertProject } from './queries.ts'
import type { DatabaseTable, ProjectTable, Reader } from '../store/schema.ts'
import type { Vault } from '../store/vault.ts'
import { listRecord } from '../databases/operations/fields.ts'
import { type ListRow, selectListRows, selectRows, toListRecord } from '../databases/operations/records.ts'
import { beginRemove } from '../databases/begin-work.ts'
import { answerShape } from '../api/answer-shape.ts'
import { answeredIdOf, CreatedAt, cutPage, Description, idOf, Name, page } from '../api/fields.ts'

const services = Object.fromEntries(
  kinds.map((kind) => [
    kind.name,
    z.array(listRecord(kind)).describe(`The ${kind.label} services of the project, oldest first`),
  ]),
)

const fields = {
  name: Name.describe('Name of the project. Several projects may have the same name'),
  description: Description,
}

const Project = z.object({
  projectId: answeredIdOf('project'),
  ...answerShape(fields),
  createdAt: CreatedAt,
  ...services,
})

export const create = command({
  name: 'project.create',
  summary: 'Create a project',
  access: 'user:admin',
  input: z.object(fields),
  output: Project,
  async run({ tx, vault, now, newId }, { name, description = null }) {
    const row = { id: newId(), name, description, createdAt: now().toISOString() }
    await insertProject(tx, row)
    return toProject(row, [], vault)
  },
})

export const one = query({
  name: 'project.one',
  summary: 'Read a project with its services',
  access: 'user:read',
  input: z.object({ projectId: idOf('project') }),
  output: Project,
  refusals: ['NOT_FOUND'],
  tag: { observed: [], records: kinds.map(({ name }) => name) },
  async run({ db, vault }, { projectId }) {
    return toProject(await find(db, projectId), await servicesOf(db, projectId), vault)
  },
})

export const all = query({
  name: 'project.all',
  summary: 'List the projects with their services, oldest first',
  access: 'user:read',
  input: z.object(page),
  output: z.array(Project),
  async run({ db, vault, setNextCursor }, { limit, cursor }) {
    let query = db.selectFrom('project').selectAll().orderBy('id')
    if (cursor !== undefined) query = query.where('id', '>', cursor)
    if (limit !== undefined) query = query.limit(limit + 1)
    const projects = cutPage(await query.execute(), limit, setNextCursor)
    if (projects.length === 0) return []
    const rows = await rowsBetween(db, projects[0]!.id, projects.at(-1)!.id)
    const byProject = Map.groupBy(rows, (row) => row.projectId)
    return projects.map((project) => toProject(project, byProject.get(project.id) ?? [], vault))
  },
})

export const update = command({
  name: 'project.update',
  summary: 'Change the name or the description of a project',
  access: 'user:admin',
  input: z.object({ projectId: idOf('project'), ...fields }),
  output: Project,
  refusals: ['NOT_FOUND'],
  async run({ tx, vault }, { projectId, name, description }) {
    const before = await find(tx, projectId)
    const after = { ...before, name, description: description === undefined ? before.description : description }
    await tx.updateTable('project').set({ name, description: after.description }).where('id', '=', projectId).execute()
    return toProject(after, await servicesOf(tx, projectId), vault)
  },
})

export const remove = command({
  name: 'project.remove',
  summary: 'Remove a project',
  description:
    'A project with services is removed only with `cascade: true`, which also removes its services. Berth keeps ' +
    'their volumes.',
  access: 'user:admin',
  input: z.object({
    projectId: idOf('project'),
    cascade: z.boolean().optional().describe('If true, the services of the project are removed too. Default: false'),
  }),
  output: Project,
  refusals: ['NOT_FOUND', 'CONFLICT'],
  async run(context, { projectId, cascade }) {
    const project = await find(context.tx, projectId)
    const rows = await selectRows(context.tx)
      .where('database.projectId', '=', projectId)
      .orderBy('database.id')
      .execute()
    if (cascade !== true && rows.length > 0) refuseNonEmpty(rows)
    await removeAll(context, rows)
    await context.tx.deleteFrom('project').where('id', '=', projectId).execute()
    return toProject(project, rows, context.vault)
  },
})

function refuseNonEmpty(rows: DatabaseTable[]): never {
  const names = rows.map(({ kind, appName }) => `${kind} ${appName}`).join(', ')
  refuse('CONFLICT', `The project still has services: ${names}. Remove the services first, or send cascade: true`)
}

async function removeAll(context: CommandContext, rows: DatabaseTable[]) {
  for (const row of rows) await beginRemove(context, row, false)
}

const projectById = prepared((db, id: string) => db.selectFrom('project').selectAll().where('id', '=', id))

const servicesOf = prepared((db, id: string) => selectListRows(db).where('projectId', '=', id).orderBy('id'))

// The rows are ordered like the index on these columns, so SQLite need not sort.
const rowsBetween = prepared((db, first: string, last: string) =>
  selectListRows(db).where('projectId', '>=', first).where('projectId', '<=', last).orderBy('projectId').orderBy('id'),
)

async function find(db: Reader, projectId: string): Promise<ProjectTable> {
  const [row] = await projectById(db, projectId)
  return row ?? refuse('NOT_FOUND', 'No project with this id. project.all lists all projects')
}

function toProject({ id, name, description, createdAt }: ProjectTable, rows: ListRow[], vault: Vault) {
  const grouped: Record<string, unknown[]> = {}
  for (const { name } of kinds) grouped[name] = []
  for (const row of rows) grouped[row.kind]!.push(toListRecord(row, kindNamed(row.kind), vault))
  return { projectId: id, name, description, createdAt, ...grouped }
}
