/** Adds samples to the history, and removes what is too old once an hour. */
import type { Log } from '../lib/log.ts'
import type { LatestSamples } from '../samples/loop.ts'
import type { Reader } from '../store/schema.ts'
import type { History } from './file.ts'
import type { SeriesValue } from './statements.ts'

const prunePeriodMs = 3600_000

/**
 * Returns a function that records samples. It never fails: a full disk must not end the measuring. The first of several
 * failures is logged.
 */
export function recorderFor(
  history: Pick<History, 'record' | 'prune'>,
  db: Reader,
  log: Pick<Log, 'error'>,
): (samples: LatestSamples) => Promise<void> {
  let prunedAtMs: number | null = null
  let isFailing = false
  return async (samples) => {
    try {
      await record(samples)
      isFailing = false
    } catch (error) {
      if (!isFailing) log.error('samples could not be added to the history', error)
      isFailing = true
    }
  }

  async function record({ at, databases, nodes }: LatestSamples) {
    await history.record(
      at,
      [...databases, ...nodes].flatMap(([subject, values]) => seriesValues(subject, values)),
    )
    prunedAtMs ??= at.getTime()
    if (Math.abs(at.getTime() - prunedAtMs) < prunePeriodMs) return
    prunedAtMs = at.getTime()
    await history.prune(at, await subjectIds(db))
  }
}

const seriesValues = (subject: string, values: Record<string, number>): SeriesValue[] =>
  Object.entries(values).map(([metric, value]) => ({ subject, metric, value }))

async function subjectIds(db: Reader): Promise<ReadonlySet<string>> {
  const databases = await db.selectFrom('database').select('id').execute()
  const nodes = await db.selectFrom('node').select('id').execute()
  return new Set([...databases, ...nodes].map(({ id }) => id))
}
