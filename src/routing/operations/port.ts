/**
 * Operations on the published ports of applications. A gateway, which is a small proxy that Berth runs, publishes each
 * port. Berth never changes the application's own service.
 */
import { z } from 'zod'
import { type CommandContext, command, query, type QueryContext } from '../../api/contract.ts'
import { Port as PortNumber } from '../../databases/columns.ts'
import * as deployments from '../../deployments/queries.ts'
import type { PortReason } from '../../deployments/reason.ts'
import { reasonAnswer } from '../../deployments/reason-message.ts'
import type { DeploymentAction } from '../../deployments/table.ts'
import { refuse, refuseField } from '../../errors.ts'
import {
  AllowedSources,
  checkSources,
  EnforcedSources,
  enforcedSources,
  sourcesColumn,
} from '../../gateways/sources/fields.ts'
import { portNodes } from '../../gateways/sources/queries.ts'
import { fromJson, toJson } from '../../lib/json.ts'
import type { PortTable } from '../table.ts'
import type { Reader } from '../../store/schema.ts'
import { answerShape } from '../../api/answer-shape.ts'
import { answeredIdOf, CreatedAt, cutPage, Id, idOf, page } from '../../api/fields.ts'
import { ReasonCode } from '../../deployments/fields.ts'
import { portOwnerOf } from '../../ports/port-owners.ts'
import { AnsweredApplicationId, ApplicationId, checkApplication, ruleStatusFields } from '../fields.ts'

const fields = {
  publishedPort: PortNumber.describe('The port on the node that Berth runs on'),
  targetPort: PortNumber.describe('The port on which the application listens'),
  protocol: z
    .enum(['tcp', 'udp'], 'must be tcp or udp')
    .default('tcp')
    .describe('The protocol of both ports. An update without it means tcp'),
  allowedSources: AllowedSources.optional().describe(
    'Addresses and networks, such as 192.0.2.7 or 10.0.0.0/8, from which clients can connect. The gateway of a TCP port ' +
      'enforces a change within 2 s; that of a UDP port restarts. Empty: everyone. If left out, create stores an empty ' +
      'list, and update keeps the list',
  ),
}

const Port = z.object({
  portId: answeredIdOf('published port'),
  applicationId: AnsweredApplicationId,
  ...answerShape(fields),
  sources: EnforcedSources.describe('Who can connect, and what the gateway enforces of it'),
  createdAt: CreatedAt,
  ...ruleStatusFields,
  reasonCode: ReasonCode,
})

const gatewayText =
  'Berth runs a gateway that publishes the port. The gateway forwards to the tasks of the application, on whichever ' +
  'nodes they run. `Prefer: wait` waits for the end of the deployment.'

/** Returns the answer to a call with `Prefer: wait`: the port after its deployment has ended. */
const portAfterDeployment = async (context: PortContext, _input: unknown, [deploymentId = '']: string[]) => {
  const { subjectId } = await deployments.get(context.db, deploymentId)
  return toPort(context, await findPort(context.db, subjectId))
}

export const create = command({
  name: 'port.create',
  summary: 'Publish a port of an application',
  description: gatewayText,
  access: 'user:admin',
  input: z.object({ ...fields, applicationId: ApplicationId }),
  output: Port,
  refusals: ['CONFLICT'],
  async run(context, input) {
    const { tx, now, newId } = context
    await checkApplication(tx, input.applicationId)
    const row: PortTable = {
      ...input,
      allowedSources: sourcesColumn(input.allowedSources ?? []),
      id: newId(),
      goal: 'published',
      applied: 0,
      reason: toJson<PortReason>({ reason: 'GatewayCreating' }),
      deploymentId: null,
      createdAt: now().toISOString(),
    }
    await checkPublishedPort(context, row)
    await checkSources(tx, input.allowedSources, await portNodes(tx))
    await tx.insertInto('port').values(row).execute()
    return beginDeployment(context, row, 'publish')
  },
  finalAnswer: portAfterDeployment,
})

export const one = query({
  name: 'port.one',
  summary: 'Read a published port',
  access: 'user:read',
  input: z.object({ portId: idOf('published port') }),
  output: Port,
  refusals: ['NOT_FOUND'],
  tag: { observed: ['applied', 'reason', 'reasonCode', 'sources'] },
  run: async (context, { portId }) => toPort(context, await findPort(context.db, portId)),
})

