/**
 * Makes this engine the manager of a swarm where it is in none. Changes nothing where there is one.
 * Knows no network and no service.
 */
import { networkInterfaces } from 'node:os'
import type { ApiInfo } from '../transport/api.ts'
import type { DockerClient } from '../transport/client.ts'
import { EngineFailure, EngineUnavailable } from '../../engine.ts'
import { defaultInterface, firstAddress, hostRoutes } from '../../host-network.ts'

/** `advertiseAddress` null: the engine's choice; the address of the default route where it cannot choose. */
export async function ensureSwarm(client: DockerClient, advertiseAddress: string | null): Promise<void> {
  if (await isManager(client)) return
  try {
    await init(client, advertiseAddress)
  } catch (error) {
    // Another one may have been first.
    if (await isManager(client)) return
    throw error
  }
}

/** False: in no swarm. Throws where it is in one and cannot speak for it. */
async function isManager(client: DockerClient): Promise<boolean> {
  const { Swarm } = await client.call<ApiInfo>({ path: '/info' })
  const state = Swarm.LocalNodeState
  if (state === 'inactive') return false
  if (state === 'pending') throw new EngineUnavailable('The engine is only just joining its swarm')
  if (state === 'locked')
    throw new EngineFailure('conflict', 'The swarm is locked. Run `docker swarm unlock` on this node.')
  if (state !== 'active')
    throw new EngineFailure('conflict', `The engine's swarm is in state "${state}": ${Swarm.Error}`)
  if (Swarm.ControlAvailable) return true
  throw new EngineFailure('conflict', 'This engine is a worker of a swarm. Point DOCKER_HOST to one of its managers.')
}

async function init(client: DockerClient, advertiseAddress: string | null): Promise<void> {
  try {
    await client.call(initCall(advertiseAddress ?? ''))
  } catch (error) {
    const undecided = error instanceof EngineFailure && /could not choose an IP address/i.test(error.message)
    const address = firstAddress(networkInterfaces(), defaultInterface(hostRoutes()))
    if (!undecided || advertiseAddress !== null || !address) throw error
    await client.call(initCall(address))
  }
}

/** Three of them missed, and a node is down: with the engine's own 5 s it would take 16 s to see that. */
const heartbeatNs = 3_000_000_000

function initCall(AdvertiseAddr: string) {
  const Spec = { Dispatcher: { HeartbeatPeriod: heartbeatNs } }
  const body = { ListenAddr: '0.0.0.0:2377', AdvertiseAddr, ForceNewCluster: false, Spec }
  return { method: 'POST', path: '/swarm/init', body, timeoutMs: 30_000 } as const
}
