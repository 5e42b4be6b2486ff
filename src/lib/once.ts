/** Gives what is made once for all who ask, and anew after it could not be. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null
  return () => (made ??= make().catch((error: unknown) => { made = null; throw error }))
}
