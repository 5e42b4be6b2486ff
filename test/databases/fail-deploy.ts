/** Makes a deploy that must fail. Shared by the tests of failed deploys. */
import assert from 'node:assert/strict'
import type { Database, DatabaseClients } from '../fixtures/database-clients.ts'
import { type TestBerth, wait } from '../fixtures/test-berth.ts'
import { until } from '../engine/until.ts'

/**
 * Deploys the database, advances the clock while the work runs, and returns the error message of the waiting call.
 * @param passesMs milliseconds by which the clock advances
 * @param messagePattern the expected message
 */
export async function failDeploy(
  testBerth: TestBerth,
  databaseClients: DatabaseClients,
  database: Database,
  passesMs: number,
  messagePattern: RegExp,
): Promise<string> {
  const before = testBerth.engine.calls.servicesNamed
  const response = databaseClients.call('deploy', database, {}, wait)
  // When the image is resolved, the time limits start anew. By the third query the image is resolved.
  if (passesMs > 0) await until('three engine queries', async () => testBerth.engine.calls.servicesNamed > before + 2)
  testBerth.pass(passesMs)
  const { status, body } = await response
  assert.equal(status, 422)
  assert.match(body.message, messagePattern)
  return body.message
}
