/** Finds the owner of a port: a database, an application, a gateway, the proxy, the registry, Berth or Swarm itself. */
import type { Config } from '../config.ts'
import type { Protocol } from '../engine/spec.ts'
import type { Reader } from '../store/schema.ts'

/**
 * A port that somebody wants. The given database, published port or registry is ignored as an owner: it may keep its
 * port.
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

/** Returns who owns the port as the end of a sentence that begins with `<port> is`, or null if the port is free. */
export async function portOwnerOf(db: Reader, config: Config, request: PortRequest): Promise<string | null> {
  const { port, protocol, databaseId = '', portId = '', isRegistry = false } = request
  if (protocol === 'tcp' && port === config.port) return "Berth's own port"
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
  const server =
    protocol === 'udp' || isRegistry
      ? undefined
      : await db.selectFrom('registryServer').select('id').where('port', '=', port).executeTakeFirst()
  if (server !== undefined) return "the registry's own port"
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
      ? 'being unpublished: try again in a moment'
      : `published for ${applicationId} already (portId ${id})`
  }
  return holderAmongServices(db, port, protocol)
}

/** Finds a service of the swarm that is not Berth's and publishes the port itself. */
async function holderAmongServices(db: Reader, port: number, protocol: Protocol): Promise<string | null> {
  const services = await db
    .selectFrom('application')
    .select(['name', 'published'])
    .where('isOwn', '=', 0)
    .where('published', '!=', '[]')
    .execute()
  const holder = services.find(({ published }) =>
    (JSON.parse(published) as { port: number; protocol: string }[]).some(
      (it) => it.port === port && it.protocol === protocol,
    ),
  )
  return holder === undefined ? null : `published by the service ${holder.name} itself`
}
