/**
 * The end of a turn of the event loop, as one promise for all who wait for it. Reads of one turn are answered together:
 * each by itself would wake its caller by itself, which costs more than the read. Writes are already, by their commit.
 */
export function turnEnds(): () => Promise<void> {
  let coming: Promise<void> | null = null
  return () =>
    (coming ??= new Promise((resolve) => {
      setImmediate(() => {
        coming = null
        resolve()
      })
    }))
}
