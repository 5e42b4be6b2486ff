/**
 * The command lines, sockets and addresses of the proxy's three processes: the front, and behind it the rules and the
 * keys. Each process resumes with the last configuration that it loaded. As a service, all three run in one container.
 */
import { createHash } from 'node:crypto'
import { textFile } from '../../lib/text-file.ts'

/** The name of the proxy's service on the swarm. */
export const proxyName = 'berth-proxy'

/**
 * The processes in the order in which they are loaded. The front forwards to the rules. The keys start ACME orders as
 * soon as they know a name, and the authority then connects to the front.
 */
export const parts = ['rules', 'front', 'keys'] as const
export type Part = (typeof parts)[number]

/** The paths of the sockets in the proxy's folder. */
export interface Places {
  /** Sockets of Caddy's admin API. */
  frontAdmin: string
  rulesAdmin: string
  keysAdmin: string
  /** Sockets that the front connects to: of the rules, and of the keys for certificates and for ACME challenges. */
  rules: string
  keys: string
  challenges: string
}

/** `folder` must be accessible to Berth and the proxy only: whoever can open these sockets controls the proxy. */
export const placesIn = (folder: string): Places => ({
  frontAdmin: `${folder}/front.sock`,
  rulesAdmin: `${folder}/rules-admin.sock`,
  keysAdmin: `${folder}/keys-admin.sock`,
  rules: `${folder}/rules.sock`,
  keys: `${folder}/keys.sock`,
  challenges: `${folder}/challenges.sock`,
})

/** Returns the sockets on which a process listens, its admin socket first. */
export function socketsOf(places: Places, part: Part): string[] {
  const keys = [places.keysAdmin, places.keys, places.challenges]
  return { front: [places.frontAdmin], rules: [places.rulesAdmin, places.rules], keys }[part]
}

/**
 * Returns loopback addresses derived from the folder, so that several proxies on one machine do not collide: one for
 * requests for certificates, and a spare one that Caddy demands.
 */
export function loopbackOf(folder: string): { certificates: string; spare: string } {
  const [a, b, c] = createHash('sha256').update(folder).digest()
  const host = `127.${(a! % 254) + 1}.${b!}.${(c! % 254) + 1}`
  return { certificates: `${host}:2021`, spare: `${host}:2022` }
}

/** A command line and its environment. */
export interface Program {
  argv: string[]
  env: Record<string, string>
}

/** The program of one process. Caddy listens on `CADDY_ADMIN` until it has loaded a configuration. */
export function program(caddy: string, adminSocket: string, stateFolder: string): Program {
  return {
    argv: [caddy, 'run', '--resume'],
    env: { CADDY_ADMIN: `unix/${adminSocket}|0600`, XDG_CONFIG_HOME: stateFolder, XDG_DATA_HOME: stateFolder },
  }
}

const script = textFile('routing/caddy/launch.sh')

/**
 * The program of a container of the caddy image that runs all three processes. `folder` is mounted at the same path.
 */
export function allPrograms(folder: string): Program {
  const { frontAdmin, rulesAdmin, keysAdmin } = placesIn(folder)
  return {
    argv: ['sh', '-c', script],
    env: {
      BERTH_PROXY: folder,
      BERTH_FRONT_ADMIN: frontAdmin,
      BERTH_RULES_ADMIN: rulesAdmin,
      BERTH_KEYS_ADMIN: keysAdmin,
    },
  }
}
