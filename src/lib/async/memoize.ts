/** Makes a value on the first call and gives the same value to all later calls. */

/** The next call after a failure, or after `forget`, makes the value again. */
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
