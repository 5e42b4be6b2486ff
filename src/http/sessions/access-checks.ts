/** Checks again and again during a session whether its caller may still have it. */
import { type Code, Refusal } from '../../errors.ts'
import { type Failure, SessionFailure } from '../../sessions/failure.ts'

/** The refusals that mean that the access was lost. Others, and other errors, say nothing about it. */
const lossCodes: readonly Code[] = ['UNAUTHORIZED', 'FORBIDDEN', 'CONFLICT']

const defaults = {
  /** How often the access is checked, in milliseconds. */
  periodMs: 3000,
  /** So many checks in a row may fail or not end. Until then the session goes on. */
  maxFailures: 20,
}

export interface AccessChecks {
  /** Aborts with a SessionFailure if the access was lost, or if it could not be checked too often. */
  ended: AbortSignal
  stop(): void
}

/**
 * @param check rejects if the access was lost or cannot be checked
 * @param onFailure called with the first error of several checks in a row that failed
 */
export function checkRepeatedly(
  check: () => Promise<void>,
  onFailure: (error: unknown) => void,
  overrides: Partial<typeof defaults> = {},
): AccessChecks {
  const { periodMs, maxFailures } = { ...defaults, ...overrides }
  const end = new AbortController()
  const fail = (failure: Failure) => end.abort(new SessionFailure(failure))
  let failures = 0
  let isChecking = false
  const timer = setInterval(turn, periodMs)
  return { ended: end.signal, stop: () => clearInterval(timer) }

  async function turn() {
    if (isChecking) return countFailure()
    isChecking = true
    try {
      await check()
      failures = 0
    } catch (error) {
      failed(error)
    } finally {
      isChecking = false
    }
  }

  function failed(error: unknown) {
    if (error instanceof Refusal && lossCodes.includes(error.code)) return fail({ code: 'AccessEnded' })
    if (failures === 0) onFailure(error)
    countFailure()
  }

  function countFailure() {
    failures++
    if (failures >= maxFailures) fail({ code: 'AccessUnknown' })
  }
}
