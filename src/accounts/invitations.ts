/** Invitations: an address that may become an account, by a token that is good once and for 7 days. */
import { timingSafeEqual } from 'node:crypto'
import type { Rol } from '../api/access.ts'
import { keyOf } from './accounts.ts'
import { prepared } from '../store/prepared.ts'
import type { InvitationTable, Reader, Writer } from '../store/schema.ts'
import { hashOf, newToken } from './tokens.ts'

export const invitationMs = 7 * 24 * 3600_000

export interface NewInvitation {
  id: string
  email: string
  rol: Rol
  invitedBy: string
}

/** Takes the place of an earlier one for the same address. */
export async function issueInvitation(
  tx: Writer,
  asked: NewInvitation,
  now: Date,
): Promise<{ token: string; row: InvitationTable }> {
  const token = newToken('invitation')
  const expiresAt = new Date(now.getTime() + invitationMs).toISOString()
  const emailKey = keyOf(asked.email)
  const row = { ...asked, emailKey, hash: hashOf(token), createdAt: now.toISOString(), expiresAt }
  await tx.deleteFrom('invitation').where('emailKey', '=', emailKey).execute()
  await tx.insertInto('invitation').values(row).execute()
  return { token, row }
}

const invitationByHash = prepared((db, hash: string) =>
  db.selectFrom('invitation').selectAll().where('hash', '=', hash),
)

/** `hash` is what `hashOf` makes of the token. Also one that is past its time. */
export async function findInvitation(db: Reader, hash: string): Promise<InvitationTable | undefined> {
  return (await invitationByHash(db, hash))[0]
}

/** The invitation of that id and token, deleted; undefined where they do not fit, or it is past its time. */
export async function useInvitation(
  tx: Writer,
  id: string,
  token: string,
  now: Date,
): Promise<InvitationTable | undefined> {
  const row = await tx.selectFrom('invitation').selectAll().where('id', '=', id).executeTakeFirst()
  if (row === undefined || isOver(row, now)) return undefined
  if (!timingSafeEqual(Buffer.from(row.hash), Buffer.from(hashOf(token)))) return undefined
  await deleteInvitation(tx, id)
  return row
}

export async function deleteInvitation(tx: Writer, id: string): Promise<void> {
  await tx.deleteFrom('invitation').where('id', '=', id).execute()
}

export const isOver = ({ expiresAt }: Pick<InvitationTable, 'expiresAt'>, now: Date): boolean =>
  now.getTime() >= Date.parse(expiresAt)

/** Deletes what is past its time. */
export async function forgetOldInvitations(tx: Writer, now: Date): Promise<void> {
  await tx.deleteFrom('invitation').where('expiresAt', '<=', now.toISOString()).execute()
}
