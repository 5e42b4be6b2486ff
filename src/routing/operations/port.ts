/**
 * Operations on published ports of applications. One of Berth's gateways publishes each port; the application's service
 * is never changed.
 */
import { z } from 'zod'
import { type CommandContext, command, query } from '../../api/contract.ts'
import { Port as PortNumber } from '../../databases/columns.ts'
import * as deployments from '../../deployments/queries.ts'
import type { PortReason } from '../../deployments/reason.ts'
import { reasonAnswer } from '../../deployments/reason-message.ts'
import type { DeploymentAction } from '../../deployments/table.ts'
import { refuse, refuseField } from '../../errors.ts'
import { toJson } from '../../lib/json.ts'
import type { PortTable } from '../table.ts'
import type { Reader } from '../../store/schema.ts'
import { cutPage, Id, page } from '../../api/fields.ts'
import { ReasonCode } from '../../deployments/fields.ts'
import { portOwnerOf } from '../../ports/port-owners.ts'
import { ApplicationId, checkApplication, standing } from '../fields.ts'

const fields = {
  publishedPort: PortNumber.describe('On the address of the node that Berth runs on'),
  targetPort: PortNumber.describe('Where the application listens'),
  protocol: z.enum(['tcp', 'udp'], 'must be tcp or udp').default('tcp'),
}

const Port = z.object({
  portId: z.string(),
  applicationId: z.string(),
  publishedPort: z.number(),
  targetPort: z.number(),
  protocol: z.enum(['tcp', 'udp']),
  createdAt: z.string(),
  ...standing,
  reasonCode: ReasonCode,
})

const gatewayText =
  'The gateway is made, and follows the application wherever its tasks are; `Prefer: wait` waits for it.'

/** The answer to a call that waited (`Prefer: wait`): the port after the work. */
const settled = async ({ db }: { db: Reader }, _input: unknown, [workId = '']: string[]) => {
  const { subjectId } = await deployments.get(db, workId)
  return toPort(await find(db, subjectId))
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
      id: newId(),
      goal: 'published',
      applied: 0,
      reason: toJson<PortReason>({ reason: 'GatewayCreating' }),
      deploymentId: null,
      createdAt: now().toISOString(),
    }
    await checkFree(context, row)
    await tx.insertInto('port').values(row).execute()
    return beginDeployment(context, row, 'publish')
  },
  settled,
})

export const one = query({
  name: 'port.one',
  summary: 'Read a published port',
  access: 'user:read',
  input: z.object({ portId: Id }),
  output: Port,
  refusals: ['NOT_FOUND'],
  run: async ({ db }, { portId }) => toPort(await find(db, portId)),
})

export const all = query({
  name: 'port.all',
  summary: 'List published ports, oldest first',
  access: 'user:read',
  input: z.object({ ...page, applicationId: Id.optional().describe('Of this application alone') }),
  output: z.array(Port),
  async run({ db, more }, { limit, cursor = '', applicationId }) {
    let rows = db.selectFrom('port').selectAll().where('goal', '=', 'published').where('id', '>', cursor).orderBy('id')
    if (applicationId !== undefined) rows = rows.where('applicationId', '=', applicationId)
    if (limit !== undefined) rows = rows.limit(limit + 1)
    return cutPage(await rows.execute(), limit, more).map(toPort)
  },
})

export const update = command({
  name: 'port.update',
  summary: 'Change a published port',
  description: gatewayText,
  access: 'user:admin',
  input: z.object({ portId: Id, ...fields }),
  output: Port,
  refusals: ['NOT_FOUND', 'CONFLICT'],
  async run(context, { portId, ...changes }) {
    const before = await find(context.tx, portId)
    const reason = toJson<PortReason>({ reason: 'GatewayChanging' })
    const row = { ...before, ...changes, applied: 0 as const, reason }
    await checkFree(context, row)
    await context.tx
      .updateTable('port')
      .set({ ...changes, applied: 0, reason })
      .where('id', '=', row.id)
      .execute()
    return beginDeployment(context, row, 'publish')
  },
  settled,
})

export const remove = command({
  name: 'port.delete',
  summary: 'Unpublish a port',
  description: 'The gateway is removed; `Prefer: wait` waits for that. Until then the port cannot be published anew.',
  access: 'user:admin',
  input: z.object({ portId: Id }),
  output: Port,
  refusals: ['NOT_FOUND'],
  async run(context, { portId }) {
    const row = await find(context.tx, portId)
    const changes = { goal: 'gone' as const, reason: toJson<PortReason>({ reason: 'GatewayRemoving' }) }
    await context.tx.updateTable('port').set(changes).where('id', '=', row.id).execute()
    return beginDeployment(context, { ...row, ...changes }, 'unpublish')
  },
})

/** Refuses a port that has another owner. */
async function checkFree({ tx, config }: CommandContext, { id, publishedPort: port, protocol }: PortTable) {
  const holder = await portOwnerOf(tx, config, { port, protocol, portId: id })
  if (holder !== null) refuseField('publishedPort', `${port} is ${holder}. Choose another`, 'CONFLICT')
}

/** Records a deployment and wakes the loop. A deployment of this port that is in progress is superseded. */
async function beginDeployment(context: CommandContext, row: PortTable, action: DeploymentAction) {
  const { tx, now, newId, wake, follow } = context
  const [deploymentId, at] = [newId(), now()]
  if (row.deploymentId !== null) await deployments.supersede(tx, row.deploymentId, at)
  const subject: deployments.Subject = { kind: 'port', id: row.id, type: 'port', name: row.applicationId }
  await deployments.begin(tx, { id: deploymentId, action, subject }, at)
  await tx.updateTable('port').set({ deploymentId }).where('id', '=', row.id).execute()
  wake('ports')
  follow(deploymentId)
  return toPort(row)
}

async function find(db: Reader, id: string): Promise<PortTable> {
  const row = await db
    .selectFrom('port')
    .selectAll()
    .where('id', '=', id)
    .where('goal', '=', 'published')
    .executeTakeFirst()
  return row ?? refuse('NOT_FOUND', 'There is no such published port. port.all lists those there are')
}

function toPort({ id, applicationId, publishedPort, targetPort, protocol, createdAt, applied, reason }: PortTable) {
  return {
    portId: id,
    applicationId,
    publishedPort,
    targetPort,
    protocol,
    createdAt,
    applied: applied === 1,
    ...reasonAnswer(applied === 1 ? null : reason),
  }
}
