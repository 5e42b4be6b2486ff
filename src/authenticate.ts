/** Bearer token -> actor. Knows no operation: whether the actor may call one is invoke's question. */
import { timingSafeEqual } from 'node:crypto'
import type { App } from './app.ts'
import type { Actor } from './contract.ts'
import { refuse } from './errors.ts'
import { findToken, hashOf, isExpired, noteUse } from './store/tokens.ts'

type Needs = Pick<App, 'db' | 'transact' | 'now' | 'installationTokenHash'>

/** `authorization` is the header's text. Refuses with UNAUTHORIZED, always in the same words. */
export async function authenticate(app: Needs, authorization: string | undefined, address: string): Promise<Actor> {
  const token = /^Bearer +([\x21-\x7e]{1,512})$/i.exec(authorization ?? '')?.[1]
  if (token === undefined) unauthorized()
  const hash = hashOf(token)
  if (isInstallationToken(app, hash)) return installationActor(address)
  const found = await findToken(app.db, hash)
  if (found === undefined) unauthorized()
  const now = app.now()
  const expired = isExpired(found, now)
  if (!expired) await noteUse(app.transact, found, now)
  const { tokenId, kind, accountId, rol, expiresAt } = found
  return { tokenId, kind, accountId, rol, expiresAt, expired, address }
}

function unauthorized(): never {
  refuse('UNAUTHORIZED', 'No good token. Sign in with auth.login and send it as "Authorization: Bearer <token>"')
}

function isInstallationToken(app: Needs, hash: string) {
  return timingSafeEqual(Buffer.from(hash), Buffer.from(app.installationTokenHash))
}

function installationActor(address: string): Actor {
  return {
    tokenId: 'installation', kind: 'installation', accountId: '', rol: 'none', expiresAt: null, expired: false, address,
  }
}
