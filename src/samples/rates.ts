/** Computes values from counters that were read at two times. Pure. */
import type { UsageCounters } from '../engine/engine.ts'
import type { ServerFigures } from '../kinds/sampler.ts'
import type { DatabaseValues } from './sample.ts'

/** What a server reported, and when, in milliseconds since the epoch. */
export interface FiguresReading {
  atMs: number
  figures: ServerFigures
}

/** A rate over a longer time than this says nothing about the present. */
const maxElapsedMs = 15 * 60_000

/** The increase of a counter per second; undefined without two readings, and if the counter began again. */
function perSecond(now: number | undefined, before: number | undefined, elapsedMs: number): number | undefined {
  if (now === undefined || before === undefined || now < before) return undefined
  return elapsedMs > 0 && elapsedMs <= maxElapsedMs ? ((now - before) / elapsedMs) * 1000 : undefined
}

/** @param before the reading of the same container before; null if there is none */
export function usageValues(now: UsageCounters, before: UsageCounters | null): DatabaseValues {
  const elapsedMs = now.atMs - (before?.atMs ?? 0)
  const nanoseconds = perSecond(now.cpuNanoseconds, before?.cpuNanoseconds, elapsedMs)
  return withoutUnknown({
    cpuCores: nanoseconds === undefined ? undefined : nanoseconds / 1e9,
    memoryBytes: now.memoryBytes,
  })
}

/** @param before the reading of the same server before; null if there is none */
export function figureValues({ atMs, figures }: FiguresReading, before: FiguresReading | null): DatabaseValues {
  const rateOf = (name: 'transactions' | 'cacheHits' | 'cacheMisses') =>
    perSecond(figures[name], before?.figures[name], atMs - (before?.atMs ?? 0))
  const [hits, misses] = [rateOf('cacheHits'), rateOf('cacheMisses')]
  const reads = hits === undefined || misses === undefined ? 0 : hits + misses
  const { connections, connectionsAllowed, replicationSlotBytes, oldestTransactionSeconds } = figures
  return withoutUnknown({
    connections,
    connectionsAllowed,
    replicationSlotBytes,
    oldestTransactionSeconds,
    transactionsPerSecond: rateOf('transactions'),
    // Without a read there is no ratio.
    cacheHitRatio: reads > 0 ? hits! / reads : undefined,
  })
}

const withoutUnknown = (values: { [Name in keyof DatabaseValues]: DatabaseValues[Name] | undefined }): DatabaseValues =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
