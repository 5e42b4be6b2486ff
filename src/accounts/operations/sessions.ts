/** Operations on the sessions and API tokens of the own account. */
import { z } from 'zod'
import { command, type CommandContext, query } from '../../api/contract.ts'
import { refuse, refuseField } from '../../errors.ts'
import type { Reader, TokenTable, Writer } from '../../store/schema.ts'
import { deleteToken, deleteUnnamedToken, isExpired, issueToken } from '../tokens.ts'
import { Scope } from '../fields.ts'
import { cutPage, Id, Name, page } from '../../api/fields.ts'

const Session = z.object({
  sessionId: z.string(),
  isCurrent: z.boolean().describe('Whether this call uses the session'),
  address: z.string().describe('IP address of the sign-in'),
  passed2FA: z.boolean(),
  createdAt: z.string(),
  lastUsedAt: z.string().describe('Accurate to ten minutes'),
  expiresAt: z.string().describe('The session ends earlier after 7 days without use'),
})

export const sessions = query({
  name: 'auth.sessions',
  summary: 'List your active sessions, oldest first',
  access: 'user:session',
  input: z.object(page),
  output: z.array(Session),
  async run({ db, actor, now, more }, { limit, cursor }) {
    const rows = await select(db, actor.accountId, 'session', cursor).execute()
    const open = rows.filter((row) => !isExpired(row, now()))
    return cutPage(open, limit, more).map((row) => toSession(row, actor.tokenId))
  },
})

export const revokeSession = command({
  name: 'auth.revokeSession',
  summary: 'End one of your sessions',
  access: 'user:session',
  input: z.object({ sessionId: Id }),
  output: Session,
  refusals: ['NOT_FOUND'],
  async run({ tx, actor, now }, { sessionId }) {
    const row = await find(tx, actor.accountId, 'session', sessionId)
    if (row === undefined || isExpired(row, now())) {
      refuse('NOT_FOUND', 'You have no such session. auth.sessions lists them')
    }
    await deleteToken(tx, row.id)
    return toSession(row, actor.tokenId)
  },
})

const ApiScope = Scope.describe(
  'read: all reads, without passwords; deploy: also deploy, start, stop, reload, and run backups and drills; ' +
    'admin: everything that API tokens with your role can do',
)

const Instant = z.iso
  .datetime({ offset: true, error: 'must be a time in ISO 8601, like 2030-01-31T12:00:00Z' })
  // Later years have five digits and would not sort as text.
  .refine((text) => new Date(text).getUTCFullYear() <= 9999, 'must be before the year 10000')
  .transform((text) => new Date(text).toISOString())

const ApiToken = z.object({
  tokenId: z.string(),
  name: z.string().nullable().describe('Null for the token of auth.generateToken'),
  scope: ApiScope,
  createdAt: z.string(),
  lastUsedAt: z.string().describe('Accurate to ten minutes'),
  expiresAt: z.string().nullable().describe('Null: valid until it is revoked'),
})

export const createToken = command({
  name: 'auth.createToken',
  summary: 'Create an API token with a name, a scope and an optional expiry',
  access: 'user:session',
  input: z.object({
    name: Name,
    scope: ApiScope,
    expiresAt: Instant.optional().describe('Without it the token is valid until it is revoked'),
  }),
  output: ApiToken.extend({ token: z.string().describe('Shown once') }),
  refusals: ['CONFLICT'],
  async run(context, { name, scope, expiresAt }) {
    const { tx, actor, now } = context
    if (expiresAt !== undefined && Date.parse(expiresAt) <= now().getTime()) {
      refuseField('expiresAt', 'must be in the future')
    }
    const same = await tx
      .selectFrom('token')
      .select('id')
      .where('accountId', '=', actor.accountId)
      .where('kind', '=', 'api')
      .where('name', '=', name)
      .executeTakeFirst()
    if (same !== undefined) refuseField('name', 'you already have a token with this name', 'CONFLICT')
    return issue(context, { name, scope, expiresAt: expiresAt ?? null })
  },
})

export const tokens = query({
  name: 'auth.tokens',
  summary: 'List your API tokens, oldest first; the tokens themselves are not stored',
  access: 'user:session',
  input: z.object(page),
  output: z.array(ApiToken),
  async run({ db, actor, more }, { limit, cursor }) {
    return cutPage(await select(db, actor.accountId, 'api', cursor).execute(), limit, more).map(toApiToken)
  },
})

export const revokeToken = command({
  name: 'auth.revokeToken',
  summary: 'Revoke one of your API tokens',
  access: 'user:session',
  input: z.object({ tokenId: Id }),
  output: ApiToken,
  refusals: ['NOT_FOUND'],
  async run({ tx, actor }, { tokenId }) {
    const row =
      (await find(tx, actor.accountId, 'api', tokenId)) ??
      refuse('NOT_FOUND', 'You have no such API token. auth.tokens lists them')
    await deleteToken(tx, row.id)
    return toApiToken(row)
  },
})

export const generateToken = command({
  name: 'auth.generateToken',
  summary: 'Create an API token that replaces the previous one of this operation',
  description:
    'For scripts. The token has the scope admin and does not expire. It is shown once. The previous token of this ' +
    'operation is revoked. auth.createToken creates tokens with a narrower scope.',
  access: 'user:session',
  input: z.object({}),
  output: z.object({ token: z.string() }),
  async run(context) {
    await deleteUnnamedToken(context.tx, context.actor.accountId)
    const { token } = await issue(context, { name: null, scope: 'admin', expiresAt: null })
    return { token }
  },
})

type TokenFields = Pick<TokenTable, 'name' | 'expiresAt'> & { scope: z.output<typeof Scope> }

async function issue({ tx, actor, now, newId }: CommandContext, fields: TokenFields) {
  const { accountId, address } = actor
  const { token, row } = await issueToken(tx, { ...fields, id: newId(), kind: 'api', accountId, address }, now())
  return { ...toApiToken(row), token }
}

type Kind = 'session' | 'api'

function select(db: Reader, accountId: string, kind: Kind, cursor = '') {
  return db
    .selectFrom('token')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('kind', '=', kind)
    .where('id', '>', cursor)
    .orderBy('id')
}

function find(tx: Writer, accountId: string, kind: Kind, id: string): Promise<TokenTable | undefined> {
  return select(tx, accountId, kind).where('id', '=', id).executeTakeFirst()
}

function toSession({ id, address, passed2FA, createdAt, lastUsedAt, expiresAt }: TokenTable, current: string) {
  return {
    sessionId: id,
    isCurrent: id === current,
    address,
    passed2FA: passed2FA === 1,
    createdAt,
    lastUsedAt,
    expiresAt: expiresAt!,
  }
}

function toApiToken({ id, name, scope, createdAt, lastUsedAt, expiresAt }: TokenTable) {
  return { tokenId: id, name, scope: scope!, createdAt, lastUsedAt, expiresAt }
}
