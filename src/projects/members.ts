/** Operations on the members of a project: accounts that reach it with a role. */
import { z } from 'zod'
import { Email } from '../accounts/fields.ts'
import { findByEmail } from '../accounts/accounts.ts'
import {
  deleteMember,
  findMember,
  hasOtherOwner,
  insertMember,
  type Member as MemberRow,
  selectMembers,
  setRole,
} from '../accounts/rights/members.ts'
import { command, type CommandContext, query } from '../api/contract.ts'
import { answeredIdOf, cutPage, idOf, page } from '../api/fields.ts'
import { projectRoles } from '../api/reach/reach.ts'
import { refuse, refuseField } from '../errors.ts'
import { findProject } from './find.ts'

export const Role = z
  .enum(projectRoles, 'must be viewer, developer or owner')
  .describe(
    'viewer: reads everything but passwords. developer: also reads passwords, deploys, starts, stops, runs backups and ' +
      'opens sessions with databases. owner: can also change, restore, move to another project and remove, and manages ' +
      'the members',
  )

const Member = z.object({
  projectId: answeredIdOf('project'),
  accountId: answeredIdOf('account'),
  email: z.string().describe('E-mail address of the account'),
  role: Role,
  createdAt: z.string().describe('Since when the account is a member'),
})

/** An owner can remove data, with a code of the own account. So who makes owners needs a code too. */
const ifOwner = { calls: 'A call with the role owner', isNeeded: ({ role }: { role: string }) => role === 'owner' }

const projectId = idOf('project')
const accountId = idOf('account of the member')

export const members = query({
  name: 'project.members',
  summary: 'List the members of a project',
  description:
    'Accounts that reach all projects are not listed, unless they are members too. Their membership counts when an ' +
    'administrator takes back the reach of all projects.',
  access: 'user:read',
  reach: 'project',
  input: z.object({ projectId, ...page }),
  output: z.array(Member),
  refusals: ['NOT_FOUND'],
  async run({ db, setNextCursor }, { projectId, limit, cursor = '' }) {
    await findProject(db, projectId)
    let rows = selectMembers(db, projectId).where('projectMember.accountId', '>', cursor)
    if (limit !== undefined) rows = rows.limit(limit + 1)
    const found = (await rows.execute()).map((row) => ({ ...row, id: row.accountId }))
    return cutPage(found, limit, setNextCursor).map((row) => toMember(projectId, row))
  },
})

export const addMember = command({
  name: 'project.addMember',
  summary: 'Make an account a member of a project',
  description: 'The account must exist. To invite a person, an administrator calls user.invite with the projects.',
  access: 'user:admin',
  reach: 'project',
  input: z.object({ projectId, email: Email.describe('E-mail address of the account'), role: Role }),
  output: Member,
  refusals: ['NOT_FOUND', 'CONFLICT'],
  confirmation: ifOwner,
  auditDetails: ({ accountId, role }) => ({ accountId, role }),
  async run({ tx, now }, { projectId, email, role }) {
    await findProject(tx, projectId)
    const account = (await findByEmail(tx, email)) ?? refuseField('email', 'No account has this address', 'NOT_FOUND')
    if ((await findMember(tx, projectId, account.id)) !== undefined) {
      refuseField('email', 'is of a member already. Call project.updateMember to change the role', 'CONFLICT')
    }
    await insertMember(tx, account.id, { projectId, role }, now())
    return toMember(projectId, (await findMember(tx, projectId, account.id))!)
  },
})

export const updateMember = command({
  name: 'project.updateMember',
  summary: 'Change the role of a member of a project',
  access: 'user:admin',
  reach: 'project',
  input: z.object({ projectId, accountId, role: Role }),
  output: Member,
  refusals: ['NOT_FOUND', 'CONFLICT'],
  confirmation: ifOwner,
  auditDetails: ({ accountId, role }) => ({ accountId, role }),
  async run(context, { projectId, accountId, role }) {
    const { tx } = context
    const member = await memberOf(context, projectId, accountId)
    if (role !== 'owner') await refuseLastOwner(context, projectId, member)
    await setRole(tx, accountId, { projectId, role })
    return toMember(projectId, { ...member, role })
  },
})

export const removeMember = command({
  name: 'project.removeMember',
  summary: 'Remove a member from a project',
  description: 'The account stays. Its sessions and streams that use the project end within 30 seconds.',
  access: 'user:admin',
  reach: 'project',
  input: z.object({ projectId, accountId }),
  output: Member,
  refusals: ['NOT_FOUND', 'CONFLICT'],
  auditDetails: ({ accountId }) => ({ accountId, role: null }),
  async run(context, { projectId, accountId }) {
    const member = await memberOf(context, projectId, accountId)
    await refuseLastOwner(context, projectId, member)
    await deleteMember(context.tx, projectId, accountId)
    return toMember(projectId, member)
  },
})

async function memberOf({ tx }: CommandContext, projectId: string, accountId: string): Promise<MemberRow> {
  await findProject(tx, projectId)
  const member = await findMember(tx, projectId, accountId)
  return member ?? refuse('NOT_FOUND', 'No member with this accountId. project.members lists the members')
}

/**
 * Refuses to take the role from the last owner, so that a project keeps somebody who can manage it. Callers that reach
 * all projects can manage every project, and may do it.
 */
async function refuseLastOwner({ tx, actor }: CommandContext, projectId: string, { accountId, role }: MemberRow) {
  if (role !== 'owner' || actor.reach === 'all' || (await hasOtherOwner(tx, projectId, accountId))) return
  refuse('CONFLICT', 'This is the last owner of the project. Make another member an owner first')
}

const toMember = (projectId: string, { accountId, email, role, createdAt }: MemberRow) => ({
  projectId,
  accountId,
  email,
  role,
  createdAt,
})
