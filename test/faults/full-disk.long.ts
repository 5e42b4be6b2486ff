/** The disk of the data folder is full in the middle of a deploy: it waits, and ends by itself once there is room. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../engine/until.ts'
import { berthProcess } from '../e2e/process.ts'
import { containersOf, docker, dockerHost, removeAll, type Service } from '../e2e/swarm.ts'
import { openDisk } from './disk.ts'

const waiting = { prefer: 'wait=120' }

test('full in the middle of a deploy', async (t) => {
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
  // By a read that tells no password, for those are noted in the audit log first.
  const { projectId } = project
  const statusOf = async () =>
    (await berth.call<{ postgres: Service[] }>('project.one', { projectId })).body.postgres[0]!.applicationStatus
  assert.equal((await berth.call('postgres.deploy', { postgresId })).status, 200)
  const installation = await until('its service', () =>
    docker('service', 'inspect', appName, '--format', '{{index .Spec.Labels "berth.installation"}}').then(
      ([id]) => id,
      () => null,
    ),
  )
  t.after(() => removeAll(installation))

  // Again and again: what Berth gives back of its log of writes is taken too.
  const filling = setInterval(disk.fill, 20)
  t.after(() => clearInterval(filling))
  await until('writes to be refused', async () => {
    const { status } = await berth.call('postgres.stop', { postgresId: 'unknown' })
    return status === 503
  })
  await until('its container', async () => (await containersOf(appName)).length === 1, 60_000)
  assert.equal(await statusOf(), 'running')
  assert.equal((await berth.call('postgres.one', { postgresId })).status, 503)
  const stopped = await berth.call<{ message: string }>('postgres.stop', { postgresId })
  assert.deepEqual([stopped.status, /is full/.test(stopped.body.message)], [503, true])

  clearInterval(filling)
  disk.makeRoom()
  await until('it to be done', async () => (await statusOf()) === 'done', 120_000)
  assert.equal((await containersOf(appName)).length, 1)
  assert.equal((await berth.call('postgres.remove', { postgresId, removeData: true }, waiting)).status, 200)
  assert.equal(await berth.stop(), 0)
  assert.deepEqual(await disk.sql('pragma integrity_check'), [{ integrity_check: 'ok' }])
})
