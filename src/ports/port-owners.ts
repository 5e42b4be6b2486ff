/** Who holds a port of the cluster: databases, applications, gateways, the proxy, Berth and the swarm itself. */
import type { Config } from '../config.ts'
import type { Protocol } from '../engine/spec.ts'
import type { Reader } from '../store/schema.ts'

/** A port to be held, and by whom: its own is no conflict. */
export interface Asked {
  port: number
  protocol: Protocol
  databaseId?: string
  portId?: string
  isRegistry?: true
}

/** Source: docs.docker.com/engine/swarm/swarm-tutorial, "Open protocols and ports between the hosts". */
const ofSwarm = ['tcp 2377', 'tcp 7946', 'udp 7946', 'udp 4789']

/** Who holds it, in words that go on `<port> is …`; null where nobody does. */
export async function holderOf(db: Reader, config: Config, asked: Asked): Promise<string | null> {
  const { port, protocol, databaseId = '', portId = '', isRegistry = false } = asked
  if (protocol === 'tcp' && port === config.port) return "Berth's own port"
  if (ofSwarm.includes(`${protocol} ${port}`)) return "the swarm's own port"
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
