/**
 * Tokens. A token is random, shown once and stored only as a hash. Its prefix names its kind. The installation token is
 * an exception: it is in a file, or BERTH_ACCESS_TOKEN sets it.
 */
import { hash, randomBytes } from 'node:crypto'
import type { Rol, Scope } from '../api/access.ts'
import { futureFrom } from '../clock/trust.ts'
import { prepared } from '../store/prepared.ts'
import type { Reader, TokenTable, Transact, Writer } from '../store/schema.ts'

const prefixes = {
  installation: 'berth_inst_',
  invitation: 'berth_invt_',
  challenge: 'berth_2fa_',
  session: 'berth_sess_',
  api: 'berth_api_',
  device: 'berth_dev_',
} as const

/** A session ends after this time without use, and after `sessionMs` in any case. */
export const idleMs = 7 * 24 * 3600_000
export const sessionMs = 30 * 24 * 3600_000
/** A challenge expires after this time. Until then the caller can send the code of the second factor. */
export const challengeMs = 5 * 60_000
/** Maximum number of codes that a caller can try with one challenge. */
export const maxChallengeAttempts = 5
/** The last use of a token is written at most once in this time, so that most calls cause no such write. */
const useIntervalMs = 10 * 60_000

export const newToken = (kind: keyof typeof prefixes) => prefixes[kind] + randomBytes(32).toString('base64url')

/** SHA-256 is sufficient because a token has 256 random bits. */
export const hashOf = (token: string) => hash('sha256', token)

/** The fields of a new token. `address`: the IP address of the client. */
export type NewToken = Pick<TokenTable, 'id' | 'kind' | 'accountId' | 'address'> &
  Partial<Pick<TokenTable, 'name' | 'scope' | 'passed2FA' | 'expiresAt'>>

export interface IssuedToken {
  token: string
  row: TokenTable
}

/** Stores a new token. A session expires in 30 days, a challenge in 5 minutes, and an API token at `expiresAt`. */
export async function issueToken(tx: Writer, fields: NewToken, now: Date): Promise<IssuedToken> {
  const token = newToken(fields.kind)
  const at = now.toISOString()
  const row: TokenTable = {
    name: null,
    passed2FA: 0,
    scope: null,
    ...fields,
    hash: hashOf(token),
    createdAt: at,
    lastUsedAt: at,
    expiresAt: fields.kind === 'api' ? (fields.expiresAt ?? null) : expiryOf(fields.kind, now),
    attempts: 0,
  }
  await tx.insertInto('token').values(row).execute()
  return { token, row }
}

const expiryOf = (kind: 'session' | 'challenge', now: Date): string =>
  new Date(now.getTime() + (kind === 'session' ? sessionMs : challengeMs)).toISOString()

export interface FoundToken {
  tokenId: string
  kind: TokenTable['kind']
  accountId: string
  email: string
  rol: Rol
  scope: Scope | null
  passed2FA: 0 | 1
  attempts: number
  expiresAt: string | null
  lastUsedAt: string
}

const tokenByHash = prepared((db, hash: string) =>
  db
    .selectFrom('token')
    .innerJoin('account', 'account.id', 'token.accountId')
    .select([
      'token.id as tokenId',
      'token.kind',
      'token.accountId',
      'account.email',
      'account.rol',
      'token.scope',
      'token.passed2FA',
      'token.attempts',
      'token.expiresAt',
      'token.lastUsedAt',
    ])
    .where('token.hash', '=', hash),
)

/**
 * Finds a token and its account. The token may have expired.
 *
 * @param hash the result of `hashOf` for the token
 */
export async function findToken(db: Reader, hash: string): Promise<FoundToken | undefined> {
  return (await tokenByHash(db, hash))[0]
}

const rolByTokenId = prepared((db, id: string) =>
  db
    .selectFrom('token')
    .innerJoin('account', 'account.id', 'token.accountId')
    .select('account.rol')
    .where('token.id', '=', id),
)

/** The current role of the token's account; undefined if the token no longer exists. */
export async function roleOf(db: Reader, tokenId: string): Promise<Rol | undefined> {
  return (await rolByTokenId(db, tokenId))[0]?.rol
}

type ExpiryFields = Pick<FoundToken, 'kind' | 'attempts' | 'expiresAt' | 'lastUsedAt'>

/** Whether `expiresAt` has passed, a session was unused for 7 days, or a challenge has no attempts left. */
export function isExpired({ kind, attempts, expiresAt, lastUsedAt }: ExpiryFields, now: Date): boolean {
  if (expiresAt !== null && now.getTime() >= Date.parse(expiresAt)) return true
  if (kind === 'challenge') return attempts >= maxChallengeAttempts
  // The stored last use may be up to `useIntervalMs` earlier than the actual one.
  return kind === 'session' && now.getTime() - Date.parse(lastUsedAt) >= idleMs + useIntervalMs
}

