/** The operation that lists deployments: work that a call or Berth itself began, and its outcome. */
import { z } from 'zod'
import { query } from '../api/contract.ts'
import { databaseInReach } from '../api/reach/filter.ts'
import { reasonAnswer } from './reason-message.ts'
import { type DeploymentTable, type SubjectKind, subjectKinds } from './table.ts'
import { afterCursor, answeredIdOf, cutPage, Id, Order, page, Since } from '../api/fields.ts'
import { instantOf } from '../api/instants.ts'
import { ReasonCode } from './fields.ts'

const State = z
  .enum(['running', 'done', 'error', 'superseded'], 'must be running, done, error or superseded')
  .describe(
    'running: in progress. done: succeeded. error: failed, see reason. superseded: a later call replaced the work',
  )

const Deployment = z.object({
  deploymentId: answeredIdOf('deployment'),
  databaseType: z
    .string()
    .nullable()
    .describe('Kind of the database, or port, registry or node; null if it is unknown'),
  serviceId: z
    .string()
    .nullable()
    .describe(
      'Id of the database, published port or registry, which may be removed by now; null if the work was on a ' +
        'volume or a node',
    ),
  volumeId: z.string().nullable().describe('Id of the kept volume that was removed; null for other work'),
  nodeId: z.string().nullable().describe('Id of the node that was removed; null for other work'),
  subjectKind: z.enum(subjectKinds).optional().describe('Kind of the record that the work changes'),
  subjectId: z.string().optional().describe('Id of the record that the work changes'),
  appName: z
    .string()
    .nullable()
    .describe(
      'Name of that record when the work began: the appName of a database, or of the last owner of a volume; the ' +
        'application of a port; the host name of a node. Null if unknown',
    ),
  action: z
    .string()
    .describe(
      'Kind of work, such as deploy or removeNode. Calls begin all kinds except repair, restart and halt, which ' +
        'Berth or Swarm begins',
    ),
  state: State,
  phase: z
    .enum(['apply', 'rollback', 'halt'])
    .describe(
      'apply carries out the request. After a failure, rollback returns to the last good configuration. If there is ' +
        'none, halt stops the service.',
    ),
  reason: z.string().nullable().describe('Why the work failed, what it waits for, or its progress, as a message'),
  reasonCode: ReasonCode,
  startedAt: z.string().describe('When the work began'),
  finishedAt: z.string().nullable().describe('When the work ended; null while it is running'),
})

export const all = query({
  name: 'deployment.all',
  summary: 'List the deployments of services with their outcome',
  description:
    'A deployment is work that a call or Berth itself began. Deployments that have ended are deleted after 90 days, ' +
    'also those of removed services.',
  access: 'user:read',
  reach: 'filtered',
  input: z.object({
    ...page,
    projectId: Id.optional().describe('List only the deployments of databases that are in this project now'),
    serviceId: Id.optional().describe('List only the deployments of this service, which may be removed'),
    state: State.optional().describe('List only deployments in this state'),
    order: Order,
    since: Since,
  }),
  output: z.array(Deployment),
  async run({ db, actor, now, setNextCursor }, { limit, cursor, projectId, serviceId, state, order, since }) {
    let rows = db.selectFrom('deployment').selectAll().orderBy('id', order)
    if (cursor !== undefined) rows = rows.where('id', afterCursor[order], cursor)
    if (actor.reach !== 'all') rows = rows.where(databaseInReach(actor.reach, 'deployment.databaseId'))
    if (since !== undefined) rows = rows.where('startedAt', '>=', instantOf(since, now())!)
    if (state !== undefined) rows = rows.where('state', '=', state)
    if (serviceId !== undefined) {
      rows = rows.where('subjectId', '=', serviceId).where('subjectKind', 'not in', ['volume', 'node'])
    }
    if (projectId !== undefined) {
      rows = rows.where('subjectId', 'in', (from) =>
        from.selectFrom('database').select('database.id').where('database.projectId', '=', projectId),
      )
    }
    if (limit !== undefined) rows = rows.limit(limit + 1)
    return cutPage(await rows.execute(), limit, setNextCursor).map(toDeployment)
  },
})

/**
 * The response fields that contain the ids of volumes and of nodes. The ids of all other subjects are in `serviceId`:
 * clients that are older than `subjectKind` read the ids of ports and registries there.
 */
const subjectField: Partial<Record<SubjectKind, string>> = { volume: 'volumeId', node: 'nodeId' }

function toDeployment({ id, kind, phaseAt: _, databaseId: __, reason, ...rest }: DeploymentTable) {
  const field = subjectField[rest.subjectKind] ?? 'serviceId'
  const about = { serviceId: null, volumeId: null, nodeId: null, [field]: rest.subjectId }
  return { ...rest, ...reasonAnswer(reason), deploymentId: id, databaseType: kind, ...about }
}
