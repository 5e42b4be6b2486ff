/**
 * The engine is killed during a deploy. Berth still answers calls, and the deploy succeeds after the engine restarts.
 */
import assert from 'node:assert/strict'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { dockerEngine } from '../../src/engine/docker/engine.ts'
import { kindNamed } from '../../src/kinds/index.ts'
import { startBerth } from '../fixtures/harness.ts'
import { clients } from './clients.ts'
import { databaseClientsOn } from './database-clients.ts'
import { startOwnEngine } from './own-engine.ts'

test('a deploy and a stop succeed after the engine was killed and restarted', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), `berth-engine-${process.pid}-`))
  const engine = await startOwnEngine(folder, clients.redis!.images.slice(0, 1))
  t.after(() => engine.remove())
  const connect = (installationId: string) =>
    dockerEngine({ dockerHost: engine.host, installationId, networkName: 'berth' })
  await using berth = await startBerth({ connect })
  const {
    body: { projectId },
  } = await berth.call<{ projectId: string }>('project.create', { name: 'away' })
  const databaseClients = databaseClientsOn({ ...berth, projectId }, kindNamed('redis'), clients.redis!)
  const [first, second] = [await databaseClients.create(), await databaseClients.create()]

  await databaseClients.done('deploy', first)
  const deploying = databaseClients.callAndWait('deploy', second)
  await databaseClients.waitUntil(
    'a volume to be chosen for the second database',
    second,
    ({ volume }) => volume !== null,
  )
  await engine.kill()

  const answers = await Promise.all([
    databaseClients.call('stop', first),
    databaseClients.call('one', second),
    berth.call('project.one', { projectId }),
  ])
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200],
  )
  assert.deepEqual(
    answers.slice(0, 2).map(({ body }) => body.applicationStatus),
    ['running', 'running'],
  )
  const ready = await berth.server.inject({ url: '/readyz' })
  assert.equal(ready.statusCode, 503)
  assert.match(ready.body, /engine/)

  await engine.start()
  const { status, body } = await deploying
  assert.deepEqual([status, body.applicationStatus, body.statusReason], [200, 'done', null])
  await databaseClients.waitUntil(
    'the stop to end',
    first,
    ({ applicationStatus }) => applicationStatus === 'idle',
    60_000,
  )
  for (const database of [first, second]) await databaseClients.clear(database)
})
