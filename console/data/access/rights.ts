/** What the person may do in a project. Berth checks it again: this only says why a button is unavailable. */
import { account, isAdmin } from '../session.ts'
import { useQuery } from '../live/query.ts'
import { type ProjectRole, projectRoles, type Rights, rightsOf } from './role.ts'

/** What each role may do in its project, in a sentence. */
export const projectRoleTexts: Record<ProjectRole, string> = {
  viewer: 'reads everything but passwords.',
  developer: 'also reads passwords, deploys, starts, stops, runs backups and opens terminals.',
  owner: 'also changes, restores and removes, and manages the members.',
}

export const projectRoleChoices = projectRoles.map((value) => ({ value, text: value }))

/** Whether the account reaches all projects, and what belongs to none. */
export const reachesAllProjects = (): boolean => account().allProjects !== false

/** Why the account cannot do what concerns all projects; null: it can. */
export const whyNotAllProjects = (): string | null =>
  reachesAllProjects() ? null : 'This needs an account that reaches all projects'

/** Why a screen is closed to the account; null: it is open. */
export function whyClosed(screen: {
  isForAdmins?: boolean
  needsAllProjects?: boolean
}): 'admin' | 'allProjects' | null {
  if (screen.isForAdmins && !isAdmin()) return 'admin'
  return screen.needsAllProjects && !reachesAllProjects() ? 'allProjects' : null
}

export function useRights(): Rights {
  const isLimited = !reachesAllProjects()
  const own = useQuery('user.byAuthId', isLimited ? { authId: account().id } : null, { kinds: ['account', 'member'] })
  return rightsOf(isLimited ? own.data.value?.projects : undefined)
}
