/** Remembers keys until the current period is over. Then all keys are forgotten together, also those added last. */

export interface Recent {
  has(key: string, nowMs: number): boolean
  add(key: string, nowMs: number): void
}

/** `nowMs` comes from a clock that never goes back (performance.now). */
export function recent(periodMs: number): Recent {
  const keys = new Set<string>()
  let periodStartMs = 0
  const forget = (nowMs: number) => {
    if (nowMs - periodStartMs < periodMs) return
    keys.clear()
    periodStartMs = nowMs
  }
  return {
    has(key, nowMs) {
      forget(nowMs)
      return keys.has(key)
    },
    add(key, nowMs) {
      forget(nowMs)
      keys.add(key)
    },
  }
}
