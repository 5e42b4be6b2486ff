/** Operations by which the owner of an account or an administrator changes the account. */
import { z } from 'zod'
import { action, type ActionContext, type Actor } from '../../api/contract.ts'
import { refuse, refuseField } from '../../errors.ts'
import { mask } from '../../lib/crypto/mask.ts'
import {
  clearSecondFactor,
  deleteInvitationsOf,
  endApiTokens,
  endSessions,
  findByEmail,
  keyOf,
  storePassword,
  updateAccount,
} from '../accounts.ts'
import { countAttempt, emailCounter, uncountAttempt } from '../attempts.ts'
import type { AccountTable, Writer } from '../../store/schema.ts'
import {
  Account,
  type AccountUpdate,
  checkFixedFields,
  findAccount,
  ownAccount,
  refuseLastAdmin,
  Rol,
  toAccount,
  updateShape,
} from '../fields.ts'
import { Id, idOf } from '../../api/fields.ts'
import { checkOwner, proofShape } from '../reauthentication.ts'
import { checkPassed2FA } from '../codes.ts'

export const update = action({
  name: 'auth.update',
  summary: 'Change your own account',
  description:
    'A new password ends all your other sessions and API tokens. `is2FAEnabled: false` turns the second factor off, like ' +
    'auth.disable2FA. This, a new e-mail and a new password need a session that signed in within the last 10 minutes, or ' +
    '`currentPassword` and, if the second factor is on, `code`.',
  access: 'user:session',
  input: z.object({
    ...updateShape,
    rol: Rol.optional().describe('Cannot be changed here: leave it out, or send your present role'),
    ...proofShape,
    id: Id.optional().describe('Id of your account; no other is accepted'),
    revokeTokens: z
      .boolean()
      .optional()
      .describe(
        'Whether to revoke all your API tokens. If omitted, a new password revokes them and other changes do not',
      ),
  }),
  output: Account,
  recordOf: ({ accountId }) => ({ id: accountId }),
  refusals: ['FORBIDDEN', 'CONFLICT', 'TOO_MANY_REQUESTS'],
  async run(context, input) {
    const { transact, conclude, actor, now } = context
    const { id, rol, email } = input
    if (id !== undefined && id !== actor.accountId) refuseField('id', 'must be your own id: leave it out')
    if (rol !== undefined && rol !== actor.rol)
      refuseField('rol', 'cannot be changed here: an administrator can change it with auth.updateByAdmin')
    const needsProof = changesSignIn(await ownAccount(context.db, actor), input)
    const confirm = await checkOwner(context, needsProof, input)
    // The answer reveals whether an e-mail has an account, so attempts are limited.
    const counted =
      email === null || keyOf(email) === keyOf(actor.email)
        ? []
        : await transact((tx) => countAttempt(tx, [emailCounter(actor.accountId)], now()))
    const passwordHash = await hashOf(context, input)
    return conclude(async (tx) => {
      await confirm(tx)
      const account = await ownAccount(tx, actor)
      // Another call may have changed the account while the password was verified.
      if (!needsProof && changesSignIn(account, input)) refuseChanged()
      checkFixedFields(account, await hasApiToken(tx, account.id), input)
      if (input.is2FAEnabled === false && account.is2FAEnabled === 1) {
        checkPassed2FA(actor)
        await clearSecondFactor(tx, account.id)
      }
      await setEmail(tx, account, email, actor)
      await uncountAttempt(tx, counted)
      if (passwordHash !== null) await changePassword(tx, account.id, passwordHash, actor)
      if (input.revokeTokens ?? passwordHash !== null) await endApiTokens(tx, account.id)
      return storeImage(tx, account.id, input)
    })
  },
})

