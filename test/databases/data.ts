/** A database with data on a volume, and what becomes of that outside Berth: what the tests of its data share. */
import assert from 'node:assert/strict'
import { kinds } from '../../src/kinds/index.ts'
import { type Database, type Fleet, fleetOf } from '../fixtures/fleet.ts'
import { type Site, startSite } from '../fixtures/site.ts'

export const kind = kinds[0]!

export const missing = /^Volume berth-\S+ is missing on node memory\. .* call \w+\.start with acceptNewData: true/
export const replaced =
  /^Volume berth-\S+ on node memory holds other data than before, or none\. .* with acceptNewData: true/

export interface Up extends AsyncDisposable {
  site: Site
  fleet: Fleet
  up: Database
}

export async function running(): Promise<Up> {
  const site = await startSite()
  const fleet = fleetOf(site, kind)
  return { site, fleet, up: await fleet.up(), [Symbol.asyncDispose]: () => site.close() }
}

/** Somebody put other data on its volume. */
export function replace({ site, up }: Pick<Up, 'site' | 'up'>, mark: string | null = 'of-another'): void {
  const place = [...site.engine.marks.keys()].find((it) => it.startsWith(`${up.volume}:`))!
  if (mark === null) site.engine.marks.delete(place)
  else site.engine.marks.set(place, mark)
}

/** An error with this reason, and no container of it. */
export async function checkHalted({ site, fleet, up }: Up, reason: RegExp, fault: string): Promise<Database> {
  const one = await fleet.one(up)
  assert.match(one.statusReason!, reason)
  assert.deepEqual([one.applicationStatus, one.volumeFault], ['error', fault])
  assert.equal(site.engine.specOf(up.appName)?.replicas ?? 0, 0)
  return one
}

export const identityOf = async (site: Site) =>
  site.app.db.selectFrom('volume').select(['identity', 'serverVersion', 'fault']).executeTakeFirstOrThrow()
