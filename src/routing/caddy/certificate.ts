/**
 * Parses, checks and describes an uploaded certificate: a PEM chain and its private key. The result is serialized again
 * from the parsed values, so text between the PEM blocks never reaches the proxy.
 */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'

/** What is shown of a certificate. */
export interface Described {
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
}

/** A checked certificate with its key. */
export interface Pair extends Described {
  /** PEM: the certificate itself first, then its issuers. */
  chain: string
  /** PEM, PKCS #8. */
  key: string
}

/** What is wrong, and in which field of the request. */
export interface CertificateFault {
  path: 'certificateData' | 'privateKey'
  message: string
}

const maxPemLength = 64 * 1024
const dayMs = 86_400_000

/** Parses and checks a certificate and its key. Returns the pair, or a fault whose message says what to do. */
export function readPair(certificateData: string, privateKey: string, now: Date): Pair | CertificateFault {
  const chain = chainOf(certificateData)
  if ('message' in chain) return chain
  const key = keyOf(privateKey)
  if ('message' in key) return key
  const [leaf] = chain
  const fault = orderFault(chain) ?? timeFault(chain, now) ?? useFault(leaf!)
  if (fault !== null) return { path: 'certificateData', message: fault }
  if (!leaf!.checkPrivateKey(key)) return { path: 'privateKey', message: mismatch(chain, key) }
  return {
    ...described(leaf!),
    chain: chain.map(String).join(''),
    key: key.export({ type: 'pkcs8', format: 'pem' }) as string,
  }
}

/** Describes the first certificate of a stored chain. Returns null if the chain cannot be parsed. */
export function describeChain(chain: string): Described | null {
  const read = chainOf(chain)
  return 'message' in read ? null : described(read[0]!)
}

function described(certificate: X509Certificate): Described {
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
  }
}

/** Joins the lines of a name: node:crypto returns a line for each part, and undefined for an empty name. */
const oneLine = (name: string | undefined): string => (name ?? '').split('\n').join(', ')

/**
 * Returns the names. node:crypto quotes names with unusual characters; these are left out, because no client can
 * request them.
 */
function namesOf({ subjectAltName = '' }: X509Certificate): string[] {
  const names = subjectAltName.split(', ').flatMap((it) => /^(?:DNS|IP Address):([\w.*:-]+)$/.exec(it)?.[1] ?? [])
  return [...new Set(names.map((it) => it.toLowerCase()))]
}

const block = /-----BEGIN ([A-Z0-9 ]+)-----[\s\S]*?-----END \1-----/g

/** Returns the blocks of a PEM text. Text between the blocks is ignored. */
function blocksOf(text: string): { label: string; pem: string }[] {
  return [...text.matchAll(block)].map(([pem, label = '']) => ({ label, pem }))
}

/**
 * Returns the text after the last block. Tools write comments such as `subject=…` before blocks, but nothing after the
 * last one.
 */
function restAfter(text: string): string {
  return text
    .slice(Math.max(0, text.lastIndexOf('-----END')))
    .replace(/^-----END [A-Z0-9 ]+-----/, '')
    .trim()
}

function chainOf(text: string): X509Certificate[] | CertificateFault {
  const fault = (message: string): CertificateFault => ({ path: 'certificateData', message })
  if (text.length > maxPemLength) return fault('It is longer than 64 KiB: leave out what is not of this chain')
  const blocks = blocksOf(text)
  if (blocks.length === 0) return fault('There is no certificate in it: it begins with -----BEGIN CERTIFICATE-----')
  const other = blocks.find(({ label }) => !/^(?:X509 |TRUSTED )?CERTIFICATE$/.test(label))
  if (other !== undefined) return fault(`There is a ${other.label} in it: it takes certificates only`)
  const rest = restAfter(text)
  if (rest !== '') return fault(`After the last certificate there is more: ${JSON.stringify(rest.slice(0, 40))}`)
  const chain = blocks.map(({ pem }) => attempt(() => new X509Certificate(pem)))
  const bad = chain.indexOf(null)
  return bad === -1
    ? chain.filter((it) => it !== null)
    : fault(`Certificate ${bad + 1} of it cannot be read: copy it anew`)
}

