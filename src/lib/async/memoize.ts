/** What is made once for all who ask, and anew after it could not be made or was forgotten. */
export interface Once<T> {
  (): Promise<T>
  forget(): void
}

export function once<T>(make: () => Promise<T>): Once<T> {
  let made: Promise<T> | null = null
  const ask = () =>
    (made ??= make().catch((error: unknown) => {
      made = null
      throw error
    }))
  return Object.assign(ask, {
    forget() {
      made = null
    },
  })
}
