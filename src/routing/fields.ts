/** What redirects, basic auth and published ports share: the field `applicationId`, and whether a rule is in force. */
import { z } from 'zod'
import type { Config } from '../config.ts'
import { reasonMessage } from '../deployments/reason-message.ts'
import type { ApplicationReason } from '../deployments/reason.ts'
import { refuseField } from '../errors.ts'
import { isBerthServiceName } from '../gateways/own-names.ts'
import { applicationOf, hostsOf, unservedReason } from './application-lookup.ts'
import { proxyFaultOf, readApplications } from './queries.ts'
import type { Reader } from '../store/schema.ts'
import { Id } from '../api/fields.ts'

export const ApplicationId = Id.describe(
  'The id or the name of a service of the swarm, or the value of its label ' +
    '`berth.application`. It need not be there yet',
)

/** Fields of every rule in answers. */
export const standing = {
  applied: z.boolean().describe('It is in force'),
  reason: z.string().nullable().describe('Why it is not; null where it is'),
}

export interface Standing {
  applied: boolean
  reason: string | null
}

/**
 * Reads the applications once and returns a function that tells whether the proxy applies the rules about an
 * application, by its id, name or label.
 */
export async function proxyStandings(
  db: Reader,
  { networkName }: Pick<Config, 'networkName'>,
): Promise<(applicationId: string) => Standing> {
  const applications = await readApplications(db)
  const hosts = hostsOf(applications)
  const fault = await proxyFaultOf(db)
  return (applicationId) => {
    const match = applicationOf(applications, applicationId)
    const why = 'reason' in match ? match : (unservedReason(match, hosts.get(match.id)!, networkName) ?? fault)
    return { applied: why === null, reason: whyMessage(why) }
  }
}

/** Renders the reason why a rule has no effect. Null stays null. */
export const whyMessage = (why: string | ApplicationReason | null): string | null =>
  why === null || typeof why === 'string' ? why : reasonMessage(why)

/** Refuses a rule about a service that Berth itself runs: a database, a gateway, the proxy or the registry. */
export async function checkApplication(db: Reader, applicationId: string): Promise<void> {
  const match = applicationOf(await readApplications(db), applicationId)
  const own = !('reason' in match) && match.isOwn === 1
  const database = await db.selectFrom('database').select('id').where('appName', '=', applicationId).executeTakeFirst()
  if (!own && database === undefined && !isBerthServiceName(applicationId)) return
  refuseField('applicationId', `${applicationId} is a service of Berth's own, and no application`)
}
