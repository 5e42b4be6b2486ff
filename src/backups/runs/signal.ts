/** The call that tells of a good run: a GET to the signalUrl of its backup. Whether it arrives changes nothing. */
import http from 'node:http'
import https from 'node:https'
import { unescape as decodePercent } from 'node:querystring'
import { type Egress, EgressFault } from '../../lib/net/egress.ts'
import { basic } from '../../lib/registry-client/login.ts'
import type { Runtime } from '../../runtime.ts'

const limitMs = 10_000
const maxRedirects = 5

/** A failure is logged by its reason alone: a URL may be a secret as a whole. */
export async function callSignalUrl(
  { config, log }: { config: Pick<Runtime['config'], 'egress'>; log: Runtime['log'] },
  runId: string,
  signalUrl: string,
): Promise<void> {
  const late = AbortSignal.timeout(limitMs)
  const fault = await faultOfCall(signalUrl, config.egress, late).catch((error: unknown) => {
    if (error instanceof EgressFault) return error.reason
    const { code } = error as { code?: unknown }
    return late.aborted ? `No answer within ${limitMs / 1000} s` : `No answer (${String(code)})`
  })
  if (fault !== null) log.warn('the call of a signalUrl failed', { runId, reason: fault })
}

/** Null: it was answered with a status that says so. Throws what node:http does where there was no answer. */
async function faultOfCall(signalUrl: string, egress: Egress, signal: AbortSignal): Promise<string | null> {
  let url = new URL(signalUrl)
  let authorization = authorizationOf(url)
  for (let left = maxRedirects; left >= 0; left--) {
    const {
      statusCode: status = 0,
      headers: { location },
    } = await get(url, egress, authorization, signal)
    if (location === undefined || ![301, 302, 303, 307, 308].includes(status)) {
      return status >= 200 && status < 300 ? null : `The answer was HTTP ${status}`
    }
    const next = URL.parse(location, url)
    if (next === null || !/^https?:$/.test(next.protocol)) return 'It was redirected to what is no http(s) URL'
    if (next.origin !== url.origin) authorization = undefined
    url = next
  }
  return `It was redirected more than ${maxRedirects} times`
}

/** New signalUrls have neither; those of before are stored with them. */
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
