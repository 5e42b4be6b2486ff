/** A Berth that listens on a port, and requests to it as a browser would send them, with any headers. */
import assert from 'node:assert/strict'
import { type IncomingHttpHeaders, request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { createServer } from 'node:tls'
import { methodOf } from '../../src/api/contract.ts'
import { codeAt } from '../../src/lib/crypto/totp.ts'
import { operations } from '../../src/operations.ts'
import { installationToken, startBerth } from '../fixtures/harness.ts'
import { certificateData, privateKey } from '../fixtures/long-lived-certificate.ts'
import { minute, password, second } from './auth-fixture.ts'

export type Browser = Awaited<ReturnType<typeof startBrowser>>

type Headers = Record<string, string | undefined>

export interface Response {
  status: number
  headers: IncomingHttpHeaders
  text: string
  json: Record<string, unknown> & { code?: string; message?: string; accessToken?: string; account: { id: string } }
}

const ada = { email: 'ada@example.org', password }
const methods = new Map(operations.map((it) => [it.name, methodOf(it)]))

/** Starts a Berth with the administrator Ada. Its clock is at the start of 2030. */
export async function startBrowser(env: Record<string, string> = {}) {
  let ms = Date.parse('2030-01-01T00:00:00.000Z')
  const berth = await startBerth({ env, now: () => new Date(ms) })
  const url = new URL(await berth.listen())
  const created = await berth.call<{ account: { id: string } }>('auth.createAdmin', ada, installationToken)
  assert.equal(created.status, 200)

  /** Sends a request from a page of Berth, and reads the whole answer. `headers` replace those of the page. */
  const send = (path: string, input: object | null, headers: Headers = {}) =>
    exchange(url, path, input, { ...pageHeaders(url, input !== null), ...headers })

  /** Calls an operation from a page of Berth. */
  function call(name: string, input: Record<string, unknown> = {}, headers: Headers = {}) {
    if (methods.get(name) !== 'GET') return send(`/api/${name}`, input, headers)
    const pairs = Object.entries(input).map(([key, value]) => [key, String(value)])
    return send(`/api/${name}?${new URLSearchParams(pairs)}`, null, headers)
  }

  /** Signs in with a cookie. Returns the header Cookie of later requests. */
  async function signIn(overrides: Record<string, unknown> = {}): Promise<string> {
    const answer = await call('auth.signIn', { ...ada, cookie: true, ...overrides })
    assert.equal(answer.status, 200, answer.text)
    return cookieOf(answer)
  }

  return {
    berth,
    url,
    ada,
    adaId: created.body.account.id,
    send,
    call,
    signIn,
    codeOf: (secret: string, steps = 0) => codeAt(secret, new Date(ms + steps * 30 * second)),
    pass(passedMs: number) {
      ms += passedMs
    },
    tokens: () => berth.app.db.selectFrom('token').selectAll().execute(),
    close: berth.close,
    [Symbol.asyncDispose]: berth.close,
  }
}

/** Turns on Ada's second factor. Returns its secret. */
export async function turnOnFactor(browser: Browser, cookie: string): Promise<string> {
  const { json } = await browser.call('auth.generate2FASecret', {}, { cookie })
  const secret = json.secret as string
  const turnedOn = await browser.call('auth.verify2FASetup', { secret, pin: browser.codeOf(secret) }, { cookie })
  assert.equal(turnedOn.status, 200, turnedOn.text)
  browser.pass(minute)
  return secret
}

/** The headers that a browser sends with a request of a page of this origin. */
export function pageHeaders({ origin }: URL, isPost: boolean): Headers {
  const change = { origin, 'content-type': 'application/json' }
  return { 'sec-fetch-site': 'same-origin', ...(isPost ? change : {}) }
}

/** Sends a request without Sec-Fetch-Site or Origin unless they are given. `input` null: a GET. */
export function exchange(url: URL, path: string, input: object | null, headers: Headers): Promise<Response> {
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest
  const sent = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined))
  const options = { method: input === null ? 'GET' : 'POST', headers: sent, rejectUnauthorized: false, agent: false }
  return new Promise((resolve, reject) => {
    const request = send(new URL(path, url), options, (response) => {
      const { statusCode = 0, headers: received } = response
      let text = ''
      const end = () => {
        const isJson = received['content-type']?.startsWith('application/json')
        resolve({ status: statusCode, headers: received, text, json: isJson ? JSON.parse(text) : {} })
      }
      // A stream has no end.
      if (received['content-type']?.startsWith('text/event-stream')) {
        response.destroy()
        return end()
      }
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      response.on('end', end)
    })
    request.on('error', reject).end(input === null ? undefined : JSON.stringify(input))
  })
}

/** The header Cookie that a browser sends after this answer. */
export function cookieOf({ headers }: Response): string {
  const [set, ...others] = headers['set-cookie'] ?? []
  assert.deepEqual([others, typeof set], [[], 'string'])
  return set!.split(';', 1)[0]!
}

/** The token in the header Cookie. */
export const tokenOf = (cookie: string): string => /=(berth_sess_[\w-]{43})$/.exec(cookie)![1]!

/** A proxy that ends TLS in front of Berth and changes nothing. Returns its URL. */
export async function startTls({ port, hostname }: URL, end: AsyncDisposableStack): Promise<URL> {
  const server = createServer({ cert: certificateData, key: privateKey }, (socket) => {
    const upstream = connect(Number(port), hostname)
    socket.pipe(upstream).pipe(socket)
    socket.on('error', () => upstream.destroy())
    upstream.on('error', () => socket.destroy())
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  end.defer(() => new Promise<void>((resolve) => void server.close(() => resolve())))
  return new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}`)
}
