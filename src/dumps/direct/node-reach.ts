/** Tests which nodes of the swarm reach a storage, with a worker on each of them. */
import { EngineUnavailable } from '../../engine/failures.ts'
import type { FoundNode } from '../../engine/node.ts'
import { type Bucket, openBucket, type Settings } from '../../lib/s3/s3.ts'
import { NotDirect } from './not-direct.ts'
import { startWorker, type WorkerRuntime } from './start-worker.ts'

export interface NodeReach {
  nodeId: string
  hostname: string
  /** `notTested`: the node gave no result in time, or its engine could not be used. */
  result: 'reached' | 'notReached' | 'notTested'
  /** Why the node does not reach the storage, or why there is no result; null: it reaches the storage. */
  error: string | null
}

/** Tests the ready nodes at the same time. @param testId makes the names of the containers unique */
export type TestReach = (settings: Settings, testId: string) => Promise<NodeReach[]>

const timeoutMs = 12_000

/** @returns an empty list if Berth's own engine does not answer */
export function nodeReachOf(runtime: WorkerRuntime): TestReach {
  return async (settings, testId) => {
    const timeout = AbortSignal.timeout(timeoutMs)
    using bucket = openBucket(settings, { ...runtime.storage, attempts: 1 })
    const nodes = await runtime.engine.nodes().catch((error: unknown) => {
      if (error instanceof EngineUnavailable) return []
      throw error
    })
    return Promise.all(
      nodes
        .filter(({ ready }) => ready)
        .map(async (node, at) => {
          const { id: nodeId, hostname } = node
          const outcome = await reachFrom(
            runtime,
            { bucket, node, name: `berth-reach-${testId}-${at}`, testId },
            timeout,
          )
          return { nodeId, hostname, ...outcome }
        }),
    )
  }
}

interface Test {
  bucket: Bucket
  node: FoundNode
  name: string
  testId: string
}

type Outcome = Pick<NodeReach, 'result' | 'error'>

async function reachFrom(runtime: WorkerRuntime, test: Test, signal: AbortSignal): Promise<Outcome> {
  try {
    const location = await locationOn(runtime, test.node)
    const { bucket, name, testId: recordId } = test
    const options = { name, recordId, location, bucket, key: `berth-probe-${recordId}`, work: { do: 'reach' } as const }
    const worker = await startWorker(runtime, options, signal)
    await worker.stop().catch(() => undefined)
    return { result: 'reached', error: null }
  } catch (error) {
    if (signal.aborted) return { result: 'notTested', error: `There was no result within ${timeoutMs / 1000} seconds` }
    const isOutOfReach = error instanceof NotDirect && outOfReach.includes(error.reason.reason)
    return { result: isOutOfReach ? 'notReached' : 'notTested', error: (error as Error).message }
  }
}

const outOfReach: readonly NotDirect['reason']['reason'][] = ['StorageUnreachable', 'StorageLocal']

/** A paused node accepts no new container on Berth's network, so the worker shares the network of a task there. */
async function locationOn({ engine }: WorkerRuntime, { id: nodeId, active }: FoundNode) {
  if (active) return { nodeId, networkOf: null }
  const tasks = await engine.tasksOn(nodeId)
  const task = tasks.find(({ state, containerId, address }) => state === 'running' && containerId && address)
  return { nodeId, networkOf: task?.containerId ?? null }
}
