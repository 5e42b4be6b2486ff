/** Operations on redirects. The proxy answers a matching request with a redirect instead of forwarding the request. */
import { z } from 'zod'
import { action, query } from '../../api/contract.ts'
import { refuse, refuseField } from '../../errors.ts'
import { loopOf } from '../caddy/redirects/loops.ts'
import { redirectOf } from '../caddy/redirects/redirects.ts'
import type { Config } from '../../config.ts'
import { applicationOf, hostsOf, namesOf } from '../application-lookup.ts'
import { redirectFault } from '../public/reserved-host.ts'
import type { Rules } from '../queries.ts'
import type { RedirectTable } from '../table.ts'
import type { Reader } from '../../store/schema.ts'
import { answerShape } from '../../api/answer-shape.ts'
import { answeredIdOf, CreatedAt, cutPage, Id, idOf, page } from '../../api/fields.ts'
import {
  AnsweredApplicationId,
  ApplicationId,
  checkApplication,
  checkReservedHost,
  proxyStatusReader,
  redirectFields,
  type RuleStatus,
  ruleStatusFields,
} from '../fields.ts'

const Redirect = z.object({
  redirectId: answeredIdOf('redirect'),
  applicationId: AnsweredApplicationId,
  ...answerShape(redirectFields),
  createdAt: CreatedAt,
  ...ruleStatusFields,
})

const orderText =
  'The redirect is in force when the call is answered. The proxy tries the redirects of an application in the order ' +
  'of their creation and uses the first one that matches.'

export const create = action({
  name: 'redirects.create',
  summary: 'Redirect requests for an application',
  description: orderText,
  access: 'user:admin',
  input: z.object({ ...redirectFields, applicationId: ApplicationId }),
  output: Redirect,
  refusals: ['SERVICE_UNAVAILABLE'],
  async run({ db, config, proxy, conclude, now, newId }, { permanent, ...input }) {
    await checkApplication(db, input.applicationId)
    await checkReservedHost(db, config, input.applicationId)
    const row: RedirectTable = { ...input, id: newId(), permanent: permanent ? 1 : 0, createdAt: now().toISOString() }
    checkTexts(row, config)
    const edit = (rules: Rules) => {
      const redirects = [...rules.redirects, row]
      checkLoops({ ...rules, redirects }, row, config)
      return { ...rules, redirects }
    }
    return proxy.change(edit, () =>
      conclude(async (tx) => {
        await tx.insertInto('redirect').values(row).execute()
        return toRedirect(row, await proxyStatusReader(tx, config))
      }),
    )
  },
})

export const one = query({
  name: 'redirects.one',
  summary: 'Read a redirect',
  access: 'user:read',
  input: z.object({ redirectId: idOf('redirect') }),
  output: Redirect,
  refusals: ['NOT_FOUND'],
  tag: { observed: ['applied', 'reason'] },
  run: async ({ db, config }, { redirectId }) =>
    toRedirect(await find(db, redirectId), await proxyStatusReader(db, config)),
})

export const all = query({
  name: 'redirects.all',
  summary: 'List redirects in the order in which the proxy tries them',
  access: 'user:read',
  input: z.object({ ...page, applicationId: Id.optional().describe('Lists only the redirects of this application') }),
  output: z.array(Redirect),
  async run({ db, config, setNextCursor }, { limit, cursor = '', applicationId }) {
    let rows = db.selectFrom('redirect').selectAll().where('id', '>', cursor).orderBy('id')
    if (applicationId !== undefined) rows = rows.where('applicationId', '=', applicationId)
    if (limit !== undefined) rows = rows.limit(limit + 1)
    const statusReader = await proxyStatusReader(db, config)
    return cutPage(await rows.execute(), limit, setNextCursor).map((row) => toRedirect(row, statusReader))
  },
})

export const update = action({
  name: 'redirects.update',
  summary: 'Change a redirect',
  description: `${orderText} A changed redirect keeps its position.`,
  access: 'user:admin',
  input: z.object({ redirectId: idOf('redirect'), ...redirectFields }),
  output: Redirect,
  refusals: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  async run({ db, config, proxy, conclude }, { redirectId, permanent, ...texts }) {
    checkTexts(texts, config)
    const before = await find(db, redirectId)
    const row: RedirectTable = { ...before, ...texts, permanent: permanent ? 1 : 0 }
    const edit = (rules: Rules) => {
      const redirects = rules.redirects.map((redirect) => (redirect.id === row.id ? row : redirect))
      if (!redirects.includes(row)) refuseUnknown()
      checkLoops({ ...rules, redirects }, row, config)
      return { ...rules, redirects }
    }
    return proxy.change(edit, () =>
      conclude(async (tx) => {
        await tx
          .updateTable('redirect')
          .set({ ...texts, permanent: row.permanent })
          .where('id', '=', row.id)
          .execute()
        return toRedirect(row, await proxyStatusReader(tx, config))
      }),
    )
  },
})

export const remove = action({
  name: 'redirects.delete',
  summary: 'Delete a redirect',
  description: 'The redirect is no longer in force when the call is answered.',
  access: 'user:admin',
  input: z.object({ redirectId: idOf('redirect') }),
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
        return toRedirect(row, () => ({ applied: false, reason: 'The redirect was deleted' }))
      }),
    )
  },
})

function checkTexts(texts: Pick<RedirectTable, 'regex' | 'replacement'>, config: Pick<Config, 'publicUrl'>): void {
  const fault = redirectFault(config, texts.regex)
  if (fault !== null) refuseField('regex', fault)
  const redirect = redirectOf(texts)
  if ('message' in redirect) refuseField(redirect.path, redirect.message)
}

/** Refuses a redirect that causes a redirect loop for an example URL; see routing/caddy/redirects/loops.ts. */
function checkLoops(
  { applications, redirects }: Rules,
  { id, applicationId }: RedirectTable,
  config: Pick<Config, 'publicUrl'>,
): void {
  const match = applicationOf(applications, applicationId)
  const names = 'reason' in match ? [applicationId] : namesOf(match)
  const hosts = 'reason' in match ? [] : hostsOf(applications, config).get(match.id)!
  const loop = loopOf({ rules: redirects.filter((it) => names.includes(it.applicationId)), id, hosts })
  if (loop === null) return
  const others = loop.rules.filter((ruleId) => ruleId !== id)
  const through = others.length === 0 ? '' : ` together with the redirects ${others.join(', ')}`
  refuseField(
    'replacement',
    `causes a redirect loop${through}: the proxy would redirect a request for ${loop.url} endlessly`,
  )
}

async function find(db: Reader, id: string): Promise<RedirectTable> {
  return (await db.selectFrom('redirect').selectAll().where('id', '=', id).executeTakeFirst()) ?? refuseUnknown()
}

function refuseUnknown(): never {
  refuse('NOT_FOUND', 'No redirect with this id. redirects.all lists all redirects')
}

function toRedirect(row: RedirectTable, statusOf: (applicationId: string) => RuleStatus) {
  const { id, applicationId, regex, replacement, permanent, createdAt } = row
  return {
    redirectId: id,
    applicationId,
    regex,
    replacement,
    permanent: permanent === 1,
    createdAt,
    ...statusOf(applicationId),
  }
}
