/** Remembers keys for a stretch of time. All keys are forgotten together when the stretch is over. */

export interface Recent {
  has(key: string, nowMs: number): boolean
  add(key: string, nowMs: number): void
}

/** `nowMs` of its functions never goes back (performance.now). */
export function recent(stretchMs: number): Recent {
  const keys = new Set<string>()
  let beganMs = 0
  const forget = (nowMs: number) => {
    if (nowMs - beganMs < stretchMs) return
    keys.clear()
    beganMs = nowMs
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
