/** Operations on the sessions and API tokens of the caller's account. */
import { z } from 'zod'
import { action, type ActionContext, command, query } from '../../api/contract.ts'
import { refuse, refuseField } from '../../errors.ts'
import type { Reader, TokenTable, Writer } from '../../store/schema.ts'
import { deleteToken, deleteUnnamedToken, isExpired, issueToken } from '../tokens.ts'
import { Scope } from '../fields.ts'
import { answeredIdOf, CreatedAt, cutPage, idOf, Name, page } from '../../api/fields.ts'
import { checkOwner, proofRule, proofShape } from '../reauthentication.ts'

const Session = z.object({
  sessionId: answeredIdOf('session'),
  isCurrent: z.boolean().describe('Whether this call was made with this session'),
  address: z.string().describe('IP address from which you signed in'),
  passed2FA: z.boolean().describe('Whether a code of the second factor was sent in this session'),
  createdAt: z.string().describe('When you signed in'),
  lastUsedAt: z.string().describe('Time of the last call, accurate to ten minutes'),
  expiresAt: z.string().describe('When the session ends; earlier after 7 days without use'),
})

export const sessions = query({
  name: 'auth.sessions',
  summary: 'List your active sessions, oldest first',
  access: 'user:session',
  input: z.object(page),
  output: z.array(Session),
  async run({ db, actor, clock, setNextCursor }, { limit, cursor }) {
    const rows = await tokensOf(db, actor.accountId, 'session', cursor).execute()
    const active = rows.filter((row) => !isExpired(row, clock.latest()))
    return cutPage(active, limit, setNextCursor).map((row) => toSession(row, actor.tokenId))
  },
})

export const revokeSession = command({
  name: 'auth.revokeSession',
  summary: 'End one of your sessions',
  access: 'user:session',
  input: z.object({ sessionId: idOf('session') }),
  output: Session,
  refusals: ['NOT_FOUND'],
  async run({ tx, actor, clock, endCookieSession }, { sessionId }) {
    const row = await findToken(tx, actor.accountId, 'session', sessionId)
    if (row === undefined || isExpired(row, clock.latest())) {
      refuse('NOT_FOUND', 'You have no active session with this id. auth.sessions lists your sessions')
    }
    await deleteToken(tx, row.id)
    if (row.id === actor.tokenId) endCookieSession()
    return toSession(row, actor.tokenId)
  },
})

const ApiScope = Scope.describe(
  'read: all read operations, with database passwords masked. deploy: also deploy, start, stop and reload services, ' +
    'and run backups and drills. admin: every operation that your role permits, except those that need a session',
)

const Instant = z.iso
  .datetime({ offset: true, error: 'must be a time in ISO 8601, like 2030-01-31T12:00:00Z' })
  // toISOString writes years after 9999 with a sign and six digits. Such times would not sort as text.
  .refine((text) => new Date(text).getUTCFullYear() <= 9999, 'must be before the year 10000')
  .transform((text) => new Date(text).toISOString())

const ApiToken = z.object({
  tokenId: answeredIdOf('token'),
  name: z.string().nullable().describe('Name of the token. Null if auth.generateToken created the token'),
  scope: ApiScope,
  createdAt: CreatedAt,
  lastUsedAt: z.string().describe('Time of the last call, accurate to ten minutes'),
  expiresAt: z.string().nullable().describe('When the token expires. Null: it is valid until it is revoked'),
})

const Token = z.string().describe('The token, which begins with berth_api_. Only this answer contains it')

