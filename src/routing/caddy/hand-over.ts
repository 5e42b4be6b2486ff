/** How one process of the proxy hands requests on to another by a socket, while that one is loaded anew. */
import { type Handler, type Route, streamCloseDelay } from './caddy.ts'

const smallBody = '^[0-9]{1,5}$'

/**
 * A server drops what is just arriving when it is replaced, before it looks at it: it is asked again. A body that is
 * asked for again has to be kept, so only small ones are; a larger one is sent as it comes, and once.
 */
export function handOver(socket: string): Route[] {
  const small = { header_regexp: { 'Content-Length': { pattern: smallBody } } }
  return [
    { match: [small], handle: [{ ...handOn(socket, [small]), request_buffers: 100_000 }], terminal: true },
    {
      handle: [
        handOn(socket, [
          {
            method: ['GET', 'HEAD', 'OPTIONS', 'DELETE'],
            not: [{ header: { 'Transfer-Encoding': ['*'] } }, { header: { 'Content-Length': ['*'] } }],
          },
        ]),
      ],
    },
  ]
}

/** `retried`: which requests are asked again, for how long. */
export function handOn(socket: string, retried: Record<string, unknown>[], tryDuration = '5s'): Handler {
  return {
    handler: 'reverse_proxy',
    upstreams: [{ dial: `unix/${socket}` }],
    stream_close_delay: streamCloseDelay,
    transport: {
      protocol: 'http',
      compression: false,
      keep_alive: { idle_timeout: '1m', max_idle_conns_per_host: 256 },
    },
    load_balancing: { try_duration: tryDuration, try_interval: '2ms', retry_match: retried },
  }
}
