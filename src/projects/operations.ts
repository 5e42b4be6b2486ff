/** Operations on projects, which group the services of a team. */
import { z } from 'zod'
import { type Actor, command, type CommandContext, query } from '../api/contract.ts'
import { projectInReach } from '../api/reach/filter.ts'
import { refuse } from '../errors.ts'
import { AllowedSources, checkSources, sourcesColumn, type SourcesNode } from '../gateways/sources/fields.ts'
import { kindNamed, kinds } from '../kinds/index.ts'
import { fromJson } from '../lib/json.ts'
import { prepared, preparedInsert } from '../store/prepared.ts'
import type { DatabaseTable, ProjectTable, Reader } from '../store/schema.ts'
import type { Vault } from '../store/vault.ts'
import { listRecord } from '../databases/operations/fields.ts'
import { type ListRow, selectListRows, selectRows, toListRecord } from '../databases/operations/records.ts'
import { beginRemove } from '../databases/begin-work.ts'
import { answerShape } from '../api/answer-shape.ts'
import { findProject } from './find.ts'
import { Role } from './members.ts'
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
  allowedSources: AllowedSources.optional().describe(
    'Addresses and networks from which clients can connect to the external ports of those databases of the project that ' +
      'have no list of their own. Empty: everyone. If left out, create stores an empty list, and update keeps the list',
  ),
}

const Project = z.object({
  projectId: answeredIdOf('project'),
  ...answerShape(fields),
  createdAt: CreatedAt,
  role: Role.optional().describe('Your role in the project, with this token. owner: also if you reach all projects'),
  ...services,
})

export const create = command({
  name: 'project.create',
  summary: 'Create a project',
  description: 'Needs the reach of all projects. Add members with project.addMember.',
  access: 'user:admin',
  input: z.object(fields),
  output: Project,
  async run({ tx, actor, vault, now, newId }, { name, description = null, allowedSources = [] }) {
    const sources = sourcesColumn(allowedSources)
    const row = { id: newId(), name, description, allowedSources: sources, createdAt: now().toISOString() }
    await insertProject(tx, row)
    return toProject(row, [], { actor, vault })
  },
})

export const one = query({
  name: 'project.one',
  summary: 'Read a project with its services',
  access: 'user:read',
  reach: 'project',
  input: z.object({ projectId: idOf('project') }),
  output: Project,
  refusals: ['NOT_FOUND'],
  tag: { observed: ['role'], records: kinds.map(({ name }) => name) },
  async run({ db, actor, vault }, { projectId }) {
    return toProject(await findProject(db, projectId), await servicesOf(db, projectId), { actor, vault })
  },
})

export const all = query({
  name: 'project.all',
  summary: 'List the projects with their services, oldest first',
  access: 'user:read',
  reach: 'filtered',
  input: z.object(page),
  output: z.array(Project),
  async run({ db, actor, vault, setNextCursor }, { limit, cursor }) {
    let query = db.selectFrom('project').selectAll().orderBy('id')
    if (actor.reach !== 'all') query = query.where(projectInReach(actor.reach, 'project.id'))
    if (cursor !== undefined) query = query.where('id', '>', cursor)
    if (limit !== undefined) query = query.limit(limit + 1)
    const projects = cutPage(await query.execute(), limit, setNextCursor)
    if (projects.length === 0) return []
    const rows = await rowsBetween(db, projects[0]!.id, projects.at(-1)!.id)
    const byProject = Map.groupBy(rows, (row) => row.projectId)
    return projects.map((project) => toProject(project, byProject.get(project.id) ?? [], { actor, vault }))
  },
})

export const update = command({
  name: 'project.update',
  summary: 'Change the name, the description or the allowed sources of a project',
  access: 'user:admin',
  reach: 'project',
  input: z.object({ projectId: idOf('project'), ...fields }),
  output: Project,
  refusals: ['NOT_FOUND'],
  async run({ tx, actor, vault, wake }, { projectId, name, description, allowedSources }) {
    const before = await findProject(tx, projectId)
    await checkSources(tx, allowedSources, await nodesWithList(tx, projectId))
    const changes = {
      name,
      description: description === undefined ? before.description : description,
      allowedSources: allowedSources === undefined ? before.allowedSources : sourcesColumn(allowedSources),
    }
    const after = { ...before, ...changes }
    await tx.updateTable('project').set(changes).where('id', '=', projectId).execute()
    wake('sources')
    return toProject(after, await servicesOf(tx, projectId), { actor, vault })
  },
})

export const remove = command({
  name: 'project.remove',
  summary: 'Remove a project',
  description:
    'A project with services is removed only with `cascade: true`, which also removes its services. Berth keeps ' +
    'their volumes and backups, which then belong to no project: only callers that reach all projects see them.',
  access: 'user:admin',
  reach: 'project',
  input: z.object({
    projectId: idOf('project'),
    cascade: z.boolean().optional().describe('If true, the services of the project are removed too. Default: false'),
  }),
  output: Project,
  refusals: ['NOT_FOUND', 'CONFLICT'],
  async run(context, { projectId, cascade }) {
    const project = await findProject(context.tx, projectId)
    const rows = await selectRows(context.tx)
      .where('database.projectId', '=', projectId)
      .orderBy('database.id')
      .execute()
    if (cascade !== true && rows.length > 0) refuseNonEmpty(rows)
    await removeAll(context, rows)
    await context.tx.deleteFrom('project').where('id', '=', projectId).execute()
    return toProject(project, rows, context)
  },
})

/** The nodes of the databases that use the list of the project. */
function nodesWithList(db: Reader, projectId: string): Promise<SourcesNode[]> {
  return db
    .selectFrom('database')
    .innerJoin('volume', 'volume.id', 'database.volumeId')
    .select(['volume.nodeId as id', 'volume.nodeName as name'])
    .distinct()
    .where('database.projectId', '=', projectId)
    .where('database.allowedSources', 'is', null)
    .where('database.externalPort', 'is not', null)
    .execute()
}

function refuseNonEmpty(rows: DatabaseTable[]): never {
  const names = rows.map(({ kind, appName }) => `${kind} ${appName}`).join(', ')
  refuse('CONFLICT', `The project still has services: ${names}. Remove the services first, or send cascade: true`)
}

async function removeAll(context: CommandContext, rows: DatabaseTable[]) {
  for (const row of rows) await beginRemove(context, row, false)
}

const insertProject = preparedInsert('project')

const servicesOf = prepared((db, id: string) => selectListRows(db).where('projectId', '=', id).orderBy('id'))

// The rows are ordered like the index on these columns, so SQLite need not sort.
const rowsBetween = prepared((db, first: string, last: string) =>
  selectListRows(db).where('projectId', '>=', first).where('projectId', '<=', last).orderBy('projectId').orderBy('id'),
)

function toProject(
  { id, name, description, allowedSources, createdAt }: ProjectTable,
  rows: ListRow[],
  { actor: { reach }, vault }: { actor: Actor; vault: Vault },
) {
  const grouped: Record<string, unknown[]> = {}
  for (const { name } of kinds) grouped[name] = []
  for (const row of rows) grouped[row.kind]!.push(toListRecord(row, kindNamed(row.kind), vault))
  const role = reach === 'all' ? 'owner' : reach.get(id)
  const fields = { name, description, allowedSources: [...fromJson(allowedSources)], createdAt }
  return { projectId: id, ...fields, ...(role === undefined ? {} : { role }), ...grouped }
}
