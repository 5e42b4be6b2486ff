/** Applies values one after the other, so that the last one wins. */

/**
 * Returns a function that applies a value. While one is being applied, later values wait, and only the latest of them is
 * applied then. A failure concerns only its own value.
 */
export function latestOnly<T>(apply: (value: T) => Promise<void>): (value: T) => Promise<void> {
  let waiting: { value: T } | null = null
  let running: Promise<void> | null = null
  const applyAll = async () => {
    while (waiting !== null) {
      const { value } = waiting
      waiting = null
      await apply(value).catch(() => undefined)
    }
    running = null
  }
  return (value) => {
    waiting = { value }
    running ??= applyAll()
    return running
  }
}
