/**
 * Parses, checks and describes an uploaded certificate: a PEM chain and its private key. The parsed values are then
 * serialized again, so text between the PEM blocks never reaches the proxy. Also computes when renewal begins, and
 * checks whether ACME can renew a certificate and whether a text is a relative path.
 */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { isIssuedBy, missingIssuerOf } from './issuers.ts'

/** The properties of a certificate that the API returns. */
export interface CertificateDescription {
  subject: string
  /** The DNS names and IP addresses of the certificate's subjectAltName, in lower case. */
  names: string[]
  issuer: string
  notBefore: Date
  notAfter: Date
  serialNumber: string
  fingerprint256: string
  /** For example `rsa 2048` or `ec prime256v1`. */
  keyType: string
  /** The issuer that is missing in the chain, so that many clients refuse the certificate; null: none. */
  missingIssuer: string | null
}

/** A checked certificate with its key. */
export interface CheckedPair extends CertificateDescription {
  /** PEM: the certificate itself first, then its issuers. */
  chain: string
  /** PEM, PKCS #8. */
  key: string
}

/** An error in a field of the request. */
export interface CertificateFault {
  path: 'certificateData' | 'privateKey'
  message: string
}

const maxPemLength = 64 * 1024
const dayMs = 86_400_000

/** Parses and checks a certificate and its key. Returns the pair, or a fault whose message says what to do. */
export function readPair(certificateData: string, privateKey: string, now: Date): CheckedPair | CertificateFault {
  const chain = chainOf(certificateData)
  if ('message' in chain) return chain
  const key = keyOf(privateKey)
  if ('message' in key) return key
  const [leaf] = chain
  const fault = orderFault(chain) ?? timeFault(chain, now) ?? useFault(leaf!)
  if (fault !== null) return { path: 'certificateData', message: fault }
  if (!leaf!.checkPrivateKey(key)) return { path: 'privateKey', message: mismatch(chain, key) }
  return {
    ...descriptionOf(chain),
    chain: chain.map(String).join(''),
    key: key.export({ type: 'pkcs8', format: 'pem' }) as string,
  }
}

/** Describes the first certificate of a stored chain. Returns null if the chain cannot be parsed. */
export function describeChain(chain: string): CertificateDescription | null {
  const read = chainOf(chain)
  return 'message' in read ? null : descriptionOf(read)
}

function descriptionOf(chain: X509Certificate[]): CertificateDescription {
  const certificate = chain[0]!
  const missing = missingIssuerOf(chain)
  const { asymmetricKeyType = 'unknown', asymmetricKeyDetails: { modulusLength, namedCurve } = {} } =
    certificate.publicKey
  const size = modulusLength ?? namedCurve
  return {
    subject: oneLine(certificate.subject),
    names: namesOf(certificate),
    issuer: oneLine(certificate.issuer),
    notBefore: certificate.validFromDate,
    notAfter: certificate.validToDate,
    serialNumber: certificate.serialNumber,
    fingerprint256: certificate.fingerprint256,
    keyType: size === undefined ? asymmetricKeyType : `${asymmetricKeyType} ${size}`,
    missingIssuer: missing === null ? null : oneLine(missing),
  }
}

/** Joins the lines of a name. node:crypto returns one line for each part, and undefined for an empty name. */
const oneLine = (name: string | undefined): string => (name ?? '').split('\n').join(', ')

/**
 * Returns the DNS names and IP addresses. Leaves out names with unusual characters, which node:crypto quotes, because
 * no client can request them.
 */
function namesOf({ subjectAltName = '' }: X509Certificate): string[] {
  const names = subjectAltName.split(', ').flatMap((entry) => /^(?:DNS|IP Address):([\w.*:-]+)$/.exec(entry)?.[1] ?? [])
  return [...new Set(names.map((name) => name.toLowerCase()))]
}

const block = /-----BEGIN ([A-Z0-9 ]+)-----([\s\S]*?)-----END \1-----/g

/** Returns the blocks of a PEM text. Text between the blocks is ignored. */
function blocksOf(text: string): { label: string; pem: string }[] {
  return [...text.matchAll(block)].map(([pem, label = '', body = '']) => ({
    label,
    // Headers, such as those of an encrypted key, contain a colon.
    pem: body.includes(':') ? pem : pemOf(label, body.replaceAll(/\s/g, '')),
  }))
}

