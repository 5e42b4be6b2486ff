/**
 * Runs remote commands. A remote command is a temporary Swarm service that runs one program on another node of the
 * swarm. The program sends requests to the engine of that node, or reads or writes files there. Berth removes the
 * service afterwards. Services that an earlier Berth process left are found by their labels.
 */
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { ApiNode, ApiService, ApiTask } from '../transport/api.ts'
import type { DockerClient } from '../transport/client.ts'
import {
  type Answer,
  curlArgv,
  type Output,
  parseAnswers,
  parseOutput,
  type RemoteCommand,
  remoteCommandBody,
  type Request,
} from './remote-command-body.ts'
import { isMissing, errorForStatus, unavailable } from '../transport/errors.ts'
import { hasEnded } from '../services/from-api.ts'
import { logReader } from '../logs/lines.ts'
import { authHeader } from '../services/registry-auth.ts'
import type { EngineScope } from '../services/services.ts'
import { EngineFailure } from '../../engine.ts'
import type { CredentialsFor } from '../../engine.ts'
import { remoteCommandRole, installationLabel, roleLabel } from '../../labels.ts'

export interface RemoteCommands {
  /**
   * Sends requests to the node's engine and returns one answer for each. Throws EngineFailure `nodeUnreachable` or
   * `nodeMissing`.
   */
  callEngine(nodeId: string, requests: Request[]): Promise<Answer[]>
  /**
   * Runs a program and returns its standard output, for any exit code.
   * @param source a path on the node, mounted read-only
   */
  read(nodeId: string, argv: string[], source: string): Promise<string>
  /** Like `read`, with `source` mounted writable. */
  write(nodeId: string, argv: string[], source: string): Promise<Output & { stderr: string }>
  /** Removes the services of remote commands that are not in progress. */
  removeLeftovers(): Promise<void>
}

interface CommandResult extends Output {
  /** The name of the node, for messages. */
  node: string
  stderr: string
}

/** The values that all remote commands of an engine share. */
interface CommandContext {
  client: DockerClient
  scope: EngineScope
  image: string
  credentialsFor: CredentialsFor
  /** The names of the services of commands that are in progress. */
  inProgress: Set<string>
}

/** The default path of an engine's socket. Berth expects the engine of every node there. */
const socketPath = '/var/run/docker.sock'
const pollMs = 100
/** The time limit of a command after its creation, except while its image is pulled. Also limits reading its output. */
const maxMs = 30_000
/** The time limit of a command while its image is being pulled. */
const maxPullMs = 10 * 60_000

/** @param image must have a shell, curl, du, dd, find, head, timeout, gzip and base64 */
export function dockerRemoteCommands(
  client: DockerClient,
  scope: EngineScope,
  image: string,
  credentialsFor: CredentialsFor,
): RemoteCommands {
  const context: CommandContext = { client, scope, image, credentialsFor, inProgress: new Set() }
  return {
    callEngine: (nodeId, requests) => callEngine(context, nodeId, requests),
    read: async (nodeId, argv, source) => {
      const capabilities = ['DAC_READ_SEARCH']
      return (await execute(context, { nodeId, argv, source, isReadOnly: true, capabilities })).bytes.toString()
    },
    write: (nodeId, argv, source) =>
      execute(context, { nodeId, argv, source, isReadOnly: false, capabilities: ['DAC_OVERRIDE'] }),
    removeLeftovers: () => removeLeftovers(context),
  }
}

async function callEngine(context: CommandContext, nodeId: string, requests: Request[]): Promise<Answer[]> {
  const allRequests: Request[] = [{ method: 'GET', path: '/info' }, ...requests]
  const command = { nodeId, argv: curlArgv(allRequests), source: socketPath, isReadOnly: false, capabilities: [] }
  const { node, exitCode, bytes, stderr } = await execute(context, command)
  if (exitCode !== 0) throw commandFailed(node, stderr || `exit code ${exitCode}`)
  const answers = parseAnswers(bytes)
  if (answers.length !== allRequests.length) throw incompleteOutput(node)
  checkNode(nodeId, answers[0]!)
  return answers.slice(1)
}

