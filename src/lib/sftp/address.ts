/** The address, the host key and the folder of an SFTP server, as people write them. Pure. */
import { createHash } from 'node:crypto'
import { isIPv6 } from 'node:net'

export interface SftpAddress {
  host: string
  port: number
}

const usualPort = 22

/** Parses `sftp://host:port`, `host:port` or `host`. Returns null for another text, such as a URL with a user or a path. */
export function sftpAddress(text: string): SftpAddress | null {
  const url = URL.parse(/^sftp:\/\//i.test(text) ? text : `sftp://${isIPv6(text) ? `[${text}]` : text}`)
  if (url === null || /[?#\\\s@%]/.test(text) || !['', '/'].includes(url.pathname)) return null
  const host = url.hostname.toLowerCase().replace(/^\[|\]$/g, '')
  if (!isIPv6(host) && !hostPattern.test(host)) return null
  const port = url.port === '' ? usualPort : Number(url.port)
  return port > 0 ? { host, port } : null
}

const label = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?'
const hostPattern = new RegExp(`^(?=.{1,253}$)${label}(?:\\.${label})*\\.?$`)

/** The address with its port, for messages. */
export const addressText = ({ host, port }: SftpAddress): string =>
  `${isIPv6(host) ? `[${host}]` : host}${port === usualPort ? '' : `:${port}`}`

/** Whether the text is the fingerprint of a host key, as `ssh-keygen -l` prints it. */
export const isFingerprint = (text: string): boolean => /^SHA256:[A-Za-z0-9+/]{43}$/.test(text)

/** The fingerprint of a host key in the form of `ssh-keygen -l`. @param key in the format of RFC 4253 */
export const fingerprintOf = (key: Buffer): string =>
  `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`

/** Whether the text is an absolute path without `.`, `..` and empty names. */
export const isAbsoluteFolder = (text: string): boolean =>
  text === '/' || /^(?:\/(?!\.{1,2}(?:\/|$))[^/\0]+)+$/.test(text)

/** Whether a secret is a private key and not a password. */
export const isPrivateKey = (secret: string): boolean => secret.trimStart().startsWith('-----BEGIN ')
