/** Reports a good dump by a GET request to the signalUrl of its backup. A failed request does not affect the run. */
import http from 'node:http'
import https from 'node:https'
import { unescape as decodePercent } from 'node:querystring'
import { type Egress, EgressFault } from '../../lib/net/egress.ts'
import { loginFault, ProxyFault } from '../../lib/net/proxy-fault.ts'
import { basic } from '../../lib/registry-client/login.ts'
import type { Runtime } from '../../runtime.ts'

const timeoutMs = 10_000
const maxRedirects = 5

/** Calls the signalUrl. Logs a failure without the URL, because the URL may be a secret. Never throws. */
export async function callSignalUrl(
  { config, log }: { config: Pick<Runtime['config'], 'egress'>; log: Runtime['log'] },
  runId: string,
  signalUrl: string,
): Promise<void> {
  const timeout = AbortSignal.timeout(timeoutMs)
  const fault = await faultOfCall(signalUrl, config.egress, timeout).catch((error: unknown) => {
    if (error instanceof EgressFault || error instanceof ProxyFault) return error.reason
    const { code } = error as { code?: unknown }
    return timeout.aborted ? `No answer within ${timeoutMs / 1000} s` : `No answer (${String(code)})`
  })
  if (fault !== null) log.warn('signalUrl call failed', { runId, reason: fault })
}

/**
 * Returns null for a 2xx answer, otherwise the fault.
 * @throws EgressFault if requests must not go to the address, ProxyFault if a proxy does not forward the request, or the
 * error of node:http if there was no answer
 */
async function faultOfCall(signalUrl: string, egress: Egress, signal: AbortSignal): Promise<string | null> {
  let url = new URL(signalUrl)
  let authorization = authorizationOf(url)
  for (let redirectsLeft = maxRedirects; redirectsLeft >= 0; redirectsLeft--) {
    const {
      statusCode: status = 0,
      headers: { location },
    } = await get(url, egress, authorization, signal)
    const proxy = egress.proxyOf(url)
    if (proxy !== null && status === 407) throw loginFault(proxy)
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

/** The header for the credentials in the URL. New signalUrls cannot have credentials; older stored ones may. */
function authorizationOf({ username, password }: URL): string | undefined {
  return username === '' && password === ''
    ? undefined
    : basic({ username: decodePercent(username), password: decodePercent(password) })
}

function get(
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
  return new Promise((resolve, reject) => {
    request(bare, { agent, signal, headers })
      .on('error', reject)
      .on('response', (response) => {
        response.destroy()
        resolve(response)
      })
      .end()
  })
}
