/** Begins a deployment of the registry that Berth runs: records the goal and the deployment, and wakes the loop. */
import type { CommandContext } from '../api/contract.ts'
import * as deployments from '../deployments/queries.ts'
import type { DeploymentAction } from '../deployments/table.ts'
import { registryName, type RegistryServerTable, serverId } from './table.ts'
import { serverOf } from './queries.ts'
import type { RegistryTable } from '../store/schema.ts'

type Context = Pick<CommandContext, 'tx' | 'now' | 'newId' | 'wake' | 'follow'>

/**
 * Begins the removal of the service. Berth keeps the volume.
 * @param row the registry's record, which the caller deletes
 */
export const beginRemoval = (context: Context, row: RegistryTable): Promise<void> =>
  beginDeployment(context, row, 'removeRegistry', { goal: 'gone', registryId: null, collecting: 0 })

/**
 * Records the changes and a deployment of the registry that Berth runs, and wakes the loop. The new deployment
 * supersedes one that is in progress.
 * @param changes columns that differ from the stored row, or from the defaults if no row is stored
 */
export async function beginDeployment(
  { tx, now, newId, wake, follow }: Context,
  { id: registryId }: RegistryTable,
  action: DeploymentAction,
  changes: Partial<RegistryServerTable>,
): Promise<void> {
  const [deploymentId, at] = [newId(), now()]
  const before = await serverOf(tx)
  if (before?.deploymentId != null) await deployments.supersede(tx, before.deploymentId, at)
  const subject: deployments.Subject = { kind: 'registry', id: registryId, type: 'registry', name: registryName }
  await deployments.begin(tx, { id: deploymentId, action, subject }, at)
  const row: RegistryServerTable = {
    id: serverId,
    registryId,
    goal: 'up',
    htpasswd: '',
    host: null,
    port: null,
    volumeId: null,
    collecting: 0,
    untagged: 0,
    collections: 0,
    ...before,
    ...changes,
    status: 'running',
    reason: null,
    deploymentId,
  }
  await tx.deleteFrom('registryServer').where('id', '=', serverId).execute()
  await tx.insertInto('registryServer').values(row).execute()
  wake('registry')
  follow(deploymentId)
}
