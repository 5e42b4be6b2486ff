/** A running database, and changes to the data of its volume outside Berth. Shared by the tests of data identity. */
import assert from 'node:assert/strict'
import { kinds } from '../../src/kinds/index.ts'
import { type Database, type DatabaseClients, databaseClientsOf } from '../fixtures/database-clients.ts'
import { type TestBerth, startTestBerth } from '../fixtures/test-berth.ts'

export const kind = kinds[0]!

/** The reason of a database whose volume is missing. */
export const volumeMissing = /^Volume berth-\S+ is missing on node memory\. .* call \w+\.start with acceptNewData: true/
/** The reason of a database whose volume has other data or is empty. */
export const dataReplaced =
  /^Volume berth-\S+ on node memory holds other data than before, or none\. .* with acceptNewData: true/

export interface RunningDatabase extends AsyncDisposable {
  testBerth: TestBerth
  databaseClients: DatabaseClients
  database: Database
}

/** Starts a test Berth with a running database. */
export async function openRunning(): Promise<RunningDatabase> {
  const testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  return {
    testBerth,
    databaseClients,
    database: await databaseClients.createDeployed(),
    [Symbol.asyncDispose]: () => testBerth.close(),
  }
}

/**
 * Replaces the data on the volume of the database.
 * @param mark the identity in the new data, or null if the volume is empty
 */
export function replaceData(
  { testBerth, database }: Pick<RunningDatabase, 'testBerth' | 'database'>,
  mark: string | null = 'of-another',
): void {
  const key = [...testBerth.engine.marks.keys()].find((it) => it.startsWith(`${database.volume}:`))!
  if (mark === null) testBerth.engine.marks.delete(key)
  else testBerth.engine.marks.set(key, mark)
}

/** Asserts that the database is in error with this reason and volume fault, and that its service is scaled to zero. */
export async function checkHalted(
  { testBerth, databaseClients, database }: RunningDatabase,
  reasonPattern: RegExp,
  fault: string,
): Promise<Database> {
  const record = await databaseClients.one(database)
  assert.match(record.statusReason!, reasonPattern)
  assert.deepEqual([record.applicationStatus, record.volumeFault], ['error', fault])
  assert.equal(testBerth.engine.specOf(database.appName)?.replicas ?? 0, 0)
  return record
}

/** Returns the identity that Berth stored for the only volume. */
export const identityOf = async (testBerth: TestBerth) =>
  testBerth.app.db.selectFrom('volume').select(['identity', 'serverVersion', 'fault']).executeTakeFirstOrThrow()
