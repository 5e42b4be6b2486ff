/** Accounts in the API: input fields, records, and the answer of a sign-in. */
import { z } from 'zod'
import { answeredIdOf, CreatedAt, UnchangedCreatedAt } from '../api/fields.ts'
import type { ActionContext, Actor } from '../api/contract.ts'
import { refuse, refuseField } from '../errors.ts'
import { mask } from '../lib/crypto/mask.ts'
import { accountById, isLastAdmin, updateAccount } from './accounts.ts'
import type { AccountTable, Reader, Writer } from '../store/schema.ts'
import { rememberDevice } from './known-devices.ts'
import { rememberNetwork } from './known-networks.ts'
import { issueToken } from './tokens.ts'

/**
 * At most 254 characters: the limit of SMTP (RFC 5321 section 4.5.3.1.3) without the angle brackets. Also checks the
 * rules of JSON Schema's format `email` that zod's pattern does not cover.
 */
export const Email = z
  .email({ error: 'must be an e-mail address, like ada@example.org', abort: true })
  .max(254, { error: 'must have at most 254 characters', abort: true })
  .refine(
    hasValidParts,
    'must have at most 64 characters before the @, and at most 63 in each part of the domain. ' +
      'No part of the domain may end with a hyphen',
  )
  .describe('E-mail address of the account, not case-sensitive')

/** Limits of the local part and the domain. Source: RFC 5321 section 4.5.3.1.1, RFC 1035 sections 2.3.1 and 2.3.4. */
function hasValidParts(text: string): boolean {
  const [local = '', domain = ''] = text.split('@')
  return local.length <= 64 && domain.split('.').every((part) => part.length <= 63 && !part.endsWith('-'))
}

/** Any character is allowed because the password is only hashed. */
export const Password = z
  .string()
  .min(8, 'must have at least 8 characters')
  .max(1024, 'must have at most 1,024 characters')
  .describe('Password of the account')

export const NewPassword = Password.refine(
  (text) => text !== mask,
  '"********" is the mask for secrets. Send a real password',
).describe('Password of the new account. Any characters are allowed')

export const Rol = z
  .enum(['admin', 'user'])
  .describe(
    'Role of the account. admin: all operations. user: projects, databases, backups and applications, and its own account',
  )

export const is2FAEnabled = z
  .boolean()
  .describe('Whether a sign-in needs a code of an authenticator app in addition to the password')

export const Scope = z.enum(['read', 'deploy', 'admin'])

export const Account = z
  .object({
    id: answeredIdOf('account'),
    email: z.string().describe('E-mail address of the account'),
    password: z.null().describe('Always null: Berth stores only a hash of the password'),
    rol: Rol,
    image: z.string().describe('URL of a picture of the person; empty: none'),
    secret: z.null().describe('Always null: the secret of the authenticator app is never answered'),
    token: z.null().describe('Always null: Berth stores only hashes of API tokens'),
    is2FAEnabled,
    createdAt: CreatedAt,
  })
  .describe('An account without its secrets: password, secret and token are always null')

/** Input field of the operations that start a session. */
export const Cookie = z
  .boolean()
  .optional()
  .describe(
    'Only for pages of Berth in a browser. If true, Berth puts the token into a cookie that scripts cannot read, and ' +
      'accessToken in the answer is empty',
  )

/** Input field of the operations that start a session. */
export const DeviceToken = z
  .string()
  .max(512, 'must have at most 512 characters')
  .optional()
  .describe(
    'deviceToken of an earlier sign-in from this device, or an empty text to get one. Wrong passwords of other callers ' +
      'then do not delay this device',
  )

export const SignedIn = z
  .object({
    accessToken: z
      .string()
      .describe(
        'Token of the session, shown once. Send it as "Authorization: Bearer <accessToken>". Empty with `cookie`: the ' +
          'token is only in the cookie',
      ),
    expiresAt: z.string().describe('When the session ends, 30 days after this call; earlier after 7 days without use'),
    deviceToken: z
      .string()
      .describe('For the next sign-in from this device, see `deviceToken` of the input. Empty if the input has none'),
    account: Account,
  })
  .meta({ title: 'NewSession' })

export function toAccount({ id, email, rol, image, is2FAEnabled, createdAt }: AccountTable) {
  const secrets = { password: null, secret: null, token: null }
  return { id, email, rol, image, ...secrets, is2FAEnabled: is2FAEnabled === 1, createdAt }
}

/** The account with this id. Refuses with NOT_FOUND if there is none. */
export async function findAccount(db: Reader, id: string): Promise<AccountTable> {
  const [row] = await accountById(db, id)
  return (
    row ??
    refuse('NOT_FOUND', 'No account with this id, or you may not see it. user.all lists the accounts you may see')
  )
}

