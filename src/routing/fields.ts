/**
 * Shared by the operations on redirects, basic auth and ports: the field `applicationId`, the fields of a redirect, the
 * check of the application, and the status of a rule.
 */
import { z } from 'zod'
import type { Config } from '../config.ts'
import { reasonMessage } from '../deployments/reason-message.ts'
import type { ApplicationReason } from '../deployments/reason.ts'
import { refuseField } from '../errors.ts'
import { isBerthServiceName } from '../gateways/own-names.ts'
import { applicationOf, claimsOnlyReservedHost, hostsOf, unservedReason } from './application-lookup.ts'
import { reservedHostOf } from './public/reserved-host.ts'
import { proxyFaultOf, readApplications } from './queries.ts'
import type { Reader } from '../store/schema.ts'
import { Id } from '../api/fields.ts'

export const ApplicationId = Id.describe(
  'The id or name of a Swarm service, or the value of its label `berth.application`. The service need not exist yet',
)

/** `applicationId` in answers. */
export const AnsweredApplicationId = z
  .string()
  .describe('The application of the rule: the id, the name or the label that the call has sent')

/** The fields of a redirect in the input of create and update. */
export const redirectFields = {
  regex: z
    .string()
    .min(1, 'must not be empty')
    .describe(
      'A pattern in RE2 syntax. It may match anywhere in the URL, which has the form `https://host/path?query`',
    ),
  replacement: z
    .string()
    .min(1, 'must not be empty')
    .describe(
      'The target URL or path. `$1`, `${1}` and `${name}` stand for the text of a group, `$$` stands for a dollar',
    ),
  permanent: z
    .boolean()
    .describe(
      'The status of the response. true: 301 for GET and HEAD, 308 for other methods. false: 302 for GET and HEAD, ' +
        '307 for other methods',
    ),
}

/** The status of a rule, as fields of its API answer. */
export const ruleStatusFields = {
  applied: z.boolean().describe('Whether the rule is in force'),
  reason: z.string().nullable().describe('Why the rule is not in force. Null if the rule is in force'),
}

export interface RuleStatus {
  applied: boolean
  reason: string | null
}

/**
 * Reads the applications and returns a status function. The status function accepts the id, name or label of an
 * application, and returns the status of the rules about this application.
 */
export async function proxyStatusReader(
  db: Reader,
  config: Pick<Config, 'networkName' | 'publicUrl'>,
): Promise<(applicationId: string) => RuleStatus> {
  const applications = await readApplications(db)
  const hosts = hostsOf(applications, config)
  const fault = await proxyFaultOf(db)
  return (applicationId) => {
    const match = applicationOf(applications, applicationId)
    const why = 'reason' in match ? match : (unservedReason(match, hosts.get(match.id)!, config) ?? fault)
    return { applied: why === null, reason: whyMessage(why) }
  }
}

/** Returns the message for the reason why a rule has no effect, or null for null. */
export const whyMessage = (why: string | ApplicationReason | null): string | null =>
  why === null || typeof why === 'string' ? why : reasonMessage(why)

/** Refuses a rule about a service that Berth itself runs: a database, a gateway, the proxy or the registry. */
export async function checkApplication(db: Reader, applicationId: string): Promise<void> {
  const match = applicationOf(await readApplications(db), applicationId)
  const isOwn = !('reason' in match) && match.isOwn === 1
  const database = await db.selectFrom('database').select('id').where('appName', '=', applicationId).executeTakeFirst()
  if (!isOwn && database === undefined && !isBerthServiceName(applicationId)) return
  refuseField('applicationId', `must not be a service that Berth runs: ${applicationId}`)
}

/** Refuses a rule about the requests of a service that claims only the host of Berth itself. */
export async function checkReservedHost(
  db: Reader,
  config: Pick<Config, 'publicUrl'>,
  applicationId: string,
): Promise<void> {
  const match = applicationOf(await readApplications(db), applicationId)
  if ('reason' in match || !claimsOnlyReservedHost(match, config)) return
  refuseField(
    'applicationId',
    `is a service whose only host is that of Berth itself: ${reservedHostOf(config)} (BERTH_PUBLIC_URL). Give it another ` +
      'host in its label berth.host',
  )
}
