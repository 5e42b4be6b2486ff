/** SQL statements on accounts, and on the tokens and invitations that end when an account changes. Checks no access. */
import type { Rol } from '../api/access.ts'
import { prepared } from '../store/prepared.ts'
import type { AccountTable, Flag, Reader, Writer } from '../store/schema.ts'

/** The key by which e-mails are compared: the e-mail in lower case. */
export const keyOf = (email: string): string => email.toLowerCase()

export const accountById = prepared((db, id: string) => db.selectFrom('account').selectAll().where('id', '=', id))

/** Whether the account reaches all projects. */
export const reachesAll = ({ rol, allProjects }: Pick<AccountTable, 'rol' | 'allProjects'>): boolean =>
  rol === 'admin' || allProjects === 1

export function findByEmail(db: Reader, email: string): Promise<AccountTable | undefined> {
  return db.selectFrom('account').selectAll().where('emailKey', '=', keyOf(email)).executeTakeFirst()
}

export async function hasAccounts(db: Reader): Promise<boolean> {
  return (await db.selectFrom('account').select('id').limit(1).executeTakeFirst()) !== undefined
}

export interface NewAccount {
  id: string
  email: string
  passwordHash: string
  rol: Rol
  /** Default: the account reaches all projects. */
  allProjects?: Flag
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
    allProjects: account.allProjects ?? 1,
  }
  await tx.insertInto('account').values(row).execute()
  return row
}

export async function storePassword(tx: Writer, accountId: string, passwordHash: string): Promise<void> {
  await tx.updateTable('account').set({ passwordHash }).where('id', '=', accountId).execute()
}

/** Also deletes, by cascade, the account's tokens, recovery codes, known networks and the invitations it issued. */
export async function deleteAccount(tx: Writer, id: string): Promise<void> {
  await tx.deleteFrom('account').where('id', '=', id).execute()
}

type AccountChanges = Partial<Omit<AccountTable, 'id' | 'emailKey' | 'passwordHash' | 'createdAt'>>

export async function updateAccount(tx: Writer, id: string, changes: AccountChanges): Promise<void> {
  const keyed = changes.email === undefined ? changes : { ...changes, emailKey: keyOf(changes.email) }
  await tx.updateTable('account').set(keyed).where('id', '=', id).execute()
}

/**
 * Ends the sessions of an account and its sign-ins that wait for the second factor.
 *
 * @param exceptTokenId the token id of a session that does not end; null ends all sessions
 */
export async function endSessions(tx: Writer, accountId: string, exceptTokenId: string | null): Promise<void> {
  await tx
    .deleteFrom('token')
    .where('accountId', '=', accountId)
    .where('kind', 'in', ['session', 'challenge'])
    .where('id', '!=', exceptTokenId ?? '')
    .execute()
}

/** Deletes all API tokens of an account. Returns their number. */
export async function endApiTokens(tx: Writer, accountId: string): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('token')
    .where('accountId', '=', accountId)
    .where('kind', '=', 'api')
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** Turns the second factor off. Deletes its recovery codes and the sign-ins that wait for it. */
export async function clearSecondFactor(tx: Writer, accountId: string): Promise<void> {
  await updateAccount(tx, accountId, { is2FAEnabled: 0, secret: null })
  await tx.deleteFrom('recoveryCode').where('accountId', '=', accountId).execute()
  await tx.deleteFrom('token').where('accountId', '=', accountId).where('kind', '=', 'challenge').execute()
}

/** Deletes the invitations that an account issued. Call this when the account ceases to be an administrator. */
export async function deleteInvitationsOf(tx: Writer, accountId: string): Promise<void> {
  await tx.deleteFrom('invitation').where('invitedBy', '=', accountId).execute()
}

/** Whether no other account is an administrator. */
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
