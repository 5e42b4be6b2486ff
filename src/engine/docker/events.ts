/** Watches the engine's events. An engine reports no events about the containers of other nodes. */
import type { ApiEvent } from './transport/api.ts'
import type { DockerClient } from './transport/client.ts'
import { unavailable } from './transport/errors.ts'
import { eventFrom } from './services/from-api.ts'
import { EngineUnavailable } from '../engine.ts'
import type { EngineEvent } from '../engine.ts'

/** Excludes exec events, because the health checks of every database cause several exec events a second. */
const filters = {
  type: ['container', 'service', 'node', 'network'],
  event: [
    'create',
    'update',
    'remove',
    'start',
    'die',
    'oom',
    'destroy',
    'disconnect',
    'health_status: healthy',
    'health_status: unhealthy',
  ],
}

/** See `Engine.watch` in engine/engine.ts. */
export async function watchEvents(
  client: DockerClient,
  installationId: string,
  onEvent: (event: EngineEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted) return
  try {
    // The engine answers shortly before it subscribes to its events. `since` covers the time in between.
    const query = { filters, since: Math.floor(Date.now() / 1000) }
    const stream = await client.stream({ path: '/events', query }, signal)
    onEvent({ serviceName: null, action: 'watching', isForeign: false })
    const take = lineSplitter((line) => onEvent(eventFrom(JSON.parse(line) as ApiEvent, installationId)))
    for await (const chunk of stream) take(chunk as Buffer)
  } catch (error) {
    if (signal.aborted) return
    throw unavailable(error)
  }
  if (!signal.aborted) throw new EngineUnavailable('The engine closed its stream of events')
}

/** Returns a function that accepts bytes in chunks of any size. Calls `onLine` for each line that is not empty. */
export function lineSplitter(onLine: (line: string) => void): (bytes: Buffer) => void {
  const decoder = new TextDecoder()
  let rest = ''
  return (bytes) => {
    const pieces = (rest + decoder.decode(bytes, { stream: true })).split('\n')
    rest = pieces.pop() ?? ''
    for (const piece of pieces) if (piece.trim() !== '') onLine(piece)
  }
}
