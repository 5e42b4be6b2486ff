/** Work that has to be done before the process ends, also if a signal ends it. */

/** The signals that end the program, with the exit status that shells use for them. */
const signals = { SIGTERM: 143, SIGHUP: 129 } as const

/** Calls `cleanUp` when the process exits. @returns a function that cancels this */
export function onExit(cleanUp: () => void): () => void {
  const handlers = Object.entries(signals).map(([name, status]) => [name, () => process.exit(status)] as const)
  process.on('exit', cleanUp)
  for (const [name, handler] of handlers) process.on(name, handler)
  return () => {
    process.off('exit', cleanUp)
    for (const [name, handler] of handlers) process.off(name, handler)
  }
}
