/** Runs one asynchronous function for many items, with a limit on how many run at the same time. */
import pLimit from 'p-limit'

/**
 * Calls `work` once for each item, in order, with at most `atOnce` calls under way. A failure does not stop the other
 * items. After all items have ended, rejects with the failure of the first item that failed.
 */
export async function forEachConcurrent<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const limit = pLimit(atOnce)
  const results = await Promise.allSettled(items.map((item) => limit(work, item)))
  const failure = results.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined
  if (failure !== undefined) throw failure.reason
}
