/**
 * The access rules: which tokens, roles and scopes can call an operation. An operation declares one `Access`. Only this
 * file defines which callers an `Access` permits. Pure. docs/accounts.md describes them.
 */
import { refuse } from '../errors.ts'
import { includesRole, type ProjectRole, type Reach } from './reach/reach.ts'

export type TokenKind = 'none' | 'installation' | 'invitation' | 'challenge' | 'session' | 'api'
export type Rol = 'admin' | 'user'
export type Scope = 'read' | 'deploy' | 'admin'

/**
 * The access that an operation declares. `anyone` needs no token. The first five are the sign-in operations. The others are
 * `<role>:<scope of an API token>`, or `<role>:session` if API tokens cannot call the operation. Administrators can
 * call the operations of users, and a wider scope includes the narrower ones.
 */
export type Access =
  | 'anyone'
  | 'createAdmin'
  | 'createUser'
  | 'login'
  | 'secondFactor'
  | 'user:read'
  | 'user:deploy'
  | 'user:admin'
  | 'user:session'
  | 'admin:read'
  | 'admin:admin'
  | 'admin:session'

/** The holder of a token. An installation token and an invitation have no account, so the role is `none`. */
export interface Holder {
  kind: TokenKind
  rol: Rol | 'none'
  /** The scope of an API token; null for other tokens. */
  scope: Scope | null
  /** Whether the token has expired. */
  expired: boolean
  reach: Reach
  /**
   * The role in the projects of the records that the call names: the narrowest if there are several. `owner` for a holder
   * that reaches all projects. Until the records are known, the narrowest of all.
   */
  role: ProjectRole
}

interface Rule {
  /** Description for the reference page. */
  text: string
  kinds: readonly TokenKind[]
  /** Whether an expired session is accepted too. */
  expiredSession?: true
  rol?: Rol
  scope?: Scope
}

const signedIn = ['session', 'api'] as const

const ruleOf: Record<Access, Rule> = {
  anyone: { text: 'Everyone, without a token', kinds: ['none'] },
  createAdmin: { text: 'The installation token, or any session or API token', kinds: ['installation', ...signedIn] },
  createUser: {
    text: 'The invitation or installation token, or any session or API token',
    kinds: ['invitation', 'installation', ...signedIn],
  },
  login: {
    text: 'The installation token, or any session or API token. An expired session is accepted too',
    kinds: ['installation', ...signedIn],
    expiredSession: true,
  },
  secondFactor: { text: 'The challengeToken from auth.login, only for its account', kinds: ['challenge'] },
  'user:read': { text: 'Every account, with a session or any API token', kinds: signedIn, rol: 'user', scope: 'read' },
  'user:deploy': {
    text: 'Every account, with a session or an API token of scope deploy or admin',
    kinds: signedIn,
    rol: 'user',
    scope: 'deploy',
  },
  'user:admin': {
    text: 'Every account, with a session or an API token of scope admin',
    kinds: signedIn,
    rol: 'user',
    scope: 'admin',
  },
  'user:session': {
    text: 'Every account, with a session. API tokens are not accepted',
    kinds: ['session'],
    rol: 'user',
  },
  'admin:read': {
    text: 'Administrators, with a session or any API token',
    kinds: signedIn,
    rol: 'admin',
    scope: 'read',
  },
  'admin:admin': {
    text: 'Administrators, with a session or an API token of scope admin',
    kinds: signedIn,
    rol: 'admin',
    scope: 'admin',
  },
  'admin:session': {
    text: 'Administrators, with a session. API tokens are not accepted',
    kinds: ['session'],
    rol: 'admin',
  },
}

/** Whether this is the access of a sign-in operation, which a caller can use without a session. */
export const isSignIn = (access: Access): boolean => ruleOf[access].rol === undefined

export const accessText = (access: Access): string => ruleOf[access].text

/** The columns of the access table on the reference page: the name and the rights of each caller. */
export const callers: Record<string, Holder> = {
  'no token': holderOf('none'),
  installation: holderOf('installation'),
  invitation: holderOf('invitation'),
  challenge: holderOf('challenge', 'admin'),
  'user session': holderOf('session', 'user'),
  'user API read': holderOf('api', 'user', 'read'),
  'user API deploy': holderOf('api', 'user', 'deploy'),
  'user API admin': holderOf('api', 'user', 'admin'),
  'admin session': holderOf('session', 'admin'),
  'admin API read': holderOf('api', 'admin', 'read'),
  'admin API deploy': holderOf('api', 'admin', 'deploy'),
  'admin API admin': holderOf('api', 'admin', 'admin'),
}

function holderOf(kind: TokenKind, rol: Holder['rol'] = 'none', scope: Scope | null = null): Holder {
  return { kind, rol, scope, expired: false, reach: 'all', role: 'owner' }
}

export const canCall = (access: Access, holder: Holder): boolean => faultOf(ruleOf[access], holder) === null

/** Refuses with UNAUTHORIZED if the token has expired, and with FORBIDDEN if it does not permit this access. */
export function checkAccess(access: Access, holder: Holder): void {
  const rule = ruleOf[access]
  if (holder.expired && !(rule.expiredSession === true && holder.kind === 'session')) {
    refuse('UNAUTHORIZED', 'This token has expired or was revoked. Sign in again')
  }
  const fault = faultOf(rule, holder)
  if (fault !== null) refuse('FORBIDDEN', fault)
}

/** Refusals for tokens that can only call sign-in operations. */
const signInOnlyMessages: Partial<Record<TokenKind, string>> = {
  installation: 'The installation token can only call auth.createAdmin, auth.login and auth.createUser',
  invitation: 'The token of an invitation can only call auth.createUser',
  challenge:
    'The sign-in is not complete. This token can only call auth.verifyLogin2FA with a code of the second factor',
}

function faultOf({ kinds, rol, scope }: Rule, holder: Holder): string | null {
  if (!kinds.includes(holder.kind)) {
    return (
      signInOnlyMessages[holder.kind] ??
      (kinds.includes('session')
        ? 'API tokens cannot call this operation. Sign in with auth.login and send the accessToken of the session'
        : 'Send the challengeToken that auth.login answered')
    )
  }
  if (rol === 'admin' && holder.rol !== 'admin') {
    const isLimited = holder.kind === 'api' && holder.reach !== 'all'
    const token = isLimited ? ', with a session or a token that is not limited to projects' : ''
    return `Only administrators can call this operation${token}`
  }
  if (scope !== undefined && holder.kind === 'api' && !includesScope(holder.scope, scope)) {
    return `This API token has the scope ${holder.scope}, but ${scope} is needed. Create another with auth.createToken`
  }
  return null
}

/** From the narrowest to the widest. */
const scopes: readonly Scope[] = ['read', 'deploy', 'admin']

/** Whether `scope` includes the scope `needed`. Null includes none. */
export function includesScope(scope: Scope | null, needed: Scope): boolean {
  return scope !== null && scopes.indexOf(scope) >= scopes.indexOf(needed)
}

/** Whether answers to this holder contain the passwords of the databases that the call names. Otherwise they are masked. */
export const canSeePasswords = ({ kind, scope, role }: Holder): boolean =>
  (kind === 'session' || includesScope(scope, 'admin')) && includesRole(role, 'developer')

/** The role that an operation of this access needs in a project, unless the operation declares another one. */
export function defaultRole(access: Access): ProjectRole {
  if (access === 'user:read') return 'viewer'
  return access === 'user:deploy' ? 'developer' : 'owner'
}
