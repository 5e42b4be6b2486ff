/** Follows the events of Berth and tells all listeners. Runs in the shared worker, or in the page if there is none. */
import { BerthError, type Change, type Client, createClient, type Reset } from '../../../client/client.ts'
import type { FromWorker, ToWorker } from './channel.ts'

/** A page that listens. */
export type Listener = (message: FromWorker) => void

/** Milliseconds until the next attempt after Berth refused the stream for another reason than the session. */
const retryMs = 2000

export function eventHub(origin: string) {
  const listeners = new Set<Listener>()
  const client = createClient({ url: origin })
  let isConnected = false
  let running: AbortController | null = null

  const tell: Listener = (message) => {
    for (const listener of listeners) listener(message)
  }

  return { receive }

  function receive(listener: Listener, message: ToWorker): void {
    if (message.type === 'leave') leave(listener)
    else join(listener)
  }

  function join(listener: Listener) {
    listeners.add(listener)
    listener({ type: 'connection', isConnected })
    if (running === null) start()
  }

  /** Other pages follow the stream until Berth ends it, which tells them that the session has ended. */
  function leave(listener: Listener) {
    listeners.delete(listener)
    if (listeners.size === 0) stop()
  }

  function stop() {
    running?.abort()
    running = null
  }

  function start() {
    const controller = new AbortController()
    running = controller
    void follow(client, controller.signal, {
      onEvent: (event) => tell({ type: 'event', event }),
      onConnection: (is) => {
        isConnected = is
        tell({ type: 'connection', isConnected })
      },
      onRefused: () => {
        stop()
        tell({ type: 'refused' })
      },
    })
  }
}

interface Hooks {
  onEvent: (event: Change | Reset) => void
  onConnection: (isConnected: boolean) => void
  /** The session has ended. */
  onRefused: () => void
}

/** Follows the stream until it is aborted or the session ends. After a pause it goes on behind the last event. */
async function follow(client: Client, signal: AbortSignal, { onEvent, onConnection, onRefused }: Hooks) {
  let lastEventId: string | undefined
  while (!signal.aborted) {
    try {
      const input = lastEventId === undefined ? {} : { lastEventId }
      for await (const event of client.events(input, { signal, onConnection })) {
        lastEventId = event.id
        onEvent(event)
      }
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof BerthError && error.code === 'UNAUTHORIZED') return onRefused()
    }
    // FORBIDDEN: the role of the account has changed. The next stream has the events of the present role.
    await new Promise((resolve) => setTimeout(resolve, retryMs))
  }
}
