/** Names that a certificate can contain. Pure. */
import { isIP } from 'node:net'

const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i

/** Whether the text is an address, a host name, or a host name whose first label is `*`. Source: RFC 6125, 6.4. */
export function isTlsName(text: string): boolean {
  if (isIP(text) !== 0) return true
  const labels = text.split('.')
  const named = labels[0] === '*' && labels.length > 2 ? labels.slice(1) : labels
  return text.length <= 253 && named.every((each) => label.test(each))
}

/**
 * Whether a certificate with this name is valid for the host, which is in lower case. A wildcard stands for one label.
 * Source: RFC 6125, 6.4.3.
 */
export function coversHost(name: string, host: string): boolean {
  const lower = name.toLowerCase()
  return (
    lower === host || (lower.startsWith('*.') && host.includes('.') && lower.slice(1) === host.slice(host.indexOf('.')))
  )
}
