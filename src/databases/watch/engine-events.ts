/**
 * The loop that follows the engine's events. Each event wakes the loops that may have work. A turn lasts as long as the
 * event stream.
 */
import type { EngineEvent } from '../../engine/engine.ts'
import type { Loop } from '../../lib/async/loop.ts'
import { recordOutOfMemory } from './out-of-memory.ts'
import type { Runtime } from '../../runtime.ts'

export function eventsLoop(runtime: Runtime): Loop<'events'> {
  const { engine, log, wake } = runtime
  return {
    name: 'events',
    periodMs: 1000,
    minGapMs: 1000,
    async turn(stopping) {
      await engine.watch(onEvent, stopping)
      return 'idle'
    },
  }

  function onEvent(event: EngineEvent) {
    wake('services')
    wake('watch')
    // Events without a service name include those of nodes.
    if (event.serviceName === null) wake('volumes')
    wake('nodes')
    recordOutOfMemory(runtime, event).catch((error: unknown) =>
      log.error('could not record an out-of-memory event', error),
    )
  }
}
