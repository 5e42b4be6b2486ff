/**
 * The client of Caddy's admin API on a unix socket (caddyserver.com/docs/api). Every request has a timeout. Caddy loads
 * a configuration as a whole: if it rejects one, nothing changes.
 */
import http from 'node:http'
import { readWhole } from '../../lib/net/read-whole.ts'
import type { CaddyConfig } from './caddy.ts'

/** The proxy does not run, or did not answer in time. It may have loaded the configuration or not. */
export class ProxyUnavailable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ProxyUnavailable'
  }
}

/** The proxy rejected the configuration. The message is Caddy's. */
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
   * Loads a configuration. It is in force when the promise resolves.
   * @throws ProxyUnavailable, ProxyRefused
   */
  load(config: CaddyConfig, digest: string): Promise<void>
}

/**
 * The `@id` of a configuration. Requesting an `@id` tells whether the configuration is loaded without reading all of
 * it.
 */
const configIdOf = (digest: string): string => `berth-${digest}`

const queryMs = 3000
const loadMs = 15_000
/** Limit for an answer: part of a configuration, or an error message. */
const maxAnswerBytes = 16 * 1024 ** 2

export function adminAt(socketPath: string): Admin {
  return {
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
      const answer = await send({ socketPath, method: 'POST', path: '/load', body, timeoutMs: loadMs })
      if (answer.status !== 200) throw new ProxyRefused(messageOf(answer))
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
interface Answer {
  status: number
  text: string
}

function send({ socketPath, method, path, body, timeoutMs }: AdminRequest): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(timeoutMs)
    const fail = (error: Error) => {
      const why = signal.aborted ? `not within ${timeoutMs / 1000} seconds` : error.message
      reject(new ProxyUnavailable(`The proxy did not answer: ${why}`, { cause: error }))
    }
    const headers = { host: 'localhost', ...(body !== undefined && { 'content-type': 'application/json' }) }
    const request = http.request({ socketPath, method, path, headers, agent: false, signal }, (response) => {
      readWhole(response, maxAnswerBytes, 'The answer').then(
        (text) => resolve({ status: response.statusCode!, text: text.toString() }),
        fail,
      )
    })
    request.on('error', fail)
    request.end(body)
  })
}

function messageOf({ status, text }: Answer): string {
  try {
    const { error } = JSON.parse(text) as { error?: unknown }
    if (typeof error === 'string') return error
  } catch {
    // Not Caddy's JSON error format: return the text unchanged.
  }
  return `HTTP ${status} ${text}`.trim()
}
