/** Sends a request to Berth, repeats it if the connection is lost, and turns a refusal into a BerthError. */
import { BerthError } from './error.ts'
import type { CallOptions } from './method.ts'

export interface ClientOptions {
  /** Where Berth is, for example http://127.0.0.1:3000. A path is kept: Berth may be behind a proxy. */
  url: string | URL
  /**
   * A session or an API token, or a function that answers the present one. It is asked before each request. A page of
   * Berth needs no token: the browser sends the cookie of `auth.signIn({ cookie: true })`.
   */
  token?: string | null | undefined | (() => string | null | Promise<string | null>)
  /** How often a request is repeated after the connection was lost or Berth was unavailable; 3 by default. */
  retries?: number
  /** In place of the global `fetch`. */
  fetch?: Fetch
}

/** The part of `fetch` that the client uses. */
export type Fetch = (url: string, init: FetchInit) => Promise<Answer>

export interface FetchInit {
  method: 'GET' | 'POST'
  /** Names in lower case. */
  headers: Record<string, string>
  body?: string
  signal?: AbortSignal
  /** A redirect is answered and not followed. */
  redirect: 'manual'
}

/** The part of a Response that the client uses. */
export type Answer = Pick<Response, 'ok' | 'status' | 'type' | 'body' | 'json'> & { headers: AnswerHeaders }

export type AnswerHeaders = Pick<Headers, 'get' | 'has'>

export interface Request {
  method: 'GET' | 'POST'
  /** The path below the URL of Berth, without a leading slash. */
  path: string
  /** The media type of the expected answer. Another one does not come from Berth. */
  accept: 'application/json' | 'application/x-ndjson' | 'text/event-stream' | 'application/octet-stream'
  body?: string
  /** Headers besides those of `options`. */
  headers?: Record<string, string>
  /** Whether Berth may get the request again although it may have carried it out. */
  isRepeatable: boolean
  /** In place of the client's number. */
  retries?: number
  options: CallOptions
}

/** Throws the reason of the signal if it aborted, and CONNECTION_LOST otherwise. */
export type Lost = (error: unknown) => never

/** Reads a successful answer. Calls `lost` if its connection breaks. */
type Read<T> = (response: Answer, lost: Lost) => Promise<T>

/** Everything but a success is thrown as a BerthError, and the reason of a signal that aborted. */
export type Send = <T>(request: Request, read: Read<T>) => Promise<T>

/**
 * @throws TypeError if `url` is no URL. In a browser it may be relative to the page.
 */
export function senderOf({ url, token, retries = 3, fetch = globalThis.fetch }: ClientOptions): Send {
  const { origin, pathname } = new URL(url, globalThis.location?.href)
  const base = origin + pathname.replace(/\/*$/, '/')

  return async (request, read) => {
    const { signal } = request.options
    for (let failures = 0; ; failures++) {
      const headers = headersOf(request, typeof token === 'function' ? await token() : token)
      try {
        return await attempt(request, headers, read)
      } catch (error) {
        const isLast = failures >= (request.retries ?? retries)
        if (isLast || !(error instanceof BerthError) || !isTransient(error, request.isRepeatable)) throw error
        await pause(delayAfter(failures, error), signal)
      }
    }
  }

  async function attempt<T>(request: Request, headers: Record<string, string>, read: Read<T>): Promise<T> {
    const { method, path, body, accept } = request
    const { signal } = request.options
    const lost: Lost = (error) => {
      if (signal?.aborted) throw signal.reason
      throw error instanceof BerthError ? error : connectionLost(base, error)
    }
    const response = await fetch(base + path, {
      method,
      headers,
      // A browser and Node would repeat a POST as a GET.
      redirect: 'manual',
      ...(body === undefined ? {} : { body }),
      ...(signal === undefined ? {} : { signal }),
    }).catch(lost)
    const isExpected = response.headers.get('content-type')?.startsWith(accept)
    if (response.ok && isExpected) return read(response, lost)
    throw await refusalOf(response, base, lost)
  }
}

function headersOf(
  { method, body, accept, headers, options }: Request,
  bearer: string | null | undefined,
): Record<string, string> {
  const own = Object.entries(options.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value] as const)
  return {
    accept,
    // Without TLS, a browser does not tell Berth that a GET comes from its own page. No page elsewhere can send this.
    ...(bearer ? { authorization: `Bearer ${bearer}` } : { 'berth-session': 'cookie' }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(method === 'POST' ? { 'idempotency-key': options.idempotencyKey! } : {}),
    ...headers,
    ...Object.fromEntries(own),
  }
}

/** Whether the next attempt may succeed, and does no harm if the request was carried out. */
export function isTransient({ code, status }: BerthError, isRepeatable: boolean): boolean {
  // Berth refuses with SERVICE_UNAVAILABLE before it changes anything. A proxy before Berth answers 502 to 504.
  if (code === 'SERVICE_UNAVAILABLE') return true
  return isRepeatable && (code === 'CONNECTION_LOST' || (code === 'NOT_BERTH' && status >= 502 && status <= 504))
}

/** Waits before the second, third and each later attempt, in milliseconds. */
const delaysMs = [200, 1000, 2500]

/** Milliseconds until the next attempt. Different for each client, so that not all of them come back at once. */
export const delayAfter = (failures: number, { retryAfterSeconds }: BerthError): number =>
  Math.max(delaysMs[Math.min(failures, 2)]! * (0.8 + Math.random() * 0.4), (retryAfterSeconds ?? 0) * 1000)

/** @param address the URL of the request, or of Berth */
export function connectionLost(address: string | URL, error: unknown): BerthError {
  const { cause = error } = error as Error
  const { message, code } = cause as Error & { code?: string }
  // If a name has several addresses, Node gives an error with a code and without a message.
  const text = `${new URL(address).origin} does not answer: ${message || code}`
  return new BerthError(text, { code: 'CONNECTION_LOST' }, { cause })
}

async function refusalOf(response: Answer, base: string, lost: Lost): Promise<BerthError> {
  const { status, headers } = response
  const requestId = headers.get('x-request-id')
  const body = (await response
    .json()
    .catch((error: unknown) => (error instanceof SyntaxError ? null : lost(error)))) as {
    message: string
    code?: unknown
  } | null
  if (!response.ok && typeof body?.code === 'string') {
    const retryAfterSeconds = Number(headers.get('retry-after')) || null
    return new BerthError(body.message, { ...(body as { code: 'NOT_FOUND' }), status, requestId, retryAfterSeconds })
  }
  const target = headers.get('location')
  // A browser hides the target.
  const isRedirect = response.type === 'opaqueredirect' || target !== null
  const answered = isRedirect
    ? `redirects${target === null ? '' : ` to ${target}`}`
    : `answers HTTP ${status}, but not as Berth does`
  return new BerthError(`${base} ${answered}. Is the URL right?`, { code: 'NOT_BERTH', status, requestId })
}

/** Reads the whole answer. */
export async function jsonOf(response: Answer, lost: Lost): Promise<{ body: unknown; headers: AnswerHeaders }> {
  const body: unknown = await response
    .json()
    .catch((error: unknown) => lost(error instanceof SyntaxError ? new Error('the answer is incomplete') : error))
  return { body, headers: response.headers }
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
