/** The texts of settings: each parser turns the value of an environment variable into a setting. Pure. */
import { isAbsolute, resolve } from 'node:path'
import { z } from 'zod'
import { networksOf } from './lib/net/egress.ts'
import { publicUrlOf } from './lib/net/public-url.ts'
import { isTlsName } from './lib/text/tls-name.ts'

export const accessToken = z
  .string()
  .min(32, 'must have at least 32 characters. If it is unset, Berth generates a token')
  .regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without spaces')

export const masterKey = z.string().transform((text, context) => {
  const key = /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64')
  if (key.length === 32) return key
  context.addIssue({ code: 'custom', message: 'must be 32 bytes in base64 or hexadecimal (openssl rand -base64 32)' })
  return z.NEVER
})

const portMessage = 'must be a whole number from 1 to 65535'
export const port = z
  .string()
  .regex(/^\d{1,5}$/, portMessage)
  .transform(Number)
  .refine((number) => number >= 1 && number <= 65535, portMessage)

/** A whole number from 1 to `max`. */
export const count = (max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .refine((number) => number >= 1 && number <= max, `must be from 1 to ${max}`)

export const daySeconds = 24 * 3600

export const networks = z.string().transform((text, context) => {
  const parsed = networksOf(text)
  if (parsed !== null) return parsed
  context.addIssue({
    code: 'custom',
    message: 'must be addresses or networks separated by commas, like 169.254.10.5,fd00:ec2::/32',
  })
  return z.NEVER
})

export const hostNames = z
  .string()
  .transform((text) => text.split(',').map((name) => name.trim()))
  .refine(
    (names) => names.every((name) => /^[a-z0-9_]([a-z0-9._-]{0,252})$/i.test(name)),
    'must be host names without a port, separated by commas, like berth.example.org,berth.lan',
  )

export const publicUrl = z.string().transform((text, context) => {
  const parsed = publicUrlOf(text)
  if (parsed !== null) return parsed
  const message = 'must be https:// with a host name and perhaps a port, like https://berth.example.org'
  context.addIssue({ code: 'custom', message })
  return z.NEVER
})

export const tlsNames = z
  .string()
  .transform((text) => text.split(',').map((name) => name.trim()))
  .refine(
    (names) => names.length <= 20 && names.every(isTlsName),
    'must be at most 20 host names or addresses, separated by commas, like db.example.org,192.0.2.7',
  )

export const absolutePath = (path: string) => (isAbsolute(path) ? path : resolve(path))
