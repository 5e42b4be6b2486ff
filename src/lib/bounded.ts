/** Work on many things, so many at once. */

/** Ends when all have ended; the first failure is thrown then, and keeps no other from being worked on. */
export async function eachBounded<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const left = [...items].reverse()
  const faults: unknown[] = []
  const worker = async () => {
    for (let item = left.pop(); item !== undefined; item = left.pop()) {
      await work(item).catch((fault: unknown) => faults.push(fault))
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker))
  if (faults.length > 0) throw faults[0]
}
