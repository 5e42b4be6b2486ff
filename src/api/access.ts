/**
 * Who may call what: the one place where tokens, roles and scopes meet the access that an operation declares.
 * Pure; knows no operation. Source: SPEC section 2.
 */
import { refuse } from '../errors.ts'

export type TokenKind = 'installation' | 'invitation' | 'challenge' | 'session' | 'api'
export type Rol = 'admin' | 'user'
export type Scope = 'read' | 'deploy' | 'admin'

/**
 * What an operation declares. The first four are the ways in. The others are `<role>:<what an API token must have>`:
 * one of its scopes, or `session` where no API token does. An administrator may what a user may, and a wider scope
 * what a narrower one may.
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

/** What a token is good for. An installation token and an invitation have no account, and so no role. */
export interface Holder {
  kind: TokenKind
  rol: Rol | 'none'
  /** Of an API token; null otherwise. */
  scope: Scope | null
  /** Past its time. */
  expired: boolean
}

interface Rule {
  /** In words, for the reference. */
  text: string
  kinds: readonly TokenKind[]
  /** A session past its time opens it as well. */
  expiredSession?: true
  rol?: Rol
  scope?: Scope
}

const signedIn = ['session', 'api'] as const

const ruleOf: Record<Access, Rule> = {
  createAdmin: { text: 'The installation token, or any session or API token', kinds: ['installation', ...signedIn] },
  createUser: {
    text: 'The token of the invitation or of the installation, or any session or API token',
    kinds: ['invitation', 'installation', ...signedIn],
  },
  login: {
    text: 'The installation token, or any session or API token; a session that has ended by time as well',
    kinds: ['installation', ...signedIn],
    expiredSession: true,
  },
  secondFactor: { text: 'The challengeToken of auth.login, for its account alone', kinds: ['challenge'] },
  'user:read': { text: 'Every account, by a session or any API token', kinds: signedIn, rol: 'user', scope: 'read' },
  'user:deploy': {
    text: 'Every account, by a session or an API token of scope deploy or admin',
    kinds: signedIn,
    rol: 'user',
    scope: 'deploy',
  },
  'user:admin': {
    text: 'Every account, by a session or an API token of scope admin',
    kinds: signedIn,
    rol: 'user',
    scope: 'admin',
  },
  'user:session': { text: 'Every account, by a session; no API token does', kinds: ['session'], rol: 'user' },
  'admin:read': { text: 'Administrators, by a session or any API token', kinds: signedIn, rol: 'admin', scope: 'read' },
  'admin:admin': {
    text: 'Administrators, by a session or an API token of scope admin',
    kinds: signedIn,
    rol: 'admin',
    scope: 'admin',
  },
  'admin:session': { text: 'Administrators, by a session; no API token does', kinds: ['session'], rol: 'admin' },
}

/** Whether it is a way in: called before there is a session. */
export const isWayIn = (access: Access): boolean => ruleOf[access].rol === undefined

export const accessText = (access: Access): string => ruleOf[access].text

/** The columns of the table of access, each by what it stands for. */
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

/** Refuses with UNAUTHORIZED where the token is past its time, with FORBIDDEN where it is good but not for this. */
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

/** Whether a scope takes in another one. */
export function reaches(scope: Scope | null, needed: Scope): boolean {
  return scope !== null && widening.indexOf(scope) >= widening.indexOf(needed)
}

/** Passwords of databases are for connecting: a token that may only read or deploy gets them masked. */
export const seesPasswords = ({ kind, scope }: Holder): boolean => kind === 'session' || reaches(scope, 'admin')
