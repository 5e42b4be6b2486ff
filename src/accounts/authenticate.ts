/** Finds the actor of a token. Access to an operation is checked later, in api/invoke.ts. */
import { timingSafeEqual } from 'node:crypto'
import type { App } from '../api/services.ts'
import type { Actor } from '../api/contract.ts'
import { refuse } from '../errors.ts'
import { StoreFault } from '../store/faults.ts'
import { findInvitation, isInvitationExpired } from './invitations.ts'
import { findToken, hashOf, isExpired, recordUse } from './tokens.ts'

type Dependencies = Pick<App, 'db' | 'transact' | 'clock' | 'installationTokenHash' | 'log'>

/**
 * Finds the actor of a token. The token may have expired. Refuses a missing or unknown token with UNAUTHORIZED, always
 * with the same message.
 *
 * @param address the IP address of the client
 */
export async function authenticate(app: Dependencies, token: string | undefined, address: string): Promise<Actor> {
  if (token === undefined) unauthorized()
  const hash = hashOf(token)
  if (isInstallationToken(app, hash))
    return { ...withoutAccount, tokenId: 'installation', kind: 'installation', address }
  return (await byToken(app, hash, address)) ?? (await byInvitation(app, hash, address)) ?? unauthorized()
}

/** The actor of the first token that belongs to a session. Refuses with UNAUTHORIZED if none does. */
export async function authenticateSession(
  app: Dependencies,
  tokens: readonly string[],
  address: string,
): Promise<Actor> {
  for (const token of tokens) {
    const actor = await byToken(app, hashOf(token), address)
    if (actor?.kind === 'session') return actor
  }
  return unauthorized()
}

/** The actor of a call without a token. */
export const withoutToken = (address: string): Actor => ({ ...withoutAccount, tokenId: 'none', kind: 'none', address })

/** The fields of an actor without an account. */
const withoutAccount = {
  accountId: '',
  email: '',
  rol: 'none',
  scope: null,
  passed2FA: false,
  expiresAt: null,
  expired: false,
} as const

async function byToken(app: Dependencies, hash: string, address: string): Promise<Actor | undefined> {
  const row = await findToken(app.db, hash)
  if (row === undefined) return undefined
  const expired = isExpired(row, app.clock.latest())
  if (!expired)
    await recordUse(app.transact, row, app.clock.now()).catch((error: unknown) => ignoreStoreFault(app, error))
  const { tokenId, kind, accountId, email, rol, scope, expiresAt } = row
  return { tokenId, kind, accountId, email, rol, scope, passed2FA: row.passed2FA === 1, expiresAt, expired, address }
}

/** A store that cannot be written must not prevent reads. */
function ignoreStoreFault({ log }: Dependencies, error: unknown) {
  if (!(error instanceof StoreFault)) throw error
  log.error('cannot record the use of a token', error)
}

async function byInvitation(app: Dependencies, hash: string, address: string): Promise<Actor | undefined> {
  const row = await findInvitation(app.db, hash)
  if (row === undefined) return undefined
  const { id, email, expiresAt } = row
  return {
    ...withoutAccount,
    tokenId: id,
    kind: 'invitation',
    email,
    expiresAt,
    expired: isInvitationExpired(row, app.clock.latest()),
    address,
  }
}

function unauthorized(): never {
  refuse('UNAUTHORIZED', 'The token is missing, unknown, expired or revoked. auth.signIn answers a new one')
}

function isInstallationToken(app: Dependencies, hash: string) {
  return timingSafeEqual(Buffer.from(hash), Buffer.from(app.installationTokenHash))
}
