/** A database with data on a volume, and changes to that data outside Berth. Shared by the tests of data identity. */
import assert from 'node:assert/strict'
import { kinds } from '../../src/kinds/index.ts'
import { type Database, type DatabaseClients, databaseClientsOf } from '../fixtures/database-clients.ts'
import { type TestBerth, startTestBerth } from '../fixtures/test-berth.ts'

export const kind = kinds[0]!

export const missing = /^Volume berth-\S+ is missing on node memory\. .* call \w+\.start with acceptNewData: true/
export const replaced =
  /^Volume berth-\S+ on node memory holds other data than before, or none\. .* with acceptNewData: true/

export interface Up extends AsyncDisposable {
  testBerth: TestBerth
  databaseClients: DatabaseClients
  up: Database
}

export async function running(): Promise<Up> {
  const testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  return { testBerth, databaseClients, up: await databaseClients.up(), [Symbol.asyncDispose]: () => testBerth.close() }
}

/** Puts other data on the volume. */
export function replace({ testBerth, up }: Pick<Up, 'testBerth' | 'up'>, mark: string | null = 'of-another'): void {
  const place = [...testBerth.engine.marks.keys()].find((it) => it.startsWith(`${up.volume}:`))!
  if (mark === null) testBerth.engine.marks.delete(place)
  else testBerth.engine.marks.set(place, mark)
}

/** Asserts that the database is in error with this reason and has no container. */
export async function checkHalted(
  { testBerth, databaseClients, up }: Up,
  reason: RegExp,
  fault: string,
): Promise<Database> {
  const one = await databaseClients.one(up)
  assert.match(one.statusReason!, reason)
  assert.deepEqual([one.applicationStatus, one.volumeFault], ['error', fault])
  assert.equal(testBerth.engine.specOf(up.appName)?.replicas ?? 0, 0)
  return one
}

export const identityOf = async (testBerth: TestBerth) =>
  testBerth.app.db.selectFrom('volume').select(['identity', 'serverVersion', 'fault']).executeTakeFirstOrThrow()
