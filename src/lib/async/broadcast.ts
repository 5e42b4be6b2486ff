/** Tells any number of waiting tasks that something has happened. */

export interface Broadcast {
  notify(): void
  /** Resolves at the next `notify`. Call it before reading what the notification is about: then none is missed. */
  next(): Promise<void>
}

export function broadcast(): Broadcast {
  let present = Promise.withResolvers<void>()
  return {
    notify() {
      present.resolve()
      present = Promise.withResolvers()
    },
    next: () => present.promise,
  }
}
