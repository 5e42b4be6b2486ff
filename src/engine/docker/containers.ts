/** The engine's methods for the containers of tasks, on the engine's own node and on other nodes. */
import type { ApiContainer, ApiTask } from './transport/api.ts'
import type { DockerClient } from './transport/client.ts'
import { isMissing } from './transport/errors.ts'
import { diskFreeOf, diskUsageOf, runProgram } from './jobs/exec.ts'
import type { OwnNodeId } from './nodes/own-node.ts'
import type { RemoteNode } from './nodes/remote-node.ts'
import { readExitReport, reportWithoutContainer } from './services/exit-report.ts'
import { hasBegun, hasEnded } from './services/from-api.ts'
import { bridgeAddresses } from './services/network.ts'
import type { EngineScope } from './services/services.ts'
import { usageOf } from './services/stats.ts'
import { awaitAnswerArgv, clearArgv, parseAnswer, parseCleared } from '../data/clearance.ts'
import { markArgv, parseMark } from '../data/data-mark.ts'
import { parsePlaces, placesArgv } from '../data/data-places.ts'
import { EngineFailure } from '../engine.ts'
import type { Engine, FoundTask, Outcome } from '../engine.ts'
import { installationLabel } from '../labels.ts'

/** The timeout for reading or writing a small file on a busy disk. */
const markTimeoutMs = 10_000
/** How much longer than its own wait the program may take that waits for an answer. */
const answerTimeoutMs = 10_000
/** The timeout for reading the folders of a server on a busy disk. */
const placesTimeoutMs = 20_000

type ContainerMethod =
  | 'detached'
  | 'hostAddresses'
  | 'liveContainers'
  | 'dataMark'
  | 'dataPlaces'
  | 'awaitAnswer'
  | 'clear'
  | 'run'
  | 'ask'
  | 'exitReport'
  | 'stats'
  | 'diskUsage'
  | 'diskFree'

export function containerMethods(
  client: DockerClient,
  scope: EngineScope,
  ownNodeId: OwnNodeId,
  remote: RemoteNode,
): Pick<Engine, ContainerMethod> {
  const onNodeOf = callOnNode(ownNodeId)
  const runIn: Engine['run'] = (task, program, timeoutMs) =>
    onNodeOf(
      task,
      (id) => runProgram(client, id, program, timeoutMs),
      () => remote.run(task, program, timeoutMs),
    )
  return {
    detached: () => detached(client, scope),
    hostAddresses: () => bridgeAddresses(client),
    liveContainers: (serviceName) => liveContainers(client, ownNodeId, serviceName),
    dataMark: (task, folder, fresh) =>
      onNodeOf(
        task,
        (id) => dataMark(client, id, folder, fresh),
        (id, nodeId) => remote.dataMark(nodeId, id, folder, fresh),
      ),
    ...methodsInside(client, onNodeOf, remote),
    run: runIn,
    ask: runIn,
    exitReport: async (task) => {
      if (task.containerId === null) return reportWithoutContainer(task)
      const report = onNodeOf(
        task,
        (id) => readExitReport(client, id),
        (id, nodeId) => remote.readExitReport(task, nodeId, id),
      )
      return report.catch((error: unknown) => {
        if (isMissing(error)) return reportWithoutContainer(task)
        throw error
      })
    },
    stats: (task) =>
      onNodeOf(
        task,
        (id) => usageOf(client, id),
        (id, nodeId) => remote.usage(nodeId, id),
      ),
    ...diskMethods(client, onNodeOf, remote),
  }
}

/** The methods that run a program in the container itself, which no job could replace. */
function methodsInside(
  client: DockerClient,
  onNodeOf: ReturnType<typeof callOnNode>,
  remote: RemoteNode,
): Pick<Engine, 'dataPlaces' | 'awaitAnswer' | 'clear'> {
  return {
    dataPlaces: async (task, paths) => parsePlaces(await runInside(task, placesArgv(paths), placesTimeoutMs)),
    awaitAnswer: async (task, maxSeconds) =>
      parseAnswer(await runInside(task, awaitAnswerArgv(maxSeconds), maxSeconds * 1000 + answerTimeoutMs)),
    clear: async (task, folder, fresh) => parseCleared(await runInside(task, clearArgv(folder, fresh), markTimeoutMs)),
  }

  function runInside(task: FoundTask, argv: string[], timeoutMs: number): Promise<Outcome> {
    const program = { argv, env: {} }
    return onNodeOf(
      task,
      (id) => runProgram(client, id, program, timeoutMs),
      (id, nodeId) => remote.runInside(nodeId, id, program),
    )
  }
}
/** The methods that measure the disk of a container. */
const diskMethods = (
  client: DockerClient,
  onNodeOf: ReturnType<typeof callOnNode>,
  remote: RemoteNode,
): Pick<Engine, 'diskUsage' | 'diskFree'> => ({
  diskUsage: (task, path) =>
    onNodeOf(
      task,
      (id) => diskUsageOf(client, id, path),
      (id, nodeId) => remote.diskUsage(nodeId, id, path),
    ),
  diskFree: (task, path) =>
    onNodeOf(
      task,
      (id) => diskFreeOf(client, id, path),
      (id, nodeId) => remote.diskFree(nodeId, id, path),
    ),
})

async function detached(client: DockerClient, { installationId, networkName }: EngineScope): Promise<Set<string>> {
  const query = { filters: { label: [`${installationLabel}=${installationId}`], status: ['running'] } }
  const containers = await client.call<ApiContainer[]>({ path: '/containers/json', query })
  const isDetached = ({ NetworkSettings }: ApiContainer) => !Object.hasOwn(NetworkSettings?.Networks ?? {}, networkName)
  return new Set(containers.filter(isDetached).map(({ Id }) => Id))
}

type ContainerCall<T> = (containerId: string, nodeId: string) => Promise<T>

/**
 * Returns a function that calls `local` first. If the engine does not know the container and the task is on another
 * node, the function calls `remote`, because an engine knows only the containers of its own node.
 */
function callOnNode(ownNodeId: OwnNodeId) {
  return async <T>(task: FoundTask, local: ContainerCall<T>, remote: ContainerCall<T>): Promise<T> => {
    const { nodeId } = task
    const containerId = containerOf(task)
    try {
      return await local(containerId, nodeId ?? '')
    } catch (error) {
      if (!isMissing(error) || nodeId === null || nodeId === (await ownNodeId())) throw error
    }
    return remote(containerId, nodeId)
  }
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
