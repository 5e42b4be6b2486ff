/** What accounts are in calls and answers: their fields, their record, and the answer of whoever signs in. */
import { z } from 'zod'
import type { Actor } from '../api/contract.ts'
import { refuse, refuseField } from '../errors.ts'
import { mask } from '../lib/crypto/mask.ts'
import { accountById, isLastAdmin, updateAccount } from './accounts.ts'
import type { AccountTable, Reader, Writer } from '../store/schema.ts'
import { rememberNetwork } from './known-networks.ts'
import { issueToken, type NewToken } from './tokens.ts'

/**
 * 254: as long as an address can be in SMTP (RFC 5321 4.5.3.1.3, less the angle brackets). What the format `email` of
 * JSON Schema asks beyond the pattern is asked here too.
 */
export const Email = z
  .email({ error: 'must be an e-mail address, like ada@example.org', abort: true })
  .max(254, { error: 'must have at most 254 characters', abort: true })
  .refine(
    hasMailableParts,
    'must have at most 64 characters before the @, and 63 in each part of the domain, of which ' +
      'none ends with a hyphen',
  )

/** RFC 5321 4.5.3.1.1, RFC 1035 2.3.1 and 2.3.4. */
function hasMailableParts(text: string): boolean {
  const [local = '', domain = ''] = text.split('@')
  return local.length <= 64 && domain.split('.').every((part) => part.length <= 63 && !part.endsWith('-'))
}

/** Any text, NUL and all, for it is only ever hashed. */
export const Password = z
  .string()
  .min(8, 'must have at least 8 characters')
  .max(1024, 'must have at most 1,024 characters')

export const NewPassword = Password.refine((text) => text !== mask, 'is the mask of secrets, not a password')

export const Rol = z.enum(['admin', 'user'])

export const Scope = z.enum(['read', 'deploy', 'admin'])

/** Secrets of an account are written, never read: the contract lets these three be null. */
export const Account = z.object({
  id: z.string(),
  email: z.string(),
  password: z.null(),
  rol: Rol,
  image: z.string(),
  secret: z.null(),
  token: z.null(),
  is2FAEnabled: z.boolean(),
  createdAt: z.string(),
})

export const SignedIn = z.object({
  accessToken: z.string().describe('Shown once. Send it as "Authorization: Bearer <accessToken>"'),
  expiresAt: z.string().describe('Sooner after 7 days without use'),
  account: Account,
})

export function toAccount({ id, email, rol, image, is2FAEnabled, createdAt }: AccountTable) {
  const secrets = { password: null, secret: null, token: null }
  return { id, email, rol, image, ...secrets, is2FAEnabled: is2FAEnabled === 1, createdAt }
}

/** Refuses with NOT_FOUND. */
export async function findAccount(db: Reader, id: string): Promise<AccountTable> {
  const [row] = await accountById(db, id)
  return (
    row ?? refuse('NOT_FOUND', 'There is no such account, or it is not yours to see. user.all lists those that are')
  )
}

/** Whoever is no administrator sees the own one alone: others are not found. */
export const visibleAccount = (db: Reader, actor: Actor, id: string): Promise<AccountTable> =>
  findAccount(db, actor.rol === 'admin' || id === actor.accountId ? id : '')

/** The caller's. Refuses with UNAUTHORIZED where it was removed meanwhile. */
export async function ownAccount(db: Reader, { accountId }: Actor): Promise<AccountTable> {
  const [row] = await accountById(db, accountId)
  return row ?? refuse('UNAUTHORIZED', 'This account is no longer there')
}

/** There has to be an administrator. */
export async function refuseLastAdmin(tx: Writer, accountId: string): Promise<void> {
  if (!(await isLastAdmin(tx, accountId))) return
  refuse('CONFLICT', 'This is the last administrator. Make another account one first')
}

/** A new session of the account, which was seen with it. */
export async function signIn(
  tx: Writer,
  account: AccountTable,
  asked: Pick<NewToken, 'id' | 'address' | 'passed2FA'>,
  now: Date,
) {
  const { token, row } = await issueToken(tx, { ...asked, kind: 'session', accountId: account.id }, now)
  await updateAccount(tx, account.id, { lastSeenAt: row.createdAt })
  await rememberNetwork(tx, account.id, asked.address, now)
  return { accessToken: token, expiresAt: row.expiresAt!, account: toAccount(account) }
}

/** What both ways of changing an account take. `id` and what it may do are each one's own. */
export const updateShape = {
  email: Email.nullable(),
  password: Password.nullable().describe('Null, or the mask: it stays'),
  rol: Rol.optional(),
  image: z.string().max(2000, 'must have at most 2,000 characters').optional().describe('Address of a picture'),
  secret: z
    .string()
    .max(1000, 'must have at most 1,000 characters')
    .nullable()
    .optional()
    .describe('Cannot be set here: auth.verify2FASetup does'),
  token: z
    .string()
    .max(1000, 'must have at most 1,000 characters')
    .nullable()
    .optional()
    .describe('Cannot be set here: auth.generateToken does'),
  is2FAEnabled: z.boolean().optional().describe('False turns the second factor off'),
  createdAt: z.string().optional().describe('Cannot be changed: the stored value alone is taken'),
}

const Update = z.object(updateShape)
export type AccountUpdate = z.output<typeof Update>

/** Refuses what no update of an account changes. `hasToken`: there is one that a mask can stand for. */
export function checkFixed(account: AccountTable, hasToken: boolean, input: AccountUpdate): void {
  const { createdAt, secret, token, is2FAEnabled } = input
  if (createdAt !== undefined && createdAt !== account.createdAt) {
    refuseField('createdAt', `cannot be changed: leave it out or send ${account.createdAt}`)
  }
  checkMasked('secret', secret, account.secret !== null, 'auth.generate2FASecret and auth.verify2FASetup')
  checkMasked('token', token, hasToken, 'auth.generateToken')
  if (is2FAEnabled === true && account.is2FAEnabled === 0) {
    refuseField('is2FAEnabled', 'is turned on by auth.generate2FASecret and auth.verify2FASetup, which ask for a code')
  }
}

function checkMasked(name: string, value: string | null | undefined, isStored: boolean, way: string) {
  if (value == null || (value === mask && isStored)) return
  refuseField(name, value === mask ? 'is a mask, and nothing is stored' : `cannot be set here: use ${way}`)
}
