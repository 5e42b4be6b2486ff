/**
 * Proves to a client that this Berth has the installation token, before the client sends the token. Anybody who can
 * reach the port can ask, so Berth answers only while the token can be used, which is until the first account exists.
 */
import { createHmac } from 'node:crypto'
import type { App } from '../api/services.ts'
import { refuse, refuseField } from '../errors.ts'
import { proofText } from '../../shared/installation-proof.ts'
import { hasAccounts } from './accounts.ts'

const noncePattern = /^[\w-]{43}$/

/**
 * @param nonce 32 random bytes in base64url
 * @param address where the connection of the client arrived, or null if it has closed
 */
export async function proveInstallation(
  { db, installationTokenHash }: Pick<App, 'db' | 'installationTokenHash'>,
  nonce: unknown,
  address: string | null,
): Promise<{ address: string; proof: string }> {
  if (typeof nonce !== 'string' || !noncePattern.test(nonce)) refuseField('nonce', 'must be 32 bytes in base64url')
  if (address === null) refuse('BAD_REQUEST', 'The connection has closed')
  if (await hasAccounts(db)) refuse('CONFLICT', 'An administrator exists already. Sign in with auth.signIn')
  const proof = createHmac('sha256', installationTokenHash).update(proofText(nonce, address)).digest('hex')
  return { address, proof }
}