/** Runs one program on a node. Afterwards tries to remove the service of the command, also after a failure. */
async function execute(context: CommandContext, command: Omit<RemoteCommand, 'image'>): Promise<CommandResult> {
  const { client, scope, image, credentialsFor, inProgress } = context
  const node = await reachableNodeName(client, command.nodeId)
  const name = `berth-remote-command-${randomBytes(8).toString('hex')}`
  inProgress.add(name)
  try {
    const body = remoteCommandBody(name, { ...command, image }, scope)
    const headers = await authHeader(credentialsFor, image)
    const { ID } = await client.call<{ ID: string }>({ method: 'POST', path: '/services/create', body, headers })
    const { Status } = await endOf(client, ID, node)
    // The shell exits with 0 for any exit code of the program.
    if (Status.State !== 'complete') throw commandFailed(node, Status.Err || Status.State)
    const { stdout, stderr } = await linesOf(client, ID, name, node)
    const output = parseOutput(stdout)
    if (output === null) throw incompleteOutput(node)
    return { ...output, node, stderr: stderr.join(' ') }
  } finally {
    inProgress.delete(name)
    // If this removal fails, the next call of `removeLeftovers` removes the service.
    await removeNamed(client, name).catch(() => undefined)
  }
}

async function removeLeftovers({ client, scope, inProgress }: CommandContext): Promise<void> {
  const filters = { label: [`${installationLabel}=${scope.installationId}`, `${roleLabel}=${remoteCommandRole}`] }
  const services = await client.call<ApiService[]>({ path: '/services', query: { filters } })
  const leftovers = services.map(({ Spec }) => Spec.Name).filter((name) => !inProgress.has(name))
  await Promise.all(leftovers.map((name) => removeNamed(client, name)))
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

/** Polls until the command's task has ended, and returns the task. Throws EngineFailure at the time limit. */
async function endOf(client: DockerClient, serviceId: string, node: string): Promise<ApiTask> {
  const startedAt = performance.now()
  for (;;) {
    const query = { filters: { service: [serviceId] } }
    const [task] = await client.call<ApiTask[]>({ path: '/tasks', query })
    const state = task?.Status.State ?? 'new'
    if (task !== undefined && hasEnded(task)) return task
    const limitMs = state === 'preparing' ? maxPullMs : maxMs
    if (performance.now() - startedAt > limitMs) {
      const detail = task?.Status.Err || `its task is ${state}`
      throw commandFailed(node, `not finished within ${limitMs / 1000} seconds; ${detail}`)
    }
    await pause(pollMs)
  }
}

interface Lines {
  stdout: string[]
  stderr: string[]
}

/**
 * Reads both outputs up to the line that is the command's name. The request follows the log, although the log has an
 * end: after a node reconnects to the swarm, requests that do not follow report the node as unavailable for as long as
 * the new connection lasts (moby issue 35011).
 */
async function linesOf(client: DockerClient, serviceId: string, name: string, node: string): Promise<Lines> {
  const lines: Lines = { stdout: [], stderr: [] }
  const open = new Set(['stdout', 'stderr'])
  const timeout = AbortSignal.timeout(maxMs)
  const reader = logReader(
    ({ stream, line }) => {
      if (line === name) open.delete(stream)
      else lines[stream].push(line)
    },
    (message) => {
      throw outputUnreadable(node, message)
    },
  )
  try {
    const query = { stdout: 1, stderr: 1, timestamps: 1, follow: 1 }
    const stream = await client.stream({ path: `/services/${serviceId}/logs`, query }, timeout)
    for await (const chunk of stream) {
      reader.take(chunk as Buffer)
      if (open.size === 0) return lines
    }
  } catch (error) {
    if (timeout.aborted) throw outputUnreadable(node, `not received within ${maxMs / 1000} seconds`)
    throw error instanceof EngineFailure ? error : unavailable(error)
  }
  throw incompleteOutput(node)
}

/** @param node the name of the node, for example `Node web-2 (10.0.0.2)` */
const commandFailed = (node: string, detail: string) =>
  new EngineFailure('nodeUnreachable', `${node}: the remote command failed: ${detail}`)

const outputUnreadable = (node: string, detail: string) =>
  new EngineFailure('nodeUnreachable', `${node}: the output of the remote command cannot be read: ${detail}`)

const incompleteOutput = (node: string) =>
  new EngineFailure('nodeUnreachable', `${node}: the output of the remote command is incomplete`)

/** Throws if the engine at the socket is not the swarm's engine on the node. `answer` is the answer to GET /info. */
function checkNode(nodeId: string, answer: Answer): void {
  const info = JSON.parse(bodyOf(answer).toString()) as { Swarm?: { NodeID?: string } }
  if (info.Swarm?.NodeID === nodeId) return
  throw new EngineFailure(
    'nodeUnreachable',
    `The engine at ${socketPath} on node ${nodeId} does not belong to this node of the swarm`,
  )
}

/** The body of a successful answer. Throws EngineFailure or EngineUnavailable for an error status. */
export function bodyOf({ status, body }: Answer): Buffer {
  if (status >= 400) throw errorForStatus(status, body.toString())
  return body
}

async function removeNamed(client: DockerClient, name: string): Promise<void> {
  try {
    await client.call({ method: 'DELETE', path: `/services/${name}` })
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}
