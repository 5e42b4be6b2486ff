/**
 * Finds the owner of a port: Berth, Swarm, the proxy, a database, the registry, a published port of an application, or
 * another service of the swarm.
 */
import type { Config } from '../config.ts'
import type { Protocol } from '../engine/spec.ts'
import type { Reader } from '../store/schema.ts'

/**
 * A request for a port by a database, a published port or the registry. The requester does not count as an owner,
 * because it may keep its present port.
 */
export interface PortRequest {
  port: number
  protocol: Protocol
  databaseId?: string
  portId?: string
  isRegistry?: true
}

/** Source: docs.docker.com/engine/swarm/swarm-tutorial, "Open protocols and ports between the hosts". */
const swarmPorts = ['tcp 2377', 'tcp 7946', 'udp 7946', 'udp 4789']

/** Returns the end of a sentence that begins with `<port> is` and names the owner, or null if the port is free. */
export async function portOwnerOf(db: Reader, config: Config, request: PortRequest): Promise<string | null> {
  const { port, protocol, databaseId = '', portId = '', isRegistry = false } = request
  if (protocol === 'tcp' && port === config.port) return "Berth's own port"
  if (protocol === 'tcp' && port === config.enginePort) return 'the port to the engines of other nodes'
  if (swarmPorts.includes(`${protocol} ${port}`)) return "the swarm's own port"
  if (config.proxy !== 'off' && [config.proxyHttpPort, config.proxyHttpsPort].includes(port) && protocol === 'tcp') {
    return 'a port of the proxy'
  }
  const database =
    protocol === 'udp'
      ? undefined
      : await db
          .selectFrom('database')
          .select('appName')
          .where('externalPort', '=', port)
          .where('id', '!=', databaseId)
          .executeTakeFirst()
  if (database !== undefined) return `taken by ${database.appName}`
  const registry =
    protocol === 'udp' || isRegistry
      ? undefined
      : await db.selectFrom('registryServer').select('id').where('port', '=', port).executeTakeFirst()
  if (registry !== undefined) return "the registry's own port"
  const published = await db
    .selectFrom('port')
    .select(['id', 'applicationId', 'goal'])
    .where('id', '!=', portId)
    .where('publishedPort', '=', port)
    .where('protocol', '=', protocol)
    .executeTakeFirst()
  if (published !== undefined) {
    const { id, applicationId, goal } = published
    return goal === 'gone'
      ? 'being unpublished and will be free in a moment'
      : `published for ${applicationId} already (portId ${id})`
  }
  return publishingService(db, port, protocol)
}

/**
 * Like `portOwnerOf`, for the services in the swarm that Berth does not run. Such a service owns a port that it
 * publishes itself.
 */
async function publishingService(db: Reader, port: number, protocol: Protocol): Promise<string | null> {
  const services = await db
    .selectFrom('application')
    .select(['name', 'published'])
    .where('isOwn', '=', 0)
    .where('published', '!=', '[]')
    .execute()
  const publisher = services.find(({ published }) =>
    (JSON.parse(published) as { port: number; protocol: string }[]).some(
      (candidate) => candidate.port === port && candidate.protocol === protocol,
    ),
  )
  return publisher === undefined ? null : `published by the service ${publisher.name} itself`
}
