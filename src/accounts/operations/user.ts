/** Operations on accounts and invitations. */
import { z } from 'zod'
import { everyCall } from '../../api/confirmation/fields.ts'
import { type Actor, command, query } from '../../api/contract.ts'
import { refuse, refuseField } from '../../errors.ts'
import { deleteAccount, findByEmail, reachesAll, updateAccount } from '../accounts.ts'
import { forgetAnswersTo } from '../../api/idempotency.ts'
import { deleteInvitation, isInvitationExpired, issueInvitation } from '../invitations.ts'
import { projectRoles } from '../../api/reach/reach.ts'
import { fromJson, toJson } from '../../lib/json.ts'
import { existingProjects, membershipsOf } from '../rights/members.ts'
import type { AccountTable, InvitationTable, Reader } from '../../store/schema.ts'
import type { Membership } from '../table.ts'
import { AllProjects, Email, findAccount, is2FAEnabled, refuseLastAdmin, Rol, visibleAccount } from '../fields.ts'
import { answeredIdOf, CreatedAt, cutPage, idOf, page } from '../../api/fields.ts'

const Memberships = z.array(
  z.object({
    projectId: idOf('project'),
    role: z.enum(projectRoles, 'must be viewer, developer or owner').describe('Role in that project'),
  }),
)

const User = z.object({
  userId: answeredIdOf('user'),
  authId: z.string().describe('Id of the account for auth.one and auth.updateByAdmin. Currently the same as userId'),
  email: z.string().describe('E-mail address of the account'),
  rol: Rol,
  is2FAEnabled,
  allProjects: AllProjects.optional(),
  projects: Memberships.optional().describe(
    'The projects of which the account is a member, and its roles. To a limited token: those that it reaches',
  ),
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
  reach: 'own',
  input: z.object(page),
  output: z.array(User),
  async run({ db, actor, setNextCursor }, { limit, cursor = '' }) {
    let rows = db.selectFrom('account').selectAll().where('id', '>', cursor).orderBy('id')
    if (actor.rol !== 'admin') rows = rows.where('id', '=', actor.accountId)
    if (limit !== undefined) rows = rows.limit(limit + 1)
    return Promise.all(cutPage(await rows.execute(), limit, setNextCursor).map((row) => toUser(db, row, actor)))
  },
})

export const byAuthId = query({
  name: 'user.byAuthId',
  summary: 'Read a user by authId, the id of its account; only administrators can read accounts other than their own',
  access: 'user:read',
  reach: 'own',
  input: z.object({ authId: idOf('account') }),
  output: User,
  refusals: ['NOT_FOUND'],
  run: async ({ db, actor }, { authId }) => toUser(db, await visibleAccount(db, actor, authId), actor),
})

export const byUserId = query({
  name: 'user.byUserId',
  summary: 'Read a user by userId; only administrators can read accounts other than their own',
  access: 'user:read',
  reach: 'own',
  input: z.object({ userId: idOf('user') }),
  output: User,
  refusals: ['NOT_FOUND'],
  run: async ({ db, actor }, { userId }) => toUser(db, await visibleAccount(db, actor, userId), actor),
})

const InvitedRol = Rol.describe(
  'Role that the account will have. admin: all operations. user: all except administration',
)

const Invitation = z.object({
  id: answeredIdOf('invitation'),
  email: z.string().describe('E-mail address that the account will have'),
  rol: InvitedRol,
  projects: Memberships.nullable()
    .optional()
    .describe('The projects that the account will reach, and its roles. Null: it will reach all projects'),
  invitedBy: z.string().describe('Id of the account of the administrator who invited'),
  createdAt: CreatedAt,
  expiresAt: z.string().describe('When the invitation expires, 7 days after it was created'),
})

export const invite = command({
  name: 'user.invite',
  summary: 'Invite a person to create an account',
  description:
    'Give `id` and `token` to the invited person. auth.createUser accepts them once, within 7 days. A new ' +
    'invitation replaces an earlier one for the same e-mail.',
  access: 'admin:session',
  input: z.object({
    email: Email.describe('E-mail address of the invited person'),
    rol: InvitedRol.default('user'),
    projects: Memberships.max(1000, 'must have at most 1,000 entries')
      .optional()
      .describe('The projects that the account will reach, and its roles. If omitted, it will reach all projects'),
  }),
  output: Invitation.extend({
    token: z.string().describe('Token of the invitation, for auth.createUser. Only this answer contains it'),
  }),
  refusals: ['CONFLICT'],
  confirmation: everyCall,
  async run({ tx, actor, now, newId }, { email, rol, projects }) {
    if ((await findByEmail(tx, email)) !== undefined) refuseField('email', 'already has an account', 'CONFLICT')
    if (projects !== undefined) await checkMemberships(tx, rol, projects)
    const invitation = { id: newId(), email, rol, projects: projects === undefined ? null : toJson(projects) }
    const { token, row } = await issueInvitation(tx, { ...invitation, invitedBy: actor.accountId }, now())
    return { ...toInvitation(row), token }
  },
})

