/**
 * Access rules: which token, role and scope can call an operation that declares an access. No other file decides this.
 * Pure. Source: SPEC section 2.
 */
import { refuse } from '../errors.ts'

export type TokenKind = 'installation' | 'invitation' | 'challenge' | 'session' | 'api'
export type Rol = 'admin' | 'user'
export type Scope = 'read' | 'deploy' | 'admin'

/**
 * The access that an operation declares. The first four are the sign-in operations. The others are
 * `<role>:<scope of an API token>`, or `<role>:session` if API tokens cannot call the operation. Administrators can
 * call the operations of users, and a wider scope includes the narrower ones.
 */
export type Access =
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

/** The rights of a token. An installation token and an invitation have no account and therefore no role. */
export interface Holder {
  kind: TokenKind
  rol: Rol | 'none'
  /** The scope of an API token; null for other tokens. */
  scope: Scope | null
  /** Whether the token has expired. */
  expired: boolean
}

interface Rule {
  /** Description for the reference page. */
  text: string
  kinds: readonly TokenKind[]
  /** An expired session is accepted too. */
  expiredSession?: true
  rol?: Rol
  scope?: Scope
}

const signedIn = ['session', 'api'] as const

const ruleOf: Record<Access, Rule> = {
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

/** Whether the access is that of a sign-in operation, which a caller can use without a session. */
export const isWayIn = (access: Access): boolean => ruleOf[access].rol === undefined

export const accessText = (access: Access): string => ruleOf[access].text

/** The columns of the access table on the reference page: the name of a caller and its rights. */
export const callers: Record<string, Holder> = {
  installation: holder('installation'),
  invitation: holder('invitation'),
  challenge: holder('challenge', 'admin'),
  'user session': holder('session', 'user'),
  'user API read': holder('api', 'user', 'read'),
  'user API deploy': holder('api', 'user', 'deploy'),
  'user API admin': holder('api', 'user', 'admin'),
  'admin session': holder('session', 'admin'),
  'admin API read': holder('api', 'admin', 'read'),
  'admin API deploy': holder('api', 'admin', 'deploy'),
  'admin API admin': holder('api', 'admin', 'admin'),
}

function holder(kind: TokenKind, rol: Holder['rol'] = 'none', scope: Scope | null = null): Holder {
  return { kind, rol, scope, expired: false }
}

export const mayCall = (access: Access, it: Holder): boolean => faultOf(ruleOf[access], it) === null

/** Refuses with UNAUTHORIZED if the token has expired, and with FORBIDDEN if it does not permit this access. */
export function checkAccess(access: Access, it: Holder): void {
  const rule = ruleOf[access]
  if (it.expired && !(rule.expiredSession === true && it.kind === 'session')) {
    refuse('UNAUTHORIZED', 'This token has expired or was revoked. Sign in again')
  }
  const fault = faultOf(rule, it)
  if (fault !== null) refuse('FORBIDDEN', fault)
}

const onlyOpens: Partial<Record<TokenKind, string>> = {
  installation: 'The installation token opens only auth.createAdmin, auth.login and auth.createUser',
  invitation: 'An invitation opens only auth.createUser',
  challenge: 'The second factor is still to be shown: this token opens only auth.verifyLogin2FA',
}

function faultOf({ kinds, rol, scope }: Rule, it: Holder): string | null {
  if (!kinds.includes(it.kind)) {
    return (
      onlyOpens[it.kind] ??
      (kinds.includes('session')
        ? 'An API token cannot do this. Sign in with auth.login and use that session'
        : 'Send the challengeToken that auth.login answered')
    )
  }
  if (rol === 'admin' && it.rol !== 'admin') return 'This is for administrators'
  if (scope !== undefined && it.kind === 'api' && !reaches(it.scope, scope)) {
    return `This API token has the scope ${it.scope}, and this needs ${scope}. Make another with auth.createToken`
  }
  return null
}

const widening: readonly Scope[] = ['read', 'deploy', 'admin']

/** Whether a scope includes another one. */
export function reaches(scope: Scope | null, needed: Scope): boolean {
  return scope !== null && widening.indexOf(scope) >= widening.indexOf(needed)
}

/** Whether answers contain passwords of databases. API tokens of scope read or deploy get them masked. */
export const seesPasswords = ({ kind, scope }: Holder): boolean => kind === 'session' || reaches(scope, 'admin')
