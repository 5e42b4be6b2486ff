/** Records what a UDP gateway enforces. It has its list in its configuration, so Berth does not control it. */
import type { FoundTask } from '../../engine/engine.ts'
import type { Runtime } from '../../runtime.ts'
import type { GatewayOwner } from '../own-names.ts'
import { admittedSources } from './admitted.ts'
import { recordApplied, sourcesHash } from './apply.ts'
import { findGateway, nodeNameOf, recordGateway } from './queries.ts'
import type { Measurement } from './table.ts'

/** The list of a UDP gateway, and what was known of its node when the gateway was created. */
export interface UdpList {
  /** The canonical list; empty: everyone. */
  sources: readonly string[]
  measurement: Measurement | null
}

/** Records that the running task enforces the list, and which entries it ignores. Writes nothing if that is recorded. */
export async function recordUdpSources(
  runtime: Runtime,
  owner: GatewayOwner,
  task: FoundTask & { nodeId: string },
  { sources, measurement }: UdpList,
): Promise<void> {
  if ((await findGateway(runtime.db, task.serviceName, task.nodeId)) === null) {
    await runtime.transact((tx) => recordGateway(tx, owner, task.nodeId))
  }
  const { faults } = admittedSources(sources, measurement)
  const subject = { task, node: await nodeNameOf(runtime.db, task.nodeId), owner }
  await recordApplied(runtime, subject, sourcesHash(sources, measurement), faults, { refused: 0, refusedSources: [] })
}
