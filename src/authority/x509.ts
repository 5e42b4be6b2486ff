/**
 * Creates certificates: those of the authorities, and those that the authorities sign. Only this file uses the library
 * for X.509, which is loaded at the first use.
 */
import { createHash, createPrivateKey, KeyObject, randomBytes } from 'node:crypto'
import { memoize } from '../lib/async/memoize.ts'

/** A certificate and its private key (PEM, PKCS #8). */
export interface CertificatePair {
  certificatePem: string
  keyPem: string
  notAfter: Date
}

export interface IssuedCertificate extends CertificatePair {
  notBefore: Date
  /** SHA-256 of the certificate, 64 hexadecimal digits in lower case. */
  fingerprint: string
}

export interface CertificateRequest {
  /** The common name of the subject: up to 64 letters, digits, spaces and characters of `._:@-`. */
  commonName: string
  /** `server`: for the listening side of a TLS connection. `client`: for the connecting side. */
  use: 'server' | 'client'
  /** Names and addresses by which clients verify a server. */
  dnsNames?: readonly string[]
  ipAddresses?: readonly string[]
  /** How long the certificate is valid. The certificate of the authority may end it earlier. */
  validDays: number
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
/** Certificates are valid from a time before their creation, because clocks of other machines can be behind. */
const backdatedMs = 10 * 60_000
const dayMs = 24 * 3600_000
/** An authority is valid for ten years. */
const authorityMs = 3652 * dayMs

const purposes = { server: '1.3.6.1.5.5.7.3.1', client: '1.3.6.1.5.5.7.3.2' } as const

/**
 * Loads the library, which needs the metadata functions of `Reflect`. It is a CommonJS module: in a bundle it has only a
 * default export.
 */
const library = memoize(async () => {
  await import('reflect-metadata')
  return (await import('@peculiar/x509')).default
})

/**
 * Creates an authority: a key, and a certificate that the key has signed itself. The authority can sign certificates,
 * but no other authorities.
 */
export async function createAuthority(commonName: string, organization: string, now: Date): Promise<CertificatePair> {
  const x509 = await library()
  const keys = await newKeys()
  const notAfter = new Date(now.getTime() + authorityMs)
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: nameOf({ CN: commonName, O: organization }),
    keys,
    signingAlgorithm: algorithm,
    serialNumber: newSerial(),
    notBefore: new Date(now.getTime() - backdatedMs),
    notAfter,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return { certificatePem: pemOf(certificate), keyPem: exportKey(keys.privateKey), notAfter: certificate.notAfter }
}

/** Creates a key, and a certificate that the authority has signed. */
export async function signCertificate(
  authority: Omit<CertificatePair, 'notAfter'>,
  request: CertificateRequest,
  now: Date,
): Promise<IssuedCertificate> {
  const x509 = await library()
  const issuer = new x509.X509Certificate(authority.certificatePem)
  const keys = await newKeys()
  const end = now.getTime() + request.validDays * dayMs
  const certificate = await x509.X509CertificateGenerator.create({
    subject: nameOf({ CN: request.commonName }),
    issuer: issuer.subjectName,
    publicKey: keys.publicKey,
    signingKey: await importKey(authority.keyPem),
    signingAlgorithm: algorithm,
    serialNumber: newSerial(),
    notBefore: new Date(now.getTime() - backdatedMs),
    notAfter: new Date(Math.min(end, issuer.notAfter.getTime())),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([purposes[request.use]]),
      ...alternativeNames(x509, request),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
    ],
  })
  return {
    certificatePem: pemOf(certificate),
    keyPem: exportKey(keys.privateKey),
    notBefore: certificate.notBefore,
    notAfter: certificate.notAfter,
    fingerprint: createHash('sha256').update(new Uint8Array(certificate.rawData)).digest('hex'),
  }
}

/**
 * Returns a name for the library.
 * @throws if a part contains a character that has a meaning in the library's notation of names, or is too long for X.509
 */
function nameOf(parts: Record<string, string>) {
  return Object.entries(parts).map(([type, value]) => {
    if (!/^[\w.:@-][\w .:@-]{0,63}$/.test(value)) throw new Error(`A certificate cannot contain the name ${value}`)
    return { [type]: [value] }
  })
}

function alternativeNames(
  { SubjectAlternativeNameExtension }: typeof import('@peculiar/x509'),
  { dnsNames = [], ipAddresses = [] }: CertificateRequest,
) {
  const names = [
    ...dnsNames.map((value) => ({ type: 'dns' as const, value })),
    ...ipAddresses.map((value) => ({ type: 'ip' as const, value })),
  ]
  return names.length === 0 ? [] : [new SubjectAlternativeNameExtension(names)]
}

const newKeys = () => crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])

const importKey = (pem: string) =>
  crypto.subtle.importKey('pkcs8', createPrivateKey(pem).export({ type: 'pkcs8', format: 'der' }), algorithm, false, [
    'sign',
  ])

const exportKey = (key: CryptoKey) => KeyObject.from(key).export({ type: 'pkcs8', format: 'pem' }) as string

/** 128 random bits, hexadecimal. */
const newSerial = () => randomBytes(16).toString('hex')

const pemOf = (certificate: { toString(format: 'pem'): string }) => `${certificate.toString('pem').trim()}\n`
