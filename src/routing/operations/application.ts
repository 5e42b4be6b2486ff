/** The operation that lists the applications: Swarm services that Berth did not create, with the rules about them. */
import { z } from 'zod'
import { query } from '../../api/contract.ts'
import { hostsOf, namesOf, unservedReason } from '../application-lookup.ts'
import { proxyFaultOf, readApplications } from '../queries.ts'
import type { ApplicationTable } from '../table.ts'
import type { Reader } from '../../store/schema.ts'
import { cutPage, page } from '../../api/fields.ts'
import { whyMessage } from '../fields.ts'

const Application = z.object({
  applicationId: z.string().describe('The id of the Swarm service'),
  name: z.string().describe('The name of the Swarm service'),
  alias: z.string().nullable().describe('The label `berth.application` of the service; null without this label'),
  hosts: z.array(z.string()).describe('The host names in the label `berth.host`'),
  servedHosts: z.array(z.string()).describe('The host names that the proxy serves for this application'),
  port: z
    .number()
    .describe('The port on which the application listens: the label `berth.port`, or 80 without this label'),
  tls: z
    .enum(['auto'])
    .nullable()
    .describe(
      'The label `berth.tls`. With `auto`, the proxy obtains a certificate by ACME for each host. Null without it',
    ),
  preflight: z
    .enum(['open'])
    .nullable()
    .describe(
      'The label `berth.preflight`. With `open`, CORS preflights of browsers need no password of basic auth. Null without it',
    ),
  published: z
    .array(
      z.object({
        port: z.number().describe('The port on the nodes'),
        protocol: z.enum(['tcp', 'udp']).describe('The protocol of the port'),
      }),
    )
    .describe('The ports that the service itself publishes'),
  onNetwork: z
    .boolean()
    .describe("Whether the service is on Berth's network. Otherwise neither the proxy nor a gateway can reach it"),
  replicas: z.number().describe('The number of tasks that the service should have'),
  running: z.number().describe('The number of running tasks'),
  health: z
    .enum(['up', 'degraded', 'down', 'stopped'])
    .describe('up: all tasks run. degraded: some tasks run. down: no task runs. stopped: the service has no replicas'),
  faults: z.array(z.string()).describe('Messages about invalid labels of the service'),
  served: z.boolean().describe('Whether the proxy serves the application'),
  reason: z
    .string()
    .nullable()
    .describe('Why the proxy does not serve the application. Null if the proxy serves the application'),
  redirects: z.array(z.string()).describe('The ids of the redirects, in the order in which the proxy tries them'),
  securities: z.array(z.string()).describe('The ids of the users of basic auth'),
  ports: z.array(z.string()).describe('The ids of the published ports'),
  issuances: z
    .array(
      z.object({
        name: z.string().describe('The host name'),
        notAfter: z.string().nullable().describe('When the certificate expires. Null if there is none yet'),
        error: z.string().nullable().describe('Why the last attempt failed. Null if it did not fail'),
        nextTryAt: z.string().nullable().describe('When the proxy tries again. Null if no attempt is planned'),
      }),
    )
    .describe('The state of ACME for each served host that the proxy obtains a certificate for'),
  createdAt: z.string().describe('When the Swarm service was created'),
})

export const all = query({
  name: 'application.all',
  summary: 'List the applications on the swarm with the rules about them',
  description:
    'Applications are the Swarm services that Berth did not create. Berth reads them every five seconds, and when ' +
    'Swarm reports a change.',
  access: 'user:read',
  input: z.object(page),
  output: z.array(Application),
  async run({ db, config, setNextCursor }, { limit, cursor = '' }) {
    const applications = await readApplications(db)
    const hosts = hostsOf(applications)
    const fault = await proxyFaultOf(db)
    const ruleIdsOf = await readRuleIds(db)
    const issuances = await db.selectFrom('issuance').selectAll().execute()
    const rows = applications
      .filter(({ isOwn, id }) => isOwn === 0 && id > cursor)
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
      .slice(0, limit === undefined ? undefined : limit + 1)
    return cutPage(rows, limit, setNextCursor).map((row) => {
      const servedHosts = hosts.get(row.id)!
      const reason = whyMessage(unservedReason(row, servedHosts, config.networkName) ?? fault)
      return {
        ...toApplication(row),
        ...ruleIdsOf(row),
        servedHosts,
        reason,
        served: reason === null,
        issuances: issuances.filter(({ name }) => servedHosts.includes(name)),
      }
    })
  },
})

interface Rule {
  id: string
  applicationId: string
}

/**
 * Reads all rules, and returns a function from a service to the ids of the rules about it. Rules may refer to the
 * service by id, name or label.
 */
async function readRuleIds(db: Reader) {
  const columns = ['id', 'applicationId'] as const
  const [redirects, securities, ports] = await Promise.all([
    db.selectFrom('redirect').select(columns).orderBy('id').execute(),
    db.selectFrom('security').select(columns).orderBy('id').execute(),
    db.selectFrom('port').select(columns).where('goal', '=', 'published').orderBy('id').execute(),
  ])
  const [ofRedirects, ofSecurities, ofPorts] = [redirects, securities, ports].map(idsByApplication)
  return (row: ApplicationTable) => ({
    redirects: ofRedirects!(row),
    securities: ofSecurities!(row),
    ports: ofPorts!(row),
  })
}

function idsByApplication(rules: Rule[]): (row: ApplicationTable) => string[] {
  const byName = Map.groupBy(rules, ({ applicationId }) => applicationId)
  return (row) =>
    namesOf(row)
      .flatMap((name) => byName.get(name) ?? [])
      .map(({ id }) => id)
      .toSorted()
}

function toApplication({
  id,
  name,
  alias,
  hosts,
  port,
  tls,
  preflight,
  published,
  onNetwork,
  ...rest
}: ApplicationTable) {
  const { replicas, running, createdAt } = rest
  return {
    applicationId: id,
    name,
    alias,
    hosts: JSON.parse(hosts) as string[],
    port,
    tls,
    preflight,
    onNetwork: onNetwork === 1,
    published: JSON.parse(published) as { port: number; protocol: 'tcp' | 'udp' }[],
    replicas,
    running,
    faults: JSON.parse(rest.faults) as string[],
    health: healthOf(rest),
    createdAt,
  }
}

function healthOf({ replicas, running }: Pick<ApplicationTable, 'replicas' | 'running'>) {
  if (replicas === 0) return 'stopped' as const
  if (running === 0) return 'down' as const
  return running < replicas ? ('degraded' as const) : ('up' as const)
}
