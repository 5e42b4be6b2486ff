/**
 * The commands for an account whose owner is locked out. They need no login, because whoever can run them can read the
 * data folder.
 */
import type { Config } from '../../config.ts'
import { passwordsOf } from '../../lib/crypto/password.ts'
import { base32Secret } from '../../lib/crypto/base32-secret.ts'
import { clearSecondFactor, endApiTokens, endSessions, findByEmail, storePassword } from '../../accounts/accounts.ts'
import { forgetPasswordAttempts, forgetPinAttempts } from '../../accounts/attempts.ts'
import { appendMachineEntry } from '../../api/audit-log.ts'
import { openStoreForCommand, type CommandStore } from './open-store.ts'
import type { AccountTable, Reader, Writer } from '../../store/schema.ts'

/** 120 bits in total. */
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
      ? `Its second factor stays on. Where that is lost too: ./berth admin reset-2fa ${account.email}`
      : 'Sign in with it (auth.login), then choose another (auth.update).'
  return [
    'The account has a new password. It is shown this once:',
    '',
    `  E-mail      ${account.email}`,
    `  Password    ${password}`,
    '',
    `All its sessions have ended${endedText(ended)}.`,
    next,
  ].join('\n')
}

function endedText(apiTokens: number): string {
  if (apiTokens === 0) return '; it had no API token'
  return apiTokens === 1 ? ', and so has its API token' : `, and so have its ${apiTokens} API tokens`
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
    `The second factor of ${account.email} is off, and its recovery codes are void.`,
    'The password alone signs in now. auth.generate2FASecret begins turning it on again.',
  ].join('\n')
}

/**
 * Changes an account and records the change in the audit log, in one transaction.
 * @returns the account before the change
 */
async function change(config: Config, email: string, operation: string, work: Change): Promise<AccountTable> {
  const store = await openStoreForCommand(config)
  try {
    return await store.transact((tx) => changeIn(tx, store, email, operation, work))
  } finally {
    await store.close()
  }
}

async function changeIn(
  tx: Writer,
  { vault }: Pick<CommandStore, 'vault'>,
  email: string,
  operation: string,
  work: Change,
): Promise<AccountTable> {
  const account = await findByEmail(tx, email)
  if (account === undefined) throw new Error(await unknownText(tx, email))
  await work(tx, account)
  await appendMachineEntry(tx, vault, operation, account.id, new Date())
  return account
}

async function unknownText(db: Reader, email: string) {
  const accounts = await db.selectFrom('account').select(['email', 'rol']).orderBy('id').execute()
  if (accounts.length === 0) return 'There is no account yet. auth.createAdmin makes the first'
  const lines = accounts.map((it) => `  ${it.email}${it.rol === 'admin' ? ' (administrator)' : ''}`)
  return [`There is no account ${email}. These there are:`, '', ...lines].join('\n')
}
