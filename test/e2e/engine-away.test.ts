/**
 * The engine dies in the middle of a deploy: calls answer, reads go on, and the deploy ends by itself when it is back.
 */
import assert from 'node:assert/strict'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { dockerEngine } from '../../src/engine/docker.ts'
import { until } from '../engine/until.ts'
import { startBerth } from '../harness.ts'
import { ownEngine } from './own-engine.ts'
import { read, type Service, settle } from './swarm.ts'

test('the engine stopped in mid-deploy', async (t) => {
  const engine = await ownEngine(mkdtempSync(join(tmpdir(), 'berth-engine-')), ['postgres:15'])
  t.after(() => engine.remove())
  const connect = (installationId: string) =>
    dockerEngine({ dockerHost: engine.host, installationId, networkName: 'berth' })
  await using berth = await startBerth({ connect })
  const { body: { projectId } } = await berth.call<{ projectId: string }>('project.create', { name: 'away' })
  const make = async (appName: string) => (await berth.call<Service>('postgres.create', {
    name: appName, appName, projectId, databaseName: 'shop', databaseUser: 'shop', databasePassword: 'secret',
  })).body
  const [first, second] = [await make('first'), await make('second')]

  assert.equal((await settle(berth, 'deploy', first)).body.applicationStatus, 'done')
  const deploying = settle(berth, 'deploy', second)
  await until('its service to be made', async () => (await read(berth, second)).volume !== null)
  await engine.kill()

  const answers = await Promise.all([
    berth.call<Service>('postgres.stop', { postgresId: first.postgresId }),
    berth.call<Service>('postgres.one', { postgresId: second.postgresId }),
    berth.call('project.one', { projectId }),
  ])
  assert.deepEqual(answers.map(({ status }) => status), [200, 200, 200])
  assert.deepEqual(answers.slice(0, 2).map(({ body }) => body.applicationStatus), ['running', 'running'])
  const ready = await berth.server.inject({ url: '/readyz' })
  assert.equal(ready.statusCode, 503)
  assert.match(ready.body, /engine/)

  await engine.start()
  const { status, body } = await deploying
  assert.deepEqual([status, body.applicationStatus, body.statusReason], [200, 'done', null])
  await until('the stop to end', async () => (await read(berth, first)).applicationStatus === 'idle', 60_000)
  for (const service of [first, second]) await settle(berth, 'remove', service, { removeData: true })
})
