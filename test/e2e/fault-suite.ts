/**
 * What befalls a database behind Berth's back, the same for every kind: seen within ten seconds, said in the record,
 * and mended; with the rows there afterwards.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Kind } from '../../src/kinds/kind.ts'
import { until } from '../engine/until.ts'
import type { Database } from '../fixtures/database-clients.ts'
import type { Client } from './clients.ts'
import { type DatabaseClients, fillMemory, databaseClientsOn } from './database-clients.ts'
import { containersOf, docker, type Swarm } from './swarm.ts'

const seenWithinMs = 10_000
const mendedWithinMs = 90_000

const containerOf = async (appName: string) => (await containersOf(appName))[0]!

interface Fault {
  what: string
  /** What mends it. */
  action: string
  drift: RegExp
  /** In the record's reason, and in that of no other fault. */
  said: RegExp
  befall(appName: string): Promise<unknown>
}

const faults: Fault[] = [
  {
    what: 'its process is killed',
    action: 'restart',
    drift: /^The container does not run/,
    said: /Went down at/,
    befall: async (appName) => docker('kill', await containerOf(appName)),
  },
  {
    what: 'its service is removed',
    action: 'repair',
    drift: /^The Swarm service is missing/,
    said: /The Swarm service is missing/,
    befall: (appName) => docker('service', 'rm', appName),
  },
  {
    what: 'it is taken off its network',
    action: 'restart',
    drift: /^The container was disconnected from the network/,
    said: /was disconnected from the network/,
    befall: async (appName) => docker('network', 'disconnect', '--force', 'berth', await containerOf(appName)),
  },
]

export function faultSuite(kind: Kind, client: Client, opened: () => Swarm): void {
  describe(kind.name, { concurrency: 1 }, () => {
    let databaseClients: DatabaseClients
    let database: Database
    before(async () => {
      databaseClients = databaseClientsOn(opened(), kind, client)
      const made = await databaseClients.deployed()
      await databaseClients.call('update', made, { memoryLimit: 768 })
      database = await databaseClients.done('deploy', made)
      await databaseClients.open(database, (session) => session.write('first'))
    })
    after(() => databaseClients.clear(database))

    // The reason of a kill stays until something else befalls it.
    for (const { what, action, drift, said, befall } of faults) {
      test(`${what}: seen, said and mended`, async () => {
        await befall(database.appName)
        const seen = await databaseClients.waitUntil(
          'it to be seen',
          database,
          (it) => it.drift.length > 0,
          seenWithinMs,
        )
        assert.match(seen.drift[0]!, drift)
        await databaseClients.waitUntil(
          `${said} to be said`,
          database,
          (it) => said.test(it.statusReason ?? ''),
          seenWithinMs,
        )
        await backWithRows()
        assert.deepEqual(await lastWork(), [action, 'done'])
      })
    }

    test('its memory is filled: said, and it answers afterwards', async () => {
      await fillMemory(database.appName)
      const told = await databaseClients.waitUntil(
        'it to be said',
        database,
        ({ statusReason }) => /memory.*768 MiB/s.test(statusReason ?? ''),
        seenWithinMs,
      )
      assert.match(told.statusReason!, /out of memory.*memoryLimit is 768 MiB/)
      await backWithRows()
    })

    async function backWithRows() {
      const back = await databaseClients.waitUntil(
        'it to be mended',
        database,
        (it) => it.applicationStatus === 'done' && it.containerState === 'running' && it.drift.length === 0,
        mendedWithinMs,
      )
      assert.equal(back.pendingChanges, false)
      // A death may be told before it is seen.
      const rows = await until(
        'the rows',
        () => databaseClients.open(database, (session) => session.read()).catch(() => null),
        mendedWithinMs,
      )
      assert.deepEqual(rows, ['first'])
    }

    async function lastWork() {
      const input = { serviceId: database[kind.idField] }
      const { body } = await opened().call<{ action: string; state: string }[]>('deployment.all', input)
      return [body.at(-1)!.action, body.at(-1)!.state]
    }
  })
}
