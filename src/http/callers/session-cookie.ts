/**
 * The cookie with the token of a session. Over TLS its name has the prefix `__Host-`: a browser then accepts it only
 * with Secure and Path=/, and from this host itself. Pure.
 * Source: RFC 6265, and draft-ietf-httpbis-rfc6265bis section 4.1.3 (prefixes).
 */
export const secureCookieName = '__Host-berth'
export const cookieName = 'berth'

/** More cookies of one name come from another application on the same host. */
const maxTokens = 4

/**
 * The tokens in the session cookies of a request. There is usually one. On localhost a browser also sends the cookie of
 * another port.
 *
 * @param cookie the value of the header Cookie
 * @param isSecure whether the request came over TLS: then only the cookie with the prefix counts
 */
export function sessionTokens(cookie: string | undefined, isSecure: boolean): string[] {
  const pairs = (cookie ?? '').split(';').map((pair) => /^\s*([^=\s]+)=([\x21-\x7e]{1,512})\s*$/.exec(pair))
  const tokens = (isSecure ? [secureCookieName] : [secureCookieName, cookieName]).flatMap((name) =>
    pairs.flatMap((pair) => (pair?.[1] === name ? [pair[2]!] : [])),
  )
  return tokens.slice(0, maxTokens)
}

/**
 * The value of the header Set-Cookie.
 *
 * @param token '' removes the cookie
 * @param isSecure whether the page that called was loaded over TLS
 */
export function setCookie(token: string, maxAgeSeconds: number, isSecure: boolean): string {
  const attributes = `Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict`
  return isSecure ? `${secureCookieName}=${token}; ${attributes}; Secure` : `${cookieName}=${token}; ${attributes}`
}
