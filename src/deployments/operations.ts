/** The operation that lists deployments: work that calls or Berth itself began, and how the work ended. */
import { z } from 'zod'
import { query } from '../api/contract.ts'
import { reasonAnswer } from './reason-message.ts'
import { type DeploymentTable, type SubjectKind, subjectKinds } from './table.ts'
import { cutPage, Id, page } from '../api/fields.ts'
import { ReasonCode } from './fields.ts'

const State = z.enum(['running', 'done', 'error', 'superseded'], 'must be running, done, error or superseded')

const Deployment = z.object({
  deploymentId: z.string(),
  databaseType: z.string().nullable().describe('The kind of the service; null where it is no longer known'),
  serviceId: z
    .string()
    .nullable()
    .describe('The id of the service, which may be gone; null for a volume or a node alone'),
  volumeId: z.string().nullable().describe('Of the removal of a kept volume'),
  nodeId: z.string().nullable().describe('Of the removal of a node'),
  subjectKind: z.enum(subjectKinds).optional().describe('The kind of record that the work changes'),
  subjectId: z.string().optional().describe('The id of that record'),
  appName: z.string().nullable().describe("The service's name at that time"),
  action: z.string().describe('What was asked for; repair, restart and halt are of Berth or the swarm itself'),
  state: State,
  phase: z
    .enum(['apply', 'rollback', 'halt'])
    .describe('After a failure it goes back to the last good specification, or halts where there is none'),
  reason: z.string().nullable().describe('Why it failed, or what it is about'),
  reasonCode: ReasonCode,
  startedAt: z.string(),
  finishedAt: z.string().nullable(),
})

export const all = query({
  name: 'deployment.all',
  summary: 'List the work on services, oldest first: what was done, by which call, and how it ended',
  description: 'Work that has ended is forgotten after 90 days. What is of a removed service stays until then.',
  access: 'user:read',
  input: z.object({
    ...page,
    projectId: Id.optional().describe('Of the services that are in this project now'),
    serviceId: Id.optional().describe('Of this service alone, removed or not'),
    state: State.optional(),
  }),
  output: z.array(Deployment),
  async run({ db, more }, { limit, cursor, projectId, serviceId, state }) {
    let rows = db.selectFrom('deployment').selectAll().orderBy('id')
    if (cursor !== undefined) rows = rows.where('id', '>', cursor)
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
    return cutPage(await rows.execute(), limit, more).map(toDeployment)
  },
})

/**
 * The answer's field that holds the subject's id. Ports and registries are in `serviceId`, because they were before
 * `subjectKind` existed.
 */
const subjectField: Partial<Record<SubjectKind, string>> = { volume: 'volumeId', node: 'nodeId' }

function toDeployment({ id, kind, phaseAt: _, reason, ...rest }: DeploymentTable) {
  const field = subjectField[rest.subjectKind] ?? 'serviceId'
  const about = { serviceId: null, volumeId: null, nodeId: null, [field]: rest.subjectId }
  return { ...rest, ...reasonAnswer(reason), deploymentId: id, databaseType: kind, ...about }
}
