/** Finds and removes the containers of this installation's jobs. */
import type { ApiContainer, ApiContainerDetails, ApiNode } from '../transport/api.ts'
import type { DockerClient } from '../transport/client.ts'
import { isMissing } from '../transport/errors.ts'
import type { NodeClients } from '../nodes/node-clients.ts'
import type { EngineScope } from '../services/services.ts'
import { EngineFailure } from '../../engine.ts'
import type { FoundJob } from '../../job.ts'
import { installationLabel, isOwnObject, jobLabel } from '../../labels.ts'

/**
 * The timeout of create, start and remove. Starting waits for an address from the swarm, and removing waits for the
 * kernel.
 */
export const slowTimeoutMs = 60_000

/**
 * Returns the container id of this installation's job of this name; null if the name is free. Throws EngineFailure
 * `conflict` for any other container of this name.
 */
export async function findOwnJob(client: DockerClient, scope: EngineScope, name: string): Promise<string | null> {
  try {
    const path = `/containers/${encodeURIComponent(name)}/json`
    const { Id, Config } = await client.call<ApiContainerDetails>({ path })
    const labels = Config?.Labels ?? {}
    if (isOwnObject(labels, scope.installationId) && labels[jobLabel] !== undefined) return Id
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
  throw new EngineFailure('conflict', `The container ${name} is not a job of this Berth installation`)
}

interface JobLister {
  /** The client of the engine that Berth calls. */
  own: DockerClient
  nodes: NodeClients
  scope: EngineScope
  /** The jobs that this process runs, by name. */
  running: ReadonlyMap<string, unknown>
}

/** Returns the jobs of all nodes whose engine answers. */
export async function foundJobs({ own, nodes, scope, running }: JobLister): Promise<FoundJob[]> {
  const nodeIds = await readyNodes(own)
  const found = await Promise.all(nodeIds.map((id) => jobsOn(nodes, scope, id)))
  return found.flat().map((job) => jobFrom(job.container, job.nodeId, running))
}

async function readyNodes(own: DockerClient): Promise<string[]> {
  const nodes = await own.call<ApiNode[]>({ path: '/nodes' })
  return nodes.filter(({ Status }) => Status.State === 'ready').map(({ ID }) => ID)
}

interface JobContainer {
  nodeId: string
  container: ApiContainer
}

/** Empty if the node's engine does not answer. */
async function jobsOn(nodes: NodeClients, scope: EngineScope, nodeId: string): Promise<JobContainer[]> {
  const filters = { label: [`${installationLabel}=${scope.installationId}`, jobLabel] }
  try {
    const client = await nodes.of(nodeId)
    const call = { path: '/containers/json', query: { all: 'true', filters } }
    return (await client.call<ApiContainer[]>(call)).map((container) => ({ nodeId, container }))
  } catch (error) {
    if (error instanceof EngineFailure && ['nodeUnreachable', 'nodeMissing'].includes(error.reason)) return []
    throw error
  }
}

function jobFrom(
  { Names, Created, Labels, State }: ApiContainer,
  nodeId: string,
  running: ReadonlyMap<string, unknown>,
): FoundJob {
  const name = (Names[0] ?? '').replace(/^\//, '')
  const createdAt = new Date((Created ?? 0) * 1000).toISOString()
  const recordId = Labels?.[jobLabel] ?? ''
  return { name, nodeId, recordId, state: State, createdAt, attached: running.has(name) }
}

/** Removes the container with its anonymous volumes. Succeeds if it is missing or is already being removed. */
export async function removeContainer(client: DockerClient, id: string): Promise<void> {
  try {
    const query = { force: 1, v: 1 }
    await client.call({ method: 'DELETE', path: `/containers/${id}`, query, timeoutMs: slowTimeoutMs })
  } catch (error) {
    const isBeingRemoved = error instanceof EngineFailure && /already in progress/.test(error.message)
    if (!isMissing(error) && !isBeingRemoved) throw error
  }
}
