/**
 * Errands: what only the engine of another node can do, done there by a service of Berth's that runs one program once.
 * It is removed whatever comes of it; one that an ended Berth left is found by its labels.
 */
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { ApiNode, ApiService, ApiTask } from './docker-api.ts'
import type { DockerClient } from './docker-client.ts'
import { answersIn, curlOf, type Answer, type Errand, errandBody, type Request } from './docker-errand-body.ts'
import { isMissing, refusalOf } from './docker-errors.ts'
import { hasEnded } from './docker-found.ts'
import { serviceLogs } from './docker-logs.ts'
import { authHeader } from './docker-registry-auth.ts'
import type { Place } from './docker-services.ts'
import { EngineRefused, NodeUnreached } from './engine.ts'
import type { CredentialsFor, LogLine } from './engine.ts'
import { errandRole, installationLabel, roleLabel } from './labels.ts'

export interface Errands {
  /** The bodies of what that node's engine answers. Throws what stands for an answer that refuses. */
  ask(nodeId: string, requests: Request[]): Promise<string[]>
  /** What the program prints, however it ends; `source` is on the node, and read only. */
  read(nodeId: string, argv: string[], source: string): Promise<string>
  /** Removes those that nobody waits for. */
  tidy(): Promise<void>
}

interface Done { node: string; state: string; stdout: string[]; said: string }

/** Every engine listens here unless it was told otherwise. */
const socketPath = '/var/run/docker.sock'
const pollMs = 100
/** Without the time that the image takes to arrive. */
const mostMs = 30_000
const arrivalMs = 10 * 60_000
/** More than any answer has. */
const mostLines = 10_000

/** `image` has curl and du. */
export function dockerErrands(
  client: DockerClient, place: Place, image: string, credentialsFor: CredentialsFor,
): Errands {
  const underWay = new Set<string>()

  const carryOut = async (errand: Omit<Errand, 'image'>): Promise<Done> => {
    const node = await nodeToReach(client, errand.nodeId)
    const name = `berth-errand-${randomBytes(8).toString('hex')}`
    underWay.add(name)
    try {
      const body = errandBody(name, { ...errand, image }, place)
      const headers = await authHeader(credentialsFor, image)
      const { ID } = await client.call<{ ID: string }>({ method: 'POST', path: '/services/create', body, headers })
      const task = await endOf(client, ID, node)
      // One that was rejected never had a container, and so no log.
      const lines = task.Status.State === 'rejected' ? [] : await linesOf(client, place, name)
      const said = textOf(lines, 'stderr').join(' ') || task.Status.Err || task.Status.State
      return { node, state: task.Status.State, stdout: textOf(lines, 'stdout'), said }
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
      const done = await carryOut({ nodeId, argv, source: socketPath, isReadOnly: false, capabilities: [] })
      if (done.state !== 'complete') throw new NodeUnreached(`${done.node} could not be asked: ${done.said}`)
      const answers = answersIn(done.stdout)
      checkAnswers(nodeId, answers, all.length)
      return answers.slice(1).map(bodyOf)
    },
    read: async (nodeId, argv, source) => {
      const capabilities = ['DAC_READ_SEARCH']
      const { node, state, stdout, said } = await carryOut({ nodeId, argv, source, isReadOnly: true, capabilities })
      if (state === 'complete' || state === 'failed') return stdout.join('\n')
      throw new NodeUnreached(`${node} could not be asked: ${said}`)
    },
    tidy: async () => {
      const filters = { label: [`${installationLabel}=${place.installationId}`, `${roleLabel}=${errandRole}`] }
      const found = await client.call<ApiService[]>({ path: '/services', query: { filters } })
      const left = found.map(({ Spec }) => Spec.Name).filter((name) => !underWay.has(name))
      await Promise.all(left.map((name) => removeNamed(client, name)))
    },
  }
}

/** Gives its name for people; refuses where nothing could run on it. */
async function nodeToReach(client: DockerClient, nodeId: string): Promise<string> {
  const node = await findNode(client, nodeId)
  if (node === null) throw new EngineRefused(410, `Node ${nodeId} is not in the swarm`)
  const name = `Node ${node.Description.Hostname} (${node.Status.Addr ?? nodeId})`
  if (node.Status.State !== 'ready') throw new NodeUnreached(`${name} is ${node.Status.State}`)
  if (node.Spec.Availability === 'active') return name
  throw new NodeUnreached(`${name} takes no tasks: its availability is ${node.Spec.Availability}`)
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
    const boundMs = state === 'preparing' ? arrivalMs : mostMs
    if (performance.now() - began > boundMs) {
      const why = task?.Status.Err || `the errand there is ${state}`
      throw new NodeUnreached(`${node} has not answered within ${boundMs / 1000} seconds: ${why}`)
    }
    await pause(pollMs)
  }
}

async function linesOf(client: DockerClient, { installationId }: Place, name: string): Promise<LogLine[]> {
  const asked = { tail: mostLines, since: null, follow: false }
  return Array.fromAsync(await serviceLogs(client, installationId, name, asked, AbortSignal.timeout(mostMs)))
}

const textOf = (lines: LogLine[], stream: LogLine['stream']) =>
  lines.filter((it) => it.stream === stream).map(({ line }) => line)

/** What listens at that path may be the engine of something else. */
function checkAnswers(nodeId: string, answers: Answer[], count: number): void {
  if (answers.length !== count) throw new NodeUnreached(`The answers of node ${nodeId} did not arrive whole`)
  const info = JSON.parse(bodyOf(answers[0]!)) as { Swarm?: { NodeID?: string } }
  if (info.Swarm?.NodeID === nodeId) return
  throw new NodeUnreached(`The engine that listens at ${socketPath} on node ${nodeId} is not that node's`)
}

function bodyOf({ status, body }: Answer): string {
  if (status >= 400) throw refusalOf(status, body)
  return body
}

async function removeNamed(client: DockerClient, name: string): Promise<void> {
  try {
    await client.call({ method: 'DELETE', path: `/services/${name}` })
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}
