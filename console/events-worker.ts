/** A shared worker: follows the events of Berth on one connection for all tabs of the console. */
import type { ToWorker } from './data/live/channel.ts'
import { eventHub } from './data/live/follow.ts'

const hub = eventHub(location.origin)

self.addEventListener('connect', (event) => {
  const port = (event as MessageEvent).ports[0]!
  const listener = port.postMessage.bind(port)
  port.onmessage = ({ data }: MessageEvent<ToWorker>) => hub.receive(listener, data)
})
