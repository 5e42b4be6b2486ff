/**
 * The loop over the published ports of applications. The loop runs a gateway, which is a small proxy, for each port
 * whose application can be reached over Berth's network. The loop is idempotent: if a turn is interrupted, the next
 * turn completes its work. The loop never changes the service of the application.
 */
import { connect } from 'node:net'
import { isDeepStrictEqual } from 'node:util'
import { finish } from '../deployments/queries.ts'
import type { PortReason } from '../deployments/reason.ts'
import type { FoundTask, NamedService } from '../engine/engine.ts'
import { containerDigestOf, type ServiceSpec } from '../engine/spec.ts'
import { forEachConcurrent } from '../lib/async/for-each-concurrent.ts'
import type { Loop, Turn } from '../lib/async/loop.ts'
import { fromJson, toJson } from '../lib/json.ts'
import { applicationOf, unreachableReason } from './application-lookup.ts'
import { readApplications } from './queries.ts'
import type { ApplicationTable, PortTable } from './table.ts'
import { ensureService } from '../gateways/ensure-service.ts'
import { portGatewayName, portGatewaySpec } from './specs.ts'
import { failureWindowMs, ownServiceStartMs, taskHealth } from '../databases/reconcile/task-health.ts'
import type { Runtime } from '../runtime.ts'

/**
 * The result of a step. `changed`: the gateway is changing or starting, so another turn follows soon. `waiting`: the
 * application cannot be reached or does not listen, but the deployment is done all the same.
 */
type StepResult =
  | { is: 'applied' }
  | { is: 'waiting'; reason: PortReason }
  | { is: 'failed'; reason: PortReason }
  | { is: 'changed' }
  | { is: 'removed' }

/** What one turn read from the store and the engine. */
interface Observation {
  applications: ApplicationTable[]
  /** The id and address of the node that Berth's engine runs on. All gateways run on this node. */
  nodeId: string
  address: string
  /** The existing gateways and their tasks. */
  gateways: NamedService[]
  tasks: FoundTask[]
}

const removing: PortReason = { reason: 'GatewayRemoving' }
const maxConcurrentSteps = 16
/** If a test connection is still open after this time, the gateway has forwarded it to the application. */
const testConnectionMs = 300
/**
 * A gateway that forwards no connection is reported only if it started longer ago than this. Before, it may still be
 * looking for the tasks of the application, or the application may not listen yet.
 */
const startMs = 15_000

export function portsLoop(runtime: Runtime): Loop<'ports'> {
  return { name: 'ports', periodMs: 5000, againMs: 200, turn: () => publishPorts(runtime) }
}

async function publishPorts(runtime: Runtime): Promise<Turn> {
  if (runtime.gate.reason() !== null) return 'idle'
  const rows = await runtime.db.selectFrom('port').selectAll().orderBy('id').execute()
  if (rows.length === 0) return 'idle'
  await runtime.ensureEngine()
  const observation = await observe(runtime, rows)
  let turn: Turn = 'idle'
  await forEachConcurrent(rows, maxConcurrentSteps, async (row) => {
    const result = await step(runtime, row, observation)
    if (result.is === 'changed') turn = 'again'
    else await recordOutcome(runtime, row, result)
  })
  return turn
}

async function observe({ db, engine }: Runtime, rows: PortTable[]): Promise<Observation> {
  const [applications, nodes, gateways] = await Promise.all([
    readApplications(db),
    engine.nodes(),
    engine.servicesNamed(rows.map(({ id }) => portGatewayName(id))),
  ])
  const tasks = gateways.length === 0 ? [] : await engine.tasksOf(gateways)
  const local = nodes.find((node) => node.local)
  return { applications, gateways, tasks, nodeId: local?.id ?? '', address: local?.address ?? '' }
}

async function step(runtime: Runtime, row: PortTable, observation: Observation): Promise<StepResult> {
  const name = portGatewayName(row.id)
  const service = row.goal === 'gone' ? removing : serviceOf(runtime, row, observation.applications)
  const spec =
    'reason' in service
      ? null
      : portGatewaySpec(
          {
            id: row.id,
            published: row.publishedPort,
            protocol: row.protocol,
            service: service.name,
            targetPort: row.targetPort,
          },
          observation.nodeId,
          runtime.config,
        )
  const ensured = await ensureService(runtime, name, null, spec, observation.gateways)
  if (ensured !== null) return ensured
  return 'reason' in service ? removedResult(runtime, row, service) : runningResult(runtime, row, spec!, observation)
}