export const updateByAdmin = action({
  name: 'auth.updateByAdmin',
  summary: 'Change any account, including its role',
  description:
    'A new password or role ends the sessions of the account, except the one of this call. A new password also ' +
    'revokes its API tokens. `is2FAEnabled: false` turns off a lost second factor. The role of the last ' +
    'administrator cannot be changed. A new e-mail, password or administrator, and turning off a second factor, need a ' +
    'session that signed in within the last 10 minutes, or your own `currentPassword` and, if your second factor is on, ' +
    '`code`.',
  access: 'admin:session',
  input: z.object({ id: idOf('account'), ...updateShape, ...proofShape }),
  output: Account,
  refusals: ['FORBIDDEN', 'NOT_FOUND', 'CONFLICT', 'TOO_MANY_REQUESTS'],
  async run(context, input) {
    const { conclude, actor } = context
    const { id, rol } = input
    const needsProof = needsProofOf(await findAccount(context.db, id), actor, input)
    const confirm = await checkOwner(context, needsProof, input)
    const passwordHash = await hashOf(context, input)
    return conclude(async (tx) => {
      await confirm(tx)
      const account = await findAccount(tx, id)
      // Another call may have changed the account while the password was verified.
      if (!needsProof && needsProofOf(account, actor, input)) refuseChanged()
      checkFixedFields(account, await hasApiToken(tx, id), input)
      if (input.is2FAEnabled === false && account.is2FAEnabled === 1) {
        if (id === actor.accountId) checkPassed2FA(actor)
        await clearSecondFactor(tx, id)
      }
      await setEmail(tx, account, input.email, actor)
      if (passwordHash !== null) {
        await changePassword(tx, id, passwordHash, actor)
        await endApiTokens(tx, id)
      }
      if (rol !== undefined && rol !== account.rol) await changeRol(tx, id, rol, actor)
      return storeImage(tx, id, input)
    })
  },
})

/** Whether this input keeps the current password. */
const keepsPassword = (password: string | null) => password === null || password === mask

/** Whether the input changes the e-mail, the password or the second factor of an account. */
function changesSignIn(account: AccountTable, { email, password, is2FAEnabled }: AccountUpdate): boolean {
  const endsFactor = is2FAEnabled === false && account.is2FAEnabled === 1
  return (email !== null && email !== account.email) || !keepsPassword(password) || endsFactor
}

/**
 * Whether an administrator has to prove to be the owner of their own account before this change. A promotion counts
 * too: otherwise an invited user could be promoted in place of an invitation as an administrator, which needs a proof.
 */
function needsProofOf(account: AccountTable, actor: Actor, input: AccountUpdate): boolean {
  const promotesOther = account.id !== actor.accountId && input.rol === 'admin' && account.rol !== 'admin'
  return promotesOther || changesSignIn(account, input)
}

function refuseChanged(): never {
  refuse('CONFLICT', 'The account was changed meanwhile. Read it with auth.one, and repeat the call')
}

/** The hash of the new password; null if the password does not change. */
async function hashOf({ passwords }: ActionContext, { password }: AccountUpdate): Promise<string | null> {
  return keepsPassword(password) ? null : passwords.hash(password!)
}

async function hasApiToken(tx: Writer, accountId: string): Promise<boolean> {
  const token = await tx
    .selectFrom('token')
    .select('id')
    .where('accountId', '=', accountId)
    .where('kind', '=', 'api')
    .limit(1)
    .executeTakeFirst()
  return token !== undefined
}

/** Changes the e-mail. If it is taken, only administrators get a refusal that says so. */
async function setEmail(tx: Writer, account: AccountTable, email: string | null, { rol }: Actor) {
  if (email === null || email === account.email) return
  const other = await findByEmail(tx, email)
  if (other !== undefined && other.id !== account.id) {
    if (rol === 'admin') refuseField('email', 'is taken by another account', 'CONFLICT')
    refuseField('email', 'cannot be used. Choose another e-mail, or ask an administrator')
  }
  await updateAccount(tx, account.id, { email })
}

/** Changes the password and ends the sessions of the account, except the session of this call. */
async function changePassword(tx: Writer, accountId: string, passwordHash: string, actor: Actor) {
  await storePassword(tx, accountId, passwordHash)
  await endSessions(tx, accountId, actor.tokenId)
}

async function changeRol(tx: Writer, accountId: string, rol: AccountTable['rol'], actor: Actor) {
  if (rol === 'user') {
    await refuseLastAdmin(tx, accountId)
    await deleteInvitationsOf(tx, accountId)
  }
  await updateAccount(tx, accountId, { rol })
  await endSessions(tx, accountId, actor.tokenId)
}

/** Stores the image if the input has one. Returns the account after all changes. */
async function storeImage(tx: Writer, id: string, { image }: AccountUpdate) {
  if (image !== undefined) await updateAccount(tx, id, { image })
  return toAccount(await findAccount(tx, id))
}
