/** Operations on accounts and invitations. */
import { z } from 'zod'
import { action, command, query } from '../../api/contract.ts'
import { refuse, refuseField } from '../../errors.ts'
import { deleteAccount, findByEmail } from '../accounts.ts'
import { forgetAnswersTo } from '../../api/idempotency.ts'
import { deleteInvitation, isInvitationExpired, issueInvitation } from '../invitations.ts'
import type { AccountTable, InvitationTable } from '../../store/schema.ts'
import { Email, findAccount, is2FAEnabled, refuseLastAdmin, Rol, visibleAccount } from '../fields.ts'
import { answeredIdOf, CreatedAt, cutPage, idOf, page } from '../../api/fields.ts'
import { checkOwner, proofShape } from '../reauthentication.ts'

const User = z.object({
  userId: answeredIdOf('user'),
  authId: z.string().describe('Id of the account for auth.one and auth.updateByAdmin. Currently the same as userId'),
  email: z.string().describe('E-mail address of the account'),
  rol: Rol,
  is2FAEnabled,
  createdAt: CreatedAt,
  lastSeenAt: z
    .string()
    .nullable()
    .describe('Time of the last call of the account, accurate to ten minutes; null: never'),
})

export const all = query({
  name: 'user.all',
  summary: 'List the accounts, oldest first; only administrators see accounts other than their own',
  access: 'user:read',
  input: z.object(page),
  output: z.array(User),
  async run({ db, actor, setNextCursor }, { limit, cursor = '' }) {
    let rows = db.selectFrom('account').selectAll().where('id', '>', cursor).orderBy('id')
    if (actor.rol !== 'admin') rows = rows.where('id', '=', actor.accountId)
    if (limit !== undefined) rows = rows.limit(limit + 1)
    return cutPage(await rows.execute(), limit, setNextCursor).map(toUser)
  },
})

export const byAuthId = query({
  name: 'user.byAuthId',
  summary: 'Read a user by authId, the id of its account; only administrators can read accounts other than their own',
  access: 'user:read',
  input: z.object({ authId: idOf('account') }),
  output: User,
  refusals: ['NOT_FOUND'],
  run: async ({ db, actor }, { authId }) => toUser(await visibleAccount(db, actor, authId)),
})

export const byUserId = query({
  name: 'user.byUserId',
  summary: 'Read a user by userId; only administrators can read accounts other than their own',
  access: 'user:read',
  input: z.object({ userId: idOf('user') }),
  output: User,
  refusals: ['NOT_FOUND'],
  run: async ({ db, actor }, { userId }) => toUser(await visibleAccount(db, actor, userId)),
})

const InvitedRol = Rol.describe(
  'Role that the account will have. admin: all operations. user: all except administration',
)

const Invitation = z.object({
  id: answeredIdOf('invitation'),
  email: z.string().describe('E-mail address that the account will have'),
  rol: InvitedRol,
  invitedBy: z.string().describe('Id of the account of the administrator who invited'),
  createdAt: CreatedAt,
  expiresAt: z.string().describe('When the invitation expires, 7 days after it was created'),
})

export const invite = action({
  name: 'user.invite',
  summary: 'Invite a person to create an account',
  description:
    'Give `id` and `token` to the invited person. auth.createUser accepts them once, within 7 days. A new ' +
    'invitation replaces an earlier one for the same e-mail. The invitation of an administrator needs a session that ' +
    'signed in within the last 10 minutes, or `currentPassword` and, if your second factor is on, `code`.',
  access: 'admin:session',
  input: z.object({
    email: Email.describe('E-mail address of the invited person'),
    rol: InvitedRol.default('user'),
    ...proofShape,
  }),
  output: Invitation.extend({
    token: z.string().describe('Token of the invitation, for auth.createUser. Only this answer contains it'),
  }),
  refusals: ['FORBIDDEN', 'CONFLICT', 'TOO_MANY_REQUESTS'],
  async run(context, { email, rol, ...proof }) {
    const { conclude, actor, clock, newId } = context
    const confirm = await checkOwner(context, rol === 'admin', proof)
    return conclude(async (tx) => {
      await confirm(tx)
      if ((await findByEmail(tx, email)) !== undefined) refuseField('email', 'already has an account', 'CONFLICT')
      const { token, row } = await issueInvitation(
        tx,
        { id: newId(), email, rol, invitedBy: actor.accountId },
        clock.latest(),
      )
      return { ...toInvitation(row), token }
    })
  },
})

export const invitations = query({
  name: 'user.invitations',
  summary: 'List the valid invitations, oldest first',
  access: 'admin:read',
  input: z.object(page),
  output: z.array(Invitation),
  async run({ db, clock, setNextCursor }, { limit, cursor = '' }) {
    const rows = await db
      .selectFrom('invitation')
      .selectAll()
      .where('id', '>', cursor)
      .where('expiresAt', '>', clock.latest().toISOString())
      .orderBy('id')
      .execute()
    return cutPage(rows, limit, setNextCursor).map(toInvitation)
  },
})

export const revokeInvitation = command({
  name: 'user.revokeInvitation',
  summary: 'Revoke an invitation',
  access: 'admin:admin',
  input: z.object({ id: idOf('invitation') }),
  output: Invitation,
  refusals: ['NOT_FOUND'],
  async run({ tx, clock }, { id }) {
    const row = await tx.selectFrom('invitation').selectAll().where('id', '=', id).executeTakeFirst()
    if (row === undefined || isInvitationExpired(row, clock.latest())) {
      refuse('NOT_FOUND', 'No valid invitation with this id. user.invitations lists the valid ones')
    }
    await deleteInvitation(tx, id)
    return toInvitation(row)
  },
})

export const remove = command({
  name: 'user.remove',
  summary: 'Remove an account with its sessions, API tokens and invitations',
  description: 'Projects and other records of the account stay. The last administrator cannot be removed.',
  access: 'admin:session',
  input: z.object({ userId: idOf('user') }),
  output: User,
  refusals: ['NOT_FOUND', 'CONFLICT'],
  async run({ tx }, { userId }) {
    const row = await findAccount(tx, userId)
    if (row.rol === 'admin') await refuseLastAdmin(tx, userId)
    await deleteAccount(tx, userId)
    await forgetAnswersTo(tx, userId)
    return toUser(row)
  },
})

function toUser({ id, email, rol, is2FAEnabled, createdAt, lastSeenAt }: AccountTable) {
  return { userId: id, authId: id, email, rol, is2FAEnabled: is2FAEnabled === 1, createdAt, lastSeenAt }
}

function toInvitation({ id, email, rol, invitedBy, createdAt, expiresAt }: InvitationTable) {
  return { id, email, rol, invitedBy, createdAt, expiresAt }
}