/**
 * The account with this id. Refuses with NOT_FOUND if there is none or the actor cannot see it: only administrators see
 * accounts of others.
 */
export const visibleAccount = (db: Reader, actor: Actor, id: string): Promise<AccountTable> =>
  findAccount(db, actor.rol === 'admin' || id === actor.accountId ? id : '')

/** The caller's account. Refuses with UNAUTHORIZED if the account was removed meanwhile. */
export async function ownAccount(db: Reader, { accountId }: Actor): Promise<AccountTable> {
  const [row] = await accountById(db, accountId)
  return row ?? refuse('UNAUTHORIZED', 'The account of this token was removed')
}

/** Refuses to remove or demote this account, an administrator, if it is the only administrator. */
export async function refuseLastAdmin(tx: Writer, accountId: string): Promise<void> {
  if (!(await isLastAdmin(tx, accountId))) return
  refuse('CONFLICT', 'This is the last administrator. Make another account an administrator first')
}

type SignInContext = Pick<ActionContext, 'actor' | 'now' | 'clock' | 'newId' | 'startCookieSession'>

/**
 * Starts a session. Records the time of the sign-in and the caller's network for the account. The token is in the
 * answer or, if the caller asked for it, in a cookie.
 *
 * @param deviceToken the input of the caller; undefined: the caller keeps no device token
 */
export async function signIn(
  tx: Writer,
  account: AccountTable,
  { actor, now, clock, newId, startCookieSession }: SignInContext,
  deviceToken: string | undefined,
  passed2FA: 0 | 1 = 0,
) {
  const session = { id: newId(), kind: 'session', accountId: account.id, address: actor.address, passed2FA } as const
  const { token, row } = await issueToken(tx, session, clock.latest())
  const expiresAt = row.expiresAt!
  await updateAccount(tx, account.id, { lastSeenAt: row.createdAt })
  await rememberNetwork(tx, account.id, actor.address, now())
  const device = deviceToken === undefined ? '' : await rememberDevice(tx, account.id, deviceToken, now())
  startCookieSession?.(token, expiresAt)
  const accessToken = startCookieSession === null ? token : ''
  return { accessToken, expiresAt, deviceToken: device, account: toAccount(account) }
}

/** The input fields that auth.update and auth.updateByAdmin have in common. */
export const updateShape = {
  email: Email.nullable().describe('New e-mail address of the account. Null keeps the present one'),
  password: Password.nullable().describe(
    'New password of the account. Null or the mask ******** keeps the present one',
  ),
  rol: Rol.optional(),
  image: z
    .string()
    .max(2000, 'must have at most 2,000 characters')
    .optional()
    .describe('URL of a picture of the person. Empty: none'),
  secret: z
    .string()
    .max(1000, 'must have at most 1,000 characters')
    .nullable()
    .optional()
    .describe('Set by auth.verify2FASetup, not here: leave it out, or send null or the mask ********'),
  token: z
    .string()
    .max(1000, 'must have at most 1,000 characters')
    .nullable()
    .optional()
    .describe('Set by auth.generateToken, not here: leave it out, or send null or the mask ********'),
  is2FAEnabled: z.boolean().optional().describe('False turns the second factor off. True is accepted only if it is on'),
  createdAt: UnchangedCreatedAt,
}

const Update = z.object(updateShape)
export type AccountUpdate = z.output<typeof Update>

/**
 * Refuses a change of fields that an update cannot change.
 *
 * @param hasApiToken whether the account has an API token. If so, `token` may be the mask
 */
export function checkFixedFields(account: AccountTable, hasApiToken: boolean, input: AccountUpdate): void {
  const { createdAt, secret, token, is2FAEnabled } = input
  if (createdAt !== undefined && createdAt !== account.createdAt) {
    refuseField('createdAt', `cannot be changed: leave it out or send ${account.createdAt}`)
  }
  checkMasked('secret', secret, account.secret !== null, 'auth.generate2FASecret and auth.verify2FASetup')
  checkMasked('token', token, hasApiToken, 'auth.generateToken')
  if (is2FAEnabled === true && account.is2FAEnabled === 0) {
    refuseField('is2FAEnabled', 'cannot be turned on here: use auth.generate2FASecret, then auth.verify2FASetup')
  }
}

/** Accepts only null, or the mask if a value is stored. Refuses other values. */
function checkMasked(name: string, value: string | null | undefined, isStored: boolean, operations: string) {
  if (value == null || (value === mask && isStored)) return
  refuseField(
    name,
    value === mask
      ? 'is the mask for secrets, but nothing is stored. Leave it out'
      : `cannot be set here: use ${operations}`,
  )
}
