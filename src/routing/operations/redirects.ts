/** Operations on redirects, which the proxy answers instead of forwarding to the application. */
import { z } from 'zod'
import { action, query } from '../../api/contract.ts'
import { refuse, refuseField } from '../../errors.ts'
import { loopOf } from '../caddy/redirects/loops.ts'
import { redirectOf } from '../caddy/redirects/redirects.ts'
import { applicationOf, hostsOf, namesOf } from '../application-lookup.ts'
import type { Rules } from '../queries.ts'
import type { RedirectTable } from '../table.ts'
import type { Reader } from '../../store/schema.ts'
import { cutPage, Id, page } from '../../api/fields.ts'
import { ApplicationId, checkApplication, proxyStandings, type Standing, standing } from '../fields.ts'

const fields = {
  regex: z.string().min(1, 'must not be empty').describe('RE2, looked for in the whole URL: `https://host/path?query`'),
  replacement: z
    .string()
    .min(1, 'must not be empty')
    .describe('Where to: `$1`, `${1}` and `${name}` stand for what groups matched, `$$` for a dollar'),
  permanent: z.boolean().describe('301, or 308 for methods with a body; otherwise 302 or 307'),
}

const Redirect = z.object({
  redirectId: z.string(),
  applicationId: z.string(),
  regex: z.string(),
  replacement: z.string(),
  permanent: z.boolean(),
  createdAt: z.string(),
  ...standing,
})

const orderText =
  'It is in force when the answer comes: the proxy has taken it. The rules of an application are tried ' +
  'in the order of their creation, and the first that matches is followed.'

export const create = action({
  name: 'redirects.create',
  summary: 'Redirect requests for an application',
  description: orderText,
  access: 'user:admin',
  input: z.object({ ...fields, applicationId: ApplicationId }),
  output: Redirect,
  refusals: ['SERVICE_UNAVAILABLE'],
  async run({ db, config, proxy, conclude, now, newId }, { permanent, ...input }) {
    await checkApplication(db, input.applicationId)
    const row: RedirectTable = { ...input, id: newId(), permanent: permanent ? 1 : 0, createdAt: now().toISOString() }
    checkTexts(row)
    const edit = (rules: Rules) => {
      const redirects = [...rules.redirects, row]
      checkLoops({ ...rules, redirects }, row)
      return { ...rules, redirects }
    }
    return proxy.change(edit, () =>
      conclude(async (tx) => {
        await tx.insertInto('redirect').values(row).execute()
        return toRedirect(row, await proxyStandings(tx, config))
      }),
    )
  },
})

export const one = query({
  name: 'redirects.one',
  summary: 'Read a redirect',
  access: 'user:read',
  input: z.object({ redirectId: Id }),
  output: Redirect,
  refusals: ['NOT_FOUND'],
  run: async ({ db, config }, { redirectId }) =>
    toRedirect(await find(db, redirectId), await proxyStandings(db, config)),
})

export const all = query({
  name: 'redirects.all',
  summary: 'List redirects in the order in which they are tried',
  access: 'user:read',
  input: z.object({ ...page, applicationId: Id.optional().describe('Of this application alone') }),
  output: z.array(Redirect),
  async run({ db, config, more }, { limit, cursor = '', applicationId }) {
    let rows = db.selectFrom('redirect').selectAll().where('id', '>', cursor).orderBy('id')
    if (applicationId !== undefined) rows = rows.where('applicationId', '=', applicationId)
    if (limit !== undefined) rows = rows.limit(limit + 1)
    const standings = await proxyStandings(db, config)
    return cutPage(await rows.execute(), limit, more).map((row) => toRedirect(row, standings))
  },
})

export const update = action({
  name: 'redirects.update',
  summary: 'Change a redirect; it keeps its place in the order',
  description: orderText,
  access: 'user:admin',
  input: z.object({ redirectId: Id, ...fields }),
  output: Redirect,
  refusals: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  async run({ db, config, proxy, conclude }, { redirectId, permanent, ...texts }) {
    checkTexts(texts)
    const before = await find(db, redirectId)
    const row: RedirectTable = { ...before, ...texts, permanent: permanent ? 1 : 0 }
    const edit = (rules: Rules) => {
      const redirects = rules.redirects.map((it) => (it.id === row.id ? row : it))
      if (!redirects.includes(row)) refuseUnknown()
      checkLoops({ ...rules, redirects }, row)
      return { ...rules, redirects }
    }
    return proxy.change(edit, () =>
      conclude(async (tx) => {
        await tx
          .updateTable('redirect')
          .set({ ...texts, permanent: row.permanent })
          .where('id', '=', row.id)
          .execute()
        return toRedirect(row, await proxyStandings(tx, config))
      }),
    )
  },
})

export const remove = action({
  name: 'redirects.delete',
  summary: 'Delete a redirect',
  description: 'It is no longer in force when the answer comes.',
  access: 'user:admin',
  input: z.object({ redirectId: Id }),
  output: Redirect,
  refusals: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  async run({ db, proxy, conclude }, { redirectId }) {
    const row = await find(db, redirectId)
    const edit = (rules: Rules) => {
      const redirects = rules.redirects.filter(({ id }) => id !== row.id)
      if (redirects.length === rules.redirects.length) refuseUnknown()
      return { ...rules, redirects }
    }
    return proxy.change(edit, () =>
      conclude(async (tx) => {
        await tx.deleteFrom('redirect').where('id', '=', row.id).execute()
        return toRedirect(row, () => ({ applied: false, reason: 'It is deleted' }))
      }),
    )
  },
})

function checkTexts(texts: Pick<RedirectTable, 'regex' | 'replacement'>): void {
  const redirect = redirectOf(texts)
  if ('message' in redirect) refuseField(redirect.path, redirect.message)
}

/** Refuses a redirect that certainly leads in a circle; see routing/caddy/redirects/loops.ts. */
function checkLoops({ applications, redirects }: Rules, { id, applicationId }: RedirectTable): void {
  const match = applicationOf(applications, applicationId)
  const names = 'reason' in match ? [applicationId] : namesOf(match)
  const hosts = 'reason' in match ? [] : hostsOf(applications).get(match.id)!
  const loop = loopOf({ rules: redirects.filter((it) => names.includes(it.applicationId)), id, hosts })
  if (loop === null) return
  const others = loop.rules.filter((it) => it !== id)
  const through = others.length === 0 ? 'It leads to itself' : `With ${others.join(', ')} it leads in a circle`
  refuseField('replacement', `${through}: whoever asks for ${loop.url} never arrives`)
}

async function find(db: Reader, id: string): Promise<RedirectTable> {
  return (await db.selectFrom('redirect').selectAll().where('id', '=', id).executeTakeFirst()) ?? refuseUnknown()
}

function refuseUnknown(): never {
  refuse('NOT_FOUND', 'There is no such redirect. redirects.all lists those there are')
}

function toRedirect(row: RedirectTable, standingOf: (applicationId: string) => Standing) {
  const { id, applicationId, regex, replacement, permanent, createdAt } = row
  return {
    redirectId: id,
    applicationId,
    regex,
    replacement,
    permanent: permanent === 1,
    createdAt,
    ...standingOf(applicationId),
  }
}
