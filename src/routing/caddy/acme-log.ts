/**
 * Reads the state of ACME certificates from the log of the Caddy process `keys`, and returns where certmagic, Caddy's
 * ACME library, stores the certificates. The log consists of JSON lines of the loggers `tls.obtain`, `tls.renew` and
 * `tls.issuance.acme`. Source: certmagic's config.go and async.go.
 */

export interface AcmeState {
  /** The time of the log entry. */
  at: Date
  /** The last error message of the authority or of Caddy; null after a success. */
  error: string | null
  /** Null after a success, or if the log entry announces no further attempt. */
  nextTryAt: Date | null
}

interface Entry {
  ts: number
  level: string
  logger: string
  msg: string
  identifier?: string
  error?: string
  retrying_in?: number
}

/** Returns the last state of each name. Incomplete lines and lines about other events are ignored. */
export function acmeStates(log: string): Map<string, AcmeState> {
  const states = new Map<string, AcmeState>()
  for (const text of log.split('\n')) {
    const entry = entryOf(text)
    const named = entry === null ? null : stateOf(entry)
    if (named !== null) states.set(named.name, named.state)
  }
  return states
}

/** Parses a line. Returns null if it is not a complete entry about obtaining or renewing a certificate. */
function entryOf(text: string): Entry | null {
  if (!text.startsWith('{"')) return null
  try {
    const entry = JSON.parse(text) as Partial<Entry>
    const isComplete = typeof entry.ts === 'number' && typeof entry.msg === 'string' && typeof entry.logger === 'string'
    return isComplete && /^tls\.(?:obtain|renew)$/.test(entry.logger!) ? (entry as Entry) : null
  } catch {
    return null
  }
}

/** Matches the errors after which certmagic tries again: `[name] Obtain: reason`. */
const retriedError = /^\[(?<name>[^\]]+)\] (?:Obtain|Renew): (?<reason>[\s\S]*)$/

function stateOf({
  ts,
  msg,
  identifier,
  error,
  retrying_in: seconds,
}: Entry): { name: string; state: AcmeState } | null {
  const at = new Date(Math.round(ts * 1000))
  if (/^certificate (?:obtained|renewed) successfully/.test(msg) && identifier !== undefined)
    return { name: identifier, state: { at, error: null, nextTryAt: null } }
  // When Caddy loads a configuration, it cancels its ACME orders and starts them again: this is no failure.
  if (error === undefined || error.includes('context canceled')) return null
  const { name = identifier, reason = error } = retriedError.exec(error)?.groups ?? {}
  if (name === undefined) return null
  const nextTryAt = seconds === undefined ? null : new Date(at.getTime() + seconds * 1000)
  return { name, state: { at, error: reason, nextTryAt } }
}

/**
 * Returns where certmagic stores the certificate of a name. The folder `authorities` of the storage contains a folder
 * for each authority. `chain` and `key` are paths in the folder of an authority. Source: certmagic's storage.go.
 */
export function storedPaths(name: string): { authorities: string; chain: string; key: string } {
  const safe = name.toLowerCase().replace('*', 'wildcard_')
  return { authorities: 'certificates', chain: `${safe}/${safe}.crt`, key: `${safe}/${safe}.key` }
}

/**
 * Returns the name of the folder in which certmagic stores the certificates of an authority. Source: certmagic's
 * acmeissuer.go (issuerKey) and storage.go (Safe).
 * @param directory the URL of the ACME directory
 */
export function authorityFolder(directory: string): string {
  const { host, pathname } = new URL(directory)
  const path = decodeURIComponent(pathname)
    .replace(/[/\\]/g, '-')
    .replace(/^-+|-+$/g, '')
  return (path === '' ? host : `${host}-${path}`)
    .toLowerCase()
    .replaceAll(' ', '_')
    .replaceAll('+', '_plus_')
    .replaceAll('*', 'wildcard_')
    .replaceAll(':', '-')
    .replaceAll('..', '')
    .replace(/[^\w@.-]/g, '')
}