export const all = query({
  name: 'port.all',
  summary: 'List published ports, oldest first',
  access: 'user:read',
  input: z.object({ ...page, applicationId: Id.optional().describe('Lists only the ports of this application') }),
  output: z.array(Port),
  async run({ db, now, setNextCursor }, { limit, cursor = '', applicationId }) {
    let rows = db.selectFrom('port').selectAll().where('goal', '=', 'published').where('id', '>', cursor).orderBy('id')
    if (applicationId !== undefined) rows = rows.where('applicationId', '=', applicationId)
    if (limit !== undefined) rows = rows.limit(limit + 1)
    const ports = cutPage(await rows.execute(), limit, setNextCursor)
    return Promise.all(ports.map((row) => toPort({ db, now }, row)))
  },
})

export const update = command({
  name: 'port.update',
  summary: 'Change a published port',
  description: gatewayText,
  access: 'user:admin',
  input: z.object({ portId: idOf('published port'), ...fields }),
  output: Port,
  refusals: ['NOT_FOUND', 'CONFLICT'],
  async run(context, { portId, allowedSources, ...given }) {
    await checkSources(context.tx, allowedSources, await portNodes(context.tx))
    const list = allowedSources === undefined ? {} : { allowedSources: sourcesColumn(allowedSources) }
    const changes = { ...given, ...list }
    const before = await findPort(context.tx, portId)
    const reason = toJson<PortReason>({ reason: 'GatewayChanging' })
    const row = { ...before, ...changes, applied: 0 as const, reason }
    await checkPublishedPort(context, row)
    await context.tx
      .updateTable('port')
      .set({ ...changes, applied: 0, reason })
      .where('id', '=', row.id)
      .execute()
    return beginDeployment(context, row, 'publish')
  },
  finalAnswer: portAfterDeployment,
})

export const remove = command({
  name: 'port.delete',
  summary: 'Unpublish a port',
  description:
    'Berth removes the gateway. The port cannot be published again before the gateway is removed. `Prefer: wait` ' +
    'waits for the removal.',
  access: 'user:admin',
  input: z.object({ portId: idOf('published port') }),
  output: Port,
  refusals: ['NOT_FOUND'],
  async run(context, { portId }) {
    const row = await findPort(context.tx, portId)
    const changes = { goal: 'gone' as const, reason: toJson<PortReason>({ reason: 'GatewayRemoving' }) }
    await context.tx.updateTable('port').set(changes).where('id', '=', row.id).execute()
    return beginDeployment(context, { ...row, ...changes }, 'unpublish')
  },
})

/** Refuses a published port that has another owner. */
async function checkPublishedPort({ tx, config }: CommandContext, { id, publishedPort: port, protocol }: PortTable) {
  const owner = await portOwnerOf(tx, config, { port, protocol, portId: id, reach: 'all' })
  if (owner !== null) refuseField('publishedPort', `${port} is ${owner}. Choose another port`, 'CONFLICT')
}

/** Records a deployment and wakes the loop `ports`. A deployment of this port that is in progress is superseded. */
async function beginDeployment(context: CommandContext, row: PortTable, action: DeploymentAction) {
  const { tx, now, newId, wake, follow } = context
  const deploymentId = newId()
  const startedAt = now()
  if (row.deploymentId !== null) await deployments.supersede(tx, row.deploymentId, startedAt)
  const subject: deployments.Subject = { kind: 'port', id: row.id, type: 'port', name: row.applicationId }
  await deployments.begin(tx, { id: deploymentId, action, subject }, startedAt)
  await tx.updateTable('port').set({ deploymentId }).where('id', '=', row.id).execute()
  wake('ports')
  wake('sources')
  follow(deploymentId)
  return toPort({ db: tx, now }, row)
}

/** Returns the port. Refuses with NOT_FOUND if there is none or the port is being unpublished. */
async function findPort(db: Reader, id: string): Promise<PortTable> {
  const row = await db
    .selectFrom('port')
    .selectAll()
    .where('id', '=', id)
    .where('goal', '=', 'published')
    .executeTakeFirst()
  return row ?? refuse('NOT_FOUND', 'No published port with this id. port.all lists all published ports')
}

/** What reading a port needs. */
type PortContext = Pick<QueryContext, 'db' | 'now'>

async function toPort(context: PortContext, row: PortTable) {
  const { id, applicationId, publishedPort, targetPort, protocol, createdAt, applied, reason } = row
  const sources = await enforcedSources(context, { kind: 'port', id })
  return {
    portId: id,
    applicationId,
    publishedPort,
    targetPort,
    protocol,
    allowedSources: [...fromJson(row.allowedSources)],
    // The gateway of a UDP port counts nothing.
    sources: protocol === 'tcp' ? sources : { ...sources, refusedAttempts: null },
    createdAt,
    applied: applied === 1,
    ...reasonAnswer(applied === 1 ? null : reason),
  }
}
