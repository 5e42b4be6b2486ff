/** Tokens: random, shown once, stored only as a hash, recognisable by a prefix. */
import { hash, randomBytes } from 'node:crypto'
import { prepared } from './prepared.ts'
import type { Reader, Transact, Writer } from './schema.ts'

const prefixes = { installation: 'berth_inst_', session: 'berth_sess_', api: 'berth_api_' } as const

/** Without use a session ends after this time, and in all after `sessionMs`. */
export const idleMs = 7 * 24 * 3600_000
export const sessionMs = 30 * 24 * 3600_000
/** Use is noted this often at most, so that reads stay reads. */
const noteUseMs = 10 * 60_000

export const newToken = (kind: keyof typeof prefixes) => prefixes[kind] + randomBytes(32).toString('base64url')

/** SHA-256 is enough: a token has 256 random bits, there is nothing to guess. */
export const hashOf = (token: string) => hash('sha256', token)

export interface IssuedToken { token: string; tokenId: string; expiresAt: string | null }

/** Writes a new token of the account. A session ends in 30 days, an API token when it is replaced. */
export async function issueToken(
  tx: Writer, kind: 'session' | 'api', accountId: string, tokenId: string, now: Date,
): Promise<IssuedToken> {
  const token = newToken(kind)
  const expiresAt = kind === 'session' ? new Date(now.getTime() + sessionMs).toISOString() : null
  const at = now.toISOString()
  await tx.insertInto('token')
    .values({ id: tokenId, hash: hashOf(token), kind, accountId, createdAt: at, lastUsedAt: at, expiresAt }).execute()
  return { token, tokenId, expiresAt }
}

export interface FoundToken {
  tokenId: string
  kind: 'session' | 'api'
  accountId: string
  rol: 'admin' | 'user'
  expiresAt: string | null
  lastUsedAt: string
}

const tokenByHash = prepared((db, hash: string) =>
  db.selectFrom('token').innerJoin('account', 'account.id', 'token.accountId')
    .select([
      'token.id as tokenId', 'token.kind', 'token.accountId', 'account.rol', 'token.expiresAt', 'token.lastUsedAt',
    ])
    .where('token.hash', '=', hash))

/** `hash` is what `hashOf` makes of the token. */
export async function findToken(db: Reader, hash: string): Promise<FoundToken | undefined> {
  return (await tokenByHash(db, hash))[0]
}

/** Past its 30 days, or unused for 7. */
export function isExpired(token: FoundToken, now: Date): boolean {
  if (token.expiresAt === null) return false
  const lastUsed = Date.parse(token.lastUsedAt)
  return now.getTime() >= Date.parse(token.expiresAt) || now.getTime() - lastUsed >= idleMs + noteUseMs
}

/** Notes the use of a token, at most every ten minutes. */
export async function noteUse(transact: Transact, token: FoundToken, now: Date): Promise<void> {
  if (now.getTime() - Date.parse(token.lastUsedAt) < noteUseMs) return
  await transact((tx) =>
    tx.updateTable('token').set({ lastUsedAt: now.toISOString() }).where('id', '=', token.tokenId).execute())
}
