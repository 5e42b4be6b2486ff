/** Work that waits for its turn. */

/** Lets so many through at once; the others wait in the order in which they came. */
export function turnstile(places: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let free = places
  return async (work) => {
    if (free > 0) free--
    else await new Promise<void>((go) => waiting.push(go))
    try {
      return await work()
    } finally {
      // The place is handed over, so that nobody who comes now can take it first.
      const next = waiting.shift()
      if (next === undefined) free++
      else next()
    }
  }
}
