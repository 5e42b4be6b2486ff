/** Provides the connections to the engines of other nodes, from the store. */
import { trustBundle } from '../../authority/issue.ts'
import { EngineFailure } from '../../engine/failures.ts'
import type { ConnectionTo } from '../../engine/node-connection.ts'
import { fromJson } from '../../lib/json.ts'
import type { Reader } from '../../store/schema.ts'
import type { Vault } from '../../store/vault.ts'
import { openAccessKey } from './queries.ts'
import { nodeEngineMessage } from './reason-message.ts'
import { engineServerName } from './spec.ts'
import type { NodeEngineTable } from './table.ts'

export function connectionsFrom(db: Reader, vault: Vault): ConnectionTo {
  return async (nodeId) => {
    const row = await db.selectFrom('nodeEngine').selectAll().where('nodeId', '=', nodeId).executeTakeFirst()
    const access = await db.selectFrom('engineAccess').selectAll().where('state', '=', 'current').executeTakeFirst()
    if (row === undefined || access === undefined) throw await missingPort(db, nodeId)
    const obstacle = obstacleTo(row)
    if (obstacle !== null) throw new EngineFailure('nodeUnreachable', obstacle)
    return {
      host: row.address,
      port: row.port,
      ca: await trustBundle(db, 'engines'),
      certificate: access.certificatePem,
      key: openAccessKey(vault, access),
      serverName: engineServerName(nodeId),
    }
  }
}

async function missingPort(db: Reader, nodeId: string): Promise<EngineFailure> {
  const node = await db.selectFrom('node').select('hostname').where('id', '=', nodeId).executeTakeFirst()
  return node === undefined
    ? new EngineFailure('nodeMissing', `Node ${nodeId} is not in the swarm`)
    : new EngineFailure('nodeUnreachable', `The port to the engine of node ${node.hostname} is being created`)
}

/** Why a connection cannot succeed; null if it can. A port that did not answer before may answer now. */
function obstacleTo({ state, reason: stored, hostname, fingerprints }: NodeEngineTable): string | null {
  const reason = fromJson(stored)
  if (reason !== null && reason.reason !== 'PortUnreachable') return nodeEngineMessage(reason)
  const isBeingCreated = state === 'starting' && fingerprints === ''
  return isBeingCreated ? `The port to the engine of node ${hostname} is being created` : null
}
