/** How what runs differs from what was deployed: sentences for people, and what Berth does about it by itself. Pure. */
import type { FoundService, FoundTask } from '../engine/engine.ts'

export interface Sighted {
  /** Digests of the specifications that are to run; `gateway` null: none is to. */
  wanted: { database: string; gateway: string | null }
  database: FoundService | undefined
  gateway: FoundService | undefined
  /** Of the one and the other, those that are wanted running. */
  databaseTasks: FoundTask[]
  gatewayTasks: FoundTask[]
  /** The engine knows that this container is on no network of Berth's. */
  isDetached(task: FoundTask): boolean
}

/**
 * `repair` makes what is missing or was changed and touches nothing that runs; `reattach` is for a database, and
 * `remakeGateway` for a gateway, whose container was taken off the network.
 */
export type Remedy = 'none' | 'repair' | 'reattach' | 'remakeGateway'

export interface Drift {
  sentences: readonly string[]
  remedy: Remedy
}

const none: Drift = { sentences: [], remedy: 'none' }

export function driftOf(it: Sighted): Drift {
  const found = [databaseDrift(it), containerDrift(it), gatewayDrift(it)].filter((drift) => drift !== null)
  if (found.length === 0) return none
  const remedies = found.map(({ remedy }) => remedy)
  const remedy = (['repair', 'reattach', 'remakeGateway'] as const).find((name) => remedies.includes(name)) ?? 'none'
  return { sentences: found.map(({ sentence }) => sentence), remedy }
}

/** Nobody but Berth stops a service and leaves it as Berth made it: see hold.ts. */
const isHeld = ({ replicas, digest }: FoundService) => replicas === 0 && digest !== null

interface Found {
  sentence: string
  remedy: Remedy
}

function databaseDrift({ database, databaseTasks, wanted }: Sighted): Found | null {
  if (database === undefined) return { sentence: 'Its service is gone from the swarm', remedy: 'repair' }
  if (database.digest === wanted.database) return null
  if (isHeld(database)) return { sentence: 'Its service was stopped while its node was away', remedy: 'repair' }
  if (database.digest !== null) {
    return {
      sentence: 'Its service was made by another version of Berth or from other records. Deploy it to renew it',
      remedy: 'none',
    }
  }
  // What runs is left as it is: whoever changed it may have had to.
  const remedy = running(databaseTasks) === undefined ? 'repair' : 'none'
  return { sentence: "Its service was changed behind Berth's back. Deploy it to undo that", remedy }
}

function containerDrift({ database, databaseTasks, isDetached }: Sighted): Found | null {
  if (database === undefined) return null
  const task = running(databaseTasks)
  if (task === undefined) return { sentence: `Its container does not run: ${stateOf(databaseTasks)}`, remedy: 'none' }
  return isDetached(task) ? { sentence: 'Its container was taken off the network', remedy: 'reattach' } : null
}

function gatewayDrift({ gateway, gatewayTasks, wanted, isDetached }: Sighted): Found | null {
  const subject = 'The gateway of its external port'
  if (wanted.gateway === null) {
    const sentence = `${subject} is there, and the port is to be closed`
    return gateway === undefined ? null : { sentence, remedy: 'repair' }
  }
  if (gateway === undefined) return { sentence: `${subject} is gone from the swarm`, remedy: 'repair' }
  if (gateway.digest === null) return { sentence: `${subject} was changed behind Berth's back`, remedy: 'repair' }
  if (gateway.digest !== wanted.gateway) {
    const sentence = `${subject} was made by another version of Berth. Deploy the service to renew it`
    return { sentence, remedy: 'none' }
  }
  const task = running(gatewayTasks)
  if (task === undefined) return { sentence: `${subject} does not run: ${stateOf(gatewayTasks)}`, remedy: 'none' }
  return isDetached(task) ? { sentence: `${subject} was taken off the network`, remedy: 'remakeGateway' } : null
}

const running = (tasks: FoundTask[]) => tasks.find(({ state }) => state === 'running')

function stateOf(tasks: FoundTask[]): string {
  const [newest] = tasks
  if (newest === undefined) return 'there is none'
  return newest.failure === null ? newest.state : `${newest.state} (${newest.failure.detail})`
}
