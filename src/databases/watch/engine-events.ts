/**
 * The loop that follows the engine's events. Each event wakes the loops that may have work. One turn lasts until the
 * event stream ends.
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
    // Events of nodes have no service name. When a node returns, removals of volumes can continue.
    if (event.serviceName === null) wake('volumes')
    wake('nodes')
    wake('engines')
    recordOutOfMemory(runtime, event).catch((error: unknown) =>
      log.error('could not record an out-of-memory event', error),
    )
  }
}
