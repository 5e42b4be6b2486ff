/** How Berth samples the servers of a kind: a client that answers questions about the server's own figures. */
import type { Exec } from '../engine/exec.ts'
import type { Address } from './kind.ts'

/** What a server reports about itself. Absent: the server does not have it, or did not answer it. */
export interface ServerFigures {
  /** Connections of clients, without that of the sampler. */
  connections?: number
  connectionsAllowed?: number
  /** Transactions, or commands of a product without transactions, since the start of the server. */
  transactions?: number
  /** Reads that the cache answered, and reads that it did not, since the start of the server. */
  cacheHits?: number
  cacheMisses?: number
  /** The log that the replication slot furthest behind keeps. */
  replicationSlotBytes?: number
  /** The age of the oldest open transaction of a client; 0 if there is none. */
  oldestTransactionSeconds?: number
}

export interface Sampler<S = Record<string, unknown>> {
  /**
   * Logs in inside the container. With `question`, the client stays connected and ends with its input. Otherwise it
   * prints the figures once, and is run every ten minutes.
   */
  program(settings: S, address: Address): Exec
  /**
   * What the client reads for each sample, one or more lines. The answer ends with the line `answerEnd`.
   *
   * @param version the version of the server, or null if it is unknown
   */
  question?(version: string | null): string
  /** Reads the lines of an answer. Ignores everything that is no number: the text comes from the server. */
  figures(lines: readonly string[]): ServerFigures
}

export const answerEnd = 'berth-end'

/** The values of lines such as `name<separator>value`. Only numbers count. */
export function numbersIn(lines: readonly string[], separator: string): ReadonlyMap<string, number> {
  const pairs = lines.flatMap((line): [string, number][] => {
    const [name, ...rest] = line.trim().split(separator)
    const value = numberIn(rest.join(separator))
    return value === undefined ? [] : [[name!, value]]
  })
  return new Map(pairs)
}

/** The number that a text is; undefined if it is anything else. */
export const numberIn = (text: string | undefined): number | undefined =>
  text !== undefined && /^-?\d{1,20}(?:\.\d{1,20})?$/.test(text) ? Number(text) : undefined

/** The sum of counters; undefined if one is missing. */
export const sumOf = (...values: (number | undefined)[]): number | undefined =>
  values.reduce<number | undefined>(
    (sum, value) => (sum === undefined || value === undefined ? undefined : sum + value),
    0,
  )

/** The figures without those that are unknown. */
export function known(figures: { [Name in keyof ServerFigures]: ServerFigures[Name] | undefined }): ServerFigures {
  return Object.fromEntries(Object.entries(figures).filter(([, value]) => value !== undefined && value >= 0))
}
