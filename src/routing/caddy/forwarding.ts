/**
 * Routes with which one process of the proxy forwards requests to another process over a socket. They retry most
 * requests that the other process drops while it loads a configuration.
 */
import { type Handler, type Route, streamCloseDelay } from './caddy.ts'

/** Matches a Content-Length of at most 99,999 bytes. */
const smallBody = '^[0-9]{1,5}$'

/**
 * While a process loads a configuration, it drops requests that are just arriving, before it handles them. These routes
 * retry such requests. A retry needs the whole body in memory, so these routes retry only requests with a small
 * Content-Length, and GET, HEAD, OPTIONS and DELETE requests without a body. All other bodies are streamed.
 */
export function forwardingRoutes(socket: string): Route[] {
  const small = { header_regexp: { 'Content-Length': { pattern: smallBody } } }
  return [
    { match: [small], handle: [{ ...forwardToSocket(socket, [small]), request_buffers: 100_000 }], terminal: true },
    {
      handle: [
        forwardToSocket(socket, [
          {
            method: ['GET', 'HEAD', 'OPTIONS', 'DELETE'],
            not: [{ header: { 'Transfer-Encoding': ['*'] } }, { header: { 'Content-Length': ['*'] } }],
          },
        ]),
      ],
    },
  ]
}

/**
 * Returns a handler that forwards to a socket.
 * @param retried Caddy matchers for the requests that Caddy retries after any failure. Caddy retries all other requests
 * only if it could not connect
 * @param tryDuration how long requests are retried, as a Caddy duration
 */
export function forwardToSocket(socket: string, retried: Record<string, unknown>[], tryDuration = '5s'): Handler {
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
