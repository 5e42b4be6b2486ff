/**
 * Access to containers and volumes of nodes other than the engine's own. Uses remote commands and the swarm's logs. The
 * method `run` uses a job on the engine's own node, because its program needs only the image and the network.
 */
import { stringify } from 'node:querystring'
import { posix } from 'node:path'
import type { Exec } from '../../exec.ts'
import { parseMark, markArgv } from '../../data/data-mark.ts'
import { findFileArgv, parseHasFiles } from '../../data/has-files.ts'
import type { ApiContainer, ApiContainerDetails, ApiExec, ApiStats, ApiTask, ApiVolume } from '../transport/api.ts'
import type { DockerClient } from '../transport/client.ts'
import { frames } from '../transport/frames.ts'
import { envList } from '../services/spec.ts'
import { sourceMountPath, type Request } from './remote-command-body.ts'
import { bodyOf, type RemoteCommands } from './remote-commands.ts'
import { diskUsageSeconds, firstBytes } from '../jobs/exec.ts'
import { runToEnd } from '../jobs/run-to-end.ts'
import { exitStateOf, linesOf, maxLines, reportWithoutContainer } from '../services/exit-report.ts'
import { checkOwnNode } from '../services/network.ts'
import { usageIn } from '../services/stats.ts'
import { EngineFailure } from '../../engine.ts'
import type { Engine, FoundTask, Outcome, ExitReport, Usage } from '../../engine.ts'

/** The query parameters of Docker's GET /containers/{id}/logs. */
export type LogQuery = Record<string, string | number>

export interface RemoteNode {
  removeVolume(name: string, nodeId: string): Promise<void>
  /** The volume, or null if the node does not have it, and the live containers that mount it. */
  volumeUse(name: string, nodeId: string): Promise<{ volume: ApiVolume | null; containers: ApiContainer[] }>
  /** The folder of the volume on its node. */
  volumeFolder(name: string, nodeId: string): Promise<string>
  /** Whether a folder of the node contains files. */
  hasFiles(nodeId: string, folder: string): Promise<boolean>
  /** The volumes of the node that match Docker's filters; null if there are none. */
  volumes(nodeId: string, filters: Record<string, string[]>): Promise<ApiVolume[] | null>
  /** The mark in a folder of a volume. `volumeFolder` is the folder of the volume on its node. */
  volumeMark(nodeId: string, volumeFolder: string, folder: string): Promise<string | null>
  dataMark(nodeId: string, containerId: string, folder: string, fresh: string | null): Promise<string | null>
  /** Runs a program in a container. The program has no standard input. */
  runInside(nodeId: string, containerId: string, program: Exec): Promise<Outcome>
  usage(nodeId: string, containerId: string): Promise<Usage>
  diskUsage(nodeId: string, containerId: string, path: string): Promise<string>
  diskFree(nodeId: string, containerId: string, path: string): Promise<string>
  /** Docker's log frames, one buffer for each of these containers that still exists. */
  logs(nodeId: string, containerIds: string[], query: LogQuery): Promise<Buffer[]>
  readExitReport(task: FoundTask, nodeId: string, containerId: string): Promise<ExitReport>
  /** Runs the program in a job of the task's image on the engine's own node. */
  run(task: FoundTask, program: Exec, timeoutMs: number): Promise<Outcome>
}

