/** Tests a full disk during a deploy: the deploy waits, and succeeds when the disk has free space again. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../engine/until.ts'
import { berthProcess } from '../e2e/process.ts'
import { containersOf, docker, dockerHost, removeAll, type Service } from '../e2e/swarm.ts'
import { openDisk } from './disk.ts'

const waiting = { prefer: 'wait=120' }

test('completes a deploy after the disk was full', async (t) => {
  const disk = await openDisk(t, 4 * 1024)
  const berth = await berthProcess(disk.folder, { DOCKER_HOST: dockerHost }, disk)
  t.after(() => berth.kill())
  await berth.start()
  await berth.signIn()
  const { body: project } = await berth.call<{ projectId: string }>('project.create', { name: 'full' })
  const appName = `full-${process.pid}`
  const {
    body: { postgresId },
  } = await berth.call<Service>('postgres.create', {
    name: appName,
    appName,
    projectId: project.projectId,
    databaseName: 'shop',
    databaseUser: 'shop',
    databasePassword: '',
  })
  // This read returns no password. Reads of passwords need an audit entry, which a full disk refuses.
  const { projectId } = project
  const statusOf = async () =>
    (await berth.call<{ postgres: Service[] }>('project.one', { projectId })).body.postgres[0]!.applicationStatus
  assert.equal((await berth.call('postgres.deploy', { postgresId })).status, 200)
  const installation = await until('the service', () =>
    docker('service', 'inspect', appName, '--format', '{{index .Spec.Labels "berth.installation"}}').then(
      ([id]) => id,
      () => null,
    ),
  )
  t.after(() => removeAll(installation))

  // Repeatedly, to fill the space that Berth frees in its write-ahead log too.
  const filling = setInterval(disk.fill, 20)
  t.after(() => clearInterval(filling))
  await until('writes to be refused', async () => {
    const { status } = await berth.call('postgres.stop', { postgresId: 'unknown' })
    return status === 503
  })
  await until('the container', async () => (await containersOf(appName)).length === 1, 60_000)
  assert.equal(await statusOf(), 'running')
  assert.equal((await berth.call('postgres.one', { postgresId })).status, 503)
  const stopped = await berth.call<{ message: string }>('postgres.stop', { postgresId })
  assert.deepEqual([stopped.status, /is full/.test(stopped.body.message)], [503, true])

  clearInterval(filling)
  disk.makeRoom()
  await until('the deploy to be done', async () => (await statusOf()) === 'done', 120_000)
  assert.equal((await containersOf(appName)).length, 1)
  assert.equal((await berth.call('postgres.remove', { postgresId, removeData: true }, waiting)).status, 200)
  assert.equal(await berth.stop(), 0)
  assert.deepEqual(await disk.sql('pragma integrity_check'), [{ integrity_check: 'ok' }])
})
