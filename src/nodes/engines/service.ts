/** Creates or changes the service of a node's port, if it has to and if no work uses the port. */
import type { ServiceReason } from '../../deployments/reason.ts'
import type { FoundNode, NamedService } from '../../engine/engine.ts'
import { containerDigestOf, digestOf } from '../../engine/spec.ts'
import { ensureService } from '../../gateways/ensure-service.ts'
import type { Network } from '../../lib/net/egress.ts'
import type { Runtime } from '../../runtime.ts'
import { canStart, isUrgent } from './plan.ts'
import { busyNodes, openEngineKey, recordService } from './queries.ts'
import { engineServiceName, engineSpec } from './spec.ts'
import type { EngineAccessTable, NodeEngineTable } from './table.ts'

/** What the services of all ports have in common. */
export interface Ports {
  /** The services of ports that exist. */
  services: NamedService[]
  access: EngineAccessTable[]
  fingerprints: string[]
  trustBundle: string
  sources: readonly Network[]
}

/**
 * `kept`: the service has the specification whose container digest is `digest`. `changed`: it is changing. `absent`:
 * it does not exist, and the node cannot start it now.
 */
export type ServiceStep =
  | { is: 'kept'; digest: string }
  | { is: 'changed' | 'absent' }
  | { is: 'failed'; reason: ServiceReason }

export async function stepService(
  runtime: Runtime,
  ports: Ports,
  node: FoundNode,
  row: NodeEngineTable,
): Promise<ServiceStep> {
  const { transact } = runtime
  const name = engineServiceName(row.nodeId)
  const spec = wantedSpec(runtime, ports, row)
  const existing = ports.services.find((service) => service.name === name)
  if (existing === undefined && !canStart(node)) return { is: 'absent' }
  const isChange = existing !== undefined && existing.digest !== digestOf(spec)
  if (isChange && row.digest !== '' && !isUrgent(row, ports.access) && (await hasToWait(runtime, node))) {
    return { is: 'kept', digest: row.digest }
  }
  const ensured = await ensureService(runtime, name, spec, ports.services)
  if (ensured !== null) return ensured
  const service = { fingerprints: ports.fingerprints.join(','), digest: containerDigestOf(spec) }
  if (service.fingerprints !== row.fingerprints || service.digest !== row.digest) {
    await transact((tx) => recordService(tx, row.nodeId, service))
  }
  return { is: 'kept', digest: service.digest }
}

/** Whether the port's service has the wanted specification, with the trust and the certificate of `ports` and `row`. */
export const isServiceCurrent = (runtime: Runtime, ports: Ports, row: NodeEngineTable): boolean =>
  row.digest === containerDigestOf(wantedSpec(runtime, ports, row))

const wantedSpec = ({ vault, config }: Runtime, ports: Ports, row: NodeEngineTable) =>
  engineSpec({
    nodeId: row.nodeId,
    image: config.gatewayImage,
    address: row.address,
    port: row.port,
    sources: ports.sources,
    fingerprints: ports.fingerprints,
    trustBundle: ports.trustBundle,
    certificatePem: row.certificatePem,
    keyPem: openEngineKey(vault, row),
  })

/**
 * Whether a run, a move or a job of Berth uses the node's engine, or the node is paused: Swarm would end the port there
 * and start no other one.
 */
async function hasToWait({ db, engine }: Runtime, { id, availability }: FoundNode): Promise<boolean> {
  if (availability === 'pause' || (await busyNodes(db)).has(id)) return true
  return (await engine.attachedJobs(id)).length > 0
}
