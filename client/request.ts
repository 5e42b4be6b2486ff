/** One request to Berth: sends it, repeats it if the connection is lost, and turns a refusal into a BerthError. */
import { BerthError } from './error.ts'
import type { CallOptions } from './method.ts'

export interface ClientOptions {
  /** Where Berth is, for example http://127.0.0.1:3000. A path is kept: Berth may be behind a proxy. */
  url: string | URL
  /** A session or an API token, or a function that answers the present one. */
  token?: string | null | (() => string | null | Promise<string | null>)
  /** How often a request is repeated after the connection was lost or Berth was unavailable; 3 by default. */
  retries?: number
  /** In place of the global `fetch`. */
  fetch?: typeof globalThis.fetch
}

export interface Request {
  method: 'GET' | 'POST'
  /** The path below the URL of Berth, without a leading slash. */
  path: string
  body?: string
  headers?: Record<string, string>
  options?: CallOptions
}

/** Waits before the second, third and each later attempt. */
const pausesMs = [200, 1000, 3000]

export type Send = (request: Request) => Promise<Response>

/** The answer is a 200. Everything else is thrown as a BerthError. */
export function senderOf({ url, token, retries = 3, fetch = globalThis.fetch }: ClientOptions): Send {
  const base = String(url).replace(/\/*$/, '/')
  return async ({
    method,
    path,
    body,
    headers,
    options: { wait, idempotencyKey, signal, headers: ownHeaders } = {},
  }) => {
    const bearer = typeof token === 'function' ? await token() : token
    const request: RequestInit = {
      method,
      headers: {
        ...(bearer ? { authorization: `Bearer ${bearer}` } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(method === 'GET' ? {} : { 'idempotency-key': idempotencyKey ?? crypto.randomUUID() }),
        ...(wait === undefined ? {} : { prefer: `wait=${wait}` }),
        ...headers,
        ...ownHeaders,
      },
      ...(body === undefined ? {} : { body }),
      ...(signal === undefined ? {} : { signal }),
    }
    for (let attempt = 0; ; attempt++) {
      try {
        return await attemptOf(base + path, request)
      } catch (error) {
        if (!(error instanceof BerthError) || attempt >= retries || !isWorthRepeating(error)) throw error
        await pause(Math.max(pausesMs[Math.min(attempt, 2)]!, (error.retryAfterSeconds ?? 0) * 1000), signal)
      }
    }
  }

  async function attemptOf(address: string, request: RequestInit): Promise<Response> {
    const response = await fetch(address, request).catch((error: Error) => {
      throw request.signal?.aborted ? request.signal.reason : connectionLost(address, error)
    })
    if (response.ok) return response
    throw await refusalOf(response)
  }
}

/** The change was not carried out, or it has its idempotency key and is not carried out twice. */
const isWorthRepeating = ({ code }: BerthError) => code === 'CONNECTION_LOST' || code === 'SERVICE_UNAVAILABLE'

export function connectionLost(address: string | URL, error: Error): BerthError {
  const cause = error.cause instanceof Error ? error.cause : error
  return new BerthError(
    `${new URL(address).origin} does not answer: ${cause.message}`,
    { code: 'CONNECTION_LOST' },
    { cause },
  )
}

async function refusalOf(response: Response): Promise<BerthError> {
  const { status, headers } = response
  const retryAfterSeconds = Number(headers.get('retry-after')) || null
  const requestId = headers.get('x-request-id')
  const body = await response.json().catch(() => null)
  if (typeof body?.code !== 'string') {
    const message = `${new URL(response.url).origin} answered HTTP ${status}, but not as Berth does. Is the URL right?`
    return new BerthError(message, { code: 'NOT_BERTH', status, requestId })
  }
  return new BerthError(body.message, { ...body, status, requestId, retryAfterSeconds })
}

export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const aborted = () => {
      clearTimeout(timer)
      reject(signal!.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', aborted)
      resolve()
    }, ms)
    signal?.addEventListener('abort', aborted, { once: true })
  })
}
