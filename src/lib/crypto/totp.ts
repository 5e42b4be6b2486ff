/** Time-based one-time passwords as every authenticator app makes them: RFC 6238 with SHA-1, 6 digits, 30 s. */
import { Secret, TOTP } from 'otpauth'

const parameters = { algorithm: 'SHA1', digits: 6, period: 30 } as const
/** Steps that a clock may be ahead or behind. Source: RFC 6238 section 5.2, "at most one time step". */
const drift = 1

/** 160 bits. Source: RFC 4226 section 4, R6. */
const secretBytes = 20

/** A new secret, in base32. */
export const newSecret = (): string => new Secret({ size: secretBytes }).base32

/** Bits of a secret in base32, as people type it; null where it is none. */
export function bitsOf(secret: string): number | null {
  const plain = plainOf(secret)
  return /^[A-Z2-7]+$/.test(plain) ? Math.floor((plain.length * 5) / 8) * 8 : null
}

/** The secret as it is stored: without the spaces and the padding that apps show. */
export const plainOf = (secret: string): string => secret.toUpperCase().replace(/[\s=-]/g, '')

/** The step whose code this is, within one of now; null where there is none. `secret` is base32. */
export function stepOf(secret: string, code: string, now: Date): number | null {
  if (!/^[0-9]{6}$/.test(code)) return null
  const timestamp = now.getTime()
  const asked = { ...parameters, secret: Secret.fromBase32(secret), token: code, timestamp, window: drift }
  const delta = TOTP.validate(asked)
  return delta === null ? null : TOTP.counter({ period: parameters.period, timestamp }) + delta
}

/** What the app shows at that time. */
export function codeAt(secret: string, at: Date): string {
  return TOTP.generate({ ...parameters, secret: Secret.fromBase32(secret), timestamp: at.getTime() })
}

/** What the picture for an app says; `account` is what the app shows beside the code. */
export const otpauthUrl = (secret: string, account: string): string =>
  new TOTP({ ...parameters, secret: Secret.fromBase32(secret), issuer: 'Berth', label: account }).toString()