/** Lines of 64 characters, because OpenSSL refuses blocks that were indented, joined to one line or double-spaced. */
function pemOf(label: string, base64: string): string {
  const lines = base64.match(/.{1,64}/g) ?? []
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`].join('\n')
}

/**
 * Returns the text after the last block. Such text is an error: tools write comments such as `subject=…` only before a
 * block.
 */
function restAfter(text: string): string {
  return text
    .slice(Math.max(0, text.lastIndexOf('-----END')))
    .replace(/^-----END [A-Z0-9 ]+-----/, '')
    .trim()
}

function chainOf(text: string): X509Certificate[] | CertificateFault {
  const fault = (message: string): CertificateFault => ({ path: 'certificateData', message })
  if (text.length > maxPemLength) {
    return fault('The PEM text is longer than 64 KiB. Send only the certificate of the host and its issuers')
  }
  const blocks = blocksOf(text)
  if (blocks.length === 0) {
    return fault('The PEM text must contain a certificate, which begins with -----BEGIN CERTIFICATE-----')
  }
  const other = blocks.find(({ label }) => !/^(?:X509 |TRUSTED )?CERTIFICATE$/.test(label))
  if (other !== undefined) {
    return fault(`The PEM text must contain only certificates, but contains a ${other.label}. Remove it`)
  }
  const rest = restAfter(text)
  if (rest !== '') {
    return fault(`The PEM text has text after the last certificate: ${JSON.stringify(rest.slice(0, 40))}. Remove it`)
  }
  const chain = blocks.map(({ pem }) => attempt(() => new X509Certificate(pem)))
  const invalidIndex = chain.indexOf(null)
  return invalidIndex === -1
    ? chain.filter((certificate) => certificate !== null)
    : fault(`Certificate ${invalidIndex + 1} cannot be parsed. Copy it again from its source`)
}

function keyOf(text: string): KeyObject | CertificateFault {
  const fault = (message: string): CertificateFault => ({ path: 'privateKey', message })
  if (text.length > maxPemLength) return fault('The PEM text is longer than 64 KiB. Send only the private key')
  const blocks = blocksOf(text).filter(({ label }) => label !== 'EC PARAMETERS')
  const keys = blocks.filter(({ label }) => label.endsWith('PRIVATE KEY'))
  if (keys.length === 0) {
    return fault('The PEM text must contain a private key, which begins with -----BEGIN PRIVATE KEY-----')
  }
  if (blocks.length > 1) return fault('The PEM text must have only one PEM block: the private key of the certificate')
  if (isEncrypted(keys[0]!)) {
    return fault('The key is encrypted. Remove the passphrase (openssl pkey -in KEY) and send the result')
  }
  if (restAfter(text) !== '') return fault('The PEM text must have no text after the key. Send only the key')
  return (
    attempt(() => createPrivateKey(keys[0]!.pem)) ?? fault('The key cannot be parsed. Copy it again from its source')
  )
}

const isEncrypted = ({ label, pem }: { label: string; pem: string }): boolean =>
  label.startsWith('ENCRYPTED') || /^Proc-Type: *4,ENCRYPTED/m.test(pem)

/** Returns null if `read` throws: the errors of node:crypto do not help a caller whose PEM text is damaged. */
function attempt<T>(read: () => T): T | null {
  try {
    return read()
  } catch {
    return null
  }
}

function orderFault(chain: X509Certificate[]): string | null {
  const at = chain.findIndex((issuer, i) => i > 0 && !isIssuedBy(chain[i - 1]!, issuer))
  if (at === -1) return null
  const issuer = chain.findIndex((candidate, i) => i !== at - 1 && isIssuedBy(chain[at - 1]!, candidate))
  const advice =
    issuer === -1 ? `its issuer is ${oneLine(chain[at - 1]!.issuer)}` : `its issuer is certificate ${issuer + 1}`
  return (
    `The chain is out of order: certificate ${at} was not issued by certificate ${at + 1}; ${advice}. ` +
    'Put the certificate of the host first, followed by each issuer'
  )
}

function timeFault(chain: X509Certificate[], now: Date): string | null {
  for (const [i, { validFromDate, validToDate }] of chain.entries()) {
    const which = i === 0 ? 'The certificate' : `Certificate ${i + 1} of the chain`
    if (validToDate <= now)
      return `${which} expired on ${validToDate.toISOString()}. Upload a certificate that is valid`
    if (validFromDate > now)
      return `${which} is not valid before ${validFromDate.toISOString()}. Upload it after this time`
  }
  return null
}

/** Requires subjectAltName, because clients ignore the common name (RFC 9110, section 4.3.4). */
function useFault(leaf: X509Certificate): string | null {
  if (leaf.ca && leaf.subject === leaf.issuer && namesOf(leaf).length === 0)
    return 'The first certificate belongs to a certificate authority. Put the certificate of the host before it'
  return namesOf(leaf).length > 0
    ? null
    : 'The certificate has no host names (subjectAltName), so clients would reject it. ' +
        'Upload a certificate with host names'
}

function mismatch(chain: X509Certificate[], key: KeyObject): string {
  const at = chain.findIndex((certificate) => certificate.checkPrivateKey(key))
  return at === -1
    ? 'The key does not belong to the certificate. Send the key for which the certificate was issued'
    : `The key belongs to certificate ${at + 1} of the chain. Put this certificate first`
}

/** Returns the whole days until the certificate expires: 0 on the last day, negative after it expired. */
export const daysLeft = (notAfter: Date, now: Date): number => Math.floor((notAfter.getTime() - now.getTime()) / dayMs)

/** Returns when renewal begins: the start of the last third of the validity period. */
export const renewFrom = (notBefore: Date, notAfter: Date): Date =>
  new Date(notAfter.getTime() - Math.floor((notAfter.getTime() - notBefore.getTime()) / 3))

/**
 * Returns why ACME's HTTP challenge cannot renew these names, or null if it can. Source: RFC 8555, section 8.3.
 */
export function renewalFault(names: string[]): string | null {
  const wildcard = names.find((name) => name.startsWith('*.'))
  if (wildcard !== undefined) {
    return (
      `${wildcard} is a wildcard, which ACME's HTTP challenge cannot renew. ` +
      'Upload the certificate without autoRenew'
    )
  }
  const address = names.find((name) => name.includes(':') || /^\d+(?:\.\d+){3}$/.test(name))
  if (address === undefined) return null
  return `${address} is an IP address, for which ACME issues no certificate. Upload the certificate without autoRenew`
}

/**
 * Returns why a text is not a relative path, or null if it is one. The path is only a label: Berth writes no file
 * there.
 */
export function relativePathFault(text: string): string | null {
  if (text === '' || text.length > 255) return 'must have 1 to 255 characters'
  if (/[\p{Cc}\\:*?"<>|]/u.test(text)) return 'must not contain control characters or any of \\ : * ? " < > |'
  if (text.startsWith('/')) return 'must not begin with /'
  return text.split('/').some((part) => ['', '.', '..'].includes(part)) ? 'must not have an empty part, . or ..' : null
}
