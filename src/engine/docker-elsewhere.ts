/**
 * What Berth does with containers and volumes of other nodes than its engine's own: by errands to those nodes, by the
 * swarm's logs, and, where a program needs nothing but the network, by a job on the own node.
 */
import { randomBytes } from 'node:crypto'
import type { Exec } from '../kinds/kind.ts'
import type { ApiContainerDetails, ApiStats, ApiTask } from './docker-api.ts'
import type { DockerClient } from './docker-client.ts'
import { errandPath } from './docker-errand-body.ts'
import type { Errands } from './docker-errands.ts'
import { countSeconds, firstBytes, late } from './docker-exec.ts'
import { endIn, linesOf, mostLines, unknownEnd } from './docker-mortem.ts'
import { checkOwnNode } from './docker-network.ts'
import { usageIn } from './docker-stats.ts'
import { EngineRefused } from './engine.ts'
import type { Engine, FoundTask, Outcome, PostMortem, Usage } from './engine.ts'

export interface Elsewhere {
  removeVolume(name: string, nodeId: string): Promise<void>
  usage(nodeId: string, containerId: string): Promise<Usage>
  diskUsage(nodeId: string, containerId: string, path: string): Promise<string>
  examine(task: FoundTask, nodeId: string, containerId: string): Promise<PostMortem>
  /** In a job of the task's own image. */
  run(task: FoundTask, program: Exec, timeoutMs: number): Promise<Outcome>
}

export function elsewhere(client: DockerClient, errands: Errands, jobs: Pick<Engine, 'runJob'>): Elsewhere {
  return {
    removeVolume: async (name, nodeId) => {
      await errands.ask(nodeId, [{ method: 'DELETE', path: `/volumes/${encodeURIComponent(name)}` }])
    },
    usage: async (nodeId, containerId) => {
      const path = `/containers/${containerId}`
      const [details = '', sample = ''] = await errands.ask(nodeId,
        [{ method: 'GET', path: `${path}/json` }, { method: 'GET', path: `${path}/stats?stream=false` }])
      return usageIn(containerId, JSON.parse(details) as ApiContainerDetails, JSON.parse(sample) as ApiStats)
    },
    diskUsage: async (nodeId, containerId, path) => {
      const { Mounts = [] } = await detailsOf(errands, nodeId, containerId)
      // By its place on the disk: a volume that is mounted by name would be made anew if it were gone by now.
      const source = Mounts.find(({ Destination }) => Destination === path)?.Source
      if (source === undefined) throw new EngineRefused(404, `Nothing is mounted at ${path} of ${containerId}`)
      return errands.read(nodeId, ['timeout', String(countSeconds), 'du', '-sk', errandPath], source)
    },
    examine: (task, nodeId, containerId) => examineThere(client, errands, task, nodeId, containerId),
    run: (task, program, timeoutMs) => runBeside(client, jobs, task, program, timeoutMs),
  }
}

async function detailsOf(errands: Errands, nodeId: string, containerId: string): Promise<ApiContainerDetails> {
  const [details = ''] = await errands.ask(nodeId, [{ method: 'GET', path: `/containers/${containerId}/json` }])
  return JSON.parse(details) as ApiContainerDetails
}

/** As much as can be learnt: a reason without its last words is better than none. */
async function examineThere(
  client: DockerClient, errands: Errands, task: FoundTask, nodeId: string, containerId: string,
): Promise<PostMortem> {
  const unknown = unknownEnd(task)
  const query = { stdout: 1, stderr: 1, tail: mostLines }
  const [end, lastLines] = await Promise.all([
    detailsOf(errands, nodeId, containerId).then(endIn, refusedGives(unknown)),
    client.bytes({ path: `/tasks/${task.id}/logs`, query }).then(linesOf, refusedGives(unknown.lastLines)),
  ])
  return { ...unknown, ...end, lastLines }
}

const refusedGives = <T>(instead: T) => (error: unknown): T => {
  if (error instanceof EngineRefused) return instead
  throw error
}

async function runBeside(
  client: DockerClient, jobs: Pick<Engine, 'runJob'>, task: FoundTask, { argv, env, stdin }: Exec, timeoutMs: number,
): Promise<Outcome> {
  // Else the engine would try for 20 seconds.
  await checkOwnNode(client)
  const { Spec } = await client.call<ApiTask>({ path: `/tasks/${task.id}` })
  const image = Spec.ContainerSpec?.Image
  if (image === undefined) throw new EngineRefused(404, `The task of ${task.serviceName} has no image`)
  const name = `berth-run-${randomBytes(8).toString('hex')}`
  const job = await jobs.runJob(
    { name, recordId: task.id, image, argv, env, stdin: stdin !== undefined }, new AbortController().signal)
  const stdout = firstBytes()
  job.stdout.on('data', stdout.add)
  job.stdin?.end(stdin)
  const over = Promise.withResolvers<null>()
  const timer = setTimeout(() => over.resolve(null), timeoutMs)
  try {
    const end = await Promise.race([job.ended, over.promise])
    if (end !== null) {
      const stderr = end.lastLines === '' ? '' : `${end.lastLines}\n`
      return { exitCode: end.exitCode, stdout: stdout.text(), stderr }
    }
    await job.stop()
    return late({ stdout: stdout.text(), stderr: '' }, timeoutMs)
  } finally {
    clearTimeout(timer)
  }
}