/** Records the use of a token and its account, at most once in ten minutes. */
export async function recordUse(transact: Transact, token: FoundToken, now: Date): Promise<void> {
  if (now.getTime() - Date.parse(token.lastUsedAt) < useIntervalMs) return
  const at = now.toISOString()
  await transact(async (tx) => {
    await tx.updateTable('token').set({ lastUsedAt: at }).where('id', '=', token.tokenId).execute()
    await tx.updateTable('account').set({ lastSeenAt: at }).where('id', '=', token.accountId).execute()
  })
}

/** Deletes a token. Returns whether it existed. */
export async function deleteToken(tx: Writer, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('token').where('id', '=', id).executeTakeFirst()
  return numDeletedRows > 0n
}

/** Deletes the API token that auth.generateToken created. */
export async function deleteUnnamedToken(tx: Writer, accountId: string): Promise<void> {
  await tx
    .deleteFrom('token')
    .where('accountId', '=', accountId)
    .where('kind', '=', 'api')
    .where('name', 'is', null)
    .execute()
}

/** Records that the session has passed the second factor. */
export async function markPassed2FA(tx: Writer, id: string): Promise<void> {
  await tx.updateTable('token').set({ passed2FA: 1 }).where('id', '=', id).execute()
}

/** Counts an attempt at the code of a challenge. Returns false if the challenge has no attempts left. */
export async function countChallengeAttempt(tx: Writer, id: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('token')
    .set((eb) => ({ attempts: eb('attempts', '+', 1) }))
    .where('id', '=', id)
    .where('attempts', '<', maxChallengeAttempts)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Number of ended sessions that stay stored for each account. auth.login accepts them like the installation token. */
const maxEndedSessions = 20
/** How long an API token stays stored after its expiry. */
const apiTokenRetentionMs = 30 * 24 * 3600_000

/** Deletes ended sessions, except the 20 most recently used of each account. */
export async function forgetEndedSessions(tx: Writer, now: Date): Promise<void> {
  const unusedSince = new Date(now.getTime() - idleMs - useIntervalMs).toISOString()
  const ended = tx
    .selectFrom('token')
    .where('kind', '=', 'session')
    .where((eb) => eb.or([eb('expiresAt', '<=', now.toISOString()), eb('lastUsedAt', '<=', unusedSince)]))
    .select(({ fn }) => [
      'id',
      fn
        .agg<number>('row_number')
        .over((rows) => rows.partitionBy('accountId').orderBy('lastUsedAt', 'desc').orderBy('id', 'desc'))
        .as('rank'),
    ])
  await tx
    .deleteFrom('token')
    .where('id', 'in', (from) => from.selectFrom(ended.as('ended')).select('id').where('rank', '>', maxEndedSessions))
    .execute()
}

/** Deletes expired challenges, and API tokens 30 days after their expiry. auth.tokens lists API tokens until then. */
export async function forgetEndedTokens(tx: Writer, now: Date): Promise<void> {
  await tx.deleteFrom('token').where('kind', '=', 'challenge').where('expiresAt', '<=', now.toISOString()).execute()
  await tx
    .deleteFrom('token')
    .where('kind', '=', 'api')
    .where('expiresAt', '<=', new Date(now.getTime() - apiTokenRetentionMs).toISOString())
    .execute()
}

/**
 * Moves tokens that were issued while the clock was ahead back to the present. Sessions and challenges keep their
 * duration; the caller chose the expiry of an API token.
 */
export async function correctFutureTokens(tx: Writer, now: Date): Promise<void> {
  const [at, future] = [now.toISOString(), futureFrom(now)]
  for (const kind of ['session', 'challenge'] as const) {
    await tx
      .updateTable('token')
      .set({ createdAt: at, expiresAt: expiryOf(kind, now) })
      .where('kind', '=', kind)
      .where('createdAt', '>', future)
      .execute()
  }
  await tx.updateTable('token').set({ createdAt: at }).where('createdAt', '>', future).execute()
  await tx.updateTable('token').set({ lastUsedAt: at }).where('lastUsedAt', '>', future).execute()
}

/** Ends all access that was granted to people and programs: deletes all tokens and invitations. Accounts stay. */
export async function endAllAccess(tx: Writer): Promise<void> {
  await tx.deleteFrom('token').execute()
  await tx.deleteFrom('invitation').execute()
}
