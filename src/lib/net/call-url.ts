/** A GET request to a URL that an administrator has set, to tell another service that something has worked. */
import http from 'node:http'
import https from 'node:https'
import { unescape as decodePercent } from 'node:querystring'
import { basic } from '../registry-client/login.ts'
import { answerOf } from './answer-of.ts'
import { type Egress, EgressFault } from './egress.ts'

const timeoutMs = 10_000
const maxRedirects = 5

/**
 * Calls the URL and follows redirects. Returns null for a 2xx answer within 10 seconds. Otherwise returns the fault, for
 * a log: without the URL, which may be a secret.
 */
export async function callUrl(url: string, egress: Egress): Promise<string | null> {
  const timeout = AbortSignal.timeout(timeoutMs)
  try {
    return await faultOfCall(url, egress, timeout)
  } catch (error) {
    if (error instanceof EgressFault) return error.reason
    const { code } = error as { code?: unknown }
    return timeout.aborted ? `No answer within ${timeoutMs / 1000} s` : `No answer (${String(code)})`
  }
}

/**
 * Returns null for a 2xx answer, otherwise the fault.
 * @throws EgressFault if requests must not go to the address, or the error of node:http if there was no answer
 */
async function faultOfCall(firstUrl: string, egress: Egress, signal: AbortSignal): Promise<string | null> {
  let url = new URL(firstUrl)
  let authorization = authorizationOf(url)
  for (let redirectsLeft = maxRedirects; redirectsLeft >= 0; redirectsLeft--) {
    const {
      statusCode: status = 0,
      headers: { location },
    } = await get(url, egress, authorization, signal)
    if (location === undefined || ![301, 302, 303, 307, 308].includes(status)) {
      return status >= 200 && status < 300 ? null : `The server answered with HTTP status ${status}`
    }
    const next = URL.parse(location, url)
    if (next === null || !/^https?:$/.test(next.protocol)) return 'The server redirected to a URL that is not http(s)'
    if (next.origin !== url.origin) authorization = undefined
    url = next
  }
  return `The request was redirected more than ${maxRedirects} times`
}

/** The header for the credentials in the URL. */
function authorizationOf({ username, password }: URL): string | undefined {
  return username === '' && password === ''
    ? undefined
    : basic({ username: decodePercent(username), password: decodePercent(password) })
}

async function get(
  url: URL,
  egress: Egress,
  authorization: string | undefined,
  signal: AbortSignal,
): Promise<http.IncomingMessage> {
  const bare = Object.assign(new URL(url), { username: '', password: '', hash: '' })
  const headers = { 'user-agent': 'berth', ...(authorization !== undefined && { authorization }) }
  const isPlain = url.protocol === 'http:'
  const { request } = isPlain ? http : https
  const agent = isPlain ? egress.httpAgent({}) : egress.httpsAgent({})
  const response = await answerOf(request(bare, { agent, signal, headers }).end())
  response.destroy()
  return response
}
