/** Tokens: random, shown once, stored only as a hash, with a prefix that names their type. */
import { hash, randomBytes } from 'node:crypto'
import type { Rol, Scope } from '../api/access.ts'
import { prepared } from '../store/prepared.ts'
import type { Reader, TokenTable, Transact, Writer } from '../store/schema.ts'

const prefixes = {
  installation: 'berth_inst_',
  invitation: 'berth_invt_',
  challenge: 'berth_2fa_',
  session: 'berth_sess_',
  api: 'berth_api_',
} as const

/** A session ends after this time without use, and after `sessionMs` in any case. */
export const idleMs = 7 * 24 * 3600_000
export const sessionMs = 30 * 24 * 3600_000
/** How long a sign-in waits for its second factor, and how many codes it accepts. */
export const challengeMs = 5 * 60_000
export const maxChallengeAttempts = 5
/** The use of a token is recorded at most this often, so that most reads do not write. */
const noteUseMs = 10 * 60_000

export const newToken = (kind: keyof typeof prefixes) => prefixes[kind] + randomBytes(32).toString('base64url')

/** SHA-256 is sufficient because a token has 256 random bits. */
export const hashOf = (token: string) => hash('sha256', token)

/** The fields of a new token. `address`: the client that asked for it. */
export type NewToken = Pick<TokenTable, 'id' | 'kind' | 'accountId' | 'address'> &
  Partial<Pick<TokenTable, 'name' | 'scope' | 'passed2FA' | 'expiresAt'>>

export interface IssuedToken {
  token: string
  row: TokenTable
}

/** Stores a new token. A session expires in 30 days, a challenge in 5 minutes, an API token at `expiresAt`. */
export async function issueToken(tx: Writer, fields: NewToken, now: Date): Promise<IssuedToken> {
  const token = newToken(fields.kind)
  const at = now.toISOString()
  const after = (ms: number) => new Date(now.getTime() + ms).toISOString()
  const expiries = { session: after(sessionMs), challenge: after(challengeMs), api: fields.expiresAt ?? null }
  const row: TokenTable = {
    name: null,
    passed2FA: 0,
    scope: null,
    ...fields,
    hash: hashOf(token),
    createdAt: at,
    lastUsedAt: at,
    expiresAt: expiries[fields.kind],
    attempts: 0,
  }
  await tx.insertInto('token').values(row).execute()
  return { token, row }
}

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

/** @param hash the result of `hashOf` for the token */
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
export async function rolOf(db: Reader, tokenId: string): Promise<Rol | undefined> {
  return (await rolByTokenId(db, tokenId))[0]?.rol
}

type Ending = Pick<FoundToken, 'kind' | 'attempts' | 'expiresAt' | 'lastUsedAt'>

/** Whether the token is past `expiresAt`, a session unused for 7 days, or a challenge without attempts left. */
export function isExpired({ kind, attempts, expiresAt, lastUsedAt }: Ending, now: Date): boolean {
  if (expiresAt !== null && now.getTime() >= Date.parse(expiresAt)) return true
  if (kind === 'challenge') return attempts >= maxChallengeAttempts
  return kind === 'session' && now.getTime() - Date.parse(lastUsedAt) >= idleMs + noteUseMs
}

/** Records the use of a token and its account, at most every ten minutes. */
export async function recordUse(transact: Transact, token: FoundToken, now: Date): Promise<void> {
  if (now.getTime() - Date.parse(token.lastUsedAt) < noteUseMs) return
  const at = now.toISOString()
  await transact(async (tx) => {
    await tx.updateTable('token').set({ lastUsedAt: at }).where('id', '=', token.tokenId).execute()
    await tx.updateTable('account').set({ lastSeenAt: at }).where('id', '=', token.accountId).execute()
  })
}

/** Gives whether the token existed. */
export async function deleteToken(tx: Writer, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('token').where('id', '=', id).executeTakeFirst()
  return numDeletedRows > 0n
}

/** Deletes the API token of auth.generateToken, which a new one replaces. */
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

/** Counts an attempt at the code of a challenge. Gives false if the challenge has no attempts left. */
export async function countChallengeAttempt(tx: Writer, id: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('token')
    .set((eb) => ({ attempts: eb('attempts', '+', 1) }))
    .where('id', '=', id)
    .where('attempts', '<', maxChallengeAttempts)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Ended sessions that are kept for each account: they still permit auth.login in place of the installation token. */
const endedSessionsKept = 20
const endedTokensKeptMs = 30 * 24 * 3600_000

/** Deletes ended sessions, except the most recently used ones of each account. */
export async function forgetEndedSessions(tx: Writer, now: Date): Promise<void> {
  const unusedSince = new Date(now.getTime() - idleMs).toISOString()
  const ended = tx
    .selectFrom('token')
    .where('kind', '=', 'session')
    .where((eb) => eb.or([eb('expiresAt', '<=', now.toISOString()), eb('lastUsedAt', '<=', unusedSince)]))
    .select(({ fn }) => [
      'id',
      fn
        .agg<number>('row_number')
        .over((rows) => rows.partitionBy('accountId').orderBy('lastUsedAt', 'desc').orderBy('id', 'desc'))
        .as('place'),
    ])
  await tx
    .deleteFrom('token')
    .where('id', 'in', (from) => from.selectFrom(ended.as('ended')).select('id').where('place', '>', endedSessionsKept))
    .execute()
}

/** Deletes expired challenges and API tokens. API tokens stay for 30 days, so that auth.tokens lists them. */
export async function forgetEndedTokens(tx: Writer, now: Date): Promise<void> {
  await tx.deleteFrom('token').where('kind', '=', 'challenge').where('expiresAt', '<=', now.toISOString()).execute()
  await tx
    .deleteFrom('token')
    .where('kind', '=', 'api')
    .where('expiresAt', '<=', new Date(now.getTime() - endedTokensKeptMs).toISOString())
    .execute()
}
