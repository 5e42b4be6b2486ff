/** The present rights of a token: the role of its account, and the projects that the account and the token reach. */
import type { Rol } from '../../api/access.ts'
import { type ProjectRole, type Reach, reachOf } from '../../api/reach/reach.ts'
import { fromJson } from '../../lib/json.ts'
import { prepared } from '../../store/prepared.ts'
import type { Reader, TokenTable } from '../../store/schema.ts'
import { reachesAll } from '../accounts.ts'
import { membershipsOf } from './members.ts'

export interface TokenRights {
  /** An API token that is limited to projects has no rights of an administrator, also if its account is one. */
  rol: Rol
  reach: Reach
  role: ProjectRole
  isLimitedToken: boolean
}

/** The columns of a token and its account that decide about its rights. */
type Row = Pick<TokenTable, 'accountId' | 'projects'> & { rol: Rol; allProjects: 0 | 1 }

/** The rights of a token whose row and account were read. */
export async function rightsFrom(db: Reader, { accountId, projects, rol, allProjects }: Row): Promise<TokenRights> {
  const isAdmin = rol === 'admin'
  const isUnlimited = reachesAll({ rol, allProjects })
  // Most accounts reach all projects, and their calls need no further query.
  const memberships = isUnlimited ? [] : await membershipsOf(db, accountId)
  const tokenProjects = projects === null ? null : fromJson(projects)
  const reach = reachOf({ isAdmin, allProjects: isUnlimited, memberships, tokenProjects })
  const isLimitedToken = projects !== null
  return { rol: isLimitedToken ? 'user' : rol, reach, role: reach === 'all' ? 'owner' : 'viewer', isLimitedToken }
}

const rightsByTokenId = prepared((db, id: string) =>
  db
    .selectFrom('token')
    .innerJoin('account', 'account.id', 'token.accountId')
    .select(['token.accountId', 'token.projects', 'account.rol', 'account.allProjects'])
    .where('token.id', '=', id),
)

/** The rights of a token; undefined if it no longer exists. */
export async function rightsOf(db: Reader, tokenId: string): Promise<TokenRights | undefined> {
  const [row] = await rightsByTokenId(db, tokenId)
  return row === undefined ? undefined : rightsFrom(db, row)
}
