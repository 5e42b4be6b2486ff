/**
 * The commands that let the owner of an account sign in again. The commands need no login, because a user who can run
 * them can also read the data folder.
 */
import type { Config } from '../../config.ts'
import { passwordsOf } from '../../lib/crypto/password.ts'
import { base32Secret } from '../../lib/crypto/base32-secret.ts'
import { clearSecondFactor, endApiTokens, endSessions, findByEmail, storePassword } from '../../accounts/accounts.ts'
import { forgetPasswordAttempts, forgetPinAttempts } from '../../accounts/attempts.ts'
import { appendMachineEntry } from '../../api/audit-log.ts'
import { openStoreForCommand, type CommandStore } from './open-store.ts'
import type { AccountTable, Reader, Writer } from '../../store/schema.ts'

/** The number of groups of four characters in a new password: 120 random bits in total. */
const passwordGroups = 6

type Change = (tx: Writer, account: AccountTable) => Promise<void>

/**
 * Gives the account a random password, and ends its sessions and API tokens.
 * @returns the text for the operator, the only place where the password is shown
 */
export async function resetPassword(config: Config, email: string): Promise<string> {
  const password = base32Secret(passwordGroups)
  const passwordHash = await passwordsOf().hash(password)
  let ended = 0
  const account = await change(config, email, 'machine.resetPassword', async (tx, { id, emailKey }) => {
    await storePassword(tx, id, passwordHash)
    await endSessions(tx, id, null)
    ended = await endApiTokens(tx, id)
    await forgetPasswordAttempts(tx, emailKey)
  })
  const next =
    account.is2FAEnabled === 1
      ? `The second factor stays on. If it is lost too, run berth admin reset-2fa ${account.email}`
      : 'Sign in with this password (auth.login), then set another password (auth.update).'
  return [
    'The account has a new password. It is shown only now:',
    '',
    `  E-mail      ${account.email}`,
    `  Password    ${password}`,
    '',
    `All sessions of the account were ended${endedText(ended)}.`,
    next,
  ].join('\n')
}

function endedText(apiTokens: number): string {
  if (apiTokens === 0) return '. The account had no API tokens'
  return apiTokens === 1 ? ', and its API token was revoked' : `, and its ${apiTokens} API tokens were revoked`
}

/**
 * Turns the account's second factor off.
 * @returns the text for the operator
 */
export async function resetSecondFactor(config: Config, email: string): Promise<string> {
  const account = await change(config, email, 'machine.resetSecondFactor', async (tx, { id }) => {
    await clearSecondFactor(tx, id)
    await forgetPinAttempts(tx, id)
  })
  if (account.is2FAEnabled === 0) return `The second factor of ${account.email} was off already.`
  return [
    `The second factor of ${account.email} is off, and the recovery codes are invalid.`,
    'The account now needs only its password to sign in. To turn the second factor on, call auth.generate2FASecret.',
  ].join('\n')
}

/**
 * Changes an account and records the change in the audit log, in one transaction.
 * @param operation the name of the command in the audit log
 * @param apply changes the account in the store
 * @returns the account before the change
 */
async function change(config: Config, email: string, operation: string, apply: Change): Promise<AccountTable> {
  const store = await openStoreForCommand(config)
  try {
    return await store.transact((tx) => changeIn(tx, store, email, operation, apply))
  } finally {
    await store.close()
  }
}

async function changeIn(
  tx: Writer,
  { vault }: Pick<CommandStore, 'vault'>,
  email: string,
  operation: string,
  apply: Change,
): Promise<AccountTable> {
  const account = await findByEmail(tx, email)
  if (account === undefined) throw new Error(await unknownEmailMessage(tx, email))
  await apply(tx, account)
  await appendMachineEntry(tx, vault, operation, account.id, new Date())
  return account
}

async function unknownEmailMessage(db: Reader, email: string) {
  const accounts = await db.selectFrom('account').select(['email', 'rol']).orderBy('id').execute()
  if (accounts.length === 0) return 'There is no account yet. Create the first one with auth.createAdmin'
  const lines = accounts.map((it) => `  ${it.email}${it.rol === 'admin' ? ' (administrator)' : ''}`)
  return [`There is no account ${email}. The existing accounts are:`, '', ...lines].join('\n')
}
