/**
 * The ends for administration of the proxy's processes: Caddy's API on a unix socket (caddyserver.com/docs/api). Each
 * wait is bounded. A configuration is loaded whole: taken, or refused with nothing changed.
 */
import http from 'node:http'
import { readWhole } from '../../lib/net/read-whole.ts'
import type { CaddyConfig } from './caddy.ts'

/** The proxy is not there, or did not answer in time: a configuration may have been taken or not. */
export class ProxyUnavailable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ProxyUnavailable'
  }
}

/** The proxy would not have it, in its own words. */
export class ProxyRefused extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ProxyRefused'
  }
}

export interface Admin {
  answers(): Promise<boolean>
  /** Whether the configuration with this digest is the one that is in force. Throws ProxyUnavailable. */
  has(digest: string): Promise<boolean>
  /** In force when it is done. Throws either error. */
  load(config: CaddyConfig, digest: string): Promise<void>
}

/** What says in a configuration which it is, so that asking needs no more than its name. */
const markOf = (digest: string): string => `berth-${digest}`

const askMs = 3000
const loadMs = 15_000
/** Of an answer: the name of a configuration, or what is wrong with one. */
const maxBytes = 16 * 1024 ** 2

export function adminAt(socketPath: string): Admin {
  return {
    answers: () =>
      ask({ socketPath, method: 'GET', path: '/id/none', timeoutMs: askMs }).then(
        () => true,
        () => false,
      ),
    async has(digest) {
      const { status } = await ask({ socketPath, method: 'GET', path: `/id/${markOf(digest)}`, timeoutMs: askMs })
      return status === 200
    },
    async load(config, digest) {
      const body = JSON.stringify({ ...config, admin: { '@id': markOf(digest), ...config.admin } })
      const answer = await ask({ socketPath, method: 'POST', path: '/load', body, timeoutMs: loadMs })
      if (answer.status !== 200) throw new ProxyRefused(wordsOf(answer))
    },
  }
}

interface Question {
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

function ask({ socketPath, method, path, body, timeoutMs }: Question): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(timeoutMs)
    const fail = (error: Error) => {
      const why = signal.aborted ? `not within ${timeoutMs / 1000} seconds` : error.message
      reject(new ProxyUnavailable(`The proxy did not answer: ${why}`, { cause: error }))
    }
    const headers = { host: 'localhost', ...(body !== undefined && { 'content-type': 'application/json' }) }
    const request = http.request({ socketPath, method, path, headers, agent: false, signal }, (response) => {
      readWhole(response, maxBytes, 'The answer').then(
        (text) => resolve({ status: response.statusCode!, text: text.toString() }),
        fail,
      )
    })
    request.on('error', fail)
    request.end(body)
  })
}

function wordsOf({ status, text }: Answer): string {
  try {
    const { error } = JSON.parse(text) as { error?: unknown }
    if (typeof error === 'string') return error
  } catch {
    // Not in the form that it answers in: its words as they are.
  }
  return `HTTP ${status} ${text}`.trim()
}
