/** What a fault does to the cluster. Each fault ends with everything started and connected again. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Random } from '../crash/random.ts'
import type { Node } from '../e2e/nodes.ts'
import type { FaultCluster } from './cluster.ts'

export type Fault = (cluster: FaultCluster, random: Random) => Promise<void>

/** By name, each as often as its weight says. The kill of a node takes longest. */
export const faults: Record<string, { weight: number; inject: Fault }> = {
  'kill of Berth': {
    weight: 5,
    inject: async ({ berth }, random) => {
      await berth.kill()
      await pause(random.below(1500))
      await berth.start()
    },
  },
  "kill of a job's container": {
    weight: 6,
    inject: ({ workers }, random) => killContainer(random.pick(workers), random, 'label=berth.job'),
  },
  'kill of HAProxy': {
    weight: 4,
    inject: ({ workers }, random) => killContainer(random.pick(workers), random, 'name=berth-engine-'),
  },
  'cut of the network': {
    weight: 4,
    inject: async ({ workers }, random) => {
      const worker = random.pick(workers)
      await worker.disconnect()
      await pause(200 + random.below(7000))
      await worker.connect()
    },
  },
  'kill of a node': {
    weight: 1,
    inject: async ({ workers }, random) => {
      const worker = random.pick(workers)
      await worker.kill()
      await pause(random.below(2000))
      await worker.start()
    },
  },
}

/** Kills one of the containers, if there is one. */
async function killContainer(node: Node, random: Random, filter: string): Promise<void> {
  const ids = await node.docker('ps', '--quiet', '--filter', filter)
  // The container may end before the kill.
  if (ids.length > 0) await node.docker('kill', random.pick(ids)).catch(() => undefined)
}

/** One name for each unit of weight. */
export const weightedFaults: readonly string[] = Object.entries(faults).flatMap(([name, { weight }]) =>
  Array.from({ length: weight }, () => name),
)
