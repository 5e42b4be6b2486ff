/** Codes of the second factor: their form, whether a code is right, and whether a session has sent one. */
import { z } from 'zod'
import type { Actor } from '../api/contract.ts'
import { refuse } from '../errors.ts'
import { stepOf } from '../lib/crypto/totp.ts'
import type { AccountTable, Writer } from '../store/schema.ts'
import type { Vault } from '../store/vault.ts'
import { updateAccount } from './accounts.ts'
import { useRecoveryCode } from './recovery-codes.ts'

/** A code of the app or a recovery code. */
export const Pin = z
  .string()
  .min(6, 'must have at least 6 characters')
  .max(64, 'must have at most 64 characters')
  .describe('Code of six digits from the authenticator app, or a recovery code. Spaces are ignored')

/** Removes white space: apps show a space in the middle of a code, and a pasted code may end with a line break. */
export const digitsOf = (pin: string) => pin.replace(/\s/g, '')

/** Whether a pin counts as a recovery code: anything but six digits, which are a code of the app. */
export const isRecoveryCode = (pin: string) => !/^\d{6}$/.test(digitsOf(pin))

/** The place of an account's sealed secret in the store. */
export const placeOf = (row: string) => ({ table: 'account', column: 'secret', row })

/** Refuses a session that has not passed the second factor. */
export function checkPassed2FA({ passed2FA }: Actor): void {
  if (!passed2FA) refuse('FORBIDDEN', 'This session has not passed the second factor. Sign in again with a code')
}

/**
 * Accepts a code of the app from a later time step than the last accepted code, or a recovery code. Records that the
 * code was used. Returns false for any other code, and while the second factor is off.
 */
export async function acceptCode(
  tx: Writer,
  vault: Vault,
  account: AccountTable,
  pin: string,
  now: Date,
): Promise<boolean> {
  if (account.secret === null) return false
  const step = stepOf(vault.open(placeOf(account.id), account.secret), digitsOf(pin), now)
  if (step === null) return useRecoveryCode(tx, account.id, pin)
  if (step <= account.pinStep) return false
  await updateAccount(tx, account.id, { pinStep: step })
  return true
}
