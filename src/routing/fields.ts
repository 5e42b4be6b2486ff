/** What the rules about applications have in common: their fields, and whether they have an effect. */
import { z } from 'zod'
import type { Config } from '../config.ts'
import { reasonMessage } from '../deployments/reason-message.ts'
import { refuseField } from '../errors.ts'
import { type ApplicationReason, applicationOf, hostsOf, unserved } from './application-lookup.ts'
import { proxyFaultOf, readApplications } from './queries.ts'
import type { Reader } from '../store/schema.ts'
import { Id } from '../api/fields.ts'

export const ApplicationId = Id.describe(
  'The id or the name of a service of the swarm, or the value of its label ' +
    '`berth.application`. It need not be there yet',
)

/** In every record of a rule. */
export const standing = {
  applied: z.boolean().describe('It is in force'),
  reason: z.string().nullable().describe('Why it is not; null where it is'),
}

export interface Standing {
  applied: boolean
  reason: string | null
}

/** Whether the proxy applies rules about an application: read once, asked for many. */
export async function proxyStandings(
  db: Reader,
  { networkName }: Pick<Config, 'networkName'>,
): Promise<(applicationId: string) => Standing> {
  const applications = await readApplications(db)
  const hosts = hostsOf(applications)
  const fault = await proxyFaultOf(db)
  return (applicationId) => {
    const found = applicationOf(applications, applicationId)
    const why = 'reason' in found ? found : (unserved(found, hosts.get(found.id)!, networkName) ?? fault)
    return { applied: why === null, reason: whyText(why) }
  }
}

/** Why a rule has no effect, in a sentence. */
export const whyText = (why: string | ApplicationReason | null): string | null =>
  why === null || typeof why === 'string' ? why : reasonMessage(why)

/** Of the proxy, the registry and gateways; see routing/specs.ts, registries/specs.ts and databases/reconcile/specs.ts. */
export const isOwnName = (name: string): boolean => /^berth-(?:gateway-|port-|proxy|registry)/.test(name)

/** Refuses a rule about what Berth itself runs: databases, gateways, the proxy, the registry. */
export async function checkApplication(db: Reader, applicationId: string): Promise<void> {
  const found = applicationOf(await readApplications(db), applicationId)
  const own = !('reason' in found) && found.isOwn === 1
  const database = await db.selectFrom('database').select('id').where('appName', '=', applicationId).executeTakeFirst()
  if (!own && database === undefined && !isOwnName(applicationId)) return
  refuseField('applicationId', `${applicationId} is a service of Berth's own, and no application`)
}
