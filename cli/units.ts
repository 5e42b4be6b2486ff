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

/** The text that the API stores; null without variables. */
export function envText(variables: Record<string, string>): string | null {
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${quoted(value)}`)
  return lines.length === 0 ? null : lines.join('\n')
}

/** Whether the value can be written as a line. No quote can stand in a value with all three of them. */
export const isWritable = (value: string): boolean => /^[\w.,:/@%+=-]*$/.test(value) || quoteFor(value) !== undefined

/** A `"` comes last, because `\n` between two of them means a line end. */
const quoteFor = (value: string) =>
  ["'", '`', '"'].find((quote) => !value.includes(quote) && !(quote === '"' && value.includes('\\n')))

function quoted(value: string): string {
  if (/^[\w.,:/@%+=-]*$/.test(value)) return value
  const quote = quoteFor(value) ?? ''
  return `${quote}${value}${quote}`
}
