/** The allowed sources of gateways as Prometheus metrics. */
import type { Family } from '../../lib/prometheus.ts'
import type { Reader } from '../../store/schema.ts'

/** One sample for each gateway: of a database with an external port, or of a published port. UDP gateways count nothing. */
export async function sourcesFamilies(db: Reader): Promise<Family[]> {
  const rows = await db
    .selectFrom('gatewaySources')
    .leftJoin('port', 'port.id', 'gatewaySources.ownerId')
    .select(['ownerKind', 'ownerId', 'nodeId', 'refused', 'enforcedSince', 'port.protocol'])
    .orderBy('gateway')
    .execute()
  const labelsOf = ({ ownerKind, ownerId, nodeId }: (typeof rows)[number]) => ({ ownerKind, ownerId, nodeId })
  return [
    {
      name: 'berth_gateway_refused_connections_total',
      type: 'counter',
      help: 'Number of connections that a gateway refused because of its list of allowed sources.',
      samples: rows.filter(({ protocol }) => protocol !== 'udp').map((row) => [labelsOf(row), row.refused] as const),
    },
    {
      name: 'berth_gateway_sources_enforced',
      help: 'Whether the gateway enforces its list of allowed sources: 1 or 0.',
      samples: rows.map((row) => [labelsOf(row), row.enforcedSince === null ? 0 : 1] as const),
    },
  ]
}
