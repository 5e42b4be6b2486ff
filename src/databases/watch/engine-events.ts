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
    wake('watch')
    if (!event.isForeign) wakeWork(event)
    recordOutOfMemory(runtime, event).catch((error: unknown) =>
      log.error('could not record an out-of-memory event', error),
    )
  }

  /** Wakes the loops whose work may wait for the event. */
  function wakeWork({ serviceName }: EngineEvent) {
    wake('services')
    if (serviceName !== null) return
    // Events of nodes have no service name. When a node returns, removals of volumes can continue.
    wake('volumes')
    wake('nodes')
  }
}
