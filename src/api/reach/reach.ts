/**
 * The reach of a caller: the projects whose records it may use, and its role in each. Every operation declares how the
 * reach limits it. Pure. docs/accounts.md describes the roles.
 */
import { refuse } from '../../errors.ts'

/** From the narrowest to the widest. */
export const projectRoles = ['viewer', 'developer', 'owner'] as const
export type ProjectRole = (typeof projectRoles)[number]

/** `all`: every project, as its owner, and all that belongs to no project. Otherwise the role in each project by its id. */
export type Reach = 'all' | ReadonlyMap<string, ProjectRole>

/**
 * How the reach of a caller limits an operation.
 *
 * - `allProjects`: only callers that reach all projects can call it. The default, so that an operation that declares
 *   nothing is closed to all others.
 * - `project`: it is about the records that its input names. Each of them must be in a project in which the caller has
 *   the role of the operation.
 * - `filtered`: it lists or finds records, and its handler leaves out those that the caller does not reach.
 * - `own`: it is about the account of the caller, or answers the same to everyone.
 */
export type OperationReach = 'allProjects' | 'project' | 'filtered' | 'own'

export const includesRole = (role: ProjectRole, needed: ProjectRole): boolean =>
  projectRoles.indexOf(role) >= projectRoles.indexOf(needed)

/** The narrower of two roles. */
export const lowerRole = (a: ProjectRole, b: ProjectRole): ProjectRole => (includesRole(a, b) ? b : a)

/** The rights of an account, and of the token that the call is made with. */
export interface Rights {
  isAdmin: boolean
  /** Whether the account reaches all projects. Administrators always do. */
  allProjects: boolean
  /** The roles of an account that does not reach all projects. */
  memberships: readonly { projectId: string; role: ProjectRole }[]
  /** The ids of the only projects of a limited token; null: the token is not limited. */
  tokenProjects: readonly string[] | null
}

export function reachOf({ isAdmin, allProjects, memberships, tokenProjects }: Rights): Reach {
  if (isAdmin || allProjects) return tokenProjects === null ? 'all' : new Map(tokenProjects.map((id) => [id, 'owner']))
  const roles = memberships.map(({ projectId, role }) => [projectId, role] as const)
  return new Map(roles.filter(([id]) => tokenProjects === null || tokenProjects.includes(id)))
}

/** Whether two reaches are the same. */
export function isSameReach(a: Reach, b: Reach): boolean {
  if (a === 'all' || b === 'all') return a === b
  return a.size === b.size && [...a].every(([id, role]) => b.get(id) === role)
}

/** The message of the refusal of a call that needs the reach of all projects. */
const needsAllProjects =
  'needs an account and a token that reach all projects. An administrator can let the account reach them'

/** Refuses with FORBIDDEN if the caller does not reach all projects. @param subject what needs it, such as a field */
export function checkAllProjects(reach: Reach, subject = 'This operation'): void {
  if (reach !== 'all') refuse('FORBIDDEN', `${subject} ${needsAllProjects}`)
}

/** Refuses with FORBIDDEN if the role does not include the needed one. */
export function checkRole(role: ProjectRole, needed: ProjectRole, subject = 'This operation'): void {
  if (includesRole(role, needed)) return
  refuse(
    'FORBIDDEN',
    `${subject} needs the role ${needed} in the project, and yours is ${role}. An owner of the project can change it ` +
      'with project.updateMember',
  )
}
