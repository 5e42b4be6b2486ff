/** Texts with a meaning of their own in options and in files of `berth apply`: sizes, ports, variables. Pure. */
import { parseEnv } from 'node:util'

/** The size in MiB; null if the text is no size. As in Docker and PostgreSQL, MB and GB mean MiB and GiB. */
export function mebibytesIn(text: string): number | null {
  const [, amount, unit] = /^(\d+(?:\.\d+)?) ?([MG])i?B$/.exec(text) ?? []
  if (amount === undefined) return null
  return Number(amount) * (unit === 'G' ? 1024 : 1)
}

export const sizeText = (mebibytes: number): string =>
  mebibytes % 1024 === 0 ? `${mebibytes / 1024} GiB` : `${mebibytes} MiB`

export interface PublishedPort {
  publishedPort: number
  targetPort: number
  protocol: 'tcp' | 'udp'
}

/** Parses the form of Compose, `5353:53/udp`: the port on the node, the port of the application, the protocol. */
export function portIn(text: string): PublishedPort | null {
  const [, published, target = published, protocol = 'tcp'] = /^(\d+)(?::(\d+))?(?:\/(tcp|udp))?$/.exec(text) ?? []
  const [publishedPort, targetPort] = [Number(published), Number(target)]
  if (!isPort(publishedPort) || !isPort(targetPort)) return null
  return { publishedPort, targetPort, protocol: protocol as 'tcp' | 'udp' }
}

const isPort = (port: number) => port >= 1 && port <= 65_535

export const portText = ({ publishedPort, targetPort, protocol }: PublishedPort): string =>
  `${publishedPort}:${targetPort}${protocol === 'udp' ? '/udp' : ''}`

/** The variables in the text that the API stores: lines of NAME=value, perhaps after a byte order mark. */
export const variablesOf = (text: string | null): Record<string, string> =>
  ({ ...parseEnv(text?.replace(/^\ufeff/, '') ?? '') }) as never
