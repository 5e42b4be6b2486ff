/**
 * Creates a database without Berth: a Swarm service by the engine's API, with the same image, environment, volume and
 * network as with Berth, but without a health check. The database is ready at the first login.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { ApiContainer, ApiTask } from '../src/engine/docker/transport/api.ts'
import { dockerClient } from '../src/engine/docker/transport/client.ts'
import { runProgram } from '../src/engine/docker/jobs/exec.ts'
import { envList } from '../src/engine/docker/services/spec.ts'
import { postgres } from '../src/kinds/postgres/postgres.ts'

const pollMs = 25
const maxMs = 120_000
const loginMs = 5000

export const image = 'postgres:15'
export const dockerHost = process.env.DOCKER_HOST || 'unix:///var/run/docker.sock'

const settings = { databaseName: 'shop', databaseUser: 'shop', databasePassword: 'only-for-the-bench' }

export type RawEngine = ReturnType<typeof rawEngine>

export function rawEngine(networkName: string) {
  const client = dockerClient(dockerHost, process.env.DOCKER_CERT_PATH ?? null)
  return { deploy, remove, removeNetwork }

  /** Creates the service and waits for the first login. */
  async function deploy(name: string): Promise<void> {
    await client.call({
      method: 'POST',
      path: '/services/create',
      body: {
        Name: name,
        TaskTemplate: {
          ContainerSpec: {
            Image: image,
            Env: envList(postgres.env(settings)),
            Mounts: [{ Type: 'volume', Source: name, Target: postgres.dataPath('15') }],
          },
          Networks: [{ Target: networkName }],
        },
        EndpointSpec: { Mode: 'dnsrr' },
      },
    })
    const { containerId, host } = await until(`a container of ${name}`, () => containerOf(name))
    const program = postgres.ready(settings, { host, port: postgres.port })
    await until(`a login to ${name}`, async () => {
      // `exec` fails while the container has not started.
      const outcome = await runProgram(client, containerId, program, loginMs).catch(() => null)
      return outcome?.exitCode === 0 ? true : null
    })
  }

  async function containerOf(name: string) {
    const [task] = await client.call<ApiTask[]>({ path: '/tasks', query: { filters: { service: [name] } } })
    const containerId = task?.Status.ContainerStatus?.ContainerID
    const attachment = task?.NetworksAttachments?.find(({ Network }) => Network.Spec.Name === networkName)
    const host = attachment?.Addresses?.[0]?.split('/')[0]
    return containerId && host && task?.Status.State === 'running' ? { containerId, host } : null
  }

  async function remove(name: string): Promise<void> {
    await client.call({ method: 'DELETE', path: `/services/${name}` })
    const filters = { label: [`com.docker.swarm.service.name=${name}`] }
    await until(`the end of ${name}`, async () => {
      const left = await client.call<ApiContainer[]>({ path: '/containers/json', query: { all: 'true', filters } })
      return left.length === 0 ? true : null
    })
    await client.call({ method: 'DELETE', path: `/volumes/${name}` })
  }

  async function removeNetwork(): Promise<void> {
    await until(`network ${networkName} to be free`, () =>
      client.call({ method: 'DELETE', path: `/networks/${networkName}` }).then(
        () => true,
        () => null,
      ),
    )
  }
}

async function until<T>(what: string, query: () => Promise<T | null>): Promise<T> {
  const end = performance.now() + maxMs
  for (;;) {
    const result = await query()
    if (result !== null) return result
    if (performance.now() > end) throw new Error(`Timed out waiting for ${what}`)
    await pause(pollMs)
  }
}
