/**
 * How the three processes of the proxy are started: the front, and behind it the rules and the keys. Each goes on with
 * the last configuration that it took. One container holds them all: none is of use without the others.
 */
import { createHash } from 'node:crypto'
import { textFile } from '../../lib/text-file.ts'

/** The proxy's service on the swarm. */
export const proxyName = 'berth-proxy'

/**
 * In the order in which they are loaded: what the front hands on is to find the rules, and ACME, which the keys ask as
 * soon as they know of a name, is to find the front.
 */
export const parts = ['rules', 'front', 'keys'] as const
export type Part = (typeof parts)[number]

export interface Places {
  /** Admin sockets. */
  frontAdmin: string
  rulesAdmin: string
  keysAdmin: string
  /** What the front asks: the rules, the keys for certificates, and the keys for what ACME wants to know. */
  rules: string
  keys: string
  challenges: string
}

/** A folder that only Berth and the proxy can reach: whoever opens these sockets commands the proxy. */
export const placesIn = (folder: string): Places => ({
  frontAdmin: `${folder}/front.sock`,
  rulesAdmin: `${folder}/rules-admin.sock`,
  keysAdmin: `${folder}/keys-admin.sock`,
  rules: `${folder}/rules.sock`,
  keys: `${folder}/keys.sock`,
  challenges: `${folder}/challenges.sock`,
})

/** Where a process listens, its admin socket first. */
export function socketsOf(it: Places, part: Part): string[] {
  const keys = [it.keysAdmin, it.keys, it.challenges]
  return { front: [it.frontAdmin], rules: [it.rulesAdmin, it.rules], keys }[part]
}

/** Of loopback, where other proxies of this machine have another: for certificates, and for what nobody asks. */
export function loopbackOf(folder: string): { certificates: string; spare: string } {
  const [a, b, c] = createHash('sha256').update(folder).digest()
  const host = `127.${(a! % 254) + 1}.${b!}.${(c! % 254) + 1}`
  return { certificates: `${host}:2021`, spare: `${host}:2022` }
}

export interface Program {
  argv: string[]
  env: Record<string, string>
}

/** One process; `CADDY_ADMIN` is where it listens until it has a configuration that says so itself. */
export function program(caddy: string, adminSocket: string, stateFolder: string): Program {
  return {
    argv: [caddy, 'run', '--resume'],
    env: { CADDY_ADMIN: `unix/${adminSocket}|0600`, XDG_CONFIG_HOME: stateFolder, XDG_DATA_HOME: stateFolder },
  }
}

const script = textFile('routing/caddy/launch.sh')

/** For a container of the caddy image. `folder` is mounted there: it holds the configurations, with their keys. */
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