export function remoteNode(
  client: DockerClient,
  remoteCommands: RemoteCommands,
  jobs: Pick<Engine, 'runJob'>,
): RemoteNode {
  return {
    ...remoteVolumes(remoteCommands),
    dataMark: async (nodeId, containerId, folder, fresh) => {
      const { source, rest } = await sourceOf(remoteCommands, nodeId, containerId, folder)
      const argv = markArgv(posix.join(sourceMountPath, rest), fresh)
      const { exitCode, bytes, stderr } = await remoteCommands.write(nodeId, argv, source)
      return parseMark({ exitCode, stdout: bytes.toString(), stderr })
    },
    runInside: (nodeId, containerId, program) => runInside(remoteCommands, nodeId, containerId, program),
    usage: async (nodeId, containerId) => {
      const path = `/containers/${containerId}`
      const [details, sample] = await bodiesOf(remoteCommands, nodeId, [
        { method: 'GET', path: `${path}/json` },
        { method: 'GET', path: `${path}/stats?stream=false` },
      ])
      return usageIn(containerId, parse<ApiContainerDetails>(details), parse<ApiStats>(sample))
    },
    diskUsage: async (nodeId, containerId, path) => {
      const { source } = await sourceOf(remoteCommands, nodeId, containerId, path)
      return remoteCommands.read(nodeId, ['timeout', String(diskUsageSeconds), 'du', '-sk', sourceMountPath], source)
    },
    diskFree: async (nodeId, containerId, path) => {
      const { source } = await sourceOf(remoteCommands, nodeId, containerId, path)
      return remoteCommands.read(nodeId, ['df', '-Pk', sourceMountPath], source)
    },
    logs: async (nodeId, containerIds, query) => {
      const requests = containerIds.map((id) => logRequest(id, query))
      return (await remoteCommands.callEngine(nodeId, requests)).filter(({ status }) => status !== 404).map(bodyOf)
    },
    readExitReport: (task, nodeId, containerId) =>
      readRemoteExitReport(client, remoteCommands, task, nodeId, containerId),
    run: (task, program, timeoutMs) => runAsJob(client, jobs, task, program, timeoutMs),
  }
}

type VolumeMethod = 'removeVolume' | 'volumeUse' | 'volumeFolder' | 'hasFiles' | 'volumes' | 'volumeMark'

const remoteVolumes = (remoteCommands: RemoteCommands): Pick<RemoteNode, VolumeMethod> => ({
  removeVolume: async (name, nodeId) => {
    await bodiesOf(remoteCommands, nodeId, [{ method: 'DELETE', path: `/volumes/${encodeURIComponent(name)}` }])
  },
  volumeUse: async (name, nodeId) => {
    const filters = JSON.stringify({ volume: [name] })
    const [volume, containers] = await remoteCommands.callEngine(nodeId, [
      { method: 'GET', path: `/volumes/${encodeURIComponent(name)}` },
      { method: 'GET', path: `/containers/json?${stringify({ filters })}` },
    ])
    return {
      volume: volume!.status === 404 ? null : parse<ApiVolume>(bodyOf(volume!)),
      containers: parse<ApiContainer[]>(bodyOf(containers!)),
    }
  },
  volumeFolder: async (name, nodeId) => {
    const [volume] = await bodiesOf(remoteCommands, nodeId, [
      { method: 'GET', path: `/volumes/${encodeURIComponent(name)}` },
    ])
    return parse<ApiVolume>(volume).Mountpoint
  },
  hasFiles: async (nodeId, folder) => {
    const stdout = await remoteCommands.read(nodeId, findFileArgv(sourceMountPath), folder)
    return parseHasFiles({ stdout, stderr: '' })
  },
  volumes: async (nodeId, filters) => {
    const path = `/volumes?${stringify({ filters: JSON.stringify(filters) })}`
    const [volumes] = await bodiesOf(remoteCommands, nodeId, [{ method: 'GET', path }])
    return parse<{ Volumes: ApiVolume[] | null }>(volumes).Volumes
  },
  volumeMark: async (nodeId, volumeFolder, folder) => {
    const argv = markArgv(posix.join(sourceMountPath, folder), null)
    return parseMark({ exitCode: 0, stdout: await remoteCommands.read(nodeId, argv, volumeFolder), stderr: '' })
  },
})

/**
 * Returns the host path of the mount that contains `path`, and the rest of `path` below that mount. Remote commands
 * mount the host path, because mounting a volume by name would create the volume if it no longer existed.
 */
