/**
 * 20 changes of the passwords of each kind under load. Clients connect all the time with the password that is right, and
 * none may be refused. An open connection and the container stay. Prints figures for each kind.
 */
import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import { kinds } from '../../src/kinds/index.ts'
import { until } from '../engine/until.ts'
import { clients } from './clients.ts'
import { type DatabaseClients, databaseClientsOn } from './database-clients.ts'
import { randomSecrets } from './password-suite.ts'
import { containersOf, onSwarm, type Swarm } from './swarm.ts'

const rotations = 20
const loops = 4

let berth: Swarm
before(async () => {
  berth = await onSwarm()
})
after(() => berth[Symbol.asyncDispose]())

describe('rotations under load', { concurrency: 2 }, () => {
  for (const kind of kinds) {
    test(kind.name, (t) => testKind(t, databaseClientsOn(berth, kind, clients[kind.name]!)))
  }
})

async function testKind(t: TestContext, databaseClients: DatabaseClients): Promise<void> {
  const { kind } = databaseClients
  const database = await databaseClients.deployed()
  const containers = await containersOf(database.appName)
  const first = await databaseClients.urlOf(database)
  // The first session makes the table of the client, which two sessions of PostgreSQL cannot make at the same time.
  const session = await databaseClients.client.connect(first)
  const connection = await session.connection()
  const load = startLoad(databaseClients, first)
  const durations: number[] = []
  for (let turn = 0; turn < rotations; turn++) {
    const secrets = randomSecrets(kind)
    // Berth answers the new URL only when it is valid.
    load.begin(withPassword(first, secrets.databasePassword!))
    await databaseClients.call('update', database, secrets)
    const startedAt = performance.now()
    await databaseClients.done('deploy', database)
    durations.push(performance.now() - startedAt)
    load.end()
    await load.untilConnected()
  }
  const { connected, refused } = await load.stop()
  assert.equal(await session.connection(), connection)
  await session.close()
  assert.deepEqual(await containersOf(database.appName), containers)
  assert.deepEqual(refused, [])
  const median = durations.toSorted((a, b) => a - b)[rotations / 2]!
  t.diagnostic(
    `${kind.name}: ${rotations} rotations, median ${Math.round(median)} ms, ${connected} connections, 0 refused`,
  )
  await databaseClients.clear(database)
}

function withPassword(url: string, password: string): string {
  const changed = new URL(url)
  changed.password = password
  return changed.href
}

/**
 * Connects in several loops. While a change is in progress, the old URL is valid until the new one is: a client that is
 * refused with the old one must be accepted with the new one.
 */
function startLoad({ refusal }: DatabaseClients, first: string) {
  let valid = [first]
  let isStopped = false
  let connected = 0
  const refused: string[] = []
  const running = Promise.all(Array.from({ length: loops }, loop))

  async function loop(): Promise<void> {
    while (!isStopped) {
      const tried: string[] = []
      let reason = 'none tried'
      for (
        let url = valid[0];
        url !== undefined && reason !== '';
        url = valid.find((other) => !tried.includes(other))
      ) {
        tried.push(url)
        reason = await refusal(url)
      }
      if (reason === '') connected++
      else refused.push(reason)
    }
  }
  return {
    begin: (next: string) => {
      valid = [...valid, next]
    },
    end: () => {
      valid = valid.slice(-1)
    },
    /** Waits until each loop can have connected with the URL that is valid now. */
    async untilConnected() {
      const enough = connected + 2 * loops
      await until('new connections', async () => connected >= enough || refused.length > 0)
    },
    async stop() {
      isStopped = true
      await running
      return { connected, refused }
    },
  }
}
