/**
 * Gives a promise that resolves at the end of the current turn of the event loop. Reads of the same turn are answered
 * together: separate answers would wake each client separately, which costs more than the read. Writes are already
 * answered together by their common commit.
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
