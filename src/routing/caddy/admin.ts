/**
 * The client of Caddy's admin API on a unix socket (caddyserver.com/docs/api). Every request has a timeout. Caddy loads
 * a configuration as a whole: if it rejects one, nothing changes.
 */
import http from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { readWhole } from '../../lib/net/read-whole.ts'
import type { CaddyConfig } from './caddy.ts'

/**
 * The proxy does not answer, or cannot be started or configured. If `load` throws this error, it is unknown whether the
 * proxy loaded the configuration.
 */
export class ProxyUnavailable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ProxyUnavailable'
  }
}

/** The proxy rejected the configuration. The error message comes from Caddy. */
export class ProxyRefused extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ProxyRefused'
  }
}

/** The admin API of one process. */
export interface Admin {
  /** Whether the process answers. Never throws. */
  answers(): Promise<boolean>
  /**
   * Whether the configuration with this digest is loaded.
   * @throws ProxyUnavailable
   */
  has(digest: string): Promise<boolean>
  /**
   * Loads a configuration. When the promise is fulfilled, the configuration is in force, but servers of the previous
   * configuration may still be stopping. A load whose connection closes without an answer is sent again: to load the
   * same configuration twice does no harm.
   * @throws ProxyUnavailable, ProxyRefused
   */
  load(config: CaddyConfig, digest: string): Promise<void>
}

/**
 * Returns the `@id` of a configuration. A request for this `@id` shows whether the configuration is loaded, without
 * reading the whole configuration.
 */
const configIdOf = (digest: string): string => `berth-${digest}`

const queryMs = 3000
const loadMs = 15_000
/** How often a request is sent whose connection closes without an answer, and the pause before it is sent again. */
const maxAttempts = 5
const attemptPauseMs = 20
/** Maximum size of a response: part of a configuration, or an error message. */
const maxResponseBytes = 16 * 1024 ** 2

export function adminAt(socketPath: string): Admin {
  return {
    // Caddy also answers a request for an `@id` that does not exist.
    answers: () =>
      send({ socketPath, method: 'GET', path: '/id/none', timeoutMs: queryMs }).then(
        () => true,
        () => false,
      ),
    async has(digest) {
      const { status } = await send({
        socketPath,
        method: 'GET',
        path: `/id/${configIdOf(digest)}`,
        timeoutMs: queryMs,
      })
      return status === 200
    },
    async load(config, digest) {
      const body = JSON.stringify({ ...config, admin: { '@id': configIdOf(digest), ...config.admin } })
      const response = await send({ socketPath, method: 'POST', path: '/load', body, timeoutMs: loadMs })
      if (response.status !== 200) throw new ProxyRefused(messageOf(response))
    },
  }
}

interface AdminRequest {
  socketPath: string
  method: string
  path: string
  body?: string
  timeoutMs: number
}
interface AdminResponse {
  status: number
  text: string
}

/**
 * Sends a request. With each load, Caddy replaces the server of its admin API. The old one may accept a new connection
 * and close it unanswered, so such a request is sent again. All requests of this file may be repeated.
 */
async function send(request: AdminRequest): Promise<AdminResponse> {
  const signal = AbortSignal.timeout(request.timeoutMs)
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await sendOnce(request, signal)
    } catch (error) {
      if (attempt === maxAttempts || signal.aborted || !wasClosed(error)) throw error
      await pause(attemptPauseMs)
    }
  }
}

/** Whether the connection was open, and the other side closed it without an answer. */
function wasClosed(error: unknown): boolean {
  const { code } = (error as Error).cause as NodeJS.ErrnoException
  return code === 'ECONNRESET' || code === 'EPIPE'
}

/** @throws ProxyUnavailable, whose cause is the error of the connection */
function sendOnce(
  { socketPath, method, path, body, timeoutMs }: AdminRequest,
  signal: AbortSignal,
): Promise<AdminResponse> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => {
      const message = signal.aborted
        ? `The proxy did not answer within ${timeoutMs / 1000} seconds`
        : `The proxy did not answer: ${error.message}`
      reject(new ProxyUnavailable(message, { cause: error }))
    }
    const headers = { host: 'localhost', ...(body !== undefined && { 'content-type': 'application/json' }) }
    const request = http.request({ socketPath, method, path, headers, agent: false, signal }, (response) => {
      readWhole(response, maxResponseBytes, 'The response').then(
        (text) => resolve({ status: response.statusCode!, text: text.toString() }),
        fail,
      )
    })
    request.on('error', fail)
    request.end(body)
  })
}

function messageOf({ status, text }: AdminResponse): string {
  try {
    const { error } = JSON.parse(text) as { error?: unknown }
    if (typeof error === 'string') return error
  } catch {
    // A response that is not JSON is not in Caddy's error format: return its status and text.
  }
  return `HTTP ${status} ${text}`.trim()
}