async function sourceOf(
  remoteCommands: RemoteCommands,
  nodeId: string,
  containerId: string,
  path: string,
): Promise<{ source: string; rest: string }> {
  const [details] = await bodiesOf(remoteCommands, nodeId, [{ method: 'GET', path: `/containers/${containerId}/json` }])
  const { Mounts = [] } = parse<ApiContainerDetails>(details)
  const mount = Mounts.find(({ Destination }) => path === Destination || path.startsWith(`${Destination}/`))
  if (mount === undefined) throw new EngineFailure('missing', `Container ${containerId} has no mount at ${path}`)
  return { source: mount.Source, rest: path.slice(mount.Destination.length) }
}

/** Runs a program as `runProgram` does, with the requests of a remote command. */
async function runInside(
  remoteCommands: RemoteCommands,
  nodeId: string,
  containerId: string,
  { argv, env }: Exec,
): Promise<Outcome> {
  const create = { AttachStdout: true, AttachStderr: true, Tty: false, Cmd: argv, Env: envList(env) }
  const path = `/containers/${containerId}/exec`
  const [created] = await bodiesOf(remoteCommands, nodeId, [{ method: 'POST', path, body: create }])
  const { Id } = parse<{ Id: string }>(created)
  const [output, state] = await bodiesOf(remoteCommands, nodeId, [
    { method: 'POST', path: `/exec/${Id}/start`, body: { Detach: false, Tty: false } },
    { method: 'GET', path: `/exec/${Id}/json` },
  ])
  const [stdout, stderr] = [firstBytes(), firstBytes()]
  frames((stream, part) => (stream === 2 ? stderr : stdout).add(part))(output!)
  const { ExitCode, Running } = parse<ApiExec>(state)
  if (Running || ExitCode === null)
    throw new EngineFailure('failed', `A program in container ${containerId} did not end`)
  return { exitCode: ExitCode, stdout: stdout.text(), stderr: stderr.text() }
}

/**
 * Sends the requests and returns the bodies of the answers. Throws EngineFailure or EngineUnavailable if an answer has
 * an error status.
 */
async function bodiesOf(remoteCommands: RemoteCommands, nodeId: string, requests: Request[]): Promise<Buffer[]> {
  return (await remoteCommands.callEngine(nodeId, requests)).map(bodyOf)
}

const parse = <T>(body?: Buffer) => JSON.parse(String(body)) as T

const logRequest = (containerId: string, query: LogQuery): Request => ({
  method: 'GET',
  path: `/containers/${containerId}/logs?${stringify(query)}`,
})

/** Reports as much as can be read. The report may have an exit code without log lines, or neither. */
async function readRemoteExitReport(
  client: DockerClient,
  remoteCommands: RemoteCommands,
  task: FoundTask,
  nodeId: string,
  containerId: string,
): Promise<ExitReport> {
  const query = { stdout: 1, stderr: 1, tail: maxLines }
  try {
    const [details, log] = await bodiesOf(remoteCommands, nodeId, [
      { method: 'GET', path: `/containers/${containerId}/json` },
      logRequest(containerId, query),
    ])
    return { ...exitStateOf(parse<ApiContainerDetails>(details)), lastLines: linesOf(log!) }
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error
  }
  // If nothing can run on the node any more, the swarm may still have the task's log.
  try {
    return {
      ...reportWithoutContainer(task),
      lastLines: linesOf(await client.bytes({ path: `/tasks/${task.id}/logs`, query })),
    }
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error
    return reportWithoutContainer(task)
  }
}

async function runAsJob(
  client: DockerClient,
  jobs: Pick<Engine, 'runJob'>,
  task: FoundTask,
  program: Exec,
  timeoutMs: number,
): Promise<Outcome> {
  // Without this check, the engine would retry for 20 seconds if its node is paused or drained.
  await checkOwnNode(client)
  const { Spec } = await client.call<ApiTask>({ path: `/tasks/${task.id}` })
  const image = Spec.ContainerSpec?.Image
  if (image === undefined) throw new EngineFailure('missing', `The task of ${task.serviceName} has no image`)
  return runToEnd(jobs, { recordId: task.id, image }, program, timeoutMs)
}
