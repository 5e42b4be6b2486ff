/** Codes of the second factor: those of the authenticator app, and recovery codes. Each can be used once. */
import type { Factor } from '../api/confirmation/fields.ts'
import { stepOf } from '../lib/crypto/totp.ts'
import type { AccountTable, Reader, Writer } from '../store/schema.ts'
import type { Vault } from '../store/vault.ts'
import { updateAccount } from './accounts.ts'
import { hasRecoveryCode, useRecoveryCode } from './recovery-codes.ts'

/** Removes white space: apps show a space in the middle of a code, and a pasted code may end with a line break. */
export const digitsOf = (pin: string): string => pin.replace(/\s/g, '')

/** Whether a pin counts as a recovery code: anything but six digits, which are a code of the app. */
export const isRecoveryCode = (pin: string): boolean => !/^\d{6}$/.test(digitsOf(pin))

/** The place of an account's sealed secret in the store. */
export const secretCell = (row: string) => ({ table: 'account', column: 'secret', row })

/** A code that can be used now. */
type UsableCode = { factor: 'recoveryCode' } | { factor: 'app'; step: number }

/** What the code is, if it can be used now. Changes nothing. Null for any other code, and while the factor is off. */
export async function factorOf(
  db: Reader,
  vault: Vault,
  account: AccountTable,
  pin: string,
  now: Date,
): Promise<Factor | null> {
  return (await usableCode(db, vault, account, pin, now))?.factor ?? null
}

/**
 * Accepts a code of the app from a later time step than the last accepted code, or a recovery code. Records that the
 * code was used. Returns what the code was; null for any other code, and while the second factor is off.
 */
export async function acceptCode(
  tx: Writer,
  vault: Vault,
  account: AccountTable,
  pin: string,
  now: Date,
): Promise<Factor | null> {
  const code = await usableCode(tx, vault, account, pin, now)
  if (code === null) return null
  if (code.factor === 'app') await updateAccount(tx, account.id, { pinStep: code.step })
  else await useRecoveryCode(tx, account.id, pin)
  return code.factor
}

async function usableCode(
  db: Reader,
  vault: Vault,
  { id, secret, pinStep }: AccountTable,
  pin: string,
  now: Date,
): Promise<UsableCode | null> {
  if (secret === null) return null
  if (isRecoveryCode(pin)) return (await hasRecoveryCode(db, id, pin)) ? { factor: 'recoveryCode' } : null
  const step = stepOf(vault.open(secretCell(id), secret), digitsOf(pin), now)
  return step === null || step <= pinStep ? null : { factor: 'app', step }
}
