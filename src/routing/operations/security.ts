/** Operations on the users of basic auth of applications. The API never returns a password. */
import { z } from 'zod'
import { action, query } from '../../api/contract.ts'
import { refuse, refuseField } from '../../errors.ts'
import { bcryptFault } from '../../lib/crypto/bcrypt.ts'
import { mask } from '../../lib/crypto/mask.ts'
import { isSameApplication } from '../application-lookup.ts'
import { openHash, readApplications, type Rules, sealHash } from '../queries.ts'
import type { SecurityTable } from '../table.ts'
import type { Reader } from '../../store/schema.ts'
import { answerShape } from '../../api/answer-shape.ts'
import { answeredIdOf, CreatedAt, cutPage, Id, idOf, page, refuseMask } from '../../api/fields.ts'
import {
  AnsweredApplicationId,
  ApplicationId,
  checkApplication,
  proxyStatusReader,
  type RuleStatus,
  ruleStatusFields,
} from '../fields.ts'

/** A username has no colon, because a colon ends the username in the Authorization header (RFC 7617, section 2). */
const Username = z
  .string()
  .min(1, 'must not be empty')
  .max(255, 'must have at most 255 characters')
  .regex(/^[^:\u0000-\u001f\u007f-\u009f]*$/, 'must contain neither a colon nor control characters')

const Password = z
  .string()
  .min(1, 'must not be empty')
  .superRefine((password, context) => {
    const message = bcryptFault(password)
    if (message !== null) context.addIssue({ code: 'custom', message })
  })

const fields = {
  username: Username.describe('The name that the user enters, without a colon'),
  password: Password.describe('The password that the user enters, at most 72 bytes'),
}

const Security = z.object({
  securityId: answeredIdOf('user of basic auth'),
  applicationId: AnsweredApplicationId,
  ...answerShape({ username: fields.username }),
  password: z.literal(mask).describe('Always this mask. In security.update, the mask keeps the stored password'),
  createdAt: CreatedAt,
  ...ruleStatusFields,
})

const inForceText =
  'The change is in force when the call is answered. If an application has users, the proxy requires basic auth for ' +
  'all requests to it.'

export const create = action({
  name: 'security.create',
  summary: 'Add a user to the basic auth of an application',
  description: inForceText,
  access: 'user:admin',
  input: z.object({ applicationId: ApplicationId, ...fields }),
  output: Security,
  refusals: ['CONFLICT', 'SERVICE_UNAVAILABLE'],
  async run({ db, config, vault, passwords, proxy, conclude, now, newId }, { applicationId, username, password }) {
    await checkApplication(db, applicationId)
    if (password === mask) refuseMask('password')
    const id = newId()
    const passwordHash = sealHash(vault, id, await passwords.bcrypt(password))
    const row: SecurityTable = { id, applicationId, username, passwordHash, createdAt: now().toISOString() }
    const edit = (rules: Rules) => {
      checkTaken(rules, row)
      return { ...rules, users: [...rules.users, row] }
    }
    return proxy.change(edit, () =>
      conclude(async (tx) => {
        await tx.insertInto('security').values(row).execute()
        return toSecurity(row, await statusReader(tx, config))
      }),
    )
  },
})

export const one = query({
  name: 'security.one',
  summary: "Read a user of an application's basic auth",
  access: 'user:read',
  input: z.object({ securityId: idOf('user of basic auth') }),
  output: Security,
  refusals: ['NOT_FOUND'],
  tag: { observed: ['applied', 'reason'] },
  async run({ db, config, vault, addToTag }, { securityId }) {
    const row = await find(db, securityId)
    addToTag(openHash(vault, row))
    return toSecurity(row, await statusReader(db, config))
  },
})

export const all = query({
  name: 'security.all',
  summary: 'List the users of basic auth, oldest first',
  access: 'user:read',
  input: z.object({ ...page, applicationId: Id.optional().describe('Lists only the users of this application') }),
  output: z.array(Security),
  async run({ db, config, setNextCursor }, { limit, cursor = '', applicationId }) {
    let rows = db.selectFrom('security').selectAll().where('id', '>', cursor).orderBy('id')
    if (applicationId !== undefined) rows = rows.where('applicationId', '=', applicationId)
    if (limit !== undefined) rows = rows.limit(limit + 1)
    const statusOf = await statusReader(db, config)
    return cutPage(await rows.execute(), limit, setNextCursor).map((row) => toSecurity(row, statusOf))
  },
})

