/**
 * Errands: what only the engine of another node can do, done there by a service of Berth's that runs one program once.
 * It is removed whatever comes of it; one that an ended Berth left is found by its labels.
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
import type { Place } from '../services/services.ts'
import { EngineFailure } from '../../engine.ts'
import type { CredentialsFor } from '../../engine.ts'
import { remoteCommandRole, installationLabel, roleLabel } from '../../labels.ts'

export interface RemoteCommands {
  /** What that node's engine answers, to each request. */
  ask(nodeId: string, requests: Request[]): Promise<Answer[]>
  /** What the program prints on its standard output, however it ends; `source` is on the node, and read only. */
  read(nodeId: string, argv: string[], source: string): Promise<string>
  /** As `read`, and the program may write there. */
  write(nodeId: string, argv: string[], source: string): Promise<Output & { said: string }>
  /** Removes those that nobody waits for. */
  tidy(): Promise<void>
}

/** `said`: on its standard error. */
interface Done extends Output {
  node: string
  said: string
}

/** Every engine listens here unless it was told otherwise. */
const socketPath = '/var/run/docker.sock'
const pollMs = 100
/** Without the time that the image takes to arrive. */
const maxMs = 30_000
const arrivalMs = 10 * 60_000

/** `image` has a shell, curl, du, gzip and base64. */
export function dockerRemoteCommands(
  client: DockerClient,
  place: Place,
  image: string,
  credentialsFor: CredentialsFor,
): RemoteCommands {
  const underWay = new Set<string>()

  const carryOut = async (remoteCommand: Omit<RemoteCommand, 'image'>): Promise<Done> => {
    const node = await nodeToReach(client, remoteCommand.nodeId)
    const name = `berth-errand-${randomBytes(8).toString('hex')}`
    underWay.add(name)
    try {
      const body = remoteCommandBody(name, { ...remoteCommand, image }, place)
      const headers = await authHeader(credentialsFor, image)
      const { ID } = await client.call<{ ID: string }>({ method: 'POST', path: '/services/create', body, headers })
      const task = await endOf(client, ID, node)
      // The shell ends well whatever its program does.
      if (task.Status.State !== 'complete') {
        throw new EngineFailure(
          'nodeUnreachable',
          `${node} could not be asked: ${task.Status.Err || task.Status.State}`,
        )
      }
      const { stdout, stderr } = await linesOf(client, ID, name, node)
      const output = outputIn(stdout)
      if (output === null) throw notWhole(node)
      return { ...output, node, said: stderr.join(' ') }
    } finally {
      underWay.delete(name)
      // What cannot be removed now is left over, and found when Berth asks for the swarm the next time.
      await removeNamed(client, name).catch(() => undefined)
    }
  }

  return {
    ask: async (nodeId, requests) => {
      const all: Request[] = [{ method: 'GET', path: '/info' }, ...requests]
      const argv = curlOf(all)
      const { node, exitCode, bytes, said } = await carryOut({
        nodeId,
        argv,
        source: socketPath,
        isReadOnly: false,
        capabilities: [],
      })
      if (exitCode !== 0)
        throw new EngineFailure('nodeUnreachable', `${node} could not be asked: ${said || `exit code ${exitCode}`}`)
      const answers = answersIn(bytes)
      if (answers.length !== all.length) throw notWhole(node)
      checkNode(nodeId, answers[0]!)
      return answers.slice(1)
    },
    read: async (nodeId, argv, source) => {
      const capabilities = ['DAC_READ_SEARCH']
      return (await carryOut({ nodeId, argv, source, isReadOnly: true, capabilities })).bytes.toString()
    },
    write: (nodeId, argv, source) =>
      carryOut({ nodeId, argv, source, isReadOnly: false, capabilities: ['DAC_OVERRIDE'] }),
    tidy: async () => {
      const filters = { label: [`${installationLabel}=${place.installationId}`, `${roleLabel}=${remoteCommandRole}`] }
      const found = await client.call<ApiService[]>({ path: '/services', query: { filters } })
      const left = found.map(({ Spec }) => Spec.Name).filter((name) => !underWay.has(name))
      await Promise.all(left.map((name) => removeNamed(client, name)))
    },
  }
}

/** Gives its name for people; refuses where nothing could run on it. */
async function nodeToReach(client: DockerClient, nodeId: string): Promise<string> {
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

async function endOf(client: DockerClient, serviceId: string, node: string): Promise<ApiTask> {
  const began = performance.now()
  for (;;) {
    const query = { filters: { service: [serviceId] } }
    const [task] = await client.call<ApiTask[]>({ path: '/tasks', query })
    const state = task?.Status.State ?? 'new'
    if (task !== undefined && hasEnded(task)) return task
    const boundMs = state === 'preparing' ? arrivalMs : maxMs
    if (performance.now() - began > boundMs) {
      const why = task?.Status.Err || `the errand there is ${state}`
      throw new EngineFailure('nodeUnreachable', `${node} has not answered within ${boundMs / 1000} seconds: ${why}`)
    }
    await pause(pollMs)
  }
}

interface Lines {
  stdout: string[]
  stderr: string[]
}

/**
 * Reads until both outputs have come to the name of the errand. Followed, for the swarm may give no more than that of a
 * node that lost its connection and has another one: of a log with an end it says that the node is not available,
 * for as long as that connection lasts (moby issue 35011).
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
    (words) => {
      throw new EngineFailure('nodeUnreachable', `${node} could not be heard: ${words}`)
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
  throw notWhole(node)
}

const notWhole = (node: string) => new EngineFailure('nodeUnreachable', `The answers of ${node} did not arrive whole`)

/** What listens at that path may be the engine of something else. */
function checkNode(nodeId: string, answer: Answer): void {
  const info = JSON.parse(bodyOf(answer).toString()) as { Swarm?: { NodeID?: string } }
  if (info.Swarm?.NodeID === nodeId) return
  throw new EngineFailure(
    'nodeUnreachable',
    `The engine that listens at ${socketPath} on node ${nodeId} is not that node's`,
  )
}

/** Throws what stands for an answer that refuses. */
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
