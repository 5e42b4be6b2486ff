/** Requests with the session in the cookie. */
import type { Fetch } from '../../client/client.ts'

/**
 * The header proves to Berth that its own page sends the request. Pages of other origins cannot set it. Browsers send
 * Sec-Fetch-Site, which proves the same, only with TLS.
 */
export const ownFetch: Fetch = (url, init) =>
  fetch(url, { ...init, headers: { ...init.headers, 'berth-session': 'cookie' } } as RequestInit)
