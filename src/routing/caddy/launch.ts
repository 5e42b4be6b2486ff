/**
 * The command lines, sockets and addresses of the proxy's three Caddy processes. `front` terminates TLS and forwards
 * requests to `rules`, which applies the rules of applications. `keys` gives certificates to `front`. After a restart,
 * a process resumes with the configuration that it loaded last. In a Swarm service, all three run in one container.
 */
import { createHash } from 'node:crypto'
import { textFile } from '../../lib/text-file.ts'

/** The name of the proxy's service on the swarm. */
export const proxyName = 'berth-proxy'

/**
 * The processes in the order in which their configurations are loaded. `rules` comes before `front`, which forwards
 * requests to it. `keys` comes last: as soon as it knows a name, it starts an ACME order, and the certificate authority
 * then connects to `front`.
 */
export const processNames = ['rules', 'front', 'keys'] as const
export type ProcessName = (typeof processNames)[number]

/** The paths of the sockets in the proxy's folder. */
export interface SocketPaths {
  /** Sockets of Caddy's admin API. */
  frontAdmin: string
  rulesAdmin: string
  keysAdmin: string
  /** Sockets that `front` connects to: one of `rules`, and two of `keys` (for certificates and ACME challenges). */
  rules: string
  keys: string
  challenges: string
}

/**
 * Only Berth and the proxy may have access to `folder`: every process that can open these sockets controls the proxy.
 */
export const socketPathsIn = (folder: string): SocketPaths => ({
  frontAdmin: `${folder}/front.sock`,
  rulesAdmin: `${folder}/rules-admin.sock`,
  keysAdmin: `${folder}/keys-admin.sock`,
  rules: `${folder}/rules.sock`,
  keys: `${folder}/keys.sock`,
  challenges: `${folder}/challenges.sock`,
})

/** Returns the sockets on which a process listens, its admin socket first. */
export function socketsOf(socketPaths: SocketPaths, processName: ProcessName): string[] {
  const keys = [socketPaths.keysAdmin, socketPaths.keys, socketPaths.challenges]
  return { front: [socketPaths.frontAdmin], rules: [socketPaths.rulesAdmin, socketPaths.rules], keys }[processName]
}

/**
 * Returns two loopback addresses. They are derived from the folder, so that several proxies on one machine use
 * different addresses. `front` requests certificates at `certificates`. Nothing uses `spare`, but Caddy requires a port
 * of its own for ACME challenges.
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

/** The program of one process. Its admin API listens on `CADDY_ADMIN` until it has loaded a configuration. */
export function program(caddy: string, adminSocket: string, stateFolder: string): Program {
  return {
    argv: [caddy, 'run', '--resume'],
    env: { CADDY_ADMIN: `unix/${adminSocket}|0600`, XDG_CONFIG_HOME: stateFolder, XDG_DATA_HOME: stateFolder },
  }
}

const script = textFile('routing/caddy/launch.sh')

/**
 * Returns the program that runs all three processes in one container of the caddy image. `folder` is mounted at the
 * same path inside the container.
 * @param outgoing a digest of the file with the outgoing proxy (outgoing.ts), or null if there is none
 */
export function allPrograms(folder: string, outgoing: string | null): Program {
  const { frontAdmin, rulesAdmin, keysAdmin } = socketPathsIn(folder)
  return {
    argv: ['sh', '-c', script],
    env: {
      BERTH_PROXY: folder,
      BERTH_FRONT_ADMIN: frontAdmin,
      BERTH_RULES_ADMIN: rulesAdmin,
      BERTH_KEYS_ADMIN: keysAdmin,
      ...(outgoing !== null && { BERTH_OUTGOING: outgoing }),
    },
  }
}
