/**
 * Work under way has its times: for the image to arrive, for a server to answer. Where the clock of the machine is set,
 * they are not over at once, nor go on for days.
 */
import type { Writer } from '../store/schema.ts'
import type { World } from './world.ts'

/** Moves the beginnings of work under way as the clock was; gives whether it was. */
export async function keepStep(world: World): Promise<boolean> {
  const byMs = world.clockSet.byMs()
  if (byMs === 0) return false
  world.log.warn('the clock of this machine was set', { byMs })
  await world.transact((tx) => moveBeginnings(tx, world.now().getTime(), byMs))
  world.clockSet.accept(byMs)
  return true
}

/** Of work that began since the clock was set nothing is moved: it goes by the present one. */
async function moveBeginnings(tx: Writer, nowMs: number, byMs: number): Promise<void> {
  const works = await tx.selectFrom('deployment').select(['id', 'phaseAt']).where('finishedAt', 'is', null).execute()
  for (const { id, phaseAt } of works) {
    const atMs = Date.parse(phaseAt)
    if (byMs > 0 ? atMs > nowMs - byMs : atMs <= nowMs) continue
    await tx
      .updateTable('deployment')
      .set({ phaseAt: new Date(atMs + byMs).toISOString() })
      .where('id', '=', id)
      .execute()
  }
}
