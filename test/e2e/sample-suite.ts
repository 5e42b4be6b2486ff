/** The part of the suite of a kind about samples: what /metrics says about the running server. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../engine/until.ts'
import type { Case } from './kind-suite.ts'
import type { Swarm } from './swarm.ts'

/** @param passwords those of the database, among others */
export function sampleTests(context: Case, swarm: () => Swarm, passwords: readonly string[]): void {
  test('a sample after the deploy has the use of the container and the connections of the server', async () => {
    const { databaseClients, database } = context
    await databaseClients.open(database, async () => {
      const values = await until('the sample', async () => {
        const found = samplesOf(await swarm().app.metrics(), database.appName)
        return found.connections_allowed === undefined ? null : found
      })
      assert.equal(values.up, 1)
      assert.ok(values.memory_bytes! > 1_000_000, JSON.stringify(values))
      assert.ok(values.volume_bytes! > 0, JSON.stringify(values))
      assert.ok(values.connections! >= 0 && values.connections! < values.connections_allowed!, JSON.stringify(values))
    })
  })

  test('no secret of the database is in the metrics', async () => {
    const text = await swarm().app.metrics()
    for (const password of passwords) assert.ok(!text.includes(password))
  })
}

/** The values of a database in the text of /metrics, by the end of the metric's name. */
function samplesOf(text: string, appName: string): Record<string, number> {
  const found = text.matchAll(/^berth_database_(\w+)\{.*service="([^"]+)".*\} (\S+)$/gm)
  return Object.fromEntries(
    [...found].flatMap(([, name, service, value]) => (service === appName ? [[name, Number(value)]] : [])),
  )
}
