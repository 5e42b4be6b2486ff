/** How work on the registry that Berth runs begins: the goal and a deployment are recorded, the loop is woken. */
import type { CommandContext } from '../api/contract.ts'
import * as deployments from '../deployments/queries.ts'
import type { DeploymentAction } from '../deployments/table.ts'
import { registryName, type RegistryServerTable, serverId } from './table.ts'
import { serverOf } from './queries.ts'
import type { RegistryTable } from '../store/schema.ts'

type Begun = Pick<CommandContext, 'tx' | 'now' | 'newId' | 'wake' | 'follow'>

/** Its service goes, its volume is kept. `row`: its record, which is deleted. */
export const beginRemoval = (context: Begun, row: RegistryTable): Promise<void> =>
  begin(context, row, 'removeRegistry', { goal: 'gone', registryId: null, collecting: 0 })

/** Work that was under way for it is overtaken. */
export async function begin(
  { tx, now, newId, wake, follow }: Begun,
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
