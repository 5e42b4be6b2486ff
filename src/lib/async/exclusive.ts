/** Runs pieces of work with the same key one at a time, in the order of the calls. */

/** @returns the result of the work. If earlier work with the key fails, later work is carried out all the same */
export type Exclusive = <T>(key: string, work: () => Promise<T>) => Promise<T>

export function exclusive(): Exclusive {
  const last = new Map<string, Promise<unknown>>()
  return async (key, work) => {
    const before = last.get(key)
    const own = before === undefined ? work() : before.then(work)
    const ended = own.catch(() => undefined)
    last.set(key, ended)
    try {
      return await own
    } finally {
      if (last.get(key) === ended) last.delete(key)
    }
  }
}
