/**
 * Types of the parts of Caddy's JSON configuration that Berth uses (caddyserver.com/docs/json), and values that the
 * configurations of several Caddy processes contain.
 */

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

/** Returns the address of a unix socket that only the user of the process can open. */
export const socket = (path: string): string => `unix/${path}|0600`

/**
 * Returns the admin section of a configuration. With it, Caddy's admin API listens on a socket and not on a TCP port,
 * which every local user could reach.
 */
export const adminOn = (path: string): CaddyConfig['admin'] => ({ listen: socket(path) })

/** How long upgraded connections, such as WebSockets, stay open after a change of the configuration. */
export const streamCloseDelay = '24h'

/** Logs errors only, not every request. */
export const errorLog = { level: 'ERROR', encoder: { format: 'json' } }

/** Returns a handler that answers with plain text. */
export const text = (status: number | string, body: string, headers: Record<string, string[]> = {}): Handler => ({
  handler: 'static_response',
  status_code: status,
  body,
  headers: { 'Content-Type': ['text/plain; charset=utf-8'], ...headers },
})
