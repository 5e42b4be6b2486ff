/** Bearer token -> actor. Knows no operation: whether the actor may call one is invoke's question. */
import { timingSafeEqual } from 'node:crypto'
import type { App } from '../api/services.ts'
import type { Actor } from '../api/contract.ts'
import { refuse } from '../errors.ts'
import { StoreFault } from '../store/faults.ts'
import { findInvitation, isOver } from './invitations.ts'
import { findToken, hashOf, isExpired, noteUse } from './tokens.ts'

type Needs = Pick<App, 'db' | 'transact' | 'now' | 'installationTokenHash' | 'log'>

/** `authorization` is the header's text. Refuses with UNAUTHORIZED, always in the same words. */
export async function authenticate(app: Needs, authorization: string | undefined, address: string): Promise<Actor> {
  const token = /^Bearer +([\x21-\x7e]{1,512})$/i.exec(authorization ?? '')?.[1]
  if (token === undefined) unauthorized()
  const hash = hashOf(token)
  if (isInstallationToken(app, hash)) return { ...nobody, tokenId: 'installation', kind: 'installation', address }
  return (await byToken(app, hash, address)) ?? (await byInvitation(app, hash, address)) ?? unauthorized()
}

/** What has no account. */
const nobody = {
  accountId: '',
  email: '',
  rol: 'none',
  scope: null,
  passed2FA: false,
  expiresAt: null,
  expired: false,
} as const

async function byToken(app: Needs, hash: string, address: string): Promise<Actor | undefined> {
  const found = await findToken(app.db, hash)
  if (found === undefined) return undefined
  const now = app.now()
  const expired = isExpired(found, now)
  if (!expired) await noteUse(app.transact, found, now).catch((error: unknown) => goOn(app, error))
  const { tokenId, kind, accountId, email, rol, scope, expiresAt } = found
  return { tokenId, kind, accountId, email, rol, scope, passed2FA: found.passed2FA === 1, expiresAt, expired, address }
}

/** A disk that cannot be written keeps nobody from reading. */
function goOn({ log }: Needs, error: unknown) {
  if (!(error instanceof StoreFault)) throw error
  log.error('the use of a token could not be noted', error)
}

async function byInvitation(app: Needs, hash: string, address: string): Promise<Actor | undefined> {
  const found = await findInvitation(app.db, hash)
  if (found === undefined) return undefined
  const { id, email, expiresAt } = found
  return { ...nobody, tokenId: id, kind: 'invitation', email, expiresAt, expired: isOver(found, app.now()), address }
}

function unauthorized(): never {
  refuse(
    'UNAUTHORIZED',
    'Missing or invalid token. auth.login needs the installation token (file access-token); ' +
      'other calls need the accessToken it returns',
  )
}

function isInstallationToken(app: Needs, hash: string) {
  return timingSafeEqual(Buffer.from(hash), Buffer.from(app.installationTokenHash))
}
