/** Removes the temporary servers of moves that were left in the swarm, if state.confirm decided so. */
import { isOwnObject, roleLabel } from '../../engine/labels.ts'
import { deleteMeta } from '../../store/meta.ts'
import type { Runtime } from '../../runtime.ts'

/** The value is a JSON list of the names of services. */
export const leftoversKey = 'leftoverServers'

/** @returns whether all of them are gone */
export async function removeLeftovers({ db, engine, transact, installationId }: Runtime): Promise<boolean> {
  const row = await db.selectFrom('meta').select('value').where('key', '=', leftoversKey).executeTakeFirst()
  if (row === undefined) return true
  const names = JSON.parse(row.value) as string[]
  for (const { name, labels } of await engine.servicesNamed(names)) {
    if (isOwnObject(labels, installationId) && labels[roleLabel] === 'move') await engine.removeService(name)
  }
  const live = await Promise.all(names.map((name) => engine.liveContainers(name)))
  if (live.some((containers) => containers.length > 0)) return false
  await transact((tx) => deleteMeta(tx, leftoversKey))
  return true
}
