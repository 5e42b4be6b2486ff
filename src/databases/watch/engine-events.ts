/**
 * The loop that follows the engine's events: each wakes the loops that may have something to do now. A turn lasts as
 * long as the stream of events.
 */
import type { EngineEvent } from '../../engine/engine.ts'
import type { Loop } from '../../lib/async/loop.ts'
import { noteAlarm } from './out-of-memory.ts'
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
    // Nodes have no service name, among others.
    if (event.serviceName === null) wake('volumes')
    wake('nodes')
    noteAlarm(runtime, event).catch((error: unknown) => log.error('an alarm could not be noted', error))
  }
}
