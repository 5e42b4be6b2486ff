/** The operation that evaluates the redirects for a URL. It changes nothing, and sends no request. */
import { z } from 'zod'
import { Id } from '../../api/fields.ts'
import { query } from '../../api/contract.ts'
import { refuse, refuseField } from '../../errors.ts'
import { reservedHostOf } from '../public/reserved-host.ts'
import { applicationForHost, applicationOf, hostsOf, namesOf } from '../application-lookup.ts'
import { hostMatches } from '../caddy/hosts.ts'
import { type RedirectTrial, redirectOutcome } from '../caddy/redirects/outcome.ts'
import { redirectOf } from '../caddy/redirects/redirects.ts'
import { type Requested, requestedUrl } from '../caddy/redirects/requested-url.ts'
import type { RedirectRule } from '../caddy/redirects/routes.ts'
import { proxyStatusReader, redirectFields } from '../fields.ts'
import { proxyFaultOf, readApplications } from '../queries.ts'
import type { Config } from '../../config.ts'
import type { ApplicationTable } from '../table.ts'
import type { Reader } from '../../store/schema.ts'

const maxUrlLength = 2_000

const input = z.object({
  url: z
    .string()
    .min(1, 'must not be empty')
    .max(maxUrlLength, `must have at most ${maxUrlLength} characters`)
    .describe('The URL that a person types into a browser, such as http://example.org/old?page=2'),
  applicationId: Id.optional().describe(
    'Tests the redirects of this application: its id, name or label. If omitted, the host of the URL selects the ' +
      'application, as in the proxy',
  ),
  regex: redirectFields.regex.optional().describe('The pattern of a redirect that is not stored yet, in RE2 syntax'),
  replacement: redirectFields.replacement.optional().describe('The replacement of the redirect that is not stored yet'),
  permanent: z
    .enum(['true', 'false'], 'must be true or false')
    .default('false')
    .describe('Whether the redirect that is not stored yet is permanent'),
  redirectId: Id.optional().describe(
    'The redirect that regex and replacement would change. If omitted, they are tested as a new redirect, which comes last',
  ),
})

const Group = z.object({
  name: z.string().describe('The number or the name of the group. 0 is the whole match'),
  text: z.string().describe('The text of the group'),
})

const Trial = z.object({
  redirectId: z.string().nullable().describe('Id of the redirect; null for the one that is not stored yet'),
  matched: z.boolean().describe('Whether the pattern matches the URL'),
  location: z
    .string()
    .nullable()
    .describe('Where the redirect leads. Null if it does not match, or if its target is the URL itself or empty'),
})

const output = z.object({
  url: z.string().describe('The URL that the patterns are matched against: as a browser sends it, without port'),
  applicationId: z
    .string()
    .nullable()
    .describe('Id of the application, or the sent name if it does not exist. Null: no application has the host'),
  result: z
    .enum(['redirect', 'https', 'none', 'unknownHost'])
    .describe(
      'redirect: a redirect applies. https: the label berth.tls redirects HTTP to HTTPS before all redirects. ' +
        'none: no redirect applies, so the application gets the request. unknownHost: no application has the host',
    ),
  getStatus: z.number().nullable().describe('The status for GET and HEAD. Null if the application determines it'),
  postStatus: z.number().nullable().describe('The status for other methods. Null if the application determines it'),
  location: z.string().nullable().describe('The Location of the answer. Null without a redirect'),
  redirectId: z
    .string()
    .nullable()
    .describe('Id of the redirect that applies. Null if none applies, or if it is the one that is not stored yet'),
  groups: z.array(Group).describe('The groups of the redirect that applies, first by number, then by name'),
  rules: z.array(Trial).describe('The redirects of the application in the order in which the proxy tries them'),
  reason: z.string().nullable().describe('Why a request does not get this answer now. Null if it does'),
})

type Input = z.output<typeof input>

export const test = query({
  name: 'redirects.test',
  summary: 'Evaluate the redirects for a URL',
  description:
    'Answers what the proxy does with a request for the URL: which redirect applies, and where it leads. A redirect ' +
    'can be tested before it is stored. No request is sent.',
  access: 'user:read',
  input,
  output,
  refusals: ['NOT_FOUND'],
  async run({ db, config }, call) {
    const requested = requestedUrl(call.url)
    if ('fault' in requested) refuseField('url', requested.fault)
    if (requested.host === reservedHostOf(config))
      refuseField('url', 'is a URL of Berth itself, to which no rule applies')
    const unsaved = unsavedRule(call)
    const target = await findTarget(db, config, call.applicationId, requested.host)
    const rules = withUnsaved(await readRules(db, target), unsaved, call.redirectId)
    const { trials, winner, groups } = redirectOutcome(rules, requested.url)
    const answer = answerOf(target, requested, rules[winner], trials[winner], config.proxyHttpsPort)
    const isRedirect = answer.result === 'redirect'
    return {
      url: requested.url,
      applicationId: target.application?.id ?? target.reference,
      ...answer,
      redirectId: isRedirect ? rules[winner]!.id : null,
      groups: isRedirect ? groups : [],
      rules: trials.map((trial, i) => ({ redirectId: rules[i]!.id, ...trial })),
      reason: await reasonOf(db, config, target, requested.host),
    }
  },
})

