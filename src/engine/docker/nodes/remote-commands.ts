/**
 * Remote commands: requests that only the engine of another node can answer. Each one is a temporary Swarm service that
 * runs one program on that node. The service is always removed; services left by an earlier Berth process are found by
 * their labels.
 */
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { ApiNode, ApiService, ApiTask } from '../transport/api.ts'
import type { DockerClient } from '../transport/client.ts'
import {
  answersIn,
  curlOf,
  type Answer,
  type RemoteCommand,
  remoteCommandBody,
  type Output,
  outputIn,
  type Request,
} from './remote-command-body.ts'
import { isMissing, refusalOf, unavailable } from '../transport/errors.ts'
import { hasEnded } from '../services/found.ts'
import { logReader } from '../logs/lines.ts'
import { authHeader } from '../services/registry-auth.ts'
import type { EngineScope } from '../services/services.ts'
import { EngineFailure } from '../../engine.ts'
import type { CredentialsFor } from '../../engine.ts'
import { remoteCommandRole, installationLabel, roleLabel } from '../../labels.ts'

export interface RemoteCommands {
  /**
   * The answers of the node's engine, one for each request. Throws EngineFailure `nodeUnreachable` or `nodeMissing`.
   */
  ask(nodeId: string, requests: Request[]): Promise<Answer[]>
  /** The program's standard output, for any exit code. `source` is a path on the node, mounted read-only. */
  read(nodeId: string, argv: string[], source: string): Promise<string>
  /** Like `read`, with `source` writable. */
  write(nodeId: string, argv: string[], source: string): Promise<Output & { stderr: string }>
  /** Removes the services of remote commands that are not in progress. */
  tidy(): Promise<void>
}

interface CommandResult extends Output {
  /** The name of the node, for messages. */
  node: string
  stderr: string
}

/** The default socket of every engine. */
const socketPath = '/var/run/docker.sock'
const pollMs = 100
/** The time limit of a command, without the time for pulling its image. */
const maxMs = 30_000
const pullMs = 10 * 60_000

/** @param image must have a shell, curl, du, gzip and base64 */
export function dockerRemoteCommands(
  client: DockerClient,
  scope: EngineScope,
  image: string,
  credentialsFor: CredentialsFor,
): RemoteCommands {
  const inProgress = new Set<string>()

  const execute = async (remoteCommand: Omit<RemoteCommand, 'image'>): Promise<CommandResult> => {
    const node = await reachableNodeName(client, remoteCommand.nodeId)
    const name = `berth-errand-${randomBytes(8).toString('hex')}`
    inProgress.add(name)
    try {
      const body = remoteCommandBody(name, { ...remoteCommand, image }, scope)
      const headers = await authHeader(credentialsFor, image)
      const { ID } = await client.call<{ ID: string }>({ method: 'POST', path: '/services/create', body, headers })
      const task = await endOf(client, ID, node)
      // The shell exits with 0 for any exit code of the program.
      if (task.Status.State !== 'complete') {
        throw new EngineFailure(
          'nodeUnreachable',
          `${node} could not be asked: ${task.Status.Err || task.Status.State}`,
        )
      }
      const { stdout, stderr } = await linesOf(client, ID, name, node)
      const output = outputIn(stdout)
      if (output === null) throw incompleteAnswer(node)
      return { ...output, node, stderr: stderr.join(' ') }
    } finally {
      inProgress.delete(name)
      // `tidy` removes the service later if this fails.
      await removeNamed(client, name).catch(() => undefined)
    }
  }

  return {
    ask: async (nodeId, requests) => {
      const all: Request[] = [{ method: 'GET', path: '/info' }, ...requests]
      const argv = curlOf(all)
      const { node, exitCode, bytes, stderr } = await execute({
        nodeId,
        argv,
        source: socketPath,
        isReadOnly: false,
        capabilities: [],
      })
      if (exitCode !== 0)
        throw new EngineFailure('nodeUnreachable', `${node} could not be asked: ${stderr || `exit code ${exitCode}`}`)
      const answers = answersIn(bytes)
      if (answers.length !== all.length) throw incompleteAnswer(node)
      checkNode(nodeId, answers[0]!)
      return answers.slice(1)
    },
    read: async (nodeId, argv, source) => {
      const capabilities = ['DAC_READ_SEARCH']
      return (await execute({ nodeId, argv, source, isReadOnly: true, capabilities })).bytes.toString()
    },
    write: (nodeId, argv, source) =>
      execute({ nodeId, argv, source, isReadOnly: false, capabilities: ['DAC_OVERRIDE'] }),
    tidy: async () => {
      const filters = { label: [`${installationLabel}=${scope.installationId}`, `${roleLabel}=${remoteCommandRole}`] }
      const found = await client.call<ApiService[]>({ path: '/services', query: { filters } })
      const leftovers = found.map(({ Spec }) => Spec.Name).filter((name) => !inProgress.has(name))
      await Promise.all(leftovers.map((name) => removeNamed(client, name)))
    },
  }
}

