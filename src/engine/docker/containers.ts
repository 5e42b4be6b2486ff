/** The engine's methods for the containers of tasks, on the engine's own node and on other nodes. */
import type { ApiContainer, ApiTask } from './transport/api.ts'
import type { DockerClient } from './transport/client.ts'
import { diskUsageOf, runProgram } from './jobs/exec.ts'
import type { NodeClients } from './nodes/node-clients.ts'
import type { OwnNodeId } from './nodes/own-node.ts'
import { readExitReport, reportWithoutContainer } from './services/exit-report.ts'
import { hasBegun, hasEnded } from './services/from-api.ts'
import { bridgeAddresses } from './services/network.ts'
import type { EngineScope } from './services/services.ts'
import { usageOf } from './services/stats.ts'
import { markArgv, parseMark } from '../data-mark.ts'
import { EngineFailure } from '../engine.ts'
import type { Engine, FoundTask } from '../engine.ts'
import { installationLabel } from '../labels.ts'

/** The timeout for reading or writing a small file on a busy disk. */
const markTimeoutMs = 10_000

type ContainerMethod =
  | 'detached'
  | 'hostAddresses'
  | 'liveContainers'
  | 'dataMark'
  | 'run'
  | 'exitReport'
  | 'stats'
  | 'diskUsage'

export function containerMethods(
  client: DockerClient,
  scope: EngineScope,
  ownNodeId: OwnNodeId,
  nodes: NodeClients,
): Pick<Engine, ContainerMethod> {
  const inContainer = async <T>(task: FoundTask, call: (client: DockerClient, containerId: string) => Promise<T>) => {
    const containerId = containerOf(task)
    return call(await nodes.of(task.nodeId), containerId)
  }
  return {
    detached: () => detached(client, scope),
    hostAddresses: () => bridgeAddresses(client),
    liveContainers: (serviceName) => liveContainers(client, ownNodeId, serviceName),
    dataMark: (task, folder, fresh) => inContainer(task, (engine, id) => dataMark(engine, id, folder, fresh)),
    run: (task, program, timeoutMs) => inContainer(task, (engine, id) => runProgram(engine, id, program, timeoutMs)),
    exitReport: async (task) => {
      if (task.containerId === null) return reportWithoutContainer(task)
      try {
        return await inContainer(task, readExitReport)
      } catch (error) {
        if (!(error instanceof EngineFailure)) throw error
        return reportWithoutContainer(task)
      }
    },
    stats: (task) => inContainer(task, usageOf),
    diskUsage: (task, path) => inContainer(task, (engine, id) => diskUsageOf(engine, id, path)),
  }
}

async function detached(client: DockerClient, { installationId, networkName }: EngineScope): Promise<Set<string>> {
  const query = { filters: { label: [`${installationLabel}=${installationId}`], status: ['running'] } }
  const containers = await client.call<ApiContainer[]>({ path: '/containers/json', query })
  const isDetached = ({ NetworkSettings }: ApiContainer) => !Object.hasOwn(NetworkSettings?.Networks ?? {}, networkName)
  return new Set(containers.filter(isDetached).map(({ Id }) => Id))
}

function containerOf(task: FoundTask): string {
  if (task.containerId) return task.containerId
  throw new EngineFailure('conflict', `The task of ${task.serviceName} has no container: it is ${task.state}.`)
}

/**
 * Returns the names of containers that may still run, even of a removed service. For other nodes, the swarm's tasks
 * decide. For the own node, the list of containers decides. A task on the own node also counts if its container was not
 * created yet, because the engine may be about to create the container together with its volume.
 */
async function liveContainers(client: DockerClient, ownNodeId: OwnNodeId, serviceName: string): Promise<string[]> {
  const filters = { label: [`com.docker.swarm.service.name=${serviceName}`] }
  const [containers, tasks] = await Promise.all([
    client.call<ApiContainer[]>({ path: '/containers/json', query: { all: 'true', filters } }),
    client.call<ApiTask[]>({ path: '/tasks', query: { filters: { name: [`${serviceName}.`] } } }),
  ])
  const nameOf = ({ Names }: ApiContainer) => (Names[0] ?? '').replace(/^\//, '')
  const known = new Set(containers.map(nameOf))
  const containerNameOf = ({ ID }: ApiTask) => `${serviceName}.1.${ID}`
  const ended = new Set(tasks.filter(hasEnded).map(containerNameOf))
  // The swarm may end a task before its container is started. Such a container never starts and may remain for long.
  const hasExited = (container: ApiContainer) =>
    container.State === 'exited' || (container.State === 'created' && ended.has(nameOf(container)))
  const live = containers.filter((container) => !hasExited(container)).map(nameOf)
  const unlistedTasks = tasks
    .filter((task) => !hasEnded(task))
    .map((task) => ({ task, name: containerNameOf(task) }))
    .filter(({ name }) => !known.has(name))
  if (unlistedTasks.length === 0) return live
  const local = await ownNodeId()
  const mayRun = ({ task }: { task: ApiTask }) => task.NodeID !== local || !hasBegun(task)
  return [...live, ...unlistedTasks.filter(mayRun).map(({ name }) => name)]
}

async function dataMark(client: DockerClient, id: string, folder: string, fresh: string | null) {
  return parseMark(await runProgram(client, id, { argv: markArgv(folder, fresh), env: {} }, markTimeoutMs))
}
