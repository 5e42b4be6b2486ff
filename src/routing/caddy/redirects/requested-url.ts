/**
 * Turns the URL that a person types into the URL that the patterns of redirects are matched against. A browser
 * normalizes the URL (WHATWG URL Standard), and Caddy rewrites a few paths (Go's `net/url`, `URL.RequestURI`).
 */

/** A request as the proxy sees it. */
export interface Requested {
  /** The URL that patterns are matched against: without port and fragment. */
  url: string
  scheme: 'http' | 'https'
  host: string
  /** Path and query, as in the request line. */
  uri: string
}

/** Returns the request that a browser makes for a URL, or a message that says why no request reaches the rules. */
export function requestedUrl(text: string): Requested | { fault: string } {
  const parsed = URL.parse(text)
  if (parsed === null || !/^https?:$/.test(parsed.protocol))
    return { fault: 'must be a URL like https://example.org/path?query' }
  const scheme = parsed.protocol === 'http:' ? 'http' : 'https'
  const host = parsed.hostname.replace(/^\[(.*)\]$/, '$1')
  const path = requestPath(parsed.pathname)
  if (path === null) return { fault: 'has a % without two hexadecimal digits in its path. The proxy answers 400' }
  const uri = path + queryOf(parsed)
  return { url: `${scheme}://${host}${uri}`, scheme, host, uri }
}

/** Returns the query with its question mark. Browsers send the question mark of an empty query too. */
function queryOf({ href, search, hash }: URL): string {
  if (search !== '') return search
  return href
    .slice(0, href.length - hash.length)
    .replace(/#$/, '')
    .endsWith('?')
    ? '?'
    : ''
}

/**
 * Returns the path as Go writes it: unchanged if every character is allowed in a path. Otherwise all characters are
 * decoded, and encoded again with fewer exceptions. Returns null if Go rejects the path. Source: `setPath`,
 * `validEncoded` and `shouldEscape` in Go's net/url.
 */
function requestPath(path: string): string | null {
  if (/%(?![0-9a-f]{2})/i.test(path)) return null
  if (/^[\w.~!$&'()*+,;=:@[\]/%-]*$/.test(path)) return path
  const bytes = path.replace(/%([0-9a-f]{2})/gi, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return bytes.replace(/[^\w.~$&+,/:;=@-]/g, (char) => `%${hexOf(char)}`)
}

const hexOf = (char: string): string => char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')
