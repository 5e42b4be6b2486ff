/**
 * How it stands with the certificates that ACME gives, read from what the keys write about them: JSON lines of the
 * loggers `tls.obtain`, `tls.renew` and `tls.issuance.acme` (certmagic's config.go, async.go).
 */

export interface AcmeState {
  /** When it was said. */
  at: Date
  /** The last reason, in the words of the authority or of Caddy; null: it worked. */
  error: string | null
  /** null where it worked, or where nothing more is tried. */
  nextTryAt: Date | null
}

interface Line {
  ts: number
  level: string
  logger: string
  msg: string
  identifier?: string
  error?: string
  retrying_in?: number
}

/** The last that is known of each name. Half a line at the end is for the next reading. */
export function acmeStates(log: string): Map<string, AcmeState> {
  const states = new Map<string, AcmeState>()
  for (const text of log.split('\n')) {
    const line = lineOf(text)
    const found = line === null ? null : stateOf(line)
    if (found !== null) states.set(found.name, found.state)
  }
  return states
}

function lineOf(text: string): Line | null {
  if (!text.startsWith('{"')) return null
  try {
    const line = JSON.parse(text) as Partial<Line>
    const isWhole = typeof line.ts === 'number' && typeof line.msg === 'string' && typeof line.logger === 'string'
    return isWhole && /^tls\.(?:obtain|renew)$/.test(line.logger!) ? (line as Line) : null
  } catch {
    return null
  }
}

/** `[name] Obtain: reason`, as certmagic puts what is tried again. */
const named = /^\[(?<name>[^\]]+)\] (?:Obtain|Renew): (?<reason>[\s\S]*)$/

function stateOf({
  ts,
  msg,
  identifier,
  error,
  retrying_in: seconds,
}: Line): { name: string; state: AcmeState } | null {
  const at = new Date(Math.round(ts * 1000))
  if (/^certificate (?:obtained|renewed) successfully/.test(msg) && identifier !== undefined)
    return { name: identifier, state: { at, error: null, nextTryAt: null } }
  // A load of the keys interrupts what is under way and begins it anew.
  if (error === undefined || error.includes('context canceled')) return null
  const { name = identifier, reason = error } = named.exec(error)?.groups ?? {}
  if (name === undefined) return null
  const nextTryAt = seconds === undefined ? null : new Date(at.getTime() + seconds * 1000)
  return { name, state: { at, error: reason, nextTryAt } }
}

/** Where the keys keep the certificate of a name, in a folder of each authority. Source: certmagic's storage.go. */
export function storedPaths(name: string): { authorities: string; chain: string; key: string } {
  const safe = name.toLowerCase().replace('*', 'wildcard_')
  return { authorities: 'certificates', chain: `${safe}/${safe}.crt`, key: `${safe}/${safe}.key` }
}

/** The folder of an authority among them. Source: certmagic's acmeissuer.go (issuerKey) and storage.go (Safe). */
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
