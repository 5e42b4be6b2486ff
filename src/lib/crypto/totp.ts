/** Time-based one-time passwords as authenticator apps support them: RFC 6238 with SHA-1, 6 digits, 30 s. */
import { Secret, TOTP } from 'otpauth'

const parameters = { algorithm: 'SHA1', digits: 6, period: 30 } as const
/** How many steps a clock can be ahead or behind. Source: RFC 6238 section 5.2, "at most one time step". */
const maxDriftSteps = 1

/** 160 bits. Source: RFC 4226 section 4, R6. */
const secretBytes = 20

/** Generates a secret in base32. */
export const newSecret = (): string => new Secret({ size: secretBytes }).base32

/** Returns the number of bits of a base32 secret as people type it, or null if the text is not base32. */
export function secretBits(secret: string): number | null {
  const plain = plainOf(secret)
  return /^[A-Z2-7]+$/.test(plain) ? Math.floor((plain.length * 5) / 8) * 8 : null
}

/** Returns the secret as it is stored: upper case, without the spaces, hyphens and padding that apps show. */
export const plainOf = (secret: string): string => secret.toUpperCase().replace(/[\s=-]/g, '')

/**
 * Returns the time step that the code belongs to, within one step of `now`, or null if the code is wrong.
 * @param secret in base32
 */
export function stepOf(secret: string, code: string, now: Date): number | null {
  if (!/^[0-9]{6}$/.test(code)) return null
  const timestamp = now.getTime()
  const attempt = { ...parameters, secret: Secret.fromBase32(secret), token: code, timestamp, window: maxDriftSteps }
  const delta = TOTP.validate(attempt)
  return delta === null ? null : TOTP.counter({ period: parameters.period, timestamp }) + delta
}

/** Returns the code that an authenticator app shows at the time `at`. */
export function codeAt(secret: string, at: Date): string {
  return TOTP.generate({ ...parameters, secret: Secret.fromBase32(secret), timestamp: at.getTime() })
}

/**
 * Returns the URL for the QR code that an authenticator app scans.
 * @param account the label that the app shows beside the code
 */
export const otpauthUrl = (secret: string, account: string): string =>
  new TOTP({ ...parameters, secret: Secret.fromBase32(secret), issuer: 'Berth', label: account }).toString()
