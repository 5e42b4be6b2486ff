/** Initializes a swarm with this engine as its manager. Changes nothing if the engine already manages a swarm. */
import { networkInterfaces } from 'node:os'
import type { ApiInfo } from '../transport/api.ts'
import type { DockerClient } from '../transport/client.ts'
import { EngineFailure, EngineUnavailable } from '../../engine.ts'
import { defaultInterface, firstAddress, hostRoutes } from '../../host-network.ts'

/**
 * @param advertiseAddress null: the engine chooses the address. If the engine cannot choose, Berth sends the address of
 *   the default route's interface.
 * @throws EngineFailure `conflict` if the engine is a worker, or its swarm is locked or in an error state
 */
export async function ensureSwarm(client: DockerClient, advertiseAddress: string | null): Promise<void> {
  if (await isManager(client)) return
  try {
    await init(client, advertiseAddress)
  } catch (error) {
    // Another process may have initialized the swarm first.
    if (await isManager(client)) return
    throw error
  }
}

/** Returns false if the engine is in no swarm. Throws if the engine is in a swarm but cannot manage it. */
export async function isManager(client: DockerClient): Promise<boolean> {
  const { Swarm } = await client.call<ApiInfo>({ path: '/info' })
  const state = Swarm.LocalNodeState
  if (state === 'inactive') return false
  if (state === 'pending') throw new EngineUnavailable('The engine has not finished joining its swarm yet')
  if (state === 'locked') {
    throw new EngineFailure('conflict', 'The swarm is locked. Run `docker swarm unlock` on this node.')
  }
  if (state !== 'active') {
    throw new EngineFailure('conflict', `The engine's swarm is in state "${state}": ${Swarm.Error}`)
  }
  if (Swarm.ControlAvailable) return true
  throw new EngineFailure('conflict', 'This engine is a worker of a swarm. Point DOCKER_HOST to one of its managers.')
}

async function init(client: DockerClient, advertiseAddress: string | null): Promise<void> {
  try {
    await client.call(initCall(advertiseAddress ?? ''))
  } catch (error) {
    const cannotChoose = error instanceof EngineFailure && /could not choose an IP address/i.test(error.message)
    const address = firstAddress(networkInterfaces(), defaultInterface(hostRoutes()))
    if (!cannotChoose || advertiseAddress !== null || !address) throw error
    await client.call(initCall(address))
  }
}

/**
 * The swarm considers a node down after three missed heartbeats. With the engine's default period of 5 s, this would
 * take 16 s.
 */
const heartbeatNs = 3_000_000_000

function initCall(AdvertiseAddr: string) {
  const Spec = { Dispatcher: { HeartbeatPeriod: heartbeatNs } }
  const body = { ListenAddr: '0.0.0.0:2377', AdvertiseAddr, ForceNewCluster: false, Spec }
  return { method: 'POST', path: '/swarm/init', body, timeoutMs: 30_000 } as const
}
