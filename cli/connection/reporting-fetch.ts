/** The requests of the client, with words for the person at the terminal when the server does not answer. */
import type { Answer, Fetch } from '../../client/client.ts'
import { fetchByHttp } from './http.ts'

export interface Reporter {
  /** Aborts all requests. */
  interrupted: AbortSignal
  /** Tells something while the command goes on. */
  remark(text: string): void
}

/** Silence of a server is told after this time, in milliseconds. The command goes on waiting. */
const silenceMs = 3000
/** A request fails if no answer begins within this time, in milliseconds, beyond the time that the request asks for. */
const answerMs = 60_000

export function reportingFetch({ interrupted, remark }: Reporter): Fetch {
  let isTold = false
  const tell = (text: string) => {
    if (!isTold) remark(text)
    isTold = true
  }

  return async (address, init) => {
    const { origin } = new URL(address)
    const waitMs = Number(/^wait=(\d+)/.exec(init.headers.prefer ?? '')?.[1] ?? 0) * 1000
    const silent = new AbortController()
    const limit = setTimeout(() => silent.abort(), answerMs + waitMs)
    // A call that waits for work is expected to take long.
    const toldLater = () => tell(`${origin} does not answer yet. Ctrl-C ends the wait`)
    const timer = waitMs === 0 ? setTimeout(toldLater, silenceMs) : undefined
    const signals = [interrupted, silent.signal, ...(init.signal === undefined ? [] : [init.signal])]
    try {
      return await fetchByHttp(address, { ...init, signal: AbortSignal.any(signals) })
    } catch (error) {
      if (silent.signal.aborted)
        return refusal('GATEWAY_TIMEOUT', `${origin} did not answer within ${answerMs / 1000} s`)
      const text = faultText(error as NodeJS.ErrnoException)
      if (isLasting(error as NodeJS.ErrnoException)) return refusal('NOT_BERTH', `${origin} ${text}`)
      if (!interrupted.aborted) tell(`${origin} does not answer: ${text}. Trying again …`)
      throw new Error(text)
    } finally {
      clearTimeout(timer)
      clearTimeout(limit)
    }
  }
}

/** An answer as the client expects it from Berth. The client does not repeat a call with this answer. */
const refusal = (code: 'GATEWAY_TIMEOUT' | 'NOT_BERTH', message: string): Answer => ({
  ok: false,
  status: 500,
  type: 'basic',
  headers: { get: () => null, has: () => false },
  json: async () => ({ code, message, issues: [] }),
  body: null,
})

/** Whether the same call would fail again. */
const isLasting = ({ code = '' }: NodeJS.ErrnoException) =>
  code === 'ENOTFOUND' || code === 'EPROTO' || /CERT|SIGNATURE|ALTNAME|ERR_SSL/.test(code)

function faultText(error: NodeJS.ErrnoException): string {
  const code = error.code ?? ''
  if (code === 'ECONNREFUSED') return 'no program listens there'
  if (code === 'ENOTFOUND') return 'cannot be reached: no such host name is known'
  if (code === 'EPROTO' || /ERR_SSL/.test(code)) return 'does not speak TLS. Is it http:// in place of https://?'
  if (/ALTNAME/.test(code)) return `has a certificate of another name: ${error.message}`
  if (/EXPIRED/.test(code)) return 'has a certificate that has expired'
  if (isLasting(error)) {
    return (
      'has a certificate of an authority that this machine does not know. Sign in again (berth login URL), or set ' +
      'BERTH_CA to a file with the output of berth ca'
    )
  }
  return error.message || code
}
