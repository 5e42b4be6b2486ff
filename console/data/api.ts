/** The client of this page. The session is a cookie that scripts cannot read. */
import { signal } from '@preact/signals'
import { BerthError, createClient, type Client, type Fetch } from '../../client/client.ts'
import { askCode } from './access/confirmation.ts'

/** Whether the last request reached Berth. */
export const isReachable = signal(true)

/** Called when Berth refuses a request because the session has ended. session.ts sets it. */
export const sessionHooks = { ended: () => {} }

/** The ids of requests that were refused because the session has ended. */
const refusedRequests = new Set<string | null>()

/** Reports what each answer says about the connection. The client repeats requests, so a failure is told at once. */
const observedFetch: Fetch = async (url, init) => {
  try {
    const answer = await fetch(url, init as RequestInit)
    isReachable.value = true
    if (answer.status === 401 && isBySession(url, init.headers)) {
      refusedRequests.add(answer.headers.get('x-request-id'))
      sessionHooks.ended()
    }
    return answer
  } catch (error) {
    if (init.signal?.aborted !== true) isReachable.value = false
    throw error
  }
}

/** A wrong password, a wrong code and a wrong token of another kind are answered with 401, too. */
const isBySession = (url: string, headers: Record<string, string>) =>
  headers.authorization === undefined && !/\/api\/auth\.(?:signIn|verify2FASetup)$/.test(url)

export const clientOptions = { url: location.origin, fetch: observedFetch, confirmationCode: askCode }

export const api: Client = createClient(clientOptions)

/** What went wrong, as a sentence for the person. */
export function errorText(error: unknown): string {
  if (!(error instanceof BerthError)) return error instanceof Error ? error.message : String(error)
  if (error.code === 'CONNECTION_LOST') return 'Berth does not answer. Check the connection, then try again.'
  if (error.requestId !== null && refusedRequests.has(error.requestId)) {
    return 'Your session had ended, so Berth did nothing. Sign in, then try again.'
  }
  return error.message
}
