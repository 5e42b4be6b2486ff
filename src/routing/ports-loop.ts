/**
 * The loop over the published ports of applications: a gateway for each whose application is there. Idempotent:
 * what was done and not written down is seen at the next turn. An application's own service is never changed.
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
import { applicationOf, unreachable } from './application-lookup.ts'
import { readApplications } from './queries.ts'
import type { ApplicationTable, PortTable } from './table.ts'
import { make } from '../gateways/ensure-service.ts'
import { portGatewayName, portGatewaySpec } from './specs.ts'
import { taskHealth } from '../databases/reconcile/task-health.ts'
import type { Runtime } from '../runtime.ts'

/** How it stands with a port. `more`: something was done, and has to be looked at again soon. */
type Standing =
  | { is: 'applied' }
  | { is: 'waiting'; reason: PortReason }
  | { is: 'failed'; reason: PortReason }
  | { is: 'more' }
  | { is: 'gone' }

interface Seen {
  applications: ApplicationTable[]
  /** Of the node that holds the ports. */
  nodeId: string
  address: string
  found: NamedService[]
  tasks: FoundTask[]
}

const removing: PortReason = { reason: 'GatewayRemoving' }
const stepsAtOnce = 16
/** Failures of longer ago are of other work. */
const lookBackMs = 300_000
/** A connection that is still open after this is one that leads somewhere. */
const connectMs = 300
/** For the gateway to find the tasks, and for these to listen. */
const reachMs = 15_000

export function portsLoop(runtime: Runtime): Loop<'ports'> {
  return { name: 'ports', periodMs: 5000, againMs: 200, turn: () => publishPorts(runtime) }
}

async function publishPorts(runtime: Runtime): Promise<Turn> {
  const rows = await runtime.db.selectFrom('port').selectAll().orderBy('id').execute()
  if (rows.length === 0) return 'idle'
  await runtime.ensureEngine()
  const seen = await lookAt(runtime, rows)
  let turn: Turn = 'idle'
  await forEachConcurrent(rows, stepsAtOnce, async (row) => {
    const standing = await advance(runtime, row, seen)
    if (standing.is === 'more') turn = 'again'
    else await write(runtime, row, standing)
  })
  return turn
}

async function lookAt({ db, engine }: Runtime, rows: PortTable[]): Promise<Seen> {
  const [applications, nodes, found] = await Promise.all([
    readApplications(db),
    engine.nodes(),
    engine.servicesNamed(rows.map(({ id }) => portGatewayName(id))),
  ])
  const tasks = found.length === 0 ? [] : await engine.tasks(found.map(({ name }) => name))
  const local = nodes.find((node) => node.local)
  return { applications, found, tasks, nodeId: local?.id ?? '', address: local?.address ?? '' }
}

async function advance(runtime: Runtime, row: PortTable, seen: Seen): Promise<Standing> {
  const name = portGatewayName(row.id)
  const service = row.goal === 'gone' ? removing : serviceOf(runtime, row, seen.applications)
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
          seen.nodeId,
          runtime.config,
        )
  const making = await make(runtime, name, spec, seen.found)
  if (making !== null) return making
  return 'reason' in service ? closed(runtime, row, service) : opened(runtime, row, spec!, seen)
}

function serviceOf(
  { config }: Runtime,
  row: PortTable,
  applications: ApplicationTable[],
): ApplicationTable | PortReason {
  const found = applicationOf(applications, row.applicationId)
  return 'reason' in found ? found : (unreachable(found, config.networkName) ?? found)
}

/** The port is held until the container has ended. */
async function closed({ engine }: Runtime, { id, goal }: PortTable, reason: PortReason): Promise<Standing> {
  if ((await engine.liveContainers(portGatewayName(id))).length > 0) return { is: 'more' }
  return goal === 'gone' ? { is: 'gone' } : { is: 'waiting', reason }
}

/** Of TCP it is told by a connection; what UDP leads to nobody can know. One that was applied is not asked again. */
async function opened({ now }: Runtime, row: PortTable, spec: ServiceSpec, seen: Seen): Promise<Standing> {
  const own = seen.tasks.filter(({ serviceName }) => serviceName === spec.name)
  const at = now().getTime()
  const verdict = taskHealth(own, containerDigestOf(spec), at - lookBackMs, at)
  if (verdict.is === 'failed') {
    return { is: 'failed', reason: { reason: 'GatewayDown', cause: verdict.reason } }
  }
  if (verdict.is !== 'running') return { is: 'more' }
  if (row.protocol === 'udp' || row.applied === 1 || (await forwards(seen.address, row.publishedPort))) {
    return { is: 'applied' }
  }
  const isNew = at - Date.parse(verdict.task.updatedAt) < reachMs
  if (isNew) return { is: 'more' }
  return { is: 'waiting', reason: { reason: 'NothingListens', targetPort: row.targetPort } }
}

/** A gateway that finds no task takes the connection and ends it at once. */
function forwards(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: connectMs })
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

/** Only while no later call has changed it; work that waited for this ends. */
async function write(runtime: Runtime, row: PortTable, standing: Exclude<Standing, { is: 'more' }>): Promise<void> {
  const { transact, now, log } = runtime
  const reason = 'reason' in standing ? standing.reason : null
  const applied = standing.is === 'applied' ? 1 : 0
  const isNews =
    row.deploymentId !== null || row.applied !== applied || !isDeepStrictEqual(fromJson(row.reason), reason)
  if (!isNews && standing.is !== 'gone') return
  await transact(async (tx) => {
    const present = await tx
      .selectFrom('port')
      .select(['deploymentId', 'goal'])
      .where('id', '=', row.id)
      .executeTakeFirst()
    if (present?.deploymentId !== row.deploymentId || present.goal !== row.goal) return
    if (standing.is === 'gone') await tx.deleteFrom('port').where('id', '=', row.id).execute()
    else {
      await tx
        .updateTable('port')
        .set({ applied, reason: reason && toJson(reason), deploymentId: null })
        .where('id', '=', row.id)
        .execute()
    }
    if (row.deploymentId === null) return
    const state = standing.is === 'failed' ? ('error' as const) : ('done' as const)
    await finish(tx, row.deploymentId, state, reason, now())
  })
  log.info('a port was looked after', { portId: row.id, publishedPort: row.publishedPort, standing: standing.is })
}
