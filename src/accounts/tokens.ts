/** Tokens: random, shown once, stored only as a hash, recognisable by a prefix. */
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

/** Without use a session ends after this time, and in all after `sessionMs`. */
export const idleMs = 7 * 24 * 3600_000
export const sessionMs = 30 * 24 * 3600_000
/** A sign-in waits so long for its second factor, and takes so many codes. */
export const challengeMs = 5 * 60_000
export const challengeTries = 5
/** Use is noted this often at most, so that reads stay reads. */
const noteUseMs = 10 * 60_000

export const newToken = (kind: keyof typeof prefixes) => prefixes[kind] + randomBytes(32).toString('base64url')

/** SHA-256 is enough: a token has 256 random bits, there is nothing to guess. */
export const hashOf = (token: string) => hash('sha256', token)

/** What a new token is; `address` is where it is asked for. */
export type NewToken = Pick<TokenTable, 'id' | 'kind' | 'accountId' | 'address'> &
  Partial<Pick<TokenTable, 'name' | 'scope' | 'passed2FA' | 'expiresAt'>>

export interface IssuedToken {
  token: string
  row: TokenTable
}

/** Writes a new token. A session ends in 30 days, a challenge in 5 minutes, an API token when `expiresAt` says. */
export async function issueToken(tx: Writer, asked: NewToken, now: Date): Promise<IssuedToken> {
  const token = newToken(asked.kind)
  const at = now.toISOString()
  const after = (ms: number) => new Date(now.getTime() + ms).toISOString()
  const ends = { session: after(sessionMs), challenge: after(challengeMs), api: asked.expiresAt ?? null }
  const row: TokenTable = {
    name: null,
    passed2FA: 0,
    scope: null,
    ...asked,
    hash: hashOf(token),
    createdAt: at,
    lastUsedAt: at,
    expiresAt: ends[asked.kind],
    tries: 0,
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
  tries: number
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
      'token.tries',
      'token.expiresAt',
      'token.lastUsedAt',
    ])
    .where('token.hash', '=', hash),
)

/** `hash` is what `hashOf` makes of the token. */
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

/** The role that the token of that id gives now; undefined: it is no longer there. */
export async function rolOf(db: Reader, tokenId: string): Promise<Rol | undefined> {
  return (await rolByTokenId(db, tokenId))[0]?.rol
}

type Ending = Pick<FoundToken, 'kind' | 'tries' | 'expiresAt' | 'lastUsedAt'>

/** Past its time, a session unused for 7 days, or a challenge with its tries used up. */
export function isExpired({ kind, tries, expiresAt, lastUsedAt }: Ending, now: Date): boolean {
  if (expiresAt !== null && now.getTime() >= Date.parse(expiresAt)) return true
  if (kind === 'challenge') return tries >= challengeTries
  return kind === 'session' && now.getTime() - Date.parse(lastUsedAt) >= idleMs + noteUseMs
}

/** Notes the use of a token and of its account, at most every ten minutes. */
export async function noteUse(transact: Transact, token: FoundToken, now: Date): Promise<void> {
  if (now.getTime() - Date.parse(token.lastUsedAt) < noteUseMs) return
  const at = now.toISOString()
  await transact(async (tx) => {
    await tx.updateTable('token').set({ lastUsedAt: at }).where('id', '=', token.tokenId).execute()
    await tx.updateTable('account').set({ lastSeenAt: at }).where('id', '=', token.accountId).execute()
  })
}

/** Gives whether the token was there. */
export async function deleteToken(tx: Writer, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('token').where('id', '=', id).executeTakeFirst()
  return numDeletedRows > 0n
}

/** The API token of auth.generateToken, which replaces the one before. */
export async function deleteUnnamedToken(tx: Writer, accountId: string): Promise<void> {
  await tx
    .deleteFrom('token')
    .where('accountId', '=', accountId)
    .where('kind', '=', 'api')
    .where('name', 'is', null)
    .execute()
}

/** Records that the session has shown the second factor. */
export async function markPassed2FA(tx: Writer, id: string): Promise<void> {
  await tx.updateTable('token').set({ passed2FA: 1 }).where('id', '=', id).execute()
}

/** Counts a code that is tried for a challenge. Gives false where the challenge takes no more. */
export async function countChallengeTry(tx: Writer, id: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('token')
    .set((is) => ({ tries: is('tries', '+', 1) }))
    .where('id', '=', id)
    .where('tries', '<', challengeTries)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** An ended session still opens auth.login, so that nobody needs the installation token again: these many are kept. */
const endedSessionsKept = 20
const endedTokensKeptMs = 30 * 24 * 3600_000

/** Keeps the last used ones of each account. */
export async function forgetEndedSessions(tx: Writer, now: Date): Promise<void> {
  const unusedSince = new Date(now.getTime() - idleMs).toISOString()
  const ended = tx
    .selectFrom('token')
    .where('kind', '=', 'session')
    .where((is) => is.or([is('expiresAt', '<=', now.toISOString()), is('lastUsedAt', '<=', unusedSince)]))
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

/** An API token stays for a while, for auth.tokens to say why it does not work. */
export async function forgetEndedTokens(tx: Writer, now: Date): Promise<void> {
  await tx.deleteFrom('token').where('kind', '=', 'challenge').where('expiresAt', '<=', now.toISOString()).execute()
  await tx
    .deleteFrom('token')
    .where('kind', '=', 'api')
    .where('expiresAt', '<=', new Date(now.getTime() - endedTokensKeptMs).toISOString())
    .execute()
}