export const invitations = query({
  name: 'user.invitations',
  summary: 'List the valid invitations, oldest first',
  access: 'admin:read',
  input: z.object(page),
  output: z.array(Invitation),
  async run({ db, now, setNextCursor }, { limit, cursor = '' }) {
    const rows = await db
      .selectFrom('invitation')
      .selectAll()
      .where('id', '>', cursor)
      .where('expiresAt', '>', now().toISOString())
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
  async run({ tx, now }, { id }) {
    const row = await tx.selectFrom('invitation').selectAll().where('id', '=', id).executeTakeFirst()
    if (row === undefined || isInvitationExpired(row, now())) {
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
  confirmation: everyCall,
  async run({ tx, actor }, { userId }) {
    const row = await findAccount(tx, userId)
    if (row.rol === 'admin') await refuseLastAdmin(tx, userId)
    const user = await toUser(tx, row, actor)
    await forgetAnswersTo(tx, userId)
    await deleteAccount(tx, userId)
    return user
  },
})

export const update = command({
  name: 'user.update',
  summary: 'Let an account reach all projects, or only those of which it is a member',
  description:
    'Takes effect at the next call of the account; its sessions and streams of other projects end within 30 seconds. ' +
    'The memberships stay: project.members lists them, and project.addMember adds one, also while the account reaches ' +
    'all projects.',
  access: 'admin:session',
  input: z.object({ userId: idOf('user'), allProjects: AllProjects }),
  output: User,
  refusals: ['NOT_FOUND', 'CONFLICT'],
  confirmation: everyCall,
  auditDetails: ({ userId, allProjects }) => ({
    accountId: userId,
    ...(allProjects === undefined ? {} : { allProjects }),
  }),
  async run({ tx, actor }, { userId, allProjects }) {
    const row = await findAccount(tx, userId)
    if (row.rol === 'admin' && !allProjects) {
      refuseField(
        'allProjects',
        'must be true for an administrator. Change the role with auth.updateByAdmin',
        'CONFLICT',
      )
    }
    const changes = { allProjects: allProjects ? 1 : 0 } as const
    await updateAccount(tx, userId, changes)
    return toUser(tx, { ...row, ...changes }, actor)
  },
})

/** Refuses memberships of an administrator, of unknown projects, and two of the same project. */
async function checkMemberships(db: Reader, rol: InvitationTable['rol'], projects: readonly Membership[]) {
  if (rol === 'admin') refuseField('projects', 'must be left out: an administrator reaches all projects')
  const ids = projects.map(({ projectId }) => projectId)
  if (new Set(ids).size < ids.length) refuseField('projects', 'must name each project once')
  const existing = await existingProjects(db, ids)
  const unknown = ids.findIndex((id) => !existing.has(id))
  if (unknown !== -1) {
    refuseField(`projects.${unknown}.projectId`, 'No project with this id. project.all lists all projects', 'NOT_FOUND')
  }
}

/** A limited token sees only the memberships in its projects. */
async function toUser(db: Reader, row: AccountTable, { isLimitedToken, reach: visible }: Actor) {
  const { id, email, rol, is2FAEnabled, createdAt, lastSeenAt } = row
  const memberships = await membershipsOf(db, id)
  const projects = memberships.filter(({ projectId }) => !isLimitedToken || visible === 'all' || visible.has(projectId))
  const reach = { allProjects: reachesAll(row), projects }
  return { userId: id, authId: id, email, rol, is2FAEnabled: is2FAEnabled === 1, ...reach, createdAt, lastSeenAt }
}

function toInvitation({ id, email, rol, projects, invitedBy, createdAt, expiresAt }: InvitationTable) {
  return { id, email, rol, projects: fromJson(projects) as Membership[] | null, invitedBy, createdAt, expiresAt }
}
