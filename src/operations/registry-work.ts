/** How work on the registry that Berth runs begins: the goal and a deployment are recorded, the loop is woken. */
import type { CommandContext } from '../contract.ts'
import { registryName, type RegistryServerTable, serverId } from '../store/registry-schema.ts'
import { serverOf } from '../store/registries.ts'
import type { DeploymentAction, RegistryTable } from '../store/schema.ts'

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
  const [deploymentId, at] = [newId(), now().toISOString()]
  const before = await serverOf(tx)
  await tx
    .updateTable('deployment')
    .set({ state: 'superseded', finishedAt: at })
    .where('id', '=', before?.deploymentId ?? '')
    .where('state', '=', 'running')
    .execute()
  await tx
    .insertInto('deployment')
    .values({
      id: deploymentId,
      databaseId: registryId,
      kind: 'registry',
      appName: registryName,
      action,
      state: 'running',
      phase: 'apply',
      reason: null,
      startedAt: at,
      phaseAt: at,
      finishedAt: null,
    })
    .execute()
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
