/** The certificate of Berth's public URL as far as Berth knows it, for conditions, metrics and readiness. */
import { readOwnCertificate } from '../../authority/own-certificate.ts'
import type { CertificateSource, Config } from '../../config.ts'
import type { Runtime } from '../../runtime.ts'
import { describedFrom } from '../caddy/described.ts'
import { hostMatches } from '../caddy/hosts.ts'
import { bestPair } from '../caddy/served.ts'
import { proxyFaultOf } from '../queries.ts'
import type { CertificateTable } from '../table.ts'

export interface PublicCertificate {
  host: string
  source: CertificateSource
  /** When the served certificate expires; null if there is none. */
  notAfter: Date | null
  /** Why the last attempt to obtain one by ACME failed; null if it did not. */
  error: string | null
}

type Described = Pick<CertificateTable, 'described'>
type Dependencies = Pick<Runtime, 'db' | 'vault' | 'config' | 'now'>

/** Returns null without BERTH_PUBLIC_URL. */
export async function publicCertificateOf({ db, vault, config, now }: Dependencies): Promise<PublicCertificate | null> {
  if (config.publicUrl === null) return null
  const { host, certificate: source } = config.publicUrl
  if (source === 'internal') {
    const own = await readOwnCertificate({ db, vault })
    return { host, source, notAfter: own?.host === host ? own.notAfter : null, error: null }
  }
  if (source === 'uploaded') {
    const rows = await db.selectFrom('certificate').select('described').orderBy('id').execute()
    return { host, source, notAfter: uploadedUntil(rows, host, now()), error: null }
  }
  const row = await db.selectFrom('issuance').selectAll().where('name', '=', host).executeTakeFirst()
  return { host, source, notAfter: row?.notAfter == null ? null : new Date(row.notAfter), error: row?.error ?? null }
}

/** The expiry of the uploaded certificate that the proxy serves for a host, see caddy/served.ts; null if there is none. */
export function uploadedUntil(certificates: readonly Described[], host: string, now: Date): Date | null {
  const described = certificates.flatMap((row) => describedFrom(row.described))
  const exact = described.filter(({ names }) => names.includes(host))
  const covering = exact.length > 0 ? exact : described.filter(({ names }) => names.some((it) => hostMatches(it, host)))
  return covering.length === 0 ? null : bestPair(covering, now).notAfter
}

/**
 * Why the removal of an uploaded certificate is refused: no other valid one would be left for Berth's public URL. Null
 * if it is not refused.
 * @param remaining the certificates without the removed one
 */
export function removalFault(
  { publicUrl }: Pick<Config, 'publicUrl'>,
  all: readonly Described[],
  remaining: readonly Described[],
  now: Date,
): string | null {
  if (publicUrl?.certificate !== 'uploaded') return null
  const isServed = (certificates: readonly Described[]) =>
    (uploadedUntil(certificates, publicUrl.host, now) ?? now) > now
  if (!isServed(all) || isServed(remaining)) return null
  return (
    `is the only valid certificate for ${publicUrl.host}, the host of Berth itself (BERTH_PUBLIC_URL). Upload another one ` +
    'for this host first, or start Berth with another BERTH_PUBLIC_CERTIFICATE than uploaded'
  )
}

/** Returns why clients cannot reach Berth at its public URL; '' if they can, or if it has none. */
export async function publicUrlFault(runtime: Dependencies): Promise<string> {
  const { publicUrl } = runtime.config
  const certificate = await publicCertificateOf(runtime)
  if (publicUrl === null || certificate === null) return ''
  const fault = await proxyFaultOf(runtime.db)
  if (fault !== null) return `The proxy does not serve ${publicUrl.origin}: ${fault}`
  const { notAfter, error, host } = certificate
  if (notAfter !== null && notAfter > runtime.now()) return ''
  return `There is no valid certificate for ${host}${error === null ? '' : `: ${error}`}`
}
