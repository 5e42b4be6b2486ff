/** Tests when retries end. The times are injected: no test waits. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openConnection } from './connection.ts'
import { type FaultKind, StorageFault } from '../storage/faults.ts'

const settings = {
  endpoint: 'http://127.0.0.1:9',
  region: '',
  bucket: 'backups',
  accessKey: 'key',
  secretAccessKey: '',
}
const { signal } = new AbortController()

/** Whether another attempt follows the failures. */
async function isRetried(kind: FaultKind, count: number, agoMs: number): Promise<boolean> {
  const connection = openConnection(settings, { waitMs: 0 })
  const fault = new StorageFault(kind, 'a fault')
  try {
    await connection.waitForRetry(fault, { count, since: performance.now() - agoMs }, signal)
    return true
  } catch (error) {
    assert.equal(error, fault)
    return false
  } finally {
    connection.close()
  }
}

const cases: [title: string, kind: FaultKind, count: number, agoMs: number, expected: boolean][] = [
  ['goes on while a storage accepts no connection for 14 seconds', 'refused', 5, 14_000, true],
  ['ends after a storage accepted no connection for 15 seconds', 'refused', 5, 15_000, false],
  ['ends after a storage could not be reached for 15 seconds', 'unreachable', 5, 15_000, false],
  ['goes on for longer while connections break', 'broken', 7, 40_000, true],
  ['ends after the eighth attempt', 'broken', 8, 0, false],
  ['does not begin for wrong keys', 'accessKey', 1, 0, false],
]
for (const [title, kind, count, agoMs, expected] of cases) {
  test(`retrying ${title}`, async () => assert.equal(await isRetried(kind, count, agoMs), expected))
}
