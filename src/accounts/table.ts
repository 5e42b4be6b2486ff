/** The tables of accounts: what signs in, what limits it, and the members of projects. */
import type { Rol, Scope, TokenKind } from '../api/access.ts'
import type { ProjectRole } from '../api/reach/reach.ts'
import type { Json } from '../lib/json.ts'
import type { Flag, Sealed, Time } from '../store/column-types.ts'

export interface AccountTable {
  id: string
  email: string
  /** The e-mail address in lower case, for comparison. */
  emailKey: string
  passwordHash: string
  rol: Rol
  image: string
  is2FAEnabled: Flag
  /** The shared secret of the second factor. Null while the second factor is off. */
  secret: Sealed | null
  /** The time step of the last accepted code. Codes of this and earlier steps are rejected. */
  pinStep: number
  createdAt: Time
  /** Whether the account reaches all projects. If not, it reaches those of which it is a member. */
  allProjects: Flag
  /** When a token of the account was last used, with an accuracy of ten minutes. Null means never. */
  lastSeenAt: Time | null
}

export interface TokenTable {
  id: string
  /** SHA-256 of the token, hexadecimal. */
  hash: string
  /** A `challenge` belongs to a sign-in that waits for the second factor. */
  kind: Exclude<TokenKind, 'none' | 'installation' | 'invitation'>
  accountId: string
  createdAt: Time
  lastUsedAt: Time
  /** Null means that the token is valid until it is replaced or revoked. */
  expiresAt: Time | null
  /** The address of the caller who created the token. */
  address: string
  /** The name of an API token. Null for the token of auth.generateToken and for other kinds of token. */
  name: string | null
  /** The scope of an API token. Null for other kinds of token. */
  scope: Scope | null
  /** The ids of the only projects that an API token reaches. Null: those that its account reaches. */
  projects: Json<readonly string[]> | null
  /** Whether the session passed the second factor. */
  passed2FA: Flag
  /** How many codes were tried for a challenge. */
  attempts: number
}

/** Codes that replace a lost second factor. A code is deleted when it is used. */
export interface RecoveryCodeTable {
  accountId: string
  hash: string
}

export interface InvitationTable {
  id: string
  /** SHA-256 of the invitation's token, hexadecimal. */
  hash: string
  email: string
  emailKey: string
  rol: Rol
  /** The projects of the account and its roles in them. Null: the account reaches all projects. */
  projects: Json<readonly Membership[]> | null
  /** The administrator who invited. The invitation is deleted when this account is deleted or loses the role. */
  invitedBy: string
  createdAt: Time
  expiresAt: Time
}

/**
 * Failed sign-ins and similar attempts. The table has one row for each limit that counted a recent failure. `subject`
 * is a hash of the account, or null for a limit that concerns no account.
 */
export interface AttemptTable {
  key: string
  subject: string | null
  failures: number
  blockedUntil: Time
  updatedAt: Time
}

/** A network from which an account signed in. Berth stores the five newest of each account, for 30 days. */
export interface KnownNetworkTable {
  accountId: string
  /** An IPv4 address, or the /64 of an IPv6 address. */
  network: string
  /** Time of the last sign-in from this network, ISO 8601. */
  seenAt: string
}

/** A role in a project. */
export interface Membership {
  projectId: string
  role: ProjectRole
}

/** A member of a project. An account that reaches all projects can be a member too: the rows count when it does not. */
export interface ProjectMemberTable extends Membership {
  accountId: string
  createdAt: Time
}
