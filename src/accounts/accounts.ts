/** Accounts: found, changed, and what ends when they change. Does not know who asks, nor whether he may. */
import type { Rol } from '../api/access.ts'
import { prepared } from '../store/prepared.ts'
import type { AccountTable, Reader, Writer } from '../store/schema.ts'

/** E-mails are one when they differ only in case. */
export const keyOf = (email: string): string => email.toLowerCase()

export const accountById = prepared((db, id: string) => db.selectFrom('account').selectAll().where('id', '=', id))

export function findByEmail(db: Reader, email: string): Promise<AccountTable | undefined> {
  return db.selectFrom('account').selectAll().where('emailKey', '=', keyOf(email)).executeTakeFirst()
}

/** What a new account is made of. */
export interface NewAccount {
  id: string
  email: string
  passwordHash: string
  rol: Rol
}

export async function insertAccount(tx: Writer, account: NewAccount, now: Date): Promise<AccountTable> {
  const at = now.toISOString()
  const row: AccountTable = {
    ...account,
    emailKey: keyOf(account.email),
    image: '',
    is2FAEnabled: 0,
    secret: null,
    pinStep: 0,
    createdAt: at,
    lastSeenAt: null,
  }
  await tx.insertInto('account').values(row).execute()
  return row
}

export async function storePassword(tx: Writer, accountId: string, passwordHash: string): Promise<void> {
  await tx.updateTable('account').set({ passwordHash }).where('id', '=', accountId).execute()
}

/** The account's tokens, recovery codes and invitations go with the row (on delete cascade). */
export async function deleteAccount(tx: Writer, id: string): Promise<void> {
  await tx.deleteFrom('account').where('id', '=', id).execute()
}

type AccountChanges = Partial<Omit<AccountTable, 'id' | 'emailKey' | 'passwordHash' | 'createdAt'>>

export async function updateAccount(tx: Writer, id: string, changes: AccountChanges): Promise<void> {
  const keyed = changes.email === undefined ? changes : { ...changes, emailKey: keyOf(changes.email) }
  await tx.updateTable('account').set(keyed).where('id', '=', id).execute()
}

/** Sessions, and sign-ins that wait for their second factor. `exceptTokenId`: stays; null: none does. */
export async function endSessions(tx: Writer, accountId: string, exceptTokenId: string | null): Promise<void> {
  await tx
    .deleteFrom('token')
    .where('accountId', '=', accountId)
    .where('kind', 'in', ['session', 'challenge'])
    .where('id', '!=', exceptTokenId ?? '')
    .execute()
}

/** Gives how many there were. */
export async function endApiTokens(tx: Writer, accountId: string): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('token')
    .where('accountId', '=', accountId)
    .where('kind', '=', 'api')
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** Turns the second factor off; codes and sign-ins that wait for it are void. */
export async function clearSecondFactor(tx: Writer, accountId: string): Promise<void> {
  await updateAccount(tx, accountId, { is2FAEnabled: 0, secret: null })
  await tx.deleteFrom('recoveryCode').where('accountId', '=', accountId).execute()
  await tx.deleteFrom('token').where('accountId', '=', accountId).where('kind', '=', 'challenge').execute()
}

/** An account that is no administrator any more has invited nobody. */
export async function dropInvitationsOf(tx: Writer, accountId: string): Promise<void> {
  await tx.deleteFrom('invitation').where('invitedBy', '=', accountId).execute()
}

/** Whether nobody else is an administrator. */
export async function isLastAdmin(tx: Writer, accountId: string): Promise<boolean> {
  const other = await tx
    .selectFrom('account')
    .select('id')
    .where('rol', '=', 'admin')
    .where('id', '!=', accountId)
    .limit(1)
    .executeTakeFirst()
  return other === undefined
}
