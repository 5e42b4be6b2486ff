/** Makes a value on the first call and gives the same value to all later calls. */

/** The next call after a failure, or after `forget`, makes the value again. */
export interface Once<T> {
  (): Promise<T>
  forget(): void
}

export function once<T>(make: () => Promise<T>): Once<T> {
  let value: Promise<T> | null = null
  const get = () =>
    (value ??= make().catch((error: unknown) => {
      value = null
      throw error
    }))
  return Object.assign(get, {
    forget() {
      value = null
    },
  })
}
