/** Operations on applications: services of the swarm that others deploy, with the rules about them. */
import { z } from 'zod'
import { query } from '../../api/contract.ts'
import { hostsOf, namesOf, unservedReason } from '../application-lookup.ts'
import { proxyFaultOf, readApplications } from '../queries.ts'
import type { ApplicationTable } from '../table.ts'
import type { Reader } from '../../store/schema.ts'
import { cutPage, page } from '../../api/fields.ts'
import { whyMessage } from '../fields.ts'

const Application = z.object({
  applicationId: z.string().describe('The id of the service on the swarm'),
  name: z.string(),
  alias: z.string().nullable().describe('Its label `berth.application`'),
  hosts: z.array(z.string()).describe('Its label `berth.host`'),
  servedHosts: z.array(z.string()).describe('Those that the proxy serves it by'),
  port: z.number().describe('Where it listens: its label `berth.port`, or 80'),
  tls: z.enum(['auto']).nullable().describe('Its label `berth.tls`: `auto` is a certificate by ACME for each host'),
  published: z
    .array(z.object({ port: z.number(), protocol: z.enum(['tcp', 'udp']) }))
    .describe('Ports that it publishes itself'),
  onNetwork: z.boolean().describe("On Berth's network: without that neither proxy nor gateways reach it"),
  replicas: z.number().describe('Tasks that are wanted'),
  running: z.number().describe('Tasks that run'),
  health: z.enum(['up', 'degraded', 'down', 'stopped']).describe('All run, some, none of those wanted; or none wanted'),
  faults: z.array(z.string()).describe('What is wrong with its labels'),
  served: z.boolean().describe('The proxy serves it'),
  reason: z.string().nullable().describe('Why it does not; null where it does'),
  redirects: z.array(z.string()).describe('Ids, in the order in which they are tried'),
  securities: z.array(z.string()).describe('Ids'),
  ports: z.array(z.string()).describe('Ids'),
  issuances: z
    .array(
      z.object({
        name: z.string(),
        notAfter: z.string().nullable(),
        error: z.string().nullable(),
        nextTryAt: z.string().nullable(),
      }),
    )
    .describe('How it goes with certificates by ACME for its hosts'),
  createdAt: z.string(),
})

export const all = query({
  name: 'application.all',
  summary: 'List the applications on the swarm, with what the proxy does for them',
  description: 'As they were last seen: Berth looks every five seconds, and whenever the swarm says that one changed.',
  access: 'user:read',
  input: z.object(page),
  output: z.array(Application),
  async run({ db, config, more }, { limit, cursor = '' }) {
    const applications = await readApplications(db)
    const hosts = hostsOf(applications)
    const fault = await proxyFaultOf(db)
    const [rulesOf, issuances] = [await rulesByName(db), await db.selectFrom('issuance').selectAll().execute()]
    const rows = applications
      .filter(({ isOwn, id }) => isOwn === 0 && id > cursor)
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
      .slice(0, limit === undefined ? undefined : limit + 1)
    return cutPage(rows, limit, more).map((row) => {
      const servedHosts = hosts.get(row.id)!
      const reason = whyMessage(unservedReason(row, servedHosts, config.networkName) ?? fault)
      return {
        ...toApplication(row),
        ...rulesOf(row),
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

/** Returns a function from a service to the ids of its rules. Rules may refer to the service by id, name or label. */
async function rulesByName(db: Reader) {
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

function toApplication({ id, name, alias, hosts, port, tls, published, onNetwork, ...rest }: ApplicationTable) {
  const { replicas, running, createdAt } = rest
  return {
    applicationId: id,
    name,
    alias,
    hosts: JSON.parse(hosts) as string[],
    port,
    tls,
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