/** Returns the service to forward to, or why there is none. */
function serviceOf(
  { config }: Runtime,
  row: PortTable,
  applications: ApplicationTable[],
): ApplicationTable | PortReason {
  const match = applicationOf(applications, row.applicationId)
  return 'reason' in match ? match : (unreachableReason(match, config.networkName) ?? match)
}

/**
 * Returns the result after the service of the gateway was removed. Its container occupies the port until it ends.
 */
async function removedResult({ engine }: Runtime, { id, goal }: PortTable, reason: PortReason): Promise<StepResult> {
  if ((await engine.liveContainers(portGatewayName(id))).length > 0) return { is: 'changed' }
  return goal === 'gone' ? { is: 'removed' } : { is: 'waiting', reason }
}

/**
 * Returns the result while the service of the gateway matches its specification. A TCP port is applied if a test
 * connection stays open. UDP ports and ports that were applied before count as applied without a test.
 */
async function runningResult(
  { now }: Runtime,
  row: PortTable,
  spec: ServiceSpec,
  observation: Observation,
): Promise<StepResult> {
  const own = observation.tasks.filter(({ serviceName }) => serviceName === spec.name)
  const at = now().getTime()
  const health = taskHealth(own, containerDigestOf(spec), at - failureWindowMs, at, ownServiceStartMs)
  if (health.is === 'failed') {
    return { is: 'failed', reason: { reason: 'GatewayDown', cause: health.reason } }
  }
  if (health.is !== 'running') return { is: 'changed' }
  if (row.protocol === 'udp' || row.applied === 1 || (await forwards(observation.address, row.publishedPort))) {
    return { is: 'applied' }
  }
  const isNew = at - Date.parse(health.task.updatedAt) < startMs
  if (isNew) return { is: 'changed' }
  return { is: 'waiting', reason: { reason: 'NothingListens', targetPort: row.targetPort } }
}

/**
 * Whether the gateway forwards connections to a task. If the gateway reaches no task, it accepts a connection and
 * closes it at once.
 */
function forwards(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: testConnectionMs })
    const end = (isOpen: boolean) => {
      socket.destroy()
      resolve(isOpen)
    }
    socket
      .on('error', () => end(false))
      .on('end', () => end(false))
      .on('timeout', () => end(!socket.connecting))
    socket.on('data', () => end(true)).on('close', () => end(false))
  })
}

/**
 * Stores the result for a port, and finishes the deployment of the port if one is in progress. Stores nothing if the
 * result is stored already, or if a call has changed the port since this turn read the row.
 */
async function recordOutcome(
  runtime: Runtime,
  row: PortTable,
  result: Exclude<StepResult, { is: 'changed' }>,
): Promise<void> {
  const { transact, now, log } = runtime
  const reason = 'reason' in result ? result.reason : null
  const applied = result.is === 'applied' ? 1 : 0
  const isChanged =
    row.deploymentId !== null || row.applied !== applied || !isDeepStrictEqual(fromJson(row.reason), reason)
  if (!isChanged && result.is !== 'removed') return
  await transact(async (tx) => {
    const present = await tx
      .selectFrom('port')
      .select(['deploymentId', 'goal'])
      .where('id', '=', row.id)
      .executeTakeFirst()
    if (present?.deploymentId !== row.deploymentId || present.goal !== row.goal) return
    if (result.is === 'removed') await tx.deleteFrom('port').where('id', '=', row.id).execute()
    else {
      await tx
        .updateTable('port')
        .set({ applied, reason: reason && toJson(reason), deploymentId: null })
        .where('id', '=', row.id)
        .execute()
    }
    if (row.deploymentId === null) return
    const state = result.is === 'failed' ? ('error' as const) : ('done' as const)
    await finish(tx, row.deploymentId, state, reason, now())
  })
  log.info('published port changed', { portId: row.id, publishedPort: row.publishedPort, result: result.is })
}
