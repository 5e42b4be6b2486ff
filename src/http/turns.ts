/**
 * Returns a function whose promise resolves at the end of the current turn of the event loop. Reads of the same turn
 * are answered together. Separate answers would wake each client separately, which costs more than the read. Writes are
 * answered together anyway, after their common commit.
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
