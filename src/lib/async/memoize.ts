/** Creates a value on the first call and returns the same value to all later calls. */

/** The first call after a failure or after `forget` creates the value again. */
export interface Memoized<T> {
  (): Promise<T>
  forget(): void
}

export function memoize<T>(create: () => Promise<T>): Memoized<T> {
  let value: Promise<T> | null = null
  const get = () =>
    (value ??= create().catch((error: unknown) => {
      value = null
      throw error
    }))
  return Object.assign(get, {
    forget() {
      value = null
    },
  })
}