/** A redirect in the order of the proxy. */
interface Rule extends RedirectRule {
  /** Null: the redirect is not stored yet. */
  id: string | null
}

/** The application whose redirects are tested. */
interface Target {
  /** How the call names the application; null if it does not. */
  reference: string | null
  /** Null if no such application exists. */
  application: ApplicationTable | null
  /** The hosts that the proxy serves for the application. */
  hosts: string[]
}

async function findTarget(db: Reader, config: Config, reference: string | undefined, host: string): Promise<Target> {
  const applications = await readApplications(db)
  const hosts = hostsOf(applications, config)
  const found =
    reference === undefined ? applicationForHost(applications, hosts, host) : applicationOf(applications, reference)
  const application = found === null || 'reason' in found ? null : found
  return { reference: reference ?? null, application, hosts: application === null ? [] : hosts.get(application.id)! }
}

/** Returns the redirect that is not stored yet, or null. Refuses an invalid one. */
function unsavedRule({ regex, replacement, permanent, redirectId }: Input): Rule | null {
  if (regex === undefined || replacement === undefined) {
    const sent = Object.entries({ regex, replacement, redirectId }).find(([, value]) => value !== undefined)
    if (sent === undefined) return null
    return refuseField(sent[0], 'can be sent only with both regex and replacement: the redirect that is tested')
  }
  const redirect = redirectOf({ regex, replacement })
  if ('message' in redirect) refuseField(redirect.path, redirect.message)
  return { id: null, regex, replacement, permanent: permanent === 'true' }
}

async function readRules(db: Reader, { application, reference }: Target): Promise<Rule[]> {
  const names = application === null ? [reference].filter((name) => name !== null) : namesOf(application)
  const rows = await db.selectFrom('redirect').selectAll().where('applicationId', 'in', names).orderBy('id').execute()
  return rows.map(({ id, regex, replacement, permanent }) => ({ id, regex, replacement, permanent: permanent === 1 }))
}

/** Puts the redirect that is not stored yet in the place of the redirect that it changes, or at the end. */
function withUnsaved(rules: Rule[], unsaved: Rule | null, replaced: string | undefined): Rule[] {
  if (unsaved === null) return rules
  if (replaced === undefined) return [...rules, unsaved]
  if (rules.every(({ id }) => id !== replaced))
    refuse('NOT_FOUND', 'The application has no redirect with this id. redirects.all lists all redirects')
  return rules.map((rule) => (rule.id === replaced ? unsaved : rule))
}

/** Returns what the proxy answers. The redirect from HTTP to HTTPS comes before all others, see `rulesConfig`. */
function answerOf(
  { reference, application }: Target,
  { scheme, host, uri }: Requested,
  rule: Rule | undefined,
  trial: RedirectTrial | undefined,
  httpsPort: number,
) {
  if (application === null && reference === null)
    return { result: 'unknownHost' as const, getStatus: 404, postStatus: 404, location: null }
  if (application?.tls === 'auto' && scheme === 'http') {
    const port = httpsPort === 443 ? '' : `:${httpsPort}`
    return { result: 'https' as const, getStatus: 301, postStatus: 308, location: `https://${host}${port}${uri}` }
  }
  if (rule === undefined || trial === undefined)
    return { result: 'none' as const, getStatus: null, postStatus: null, location: null }
  const [getStatus, postStatus] = rule.permanent ? [301, 308] : [302, 307]
  return { result: 'redirect' as const, getStatus, postStatus, location: trial.location }
}

/** Returns why a request does not get this answer, or null. */
async function reasonOf(db: Reader, config: Config, { reference, application, hosts }: Target, host: string) {
  const name = reference ?? application?.id
  if (name === undefined) return (await proxyFaultOf(db)) ?? null
  const { reason } = (await proxyStatusReader(db, config))(name)
  if (reason !== null || hosts.some((served) => hostMatches(served, host))) return reason
  return `The proxy does not serve the host ${host} for this application`
}
