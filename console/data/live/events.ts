/** The changes of records, as this page receives them. All tabs share one stream. */
import { signal } from '@preact/signals'
import type { Change, Reset } from '../../../client/client.ts'
import { isReachable, sessionHooks } from '../api.ts'
import type { FromWorker, ToWorker } from './channel.ts'
import { eventHub } from './follow.ts'

/** Whether changes arrive at this moment. Null until the first stream is connected. */
export const isLive = signal<boolean | null>(null)

type Subscriber = (event: Change | Reset) => void
const subscribers = new Set<Subscriber>()

/** Calls the function with each event. A reset says that events were missed: read everything anew. */
export function onEvent(subscriber: Subscriber): () => void {
  subscribers.add(subscriber)
  return () => subscribers.delete(subscriber)
}

let send: ((message: ToWorker) => void) | null = null

export function followEvents(): void {
  send ??= connect()
  send({ type: 'start' })
}

/** Changes may be missed until the next stream, so it begins with a reset. */
export function stopEvents(): void {
  send?.({ type: 'leave' })
  isLive.value = null
}

function receive(message: FromWorker) {
  if (message.type === 'event') for (const subscriber of subscribers) subscriber(message.event)
  if (message.type === 'refused') sessionHooks.ended()
  if (message.type !== 'connection') return
  // What was read before the stream began may be old.
  if (message.isConnected && isLive.peek() === null) receive({ type: 'event', event: { type: 'reset', id: '' } })
  if (message.isConnected) isReachable.value = true
  if (message.isConnected || isLive.peek() !== null) isLive.value = message.isConnected
}

/** The URL of the worker is in the page, because its name contains a checksum. */
const workerUrl = () => document.querySelector<HTMLElement>('#root')!.dataset.worker!

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string }
}

/** Browsers with trusted types accept as the URL of a worker only what the policy of this name made. */
function trusted(url: string): string {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes }
  return trustedTypes?.createPolicy('berth', { createScriptURL: (it) => it }).createScriptURL(url) ?? url
}

/** Browsers without shared workers follow the events in each tab. */
function connect(): (message: ToWorker) => void {
  if (typeof SharedWorker === 'undefined') {
    const hub = eventHub(location.origin)
    return (message) => hub.receive(receive, message)
  }
  const { port } = new SharedWorker(trusted(workerUrl()), { type: 'module', name: 'berth-events' })
  port.onmessage = ({ data }: MessageEvent<FromWorker>) => receive(data)
  // A page that comes back from the browser's cache begins anew.
  addEventListener('pagehide', () => port.postMessage({ type: 'leave' } satisfies ToWorker))
  addEventListener('pageshow', ({ persisted }) => persisted && port.postMessage({ type: 'start' } satisfies ToWorker))
  return (message) => port.postMessage(message)
}