/** The node's name for messages. Throws EngineFailure if no task can run on the node. */
async function reachableNodeName(client: DockerClient, nodeId: string): Promise<string> {
  const node = await findNode(client, nodeId)
  if (node === null) throw new EngineFailure('nodeMissing', `Node ${nodeId} is not in the swarm`)
  const name = `Node ${node.Description.Hostname} (${node.Status.Addr ?? nodeId})`
  if (node.Status.State !== 'ready') throw new EngineFailure('nodeUnreachable', `${name} is ${node.Status.State}`)
  if (node.Spec.Availability === 'active') return name
  throw new EngineFailure('nodeUnreachable', `${name} takes no tasks: its availability is ${node.Spec.Availability}`)
}

async function findNode(client: DockerClient, nodeId: string): Promise<ApiNode | null> {
  try {
    return await client.call<ApiNode>({ path: `/nodes/${encodeURIComponent(nodeId)}` })
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

/** Polls until the command's task has ended. */
async function endOf(client: DockerClient, serviceId: string, node: string): Promise<ApiTask> {
  const began = performance.now()
  for (;;) {
    const query = { filters: { service: [serviceId] } }
    const [task] = await client.call<ApiTask[]>({ path: '/tasks', query })
    const state = task?.Status.State ?? 'new'
    if (task !== undefined && hasEnded(task)) return task
    const limitMs = state === 'preparing' ? pullMs : maxMs
    if (performance.now() - began > limitMs) {
      const why = task?.Status.Err || `the errand there is ${state}`
      throw new EngineFailure('nodeUnreachable', `${node} has not answered within ${limitMs / 1000} seconds: ${why}`)
    }
    await pause(pollMs)
  }
}

interface Lines {
  stdout: string[]
  stderr: string[]
}

/**
 * Reads both outputs up to the line that is the command's name. The log is followed, because after a node reconnects
 * the swarm reports the node as unavailable to every request for a log with an end, for as long as the new connection
 * lasts (moby issue 35011).
 */
async function linesOf(client: DockerClient, serviceId: string, name: string, node: string): Promise<Lines> {
  const lines: Lines = { stdout: [], stderr: [] }
  const open = new Set(['stdout', 'stderr'])
  const late = AbortSignal.timeout(maxMs)
  const reader = logReader(
    ({ stream, line }) => {
      if (line === name) open.delete(stream)
      else lines[stream].push(line)
    },
    (message) => {
      throw new EngineFailure('nodeUnreachable', `${node} could not be heard: ${message}`)
    },
  )
  try {
    const query = { stdout: 1, stderr: 1, timestamps: 1, follow: 1 }
    const stream = await client.stream({ path: `/services/${serviceId}/logs`, query }, late)
    for await (const chunk of stream) {
      reader.take(chunk as Buffer)
      if (open.size === 0) return lines
    }
  } catch (error) {
    if (late.aborted)
      throw new EngineFailure('nodeUnreachable', `${node} has not been heard within ${maxMs / 1000} seconds`)
    throw error instanceof EngineFailure ? error : unavailable(error)
  }
  throw incompleteAnswer(node)
}

const incompleteAnswer = (node: string) =>
  new EngineFailure('nodeUnreachable', `The answers of ${node} did not arrive whole`)

/** Throws if another engine than the node's listens at the socket. */
function checkNode(nodeId: string, answer: Answer): void {
  const info = JSON.parse(bodyOf(answer).toString()) as { Swarm?: { NodeID?: string } }
  if (info.Swarm?.NodeID === nodeId) return
  throw new EngineFailure(
    'nodeUnreachable',
    `The engine that listens at ${socketPath} on node ${nodeId} is not that node's`,
  )
}

/** The body of a successful answer. Throws EngineFailure or EngineUnavailable for an error status. */
export function bodyOf({ status, body }: Answer): Buffer {
  if (status >= 400) throw refusalOf(status, body.toString())
  return body
}

async function removeNamed(client: DockerClient, name: string): Promise<void> {
  try {
    await client.call({ method: 'DELETE', path: `/services/${name}` })
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}
