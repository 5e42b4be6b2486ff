/** The members of projects. Checks no access. */
import type { ProjectRole } from '../../api/reach/reach.ts'
import { prepared } from '../../store/prepared.ts'
import type { Reader, Writer } from '../../store/schema.ts'
import type { Membership } from '../table.ts'

/** The memberships of an account, by the id of the project. */
export const membershipsOf = prepared((db, accountId: string) =>
  db.selectFrom('projectMember').select(['projectId', 'role']).where('accountId', '=', accountId).orderBy('projectId'),
)

/** A member of a project, with its account. */
export interface Member {
  accountId: string
  email: string
  role: ProjectRole
  createdAt: string
}

/** Selects the members of a project, the longest-standing accounts first. */
export const selectMembers = (db: Reader, projectId: string) =>
  db
    .selectFrom('projectMember')
    .innerJoin('account', 'account.id', 'projectMember.accountId')
    .select(['projectMember.accountId', 'account.email', 'projectMember.role', 'projectMember.createdAt'])
    .where('projectMember.projectId', '=', projectId)
    .orderBy('projectMember.accountId')

export const findMember = (db: Reader, projectId: string, accountId: string): Promise<Member | undefined> =>
  selectMembers(db, projectId).where('projectMember.accountId', '=', accountId).executeTakeFirst()

/** Makes an account a member of a project. The account must not be one yet. */
export async function insertMember(tx: Writer, accountId: string, membership: Membership, now: Date): Promise<void> {
  await tx
    .insertInto('projectMember')
    .values({ ...membership, accountId, createdAt: now.toISOString() })
    .execute()
}

/** Makes a new account a member of those of the projects that still exist. */
export async function insertMemberships(
  tx: Writer,
  accountId: string,
  memberships: readonly Membership[],
  now: Date,
): Promise<void> {
  const ids = memberships.map(({ projectId }) => projectId)
  const existing = await existingProjects(tx, ids)
  for (const membership of memberships) {
    if (existing.has(membership.projectId)) await insertMember(tx, accountId, membership, now)
  }
}

export async function setRole(tx: Writer, accountId: string, { projectId, role }: Membership): Promise<void> {
  await tx
    .updateTable('projectMember')
    .set({ role })
    .where('projectId', '=', projectId)
    .where('accountId', '=', accountId)
    .execute()
}

export async function deleteMember(tx: Writer, projectId: string, accountId: string): Promise<void> {
  await tx.deleteFrom('projectMember').where('projectId', '=', projectId).where('accountId', '=', accountId).execute()
}

/** Whether the project has another owner than this account. */
export async function hasOtherOwner(db: Reader, projectId: string, accountId: string): Promise<boolean> {
  const other = await db
    .selectFrom('projectMember')
    .select('accountId')
    .where('projectId', '=', projectId)
    .where('role', '=', 'owner')
    .where('accountId', '!=', accountId)
    .limit(1)
    .executeTakeFirst()
  return other !== undefined
}

/** Those of the projects that exist. */
export async function existingProjects(db: Reader, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db.selectFrom('project').select('id').where('id', 'in', ids).execute()
  return new Set(rows.map(({ id }) => id))
}
