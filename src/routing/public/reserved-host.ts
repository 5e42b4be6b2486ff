/** The host of BERTH_PUBLIC_URL is reserved for Berth: no rule and no certificate of a user applies to it. Pure. */
import type { Config } from '../../config.ts'

type PublicUrlConfig = Pick<Config, 'publicUrl'>

/** Returns the host that is reserved for Berth itself; null if Berth has no public URL. */
export const reservedHostOf = ({ publicUrl }: PublicUrlConfig): string | null => publicUrl?.host ?? null

/** The message for an application whose label `berth.host` has the reserved host, besides others. */
export const reservedLabelMessage = (host: string): string =>
  `berth.host: ${host} is the host of Berth itself (BERTH_PUBLIC_URL), so the proxy does not serve it for a service`

/** Why a redirect with this pattern is refused; null if it is not. A pattern that matches any host is not. */
export function redirectFault(config: PublicUrlConfig, regex: string): string | null {
  const host = reservedHostOf(config)
  if (host === null) return null
  const plain = regex.replaceAll(/\\([./-])/g, '$1').toLowerCase()
  const isNamed = ['://', '^', '('].some((start) => {
    const at = plain.indexOf(start + host)
    return at !== -1 && isEnd(plain[at + start.length + host.length])
  })
  return isNamed ? `names the host ${host}, which is reserved for Berth itself (BERTH_PUBLIC_URL)` : null
}

/** Whether a host name ends before this character of a pattern. */
const isEnd = (character: string | undefined) => character === undefined || !/[\w.-]/.test(character)

/** Why an uploaded certificate for these names is refused; null if it is not. */
export function certificateFault({ publicUrl }: PublicUrlConfig, names: readonly string[]): string | null {
  if (publicUrl === null || publicUrl.certificate === 'uploaded' || !names.includes(publicUrl.host)) return null
  return (
    `has the name ${publicUrl.host}, which is reserved for Berth itself (BERTH_PUBLIC_URL). Leave the name out, or start ` +
    'Berth with BERTH_PUBLIC_CERTIFICATE=uploaded to serve Berth with this certificate'
  )
}
