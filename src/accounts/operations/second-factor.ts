/** Operations of the second factor: set up an authenticator app, send its code at sign-in, turn the factor off. */
import { z } from 'zod'
import { action, type Actor, query } from '../../api/contract.ts'
import { refuse, refuseField } from '../../errors.ts'
import { qrDataUrl } from '../../lib/crypto/qr.ts'
import { secretBits, newSecret, otpauthUrl, plainOf, stepOf } from '../../lib/crypto/totp.ts'
import { clearSecondFactor, endSessions, updateAccount } from '../accounts.ts'
import { countAttempt, forgetAttempts, pinCounter, pinCounters, uncountAttempt } from '../attempts.ts'
import { acceptCode, checkPassed2FA, digitsOf, isRecoveryCode, Pin, placeOf } from '../codes.ts'
import { callerFrom } from '../known-devices.ts'
import { refuseCode } from '../refusals.ts'
import { issueRecoveryCodes } from '../recovery-codes.ts'
import type { AccountTable, Writer } from '../../store/schema.ts'
import { countChallengeAttempt, deleteToken, markPassed2FA } from '../tokens.ts'
import { Account, Cookie, DeviceToken, ownAccount, signIn, SignedIn, toAccount } from '../fields.ts'
import { idOf } from '../../api/fields.ts'
import { checkOwner, proofRule, proofShape } from '../reauthentication.ts'

/** Minimum length of a shared secret. Source: RFC 4226 section 4, R6. */
const minBits = 160

const Secret = z
  .string()
  .min(1, 'must not be empty')
  .max(256, 'must have at most 256 characters')
  .describe('Secret from auth.generate2FASecret, or your own: base32, at least 160 bits (32 characters)')

export const generate2FASecret = query({
  name: 'auth.generate2FASecret',
  summary: 'Propose a secret for an authenticator app',
  description: 'Changes nothing. To turn the second factor on, send the secret and a code to auth.verify2FASetup.',
  access: 'user:session',
  input: z.object({}),
  output: z.object({
    secret: z.string().describe('The secret in base32, 160 bits. Berth does not store it yet'),
    otpauthUrl: z.string().describe('The secret as a URL otpauth://totp/…, which authenticator apps accept'),
    qrCode: z.string().describe('The otpauthUrl as a QR code: a data URL of an SVG'),
  }),
  async run({ actor }) {
    const secret = newSecret()
    const url = otpauthUrl(secret, actor.email)
    return { secret, otpauthUrl: url, qrCode: qrDataUrl(url) }
  },
})

export const verify2FASetup = action({
  name: 'auth.verify2FASetup',
  summary: 'Turn on the second factor with a secret and a code',
  description:
    'Ends your other sessions. Keep the recovery codes: each can replace a code of the app once. Needs a session that ' +
    'signed in within the last 10 minutes, or `currentPassword`.',
  access: 'user:session',
  input: z.object({
    pin: Pin.describe('Present code of the authenticator app'),
    secret: Secret,
    currentPassword: proofShape.currentPassword,
  }),
  output: Account.extend({ recoveryCodes: z.array(z.string()).describe('Ten recovery codes, shown once') }),
  recordOf: ({ accountId }) => ({ id: accountId }),
  refusals: ['FORBIDDEN', 'PRECONDITION_FAILED', 'TOO_MANY_REQUESTS'],
  async run(context, { pin, secret, currentPassword }) {
    const { db, conclude, vault, actor, now } = context
    refuseIfOn(await ownAccount(db, actor))
    checkSecret(secret)
    const plain = plainOf(secret)
    const step = stepOf(plain, digitsOf(pin), now())
    if (step === null) refuse('UNAUTHORIZED', "The code doesn't match. Check your phone's clock")
    const confirm = await checkOwner(context, true, { currentPassword })
    return conclude(async (tx) => {
      await confirm(tx)
      const account = await ownAccount(tx, actor)
      // Another call may have turned it on while the password was verified.
      refuseIfOn(account)
      const sealed = { secret: vault.seal(placeOf(account.id), plain), is2FAEnabled: 1 as const, pinStep: step }
      await updateAccount(tx, account.id, sealed)
      await markPassed2FA(tx, actor.tokenId)
      await endSessions(tx, account.id, actor.tokenId)
      const recoveryCodes = await issueRecoveryCodes(tx, account.id)
      return { ...toAccount({ ...account, ...sealed }), recoveryCodes }
    })
  },
})

