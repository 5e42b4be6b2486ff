/**
 * Returns a function that returns a promise. The promise resolves at the end of the current turn of the event loop.
 * Then Berth answers all reads of this turn. If Berth answered each read at once, it would wake each client separately,
 * which costs more than the read. Writes need no such promise: they are answered together after their common commit.
 */
export function turnEnds(): () => Promise<void> {
  let turnEnd: Promise<void> | null = null
  return () =>
    (turnEnd ??= new Promise((resolve) => {
      setImmediate(() => {
        turnEnd = null
        resolve()
      })
    }))
}