export const createToken = action({
  name: 'auth.createToken',
  summary: 'Create an API token with a name, a scope and an optional expiry',
  description: proofRule,
  access: 'user:session',
  input: z.object({
    name: Name.describe('Name of the token, such as pipeline. You can have one token of each name'),
    scope: ApiScope,
    expiresAt: Instant.optional().describe(
      'When the token expires, such as 2030-01-31T12:00:00Z. If omitted, it is valid until it is revoked',
    ),
    ...proofShape,
  }),
  output: ApiToken.extend({ token: Token }),
  refusals: ['FORBIDDEN', 'CONFLICT', 'TOO_MANY_REQUESTS'],
  async run(context, { name, scope, expiresAt, ...proof }) {
    const { conclude, actor, now } = context
    if (expiresAt !== undefined && Date.parse(expiresAt) <= now().getTime()) {
      refuseField('expiresAt', 'must be in the future')
    }
    const confirm = await checkOwner(context, true, proof)
    return conclude(async (tx) => {
      await confirm(tx)
      if (await hasTokenNamed(tx, actor.accountId, name))
        refuseField('name', 'you already have a token with this name', 'CONFLICT')
      return issueApiToken(tx, context, { name, scope, expiresAt: expiresAt ?? null })
    })
  },
})

export const tokens = query({
  name: 'auth.tokens',
  summary: 'List your API tokens, oldest first',
  description: 'The answer does not contain the tokens themselves, because Berth stores only their hashes.',
  access: 'user:session',
  input: z.object(page),
  output: z.array(ApiToken),
  async run({ db, actor, setNextCursor }, { limit, cursor }) {
    return cutPage(await tokensOf(db, actor.accountId, 'api', cursor).execute(), limit, setNextCursor).map(toApiToken)
  },
})

export const revokeToken = command({
  name: 'auth.revokeToken',
  summary: 'Revoke one of your API tokens',
  access: 'user:session',
  input: z.object({ tokenId: idOf('token') }),
  output: ApiToken,
  refusals: ['NOT_FOUND'],
  async run({ tx, actor }, { tokenId }) {
    const row =
      (await findToken(tx, actor.accountId, 'api', tokenId)) ??
      refuse('NOT_FOUND', 'You have no API token with this id. auth.tokens lists your tokens')
    await deleteToken(tx, row.id)
    return toApiToken(row)
  },
})

export const generateToken = action({
  name: 'auth.generateToken',
  summary: 'Create an unnamed API token and revoke the previous one',
  description:
    'The token is meant for scripts. It has the scope admin and does not expire. Only this answer contains the ' +
    'token. The previous token of this operation is revoked. To create a token with a narrower scope, call ' +
    `auth.createToken. ${proofRule}`,
  access: 'user:session',
  input: z.object(proofShape),
  output: z.object({ token: Token }),
  refusals: ['FORBIDDEN', 'TOO_MANY_REQUESTS'],
  async run(context, proof) {
    const confirm = await checkOwner(context, true, proof)
    return context.conclude(async (tx) => {
      await confirm(tx)
      await deleteUnnamedToken(tx, context.actor.accountId)
      const { token } = await issueApiToken(tx, context, { name: null, scope: 'admin', expiresAt: null })
      return { token }
    })
  },
})

/** The name, scope and expiry of a new API token. */
type TokenFields = Pick<TokenTable, 'name' | 'expiresAt'> & { scope: z.output<typeof Scope> }

async function hasTokenNamed(tx: Writer, accountId: string, name: string): Promise<boolean> {
  return (await tokensOf(tx, accountId, 'api').where('name', '=', name).executeTakeFirst()) !== undefined
}

async function issueApiToken(tx: Writer, { actor, clock, newId }: ActionContext, fields: TokenFields) {
  const { accountId, address } = actor
  const { token, row } = await issueToken(
    tx,
    { ...fields, id: newId(), kind: 'api', accountId, address },
    clock.latest(),
  )
  return { ...toApiToken(row), token }
}

type Kind = 'session' | 'api'

/** Selects an account's sessions or API tokens whose id comes after the cursor, oldest first. */
function tokensOf(db: Reader, accountId: string, kind: Kind, cursor = '') {
  return db
    .selectFrom('token')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('kind', '=', kind)
    .where('id', '>', cursor)
    .orderBy('id')
}

function findToken(tx: Writer, accountId: string, kind: Kind, id: string): Promise<TokenTable | undefined> {
  return tokensOf(tx, accountId, kind).where('id', '=', id).executeTakeFirst()
}

function toSession({ id, address, passed2FA, createdAt, lastUsedAt, expiresAt }: TokenTable, currentTokenId: string) {
  return {
    sessionId: id,
    isCurrent: id === currentTokenId,
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
