/** Accounts signing in and out, and the tokens that they hold. Knows no header: who calls is the context's actor. */
import { z } from 'zod'
import { action, command, query } from '../contract.ts'
import { refuse } from '../errors.ts'
import { mask } from '../lib/mask.ts'
import { accountGuesser, addressGuesser, countTry, forgetTries, takeBack } from '../store/attempts.ts'
import { prepared } from '../store/prepared.ts'
import type { AccountTable, Reader, Writer } from '../store/schema.ts'
import { issueToken } from '../store/tokens.ts'

/** 254: as long as an address can be in SMTP (RFC 5321 4.5.3.1.3, less the angle brackets). */
const Email = z.email('must be an e-mail address, like ada@example.org').max(254, 'must have at most 254 characters')

/** Any text, NUL and all, for it is only ever hashed. */
const Password = z.string().min(8, 'must have at least 8 characters').max(1024, 'must have at most 1,024 characters')

const NewPassword = Password.refine((text) => text !== mask, 'is the mask of secrets, not a password')

/** Secrets of an account are written, never read: the contract lets these three be null. */
const Account = z.object({
  id: z.string(),
  email: z.string(),
  password: z.null(),
  rol: z.enum(['admin', 'user']),
  image: z.string(),
  secret: z.null(),
  token: z.null(),
  is2FAEnabled: z.boolean(),
  createdAt: z.string(),
})

const SignedIn = z.object({
  accessToken: z.string().describe('Shown once. Send it as "Authorization: Bearer <accessToken>"'),
  expiresAt: z.string().describe('Sooner after 7 days without use'),
  account: Account,
})

export const createAdmin = action({
  name: 'auth.createAdmin',
  summary: 'Make the first account, the administrator',
  description: 'Once: when there is an account, this is 409. It signs in as well.',
  access: 'entry',
  input: z.object({ email: Email, password: NewPassword }),
  output: SignedIn,
  refusals: ['CONFLICT', 'TOO_MANY_REQUESTS'],
  async run({ transact, passwords, actor, now, newId }, { email, password }) {
    const counted = await transact(async (tx) => {
      await refuseSecond(tx)
      return countTry(tx, [addressGuesser(actor.address)], now())
    })
    const passwordHash = await passwords.hash(password)
    return transact(async (tx) => {
      // Another call may have made it while this one hashed.
      await refuseSecond(tx)
      await takeBack(tx, counted)
      return signIn(tx, await insertAdmin(tx, newId(), email, passwordHash, now()), newId(), now())
    })
  },
})

export const login = action({
  name: 'auth.login',
  summary: 'Sign in with e-mail and password',
  description: 'Each call gives a session of its own: 30 days, or 7 without use. After wrong tries, waits grow.',
  access: 'entry',
  takesExpired: true,
  input: z.object({ email: Email, password: Password }),
  output: SignedIn,
  refusals: ['TOO_MANY_REQUESTS'],
  async run({ db, transact, passwords, actor, now, newId }, { email, password }) {
    const who = accountGuesser(keyOf(email))
    const counted = await transact((tx) => countTry(tx, [who, addressGuesser(actor.address)], now()))
    const account = await findByEmail(db, email)
    // Before anything depends on whether there is an account: the work is the same for both.
    const fits = await passwords.verify(account?.passwordHash, password)
    if (account === undefined || !fits) refuseLogin()
    return transact(async (tx) => {
      const present = await findByEmail(tx, email)
      if (present?.passwordHash !== account.passwordHash) refuseLogin()
      await takeBack(tx, counted)
      await forgetTries(tx, who)
      return signIn(tx, present, newId(), now())
    })
  },
})

export const get = query({
  name: 'auth.get',
  summary: 'Read your own account',
  access: 'user',
  input: z.object({}),
  output: Account,
  async run({ db, actor }) {
    const [row] = await accountById(db, actor.accountId)
    return toRecord(row ?? refuse('UNAUTHORIZED', 'This account is no longer there'))
  },
})

export const logout = command({
  name: 'auth.logout',
  summary: 'End the session that this call is made with',
  description: 'Other sessions and the API token of the account stay.',
  access: 'session',
  input: z.object({}),
  output: z.object({ accountId: z.string(), kind: z.literal('session'), endedAt: z.string() }),
  async run({ tx, actor, now }) {
    await tx.deleteFrom('token').where('id', '=', actor.tokenId).execute()
    return { accountId: actor.accountId, kind: 'session' as const, endedAt: now().toISOString() }
  },
})

export const verifyToken = action({
  name: 'auth.verifyToken',
  summary: 'Ask whether the token that this call is made with is good, and whose it is',
  access: 'user',
  input: z.object({}),
  output: z.object({
    valid: z.literal(true),
    accountId: z.string(),
    rol: z.enum(['admin', 'user']),
    kind: z.enum(['session', 'api']),
    expiresAt: z.string().nullable().describe('Null: until it is replaced'),
  }),
  async run({ actor: { accountId, rol, kind, expiresAt } }) {
    if (rol === 'none' || kind === 'installation') throw new Error('admit lets no installation token in here')
    return { valid: true as const, accountId, rol, kind, expiresAt }
  },
})

export const generateToken = command({
  name: 'auth.generateToken',
  summary: 'Make a new API token in place of your last one',
  description: 'For scripts. It is shown once, has no end, and the one before it stops working with this answer.',
  access: 'session',
  input: z.object({}),
  output: z.object({ token: z.string() }),
  async run({ tx, actor: { accountId }, now, newId }) {
    await tx.deleteFrom('token').where('accountId', '=', accountId).where('kind', '=', 'api').execute()
    const { token } = await issueToken(tx, 'api', accountId, newId(), now())
    return { token }
  },
})

const accountById = prepared((db, id: string) => db.selectFrom('account').selectAll().where('id', '=', id))

/** E-mails are one when they differ only in case. */
function keyOf(email: string) {
  return email.toLowerCase()
}

function findByEmail(db: Reader, email: string) {
  return db.selectFrom('account').selectAll().where('emailKey', '=', keyOf(email)).executeTakeFirst()
}

function refuseLogin(): never {
  refuse('UNAUTHORIZED', 'Wrong e-mail or password')
}

async function refuseSecond(tx: Writer) {
  const account = await tx.selectFrom('account').select('id').limit(1).executeTakeFirst()
  if (account !== undefined) refuse('CONFLICT', 'There is an administrator already. Sign in with auth.login')
}

async function insertAdmin(tx: Writer, id: string, email: string, passwordHash: string, now: Date) {
  const createdAt = now.toISOString()
  const row: AccountTable = {
    id, email, emailKey: keyOf(email), passwordHash, rol: 'admin', image: '', is2FAEnabled: 0, createdAt,
  }
  await tx.insertInto('account').values(row).execute()
  return row
}

async function signIn(tx: Writer, account: AccountTable, tokenId: string, now: Date) {
  const { token, expiresAt } = await issueToken(tx, 'session', account.id, tokenId, now)
  if (expiresAt === null) throw new Error('a session has an end')
  return { accessToken: token, expiresAt, account: toRecord(account) }
}

function toRecord({ id, email, rol, image, is2FAEnabled, createdAt }: AccountTable) {
  const secrets = { password: null, secret: null, token: null }
  return { id, email, rol, image, ...secrets, is2FAEnabled: is2FAEnabled === 1, createdAt }
}