export const update = action({
  name: 'security.update',
  summary: 'Change the name or the password of a user of basic auth',
  description: `${inForceText} A masked password keeps the stored password.`,
  access: 'user:admin',
  input: z.object({
    securityId: idOf('user of basic auth'),
    ...fields,
    password: Password.describe('The new password, at most 72 bytes. The mask ******** keeps the stored one'),
  }),
  output: Security,
  refusals: ['NOT_FOUND', 'CONFLICT', 'SERVICE_UNAVAILABLE'],
  async run({ db, config, vault, passwords, proxy, conclude }, { securityId, username, password }) {
    const before = await find(db, securityId)
    const sealed = password === mask ? null : sealHash(vault, before.id, await passwords.bcrypt(password))
    let row = before
    const edit = (rules: Rules) => {
      const present = rules.users.find(({ id }) => id === before.id) ?? refuseUnknown()
      row = { ...present, username, passwordHash: sealed ?? present.passwordHash }
      if (username !== present.username) checkTaken(rules, row)
      return { ...rules, users: rules.users.map((user) => (user.id === row.id ? row : user)) }
    }
    return proxy.change(edit, () =>
      conclude(async (tx) => {
        const { passwordHash } = row
        await tx.updateTable('security').set({ username, passwordHash }).where('id', '=', row.id).execute()
        return toSecurity(row, await statusReader(tx, config))
      }),
    )
  },
})

export const remove = action({
  name: 'security.delete',
  summary: 'Remove a user from the basic auth of an application',
  description:
    'The change is in force when the call is answered. After the last user of an application is removed, the proxy ' +
    'forwards all requests without basic auth.',
  access: 'user:admin',
  input: z.object({ securityId: idOf('user of basic auth') }),
  output: Security,
  refusals: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  async run({ db, proxy, conclude }, { securityId }) {
    const row = await find(db, securityId)
    const edit = (rules: Rules) => {
      const users = rules.users.filter(({ id }) => id !== row.id)
      if (users.length === rules.users.length) refuseUnknown()
      return { ...rules, users }
    }
    return proxy.change(edit, () =>
      conclude(async (tx) => {
        await tx.deleteFrom('security').where('id', '=', row.id).execute()
        return toSecurity(row, () => ({ applied: false, reason: 'The user was deleted' }))
      }),
    )
  },
})

/** Refuses a username that another user of the application has. */
function checkTaken({ applications, users }: Rules, { id, applicationId, username }: SecurityTable): void {
  const other = users.find(
    (user) =>
      user.id !== id &&
      user.username === username &&
      isSameApplication(applications, user.applicationId, applicationId),
  )
  if (other === undefined) return
  refuseField(
    'username',
    `is already a user of ${applicationId}: ${username}. To change the password, call security.update with the ` +
      `securityId ${other.id}`,
    'CONFLICT',
  )
}

/**
 * Returns a function from a user to its status. Two users of one application can have the same username if they were
 * created under different names of the application. Only the oldest of them is in force.
 */
async function statusReader(db: Reader, config: Parameters<typeof proxyStatusReader>[1]) {
  const [statusOf, applications] = [await proxyStatusReader(db, config), await readApplications(db)]
  const users = await db.selectFrom('security').select(['id', 'applicationId', 'username']).orderBy('id').execute()
  const byName = Map.groupBy(users, ({ username }) => username)
  return ({ id, applicationId, username }: SecurityTable): RuleStatus => {
    const older = byName
      .get(username)
      ?.find((user) => user.id < id && isSameApplication(applications, user.applicationId, applicationId))
    if (older === undefined) return statusOf(applicationId)
    const reason = `The application has an older user ${username} (securityId ${older.id}), whose password is in force`
    return { applied: false, reason }
  }
}

async function find(db: Reader, id: string): Promise<SecurityTable> {
  return (await db.selectFrom('security').selectAll().where('id', '=', id).executeTakeFirst()) ?? refuseUnknown()
}

function refuseUnknown(): never {
  refuse('NOT_FOUND', 'No user of basic auth with this id. security.all lists all users')
}

function toSecurity(row: SecurityTable, statusOf: (row: SecurityTable) => RuleStatus) {
  const { id, applicationId, username, createdAt } = row
  return { securityId: id, applicationId, username, password: mask, createdAt, ...statusOf(row) } as const
}