function refuseIfOn({ is2FAEnabled }: AccountTable): void {
  if (is2FAEnabled === 0) return
  refuse('PRECONDITION_FAILED', 'The second factor is already on. To replace it, call auth.disable2FA first')
}

export const verifyLogin2FA = action({
  name: 'auth.verifyLogin2FA',
  summary: 'Complete a sign-in with the second factor',
  description:
    'The bearer token is the challengeToken from auth.login, and `id` is the id of its account. `pin` is a code of ' +
    'the app or a recovery code. Each code can be used once.',
  access: 'secondFactor',
  worksWhileClosed: true,
  input: z.object({ pin: Pin, id: idOf('account that auth.login answered'), cookie: Cookie, deviceToken: DeviceToken }),
  output: SignedIn,
  refusals: ['FORBIDDEN', 'TOO_MANY_REQUESTS'],
  async run(context, { pin, id, deviceToken }) {
    const { db, transact, conclude, vault, actor, now } = context
    const { accountId } = actor
    const caller = await callerFrom(db, actor, actor.email, deviceToken, now())
    const counted = await transact(async (tx) => {
      const attempt = await countAttempt(
        tx,
        await pinCounters(tx, accountId, caller, isRecoveryCode(pin), now()),
        now(),
      )
      await useChallengeAttempt(tx, actor)
      return attempt
    })
    return conclude(async (tx) => {
      const account = await ownAccount(tx, actor)
      if (id !== account.id || !(await acceptCode(tx, vault, account, pin, now()))) refuseCode()
      // Only one of two concurrent calls finds the challenge.
      if (!(await deleteToken(tx, actor.tokenId))) refuseCode()
      await uncountAttempt(tx, counted)
      await forgetAttempts(tx, pinCounter(accountId, caller))
      return signIn(tx, account, context, deviceToken, 1)
    })
  },
})

export const disable2FA = action({
  name: 'auth.disable2FA',
  summary: 'Turn off the second factor',
  description: `Needs a session that has passed the second factor. The recovery codes become invalid. ${proofRule}`,
  access: 'user:session',
  input: z.object(proofShape),
  output: Account,
  recordOf: ({ accountId }) => ({ id: accountId }),
  refusals: ['FORBIDDEN', 'PRECONDITION_FAILED', 'TOO_MANY_REQUESTS'],
  async run(context, proof) {
    const { db, conclude, actor } = context
    refuseIfOff(await ownAccount(db, actor))
    checkPassed2FA(actor)
    const confirm = await checkOwner(context, true, proof)
    return conclude(async (tx) => {
      await confirm(tx)
      const account = await ownAccount(tx, actor)
      // Another call may have turned it off while the password was verified.
      refuseIfOff(account)
      await clearSecondFactor(tx, account.id)
      return toAccount({ ...account, is2FAEnabled: 0 })
    })
  },
})

function refuseIfOff({ is2FAEnabled }: AccountTable): void {
  if (is2FAEnabled === 0) refuse('PRECONDITION_FAILED', 'The second factor is already off')
}

function checkSecret(secret: string) {
  const bits = secretBits(secret)
  if (bits === null) refuseField('secret', 'must be base32, like the secret that auth.generate2FASecret answers')
  if (bits < minBits) refuseField('secret', `must have at least ${minBits} bits: 32 characters of base32`)
}

/** Counts an attempt of the challenge before the code is verified: concurrent attempts cannot exceed the limit. */
async function useChallengeAttempt(tx: Writer, { tokenId }: Actor) {
  if (!(await countChallengeAttempt(tx, tokenId))) refuseCode()
}
