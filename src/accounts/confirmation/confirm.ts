/**
 * Confirms dangerous calls with a code of the caller's second factor. Wrong codes are counted and limited like those of
 * a sign-in. A session and an API token use the second factor of their account.
 */
import type { Actor } from '../../api/contract.ts'
import type { ConfirmationRefusal, Factor } from '../../api/confirmation/fields.ts'
import type { App, CallConfirmation } from '../../api/services.ts'
import { Refusal } from '../../errors.ts'
import { countAttempt, pinCounters, uncountAttempt } from '../attempts.ts'
import { acceptCode, factorOf, isRecoveryCode } from '../codes.ts'
import { ownAccount } from '../fields.ts'
import { needsConfirmation } from './settings.ts'

type Dependencies = Pick<App, 'transact' | 'vault' | 'now'>

export function callConfirmationOn({ transact, vault, now }: Dependencies): CallConfirmation {
  return {
    isOn: needsConfirmation,
    async check(actor, code) {
      const isRight = await transact(async (tx) => {
        const account = await ownAccount(tx, actor)
        if (account.is2FAEnabled === 0) refuseWithoutFactor(actor)
        if (code === undefined) refuseCode('ConfirmationMissing', missingText)
        const counters = await pinCounters(tx, account.id, actor, isRecoveryCode(code), now())
        const counted = await countAttempt(tx, counters, now())
        // The code is right, but not used yet: other callers cannot guess with this call.
        const factor = await factorOf(tx, vault, account, code, now())
        if (factor !== null) await uncountAttempt(tx, counted)
        return factor !== null
      })
      // Only after the commit, so that the attempt stays counted.
      if (!isRight) refuseCode('ConfirmationWrong', wrongText)
    },
    async use(tx, actor, code): Promise<Factor> {
      if (code === undefined) refuseCode('ConfirmationMissing', missingText)
      const factor = await acceptCode(tx, vault, await ownAccount(tx, actor), code, now())
      return factor ?? refuseCode('ConfirmationWrong', wrongText)
    },
  }
}

const missingText =
  'is missing. This call needs a code of your second factor: send a code of the authenticator app, or a recovery code'
const wrongText = 'is wrong or was already used. Wait for the next code of the app and repeat the call'

function refuseCode(reason: ConfirmationRefusal, message: string): never {
  const path = 'confirmationCode'
  throw new Refusal('FORBIDDEN', `${path}: ${message}`, { issues: [{ message, path }], reason })
}

function refuseWithoutFactor({ kind }: Actor): never {
  const reason: ConfirmationRefusal = 'SecondFactorMissing'
  throw new Refusal(
    'FORBIDDEN',
    'This call needs a code of a second factor, but your account has none. Turn one on with auth.generate2FASecret ' +
      `and auth.verify2FASetup${kind === 'api' ? ' in a session of your account' : ''}, and repeat the call with ` +
      'confirmationCode',
    { reason },
  )
}
