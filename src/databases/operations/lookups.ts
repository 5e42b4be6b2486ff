/** Operations that find databases of all kinds, by name or by what is known about them. */
import { sql } from 'kysely'
import { z } from 'zod'
import { query } from '../../api/contract.ts'
import { answerShape } from '../../api/answer-shape.ts'
import { afterCursor, CreatedAt, cutPage, Id, Order, page } from '../../api/fields.ts'
import { projectInReach } from '../../api/reach/filter.ts'
import type { Reach } from '../../api/reach/reach.ts'
import { refuse } from '../../errors.ts'
import { kinds } from '../../kinds/index.ts'
import { nearest } from '../../lib/text/nearest.ts'
import type { Reader } from '../../store/schema.ts'
import { optional, required, Status } from '../columns.ts'
import { statusAnswer } from '../status-message.ts'

const kindNames = kinds.map(({ name }) => name) as [string, ...string[]]
const { name, appName, projectId, dockerImage } = answerShape(required.shape)
const { applicationStatus, externalPort } = answerShape(optional.shape)

const Summary = z.object({
  databaseId: z.string().describe('The id that operations of the kind call <kind>Id, for example postgresId'),
  databaseType: z.enum(kindNames).describe('The kind: the group of the operations for this database'),
  name,
  appName,
  projectId,
  projectName: z.string().describe('Name of that project'),
  dockerImage,
  applicationStatus,
  statusReason: z.string().nullable().describe('Why the database has this status; null without a reason'),
  statusCode: z.string().nullable().describe('The code of that reason, for programs; null without a reason'),
  containerState: z
    .string()
    .nullable()
    .describe('State of the container, as in <kind>.one; null if never deployed or stopped'),
  pendingChanges: z.boolean().describe('Whether the record differs from what runs. A deploy applies the difference'),
  externalPort,
  node: z
    .string()
    .nullable()
    .describe('Host name of the node with the volume; before the volume exists, the requested node or null'),
  createdAt: CreatedAt,
})

/** The databases in reach with their projects and nodes, except those that are being removed. */
const selectSummaries = (db: Reader, reach: Reach) =>
  db
    .selectFrom('database')
    .innerJoin('project', 'project.id', 'database.projectId')
    .leftJoin('volume', 'volume.id', 'database.volumeId')
    .select([
      'database.id',
      'database.kind',
      'database.name',
      'database.appName',
      'database.projectId',
      'project.name as projectName',
      'database.dockerImage',
      'database.applicationStatus',
      'database.statusReason',
      'database.containerState',
      'database.pendingChanges',
      'database.externalPort',
      'database.node',
      'volume.nodeName',
      'database.createdAt',
    ])
    .where('database.goal', '!=', 'gone')
    .$if(reach !== 'all', (rows) => rows.where(projectInReach(reach, 'database.projectId')))

type SummaryRow = Awaited<ReturnType<ReturnType<typeof selectSummaries>['execute']>>[number]

function toSummary({ id, kind, statusReason, pendingChanges, node, nodeName, projectId, ...rest }: SummaryRow) {
  return {
    ...rest,
    ...statusAnswer(statusReason),
    databaseId: id,
    databaseType: kind,
    projectId: projectId!,
    pendingChanges: pendingChanges === 1,
    node: nodeName ?? node,
  }
}

export const all = query({
  name: 'database.all',
  summary: 'List databases of all kinds',
  description: 'The records are short: <kind>.one answers all fields of one database.',
  access: 'user:read',
  reach: 'filtered',
  input: z.object({
    ...page,
    search: z
      .string()
      .min(1)
      .max(255)
      .optional()
      .describe('Only databases with this text in their name or appName, ignoring case'),
    kind: z.enum(kindNames).optional().describe('Only databases of this kind'),
    status: Status.optional().describe('Only databases with this applicationStatus'),
    node: z
      .string()
      .min(1)
      .max(255)
      .optional()
      .describe('Only databases with their data on the node of this host name'),
    projectId: Id.optional().describe('Only databases in this project'),
    order: Order,
  }),
  output: z.array(Summary),
  async run({ db, actor, setNextCursor }, { limit, cursor, search, kind, status, node, projectId, order }) {
    let rows = selectSummaries(db, actor.reach).orderBy('database.id', order)
    if (cursor !== undefined) rows = rows.where('database.id', afterCursor[order], cursor)
    if (kind !== undefined) rows = rows.where('database.kind', '=', kind)
    if (status !== undefined) rows = rows.where('database.applicationStatus', '=', status)
    if (projectId !== undefined) rows = rows.where('database.projectId', '=', projectId)
    if (node !== undefined) {
      rows = rows.where((eb) => eb(eb.fn.coalesce('volume.nodeName', 'database.node'), '=', node))
    }
    if (search !== undefined) {
      const contains = (column: 'database.name' | 'database.appName') => sqlContains(column, search)
      rows = rows.where((eb) => eb.or([contains('database.name'), contains('database.appName')]))
    }
    if (limit !== undefined) rows = rows.limit(limit + 1)
    return cutPage(await rows.execute(), limit, setNextCursor).map(toSummary)
  },
})

/** Case-insensitive for ASCII letters. No character of the text has a special meaning. */
const sqlContains = (column: 'database.name' | 'database.appName', text: string) =>
  sql<boolean>`instr(lower(${sql.ref(column)}), lower(${text})) > 0`

export const find = query({
  name: 'database.find',
  summary: 'Find a database by its name',
  description:
    'If no database has the name, the answer is 404 and names the nearest ones. If several databases of the project ' +
    'have the name, the answer is 409 and names their appNames.',
  access: 'user:read',
  reach: 'filtered',
  input: z.object({
    name: z.string().min(1).max(600).describe('The appName, or the names of the project and the database: shop/orders'),
  }),
  output: Summary,
  refusals: ['NOT_FOUND', 'CONFLICT'],
  async run({ db, actor }, { name }) {
    const rows = await selectSummaries(db, actor.reach).orderBy('database.id').execute()
    const matching = rows.filter((row) => row.appName === name || pathOf(row) === name)
    if (matching.length > 1) refuseAmbiguous(name, matching)
    return toSummary(matching[0] ?? refuseUnknown(name, rows))
  },
})

const pathOf = ({ projectName, name }: SummaryRow) => `${projectName}/${name}`

function refuseAmbiguous(name: string, rows: SummaryRow[]): never {
  const names = rows.map(({ appName }) => appName).join(', ')
  refuse('CONFLICT', `name: ${rows.length} databases are called ${name}. Send the appName of one of them: ${names}`, {
    issues: [{ path: 'name', message: 'is the name of several databases' }],
  })
}

function refuseUnknown(name: string, rows: SummaryRow[]): never {
  const near = nearest(
    name,
    rows.flatMap((row) => [pathOf(row), row.appName]),
  )
  const hint = near.length === 0 ? 'database.all lists all databases' : `Did you mean ${near.join(' or ')}?`
  refuse('NOT_FOUND', `There is no database with the name ${name}. ${hint}`)
}