function keyOf(text: string): KeyObject | CertificateFault {
  const fault = (message: string): CertificateFault => ({ path: 'privateKey', message })
  if (text.length > maxPemLength) return fault('It is longer than 64 KiB')
  const blocks = blocksOf(text).filter(({ label }) => label !== 'EC PARAMETERS')
  const keys = blocks.filter(({ label }) => label.endsWith('PRIVATE KEY'))
  if (keys.length === 0) return fault('There is no private key in it: it begins with -----BEGIN PRIVATE KEY-----')
  if (blocks.length > 1) return fault('There is more than one block in it: it takes the one key of the certificate')
  if (isEncrypted(keys[0]!)) return fault('It is encrypted: give it without its passphrase (openssl pkey -in KEY)')
  if (restAfter(text) !== '') return fault('After the key there is more: give the key alone')
  return attempt(() => createPrivateKey(keys[0]!.pem)) ?? fault('It cannot be read: copy it anew')
}

const isEncrypted = ({ label, pem }: { label: string; pem: string }): boolean =>
  label.startsWith('ENCRYPTED') || /^Proc-Type: *4,ENCRYPTED/m.test(pem)

/** Returns null if `read` throws. The errors of node:crypto would not help a caller whose PEM text is damaged. */
function attempt<T>(read: () => T): T | null {
  try {
    return read()
  } catch {
    return null
  }
}

function orderFault(chain: X509Certificate[]): string | null {
  const at = chain.findIndex((it, i) => i > 0 && !isIssuedBy(chain[i - 1]!, it))
  if (at === -1) return null
  const issuer = chain.findIndex((it, i) => i !== at - 1 && isIssuedBy(chain[at - 1]!, it))
  const advice =
    issuer === -1 ? `its issuer is ${oneLine(chain[at - 1]!.issuer)}` : `its issuer is certificate ${issuer + 1}`
  return (
    `The chain is out of order: certificate ${at} was not issued by certificate ${at + 1}; ${advice}. ` +
    'The certificate itself comes first, then each issuer'
  )
}

const isIssuedBy = (it: X509Certificate, issuer: X509Certificate): boolean =>
  it.checkIssued(issuer) && attempt(() => it.verify(issuer.publicKey)) === true

function timeFault(chain: X509Certificate[], now: Date): string | null {
  for (const [i, { validFromDate, validToDate }] of chain.entries()) {
    const which = i === 0 ? 'The certificate' : `Certificate ${i + 1} of the chain`
    if (validToDate <= now) return `${which} expired on ${validToDate.toISOString()}: upload the one that replaces it`
    if (validFromDate > now) return `${which} is not valid before ${validFromDate.toISOString()}: upload it then`
  }
  return null
}

/** Requires subjectAltName: clients ignore the common name (RFC 9110, section 4.3.4). */
function useFault(leaf: X509Certificate): string | null {
  if (leaf.ca && leaf.subject === leaf.issuer && namesOf(leaf).length === 0)
    return "The first certificate is an authority's own: put the certificate of the host before it"
  return namesOf(leaf).length > 0
    ? null
    : 'The certificate has no names (subjectAltName), so no client would take it: have one made with its host names'
}

function mismatch(chain: X509Certificate[], key: KeyObject): string {
  const at = chain.findIndex((it) => it.checkPrivateKey(key))
  return at === -1
    ? 'It does not belong to the certificate: give the key that the certificate was made with'
    : `It belongs to certificate ${at + 1} of the chain: put that one first`
}

/** Returns the whole days until expiry: 0 on the last day, negative after expiry. */
export const daysLeft = (notAfter: Date, now: Date): number => Math.floor((notAfter.getTime() - now.getTime()) / dayMs)

/** Returns when renewal begins: at the start of the last third of the validity period. */
export const renewFrom = (notBefore: Date, notAfter: Date): Date =>
  new Date(notAfter.getTime() - Math.floor((notAfter.getTime() - notBefore.getTime()) / 3))

/**
 * Returns why the HTTP challenge of ACME cannot renew these names, or null if it can. Source: RFC 8555, section 8.3.
 */
export function renewalFault(names: string[]): string | null {
  const wildcard = names.find((it) => it.startsWith('*.'))
  if (wildcard !== undefined) return `${wildcard} is a wildcard: to renew it, its DNS would have to be changed`
  const address = names.find((it) => it.includes(':') || /^\d+(?:\.\d+){3}$/.test(it))
  return address === undefined ? null : `${address} is an address: ACME gives certificates for names`
}

/** Returns why a text is not a relative path, or null if it is. The path is only a label: no file is written there. */
export function relativePathFault(text: string): string | null {
  if (text === '' || text.length > 255) return 'It has 1 to 255 characters'
  if (/[\p{Cc}\\:*?"<>|]/u.test(text)) return 'It has no control characters and none of \\ : * ? " < > |'
  if (text.startsWith('/')) return 'It is relative: without a / at its start'
  return text.split('/').some((it) => ['', '.', '..'].includes(it)) ? 'It has no empty part, no . and no ..' : null
}
