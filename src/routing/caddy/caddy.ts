/** Caddy's configuration as far as Berth writes it (caddyserver.com/docs/json), and what all of its processes have. */

export interface Route {
  match?: Record<string, unknown>[]
  handle: Handler[]
  terminal?: boolean
}
export type Handler = { handler: string } & Record<string, unknown>

export interface Server {
  listen: string[]
  routes: Route[]
  protocols: string[]
  automatic_https: { disable: true }
  [more: string]: unknown
}

export interface CaddyConfig {
  admin: { listen: string; config?: unknown }
  logging: { logs: Record<string, unknown> }
  storage?: { module: 'file_system'; root: string }
  apps: { http: { servers: Record<string, Server> } & Record<string, unknown>; tls?: Record<string, unknown> }
}

/** A socket that only the process's own user opens. */
export const socket = (path: string): string => `unix/${path}|0600`

/** Each load repeats it: without it, Caddy would go back to a TCP port that anybody on the machine can reach. */
export const adminOn = (path: string): CaddyConfig['admin'] => ({ listen: socket(path) })

/** Streams that both sides took up, WebSockets above all, outlive a change of the configuration by so much. */
export const streamCloseDelay = '24h'

/** Errors alone: no line for each request. */
export const errorLog = { level: 'ERROR', encoder: { format: 'json' } }

export const text = (status: number | string, body: string, headers: Record<string, string[]> = {}): Handler => ({
  handler: 'static_response',
  status_code: status,
  body,
  headers: { 'Content-Type': ['text/plain; charset=utf-8'], ...headers },
})
