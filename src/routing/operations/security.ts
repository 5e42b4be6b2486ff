/** Operations on the users of basic auth of applications. Passwords can be written but never read. */
import { z } from 'zod'
import { action, query } from '../../api/contract.ts'
import { refuse, refuseField } from '../../errors.ts'
import { bcryptFault, bcryptOf } from '../../lib/crypto/bcrypt.ts'
import { mask } from '../../lib/crypto/mask.ts'
import { isSameApplication } from '../application-lookup.ts'
import { readApplications, type Rules, sealHash } from '../queries.ts'
import type { SecurityTable } from '../table.ts'
import type { Reader } from '../../store/schema.ts'
import { cutPage, Id, page } from '../../api/fields.ts'
import { ApplicationId, checkApplication, proxyStandings, type Standing, standing } from '../fields.ts'

/** No colon: in the header a colon ends the username (RFC 7617, section 2). */
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

const fields = { username: Username, password: Password }

const Security = z.object({
  securityId: z.string(),
  applicationId: z.string(),
  username: z.string(),
  password: z.literal(mask).describe('Always this mask. Sent back to update it leaves what is stored'),
  createdAt: z.string(),
  ...standing,
})

const inForceText =
  'It is in force when the answer comes. Once an application has one user, nobody else is let through.'

export const create = action({
  name: 'security.create',
  summary: 'Let a user through to an application, and nobody without a password',
  description: inForceText,
  access: 'user:admin',
  input: z.object({ applicationId: ApplicationId, ...fields }),
  output: Security,
  refusals: ['CONFLICT', 'SERVICE_UNAVAILABLE'],
  async run({ db, config, vault, proxy, conclude, now, newId }, { applicationId, username, password }) {
    await checkApplication(db, applicationId)
    if (password === mask)
      refuseField('password', '"********" means "keep the stored secret", but none is stored. Send the real password')
    const id = newId()
    const passwordHash = sealHash(vault, id, await bcryptOf(password))
    const row: SecurityTable = { id, applicationId, username, passwordHash, createdAt: now().toISOString() }
    const edit = (rules: Rules) => {
      checkTaken(rules, row)
      return { ...rules, users: [...rules.users, row] }
    }
    return proxy.change(edit, () =>
      conclude(async (tx) => {
        await tx.insertInto('security').values(row).execute()
        return toSecurity(row, await standings(tx, config))
      }),
    )
  },
})

export const one = query({
  name: 'security.one',
  summary: "Read a user of an application's basic auth",
  access: 'user:read',
  input: z.object({ securityId: Id }),
  output: Security,
  refusals: ['NOT_FOUND'],
  run: async ({ db, config }, { securityId }) => toSecurity(await find(db, securityId), await standings(db, config)),
})

export const all = query({
  name: 'security.all',
  summary: 'List the users of basic auth, oldest first',
  access: 'user:read',
  input: z.object({ ...page, applicationId: Id.optional().describe('Of this application alone') }),
  output: z.array(Security),
  async run({ db, config, more }, { limit, cursor = '', applicationId }) {
    let rows = db.selectFrom('security').selectAll().where('id', '>', cursor).orderBy('id')
    if (applicationId !== undefined) rows = rows.where('applicationId', '=', applicationId)
    if (limit !== undefined) rows = rows.limit(limit + 1)
    const standingOf = await standings(db, config)
    return cutPage(await rows.execute(), limit, more).map((row) => toSecurity(row, standingOf))
  },
})

export const update = action({
  name: 'security.update',
  summary: 'Change the name or the password of a user; the masked password stays',
  description: inForceText,
  access: 'user:admin',
  input: z.object({ securityId: Id, ...fields }),
  output: Security,
  refusals: ['NOT_FOUND', 'CONFLICT', 'SERVICE_UNAVAILABLE'],
  async run({ db, config, vault, proxy, conclude }, { securityId, username, password }) {
    const before = await find(db, securityId)
    const sealed = password === mask ? null : sealHash(vault, before.id, await bcryptOf(password))
    let row = before
    const edit = (rules: Rules) => {
      const present = rules.users.find(({ id }) => id === before.id) ?? refuseUnknown()
      row = { ...present, username, passwordHash: sealed ?? present.passwordHash }
      if (username !== present.username) checkTaken(rules, row)
      return { ...rules, users: rules.users.map((it) => (it.id === row.id ? row : it)) }
    }
    return proxy.change(edit, () =>
      conclude(async (tx) => {
        const { passwordHash } = row
        await tx.updateTable('security').set({ username, passwordHash }).where('id', '=', row.id).execute()
        return toSecurity(row, await standings(tx, config))
      }),
    )
  },
})

export const remove = action({
  name: 'security.delete',
  summary: 'Let a user through no more; after the last one everybody is let through',
  description: 'It is no longer in force when the answer comes.',
  access: 'user:admin',
  input: z.object({ securityId: Id }),
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
        return toSecurity(row, () => ({ applied: false, reason: 'It is deleted' }))
      }),
    )
  },
})

/** Refuses a username that the application already has. */
function checkTaken({ applications, users }: Rules, { id, applicationId, username }: SecurityTable): void {
  const other = users.find(
    (it) =>
      it.id !== id && it.username === username && isSameApplication(applications, it.applicationId, applicationId),
  )
  if (other === undefined) return
  refuseField(
    'username',
    `${username} is a user of ${applicationId} already: security.update with the securityId ` +
      `${other.id} changes the password`,
    'CONFLICT',
  )
}

/**
 * Returns a function that tells whether a user is in force. Users with one name may turn out to belong to one
 * application, if they were created under different names of it. The oldest one is in force then.
 */
async function standings(db: Reader, config: Parameters<typeof proxyStandings>[1]) {
  const [standingOf, applications] = [await proxyStandings(db, config), await readApplications(db)]
  const users = await db.selectFrom('security').select(['id', 'applicationId', 'username']).orderBy('id').execute()
  const byName = Map.groupBy(users, ({ username }) => username)
  return ({ id, applicationId, username }: SecurityTable): Standing => {
    const older = byName
      .get(username)
      ?.find((it) => it.id < id && isSameApplication(applications, it.applicationId, applicationId))
    if (older === undefined) return standingOf(applicationId)
    return { applied: false, reason: `${username} is let through with the password of ${older.id}, which is older` }
  }
}

async function find(db: Reader, id: string): Promise<SecurityTable> {
  return (await db.selectFrom('security').selectAll().where('id', '=', id).executeTakeFirst()) ?? refuseUnknown()
}

function refuseUnknown(): never {
  refuse('NOT_FOUND', 'There is no such user. security.all lists those there are')
}

function toSecurity(row: SecurityTable, standingOf: (row: SecurityTable) => Standing) {
  const { id, applicationId, username, createdAt } = row
  return { securityId: id, applicationId, username, password: mask, createdAt, ...standingOf(row) } as const
}
