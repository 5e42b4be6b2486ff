/** The programs by which Berth controls the HAProxy of a gateway, and the parser of what they print. Pure. */
import type { Exec } from '../../engine/exec.ts'
import { cidrText, parseCidr } from '../../lib/net/network.ts'
import { textFile } from '../../lib/text-file.ts'

/** The port of HAProxy's runtime API on the loopback interface of the gateway's container. */
export const controlPort = 15001

/**
 * The folder of the gateway's own volume. The image has this folder, and gives it to its user: Docker copies the owner
 * to a new volume. Source: the Dockerfile of the official image, haproxy:3.0.
 */
export const sourcesFolder = '/var/lib/haproxy'
export const sourcesFile = `${sourcesFolder}/allowed.acl`

const script = textFile('gateways/sources/control.sh')

/** `apply`: replaces the sources by those of the input. `close`: ends the sessions of the input. `status`: only reads. */
export type ControlAction = 'apply' | 'close' | 'status'

/**
 * @param lines what the action needs, one for each line of standard input. A list ends with the line `end`, so that one
 * that was cut off is not stored
 */
export const controlProgram = (action: ControlAction, lines: readonly string[] = []): Exec => ({
  argv: ['bash', '-c', script, 'berth-gateway', String(controlPort), sourcesFile, action],
  env: {},
  stdin: (action === 'apply' ? [...lines, 'end'] : lines).map((line) => `${line}\n`).join(''),
})

/** A proxy of a gateway: `target` for clients without TLS or of a server with one port, `tls` for a port of its own. */
export const gatewayProxies = ['target', 'tls'] as const
export type GatewayProxy = (typeof gatewayProxies)[number]

/** The state of a gateway. */
export interface GatewayStatus {
  /** The networks from which HAProxy accepts connections, in canonical form. Empty: it refuses everyone. */
  allowed: readonly string[]
  /** The connections that are open. `id`: the name of the connection in the runtime API. */
  sessions: readonly { id: string; address: string; port: number }[]
  /** The number of connections that this HAProxy has refused since its start. */
  refused: number
  /** The proxies whose health check reaches a task. */
  served: readonly GatewayProxy[]
  /** `ageMs`: since the last attempt. */
  refusedSources: readonly { source: string; attempts: number; ageMs: number }[]
  /** The source ports of connections that were refused in the last minute. */
  refusedPorts: readonly number[]
  /** The addresses of the routers of the container, which stand for clients whose own address the engine hides. */
  routers: readonly string[]
}

/** How long the table of refused sources remembers an attempt. Must be `expire` in haproxy-sources-tables.cfg. */
const refusedExpiryMs = 86_400_000

/** @throws an Error if the output is not that of the program */
export function parseStatus(stdout: string): GatewayStatus {
  const parts = Map.groupBy(stdout.split('\n'), (line) => line.split(' ', 1)[0]!)
  const part = (name: string) => (parts.get(name) ?? []).map((line) => line.slice(name.length + 1))
  return {
    allowed: part('allowed').map(canonical),
    sessions: part('session').map(sessionOf),
    ...statisticsOf(part('statistics')),
    refusedSources: part('refused').map(refusedSourceOf),
    refusedPorts: part('port').map(Number),
    routers: part('router').flatMap(routerOf),
  }
}

function canonical(text: string): string {
  const cidr = parseCidr(text.trim())
  if (cidr === null) throw new Error(`The gateway has an invalid source: ${text}`)
  return cidrText(cidr)
}

/** `0x7f3387e85000 192.0.2.7:60896` */
function sessionOf(line: string) {
  const [id = '', source = ''] = line.split(' ')
  const at = source.lastIndexOf(':')
  return { id, address: plainAddress(source.slice(0, at)), port: Number(source.slice(at + 1)) }
}

/** `::ffff:192.0.2.7 86023608 1`: the key, the milliseconds until the entry expires, and the number of attempts. */
function refusedSourceOf(line: string) {
  const [source = '', expiresInMs = '', attempts = ''] = line.split(' ')
  return {
    source: plainAddress(source),
    attempts: Number(attempts),
    ageMs: Math.max(refusedExpiryMs - Number(expiresInMs), 0),
  }
}

const plainAddress = (address: string) => {
  const cidr = parseCidr(address)
  return cidr === null ? address : cidrText(cidr).replace(/\/\d+$/, '')
}

/**
 * Reads the columns `dcon` of the front end and `status` of the servers. The header is repeated for the proxy of TLS.
 * Source: management guide, "Statistics CSV".
 */
function statisticsOf([header = '', ...rows]: readonly string[]) {
  const names = header.split(',')
  const records = rows
    .filter((row) => row !== header)
    .map((row) => {
      const values = row.split(',')
      return Object.fromEntries(names.map((name, at) => [name, values[at] ?? '']))
    })
  const frontend = records.find(({ svname }) => svname === 'FRONTEND')
  if (frontend === undefined) throw new Error('The statistics of the gateway have no front end')
  const isUp = ({ svname, status = '' }: Record<string, string>) => svname !== 'FRONTEND' && /^UP\b/.test(status)
  const served = gatewayProxies.filter((proxy) => records.some((each) => each.pxname === proxy && isUp(each)))
  return { refused: Number(frontend.dcon), served }
}

/** A router of /proc/net/route, hexadecimal, in the byte order of the machine. */
function routerOf(router: string): string[] {
  if (!/^[0-9A-F]{8}$/.test(router) || router === '00000000') return []
  return [
    router
      .match(/../g)!
      .reverse()
      .map((byte) => Number.parseInt(byte, 16))
      .join('.'),
  ]
}
