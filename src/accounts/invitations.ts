/** Invitations. The token of an invitation creates one account with the invited e-mail, within 7 days. */
import { timingSafeEqual } from 'node:crypto'
import type { Rol } from '../api/access.ts'
import { keyOf } from './accounts.ts'
import { futureFrom } from '../clock/trust.ts'
import { prepared } from '../store/prepared.ts'
import type { InvitationTable, Reader, Writer } from '../store/schema.ts'
import { hashOf, newToken } from './tokens.ts'

/** An invitation expires after this time. */
export const invitationMs = 7 * 24 * 3600_000

export interface NewInvitation {
  id: string
  email: string
  rol: Rol
  invitedBy: string
}

/** Stores a new invitation. Replaces an earlier one for the same e-mail. */
export async function issueInvitation(
  tx: Writer,
  invitation: NewInvitation,
  now: Date,
): Promise<{ token: string; row: InvitationTable }> {
  const token = newToken('invitation')
  const expiresAt = new Date(now.getTime() + invitationMs).toISOString()
  const emailKey = keyOf(invitation.email)
  const row = { ...invitation, emailKey, hash: hashOf(token), createdAt: now.toISOString(), expiresAt }
  await tx.deleteFrom('invitation').where('emailKey', '=', emailKey).execute()
  await tx.insertInto('invitation').values(row).execute()
  return { token, row }
}

const invitationByHash = prepared((db, hash: string) =>
  db.selectFrom('invitation').selectAll().where('hash', '=', hash),
)

/**
 * Finds an invitation by its token. The invitation may have expired.
 *
 * @param hash the result of `hashOf` for the token
 */
export async function findInvitation(db: Reader, hash: string): Promise<InvitationTable | undefined> {
  return (await invitationByHash(db, hash))[0]
}

/** Deletes the invitation and returns it; undefined if the id and token do not match or the invitation has expired. */
export async function useInvitation(
  tx: Writer,
  id: string,
  token: string,
  now: Date,
): Promise<InvitationTable | undefined> {
  const row = await tx.selectFrom('invitation').selectAll().where('id', '=', id).executeTakeFirst()
  if (row === undefined || isInvitationExpired(row, now)) return undefined
  if (!timingSafeEqual(Buffer.from(row.hash), Buffer.from(hashOf(token)))) return undefined
  await deleteInvitation(tx, id)
  return row
}

export async function deleteInvitation(tx: Writer, id: string): Promise<void> {
  await tx.deleteFrom('invitation').where('id', '=', id).execute()
}

export const isInvitationExpired = ({ expiresAt }: Pick<InvitationTable, 'expiresAt'>, now: Date): boolean =>
  now.getTime() >= Date.parse(expiresAt)

/** Moves invitations that were issued while the clock was ahead back to the present. They keep their duration. */
export async function correctFutureInvitations(tx: Writer, now: Date): Promise<void> {
  const at = now.toISOString()
  const expiresAt = new Date(now.getTime() + invitationMs).toISOString()
  await tx
    .updateTable('invitation')
    .set({ createdAt: at, expiresAt })
    .where('createdAt', '>', futureFrom(now))
    .execute()
}

/** Deletes expired invitations. */
export async function forgetOldInvitations(tx: Writer, now: Date): Promise<void> {
  await tx.deleteFrom('invitation').where('expiresAt', '<=', now.toISOString()).execute()
}
