/**
 * Trusts the authority of an installation at the first sign-in: shows the fingerprint of its certificate to the person,
 * or compares it with the one that a script gives. Later connections verify name and authority as usual.
 */
import type { X509Certificate } from 'node:crypto'
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { CommandError } from '../exit.ts'
import { ask } from '../terminal/prompt.ts'
import { contextsPath } from './contexts.ts'

const connectMs = 10_000

/** Whether a failed request means that the authority of the server is unknown. */
export const isUnknownAuthority = (code: string): boolean =>
  /^(?:UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_SELF_SIGNED_|CERT_UNTRUSTED)/.test(code)

/**
 * Returns the certificate of the authority that signed the one of a server. Checks that the authority verifies the
 * server's certificate and name.
 * @param url an https URL
 * @returns null if usual connections to the server succeed, so that there is no need to trust anything more
 * @throws CommandError if the server cannot be verified even with its own authority
 */
export async function unknownAuthorityOf(url: string): Promise<X509Certificate | null> {
  const { hostname, port } = new URL(url)
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const number = port === '' ? 443 : Number(port)
  const first = await handshake(host, number)
  // Any other fault, such as a wrong name or an expired certificate, is told by the first request.
  if (first.fault === null || !isUnknownAuthority(first.fault)) return null
  const authority = first.chain.at(-1)
  if (authority?.ca !== true || !authority.verify(authority.publicKey)) {
    throw new CommandError(
      'unavailable',
      `${url} has a certificate of an authority that this machine does not know, and does not send the authority's own`,
      'Get the certificate of the authority, and sign in with --ca FILE',
    )
  }
  const { fault } = await handshake(host, number, authority.toString())
  if (fault === null) return authority
  throw new CommandError('unavailable', `${url} has a certificate that its own authority does not verify: ${fault}`)
}

/** Connects, and returns the chain of the server and the code of the fault of its verification. */
function handshake(
  host: string,
  port: number,
  ca?: string,
): Promise<{ chain: X509Certificate[]; fault: string | null }> {
  const { connect } = process.getBuiltinModule('node:tls')
  const { isIP } = process.getBuiltinModule('node:net')
  return new Promise((resolve, reject) => {
    const name = isIP(host) === 0 ? { servername: host } : {}
    const socket = connect({ host, port, ...name, ...(ca === undefined ? {} : { ca }), rejectUnauthorized: false })
    socket.setTimeout(connectMs, () => socket.destroy(new Error(`no answer within ${connectMs / 1000} s`)))
    socket.once('error', (error) =>
      reject(new CommandError('unavailable', `${host} cannot be reached: ${error.message}`)),
    )
    socket.once('secureConnect', () => {
      const error = socket.authorizationError as (Error & { code?: string }) | string | null | undefined
      const fault = error == null ? null : typeof error === 'string' ? error : (error.code ?? error.message)
      resolve({ chain: chainOf(socket), fault })
      socket.destroy()
    })
  })
}

/** The certificates that the server has sent, its own first. */
function chainOf(socket: TLSSocket): X509Certificate[] {
  const chain: X509Certificate[] = []
  let certificate = socket.getPeerX509Certificate()
  while (certificate !== undefined && chain.length < 10) {
    chain.push(certificate)
    certificate = certificate.issuerCertificate
  }
  return chain
}

/**
 * Decides whether to trust an authority.
 * @param expected the SHA-256 fingerprint that the caller knows; undefined to ask the person
 * @throws CommandError if the fingerprint differs, or the person does not trust the authority
 */
export async function confirmAuthority(url: string, authority: X509Certificate, expected?: string): Promise<void> {
  const { fingerprint256, subject } = authority
  if (expected !== undefined) {
    if (plain(expected) === plain(fingerprint256)) return
    throw new CommandError(
      'denied',
      `${url} has a certificate of another authority: its fingerprint is ${fingerprint256}`,
    )
  }
  if (process.stdin.isTTY !== true) {
    throw new CommandError(
      'usage',
      `${url} has a certificate of an authority that this machine does not know`,
      'Sign in with --ca FILE (the output of berth ca), or with --fingerprint SHA256 of its authority',
    )
  }
  const text =
    `The certificate of ${url} is signed by an authority that this machine does not know:\n` +
    `  ${subject.split('\n').join(', ')}\n  SHA-256 ${fingerprint256}\n` +
    'Compare the fingerprint with that of `berth authority ls` on the machine of Berth.\nTrust this authority? [y/N] '
  const answer = (await ask(text)).trim().toLowerCase()
  if (answer !== 'y' && answer !== 'yes')
    throw new CommandError('failed', 'The authority is not trusted. Nothing was changed')
}

const plain = (fingerprint: string) => fingerprint.replaceAll(/[:\s]/g, '').toLowerCase()

/** Whether a text is a SHA-256 fingerprint: 64 hexadecimal digits, perhaps with colons. */
export const isFingerprint = (text: string): boolean => /^[0-9a-f]{64}$/.test(plain(text))

/** Writes certificates beside the file of contexts, and returns the path. The name is derived from the authority. */
export function writeAuthority(env: NodeJS.ProcessEnv, authority: X509Certificate, pem: string): string {
  const path = join(dirname(contextsPath(env)), `authority-${plain(authority.fingerprint256)}.pem`)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeFileSync(`${path}.${process.pid}`, pem, { mode: 0o600 })
  renameSync(`${path}.${process.pid}`, path)
  return path
}
