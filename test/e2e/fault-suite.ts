/**
 * Faults of a database that Berth did not cause, the same for every kind. Berth detects each within ten seconds,
 * records the reason and repairs the database. The rows are kept.
 */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Kind } from '../../src/kinds/kind.ts'
import { until } from '../engine/until.ts'
import type { Database } from '../fixtures/database-clients.ts'
import type { Client } from './clients.ts'
import { type DatabaseClients, fillMemory, databaseClientsOn } from './database-clients.ts'
import { containersOf, docker, type Swarm } from './swarm.ts'

const detectionTimeoutMs = 10_000
const repairTimeoutMs = 90_000

const containerOf = async (appName: string) => (await containersOf(appName))[0]!

interface Fault {
  name: string
  /** The action of the deployment that repairs the database. */
  action: string
  drift: RegExp
  /** Matches the statusReason of this fault and of no other. */
  reasonPattern: RegExp
  cause(appName: string): Promise<unknown>
}

const faults: Fault[] = [
  {
    name: 'a killed process',
    action: 'restart',
    drift: /^The container does not run/,
    reasonPattern: /Went down at/,
    cause: async (appName) => docker('kill', await containerOf(appName)),
  },
  {
    name: 'a removed Swarm service',
    action: 'repair',
    drift: /^The Swarm service is missing/,
    reasonPattern: /The Swarm service is missing/,
    cause: (appName) => docker('service', 'rm', appName),
  },
  {
    name: 'a disconnected network',
    action: 'restart',
    drift: /^The container was disconnected from the network/,
    reasonPattern: /was disconnected from the network/,
    cause: async (appName) => docker('network', 'disconnect', '--force', 'berth', await containerOf(appName)),
  },
]

export function faultSuite(kind: Kind, client: Client, swarm: () => Swarm): void {
  describe(kind.name, { concurrency: 1 }, () => {
    let databaseClients: DatabaseClients
    let database: Database
    before(async () => {
      databaseClients = databaseClientsOn(swarm(), kind, client)
      database = await databaseClients.deployed({ memoryLimit: 768 })
      await databaseClients.open(database, (session) => session.write('first'))
    })

    // Each fault has its own reasonPattern, because a reason stays in the record until the next fault.
    for (const { name, action, drift, reasonPattern, cause } of faults) {
      test(`${name} is detected, recorded and repaired`, async () => {
        await cause(database.appName)
        const drifted = await databaseClients.waitUntil(
          'the fault to be detected',
          database,
          (current) => current.drift.length > 0,
          detectionTimeoutMs,
        )
        assert.match(drifted.drift[0]!, drift)
        await databaseClients.waitUntil(
          `a statusReason that matches ${reasonPattern}`,
          database,
          ({ statusReason }) => reasonPattern.test(statusReason ?? ''),
          detectionTimeoutMs,
        )
        await assertRepaired()
        assert.deepEqual(await lastDeployment(), [action, 'done'])
      })
    }

    test('exhausted memory is recorded, and the database answers afterwards', async () => {
      await fillMemory(database.appName)
      const record = await databaseClients.waitUntil(
        'the exhausted memory to be recorded',
        database,
        ({ statusReason }) => /memory.*768 MiB/s.test(statusReason ?? ''),
        detectionTimeoutMs,
      )
      assert.match(record.statusReason!, /out of memory.*memory limit is 768 MiB/)
      await assertRepaired()
    })

    async function assertRepaired() {
      const repaired = await databaseClients.waitUntil(
        'the database to be repaired',
        database,
        (current) =>
          current.applicationStatus === 'done' && current.containerState === 'running' && current.drift.length === 0,
        repairTimeoutMs,
      )
      assert.equal(repaired.pendingChanges, false)
      // The reason can be recorded before the container's state changes, so the first connections can fail.
      const rows = await until(
        'the rows',
        () => databaseClients.open(database, (session) => session.read()).catch(() => null),
        repairTimeoutMs,
      )
      assert.deepEqual(rows, ['first'])
    }

    /** Returns the action and the state of the last deployment. */
    async function lastDeployment() {
      const input = { serviceId: database[kind.idField] }
      const { body } = await swarm().call<{ action: string; state: string }[]>('deployment.all', input)
      return [body.at(-1)!.action, body.at(-1)!.state]
    }
  })
}
