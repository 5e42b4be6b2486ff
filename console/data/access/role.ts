/** What the roles in projects allow. Pure. */

export type ProjectRole = 'viewer' | 'developer' | 'owner'

export const projectRoles: readonly ProjectRole[] = ['viewer', 'developer', 'owner']

/** Nulls also mean that the rights have not been read yet. */
export interface Rights {
  /** Why the person lacks a role in a project; null: the person has it. */
  whyNot(projectId: string, needed: ProjectRole): string | null
  /** Why the person has a role in no project at all; null: the person has it in one. */
  whyNowhere(needed: ProjectRole): string | null
}

/** @param memberships those of the account; undefined: it reaches all projects, or they have not been read yet */
export function rightsOf(memberships: readonly { projectId: string; role: ProjectRole }[] | undefined): Rights {
  if (memberships === undefined) return { whyNot: () => null, whyNowhere: () => null }
  return {
    whyNot(projectId, needed) {
      const role = memberships.find((each) => each.projectId === projectId)?.role
      if (role !== undefined && includes(role, needed)) return null
      return `This needs the role ${needed} in the project${role === undefined ? '' : `. Your role is ${role}`}`
    },
    whyNowhere: (needed) =>
      memberships.some(({ role }) => includes(role, needed)) ? null : `This needs the role ${needed} in a project`,
  }
}

const includes = (role: ProjectRole, needed: ProjectRole) => projectRoles.indexOf(role) >= projectRoles.indexOf(needed)
