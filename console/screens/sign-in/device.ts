/** The device token: wrong passwords of other callers do not delay sign-ins from this browser. It gives no other right. */
const storageKey = 'berth-device'

/** '' asks Berth for a token. A browser may forbid the storage: then it is a new device at each sign-in. */
export function deviceToken(): string {
  try {
    return localStorage.getItem(storageKey) ?? ''
  } catch {
    return ''
  }
}

/** Keeps the token of a sign-in, and returns its answer. */
export function keepDevice<A extends { deviceToken: string }>(answer: A): A {
  try {
    localStorage.setItem(storageKey, answer.deviceToken)
  } catch {
    // Without it, the sign-in has succeeded all the same.
  }
  return answer
}
