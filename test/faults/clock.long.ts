/**
 * Sets the clock of the machine forward and back while Berth runs. Running work must continue, no expired session may be
 * accepted, and nobody may be locked out longer than the clock is wrong. Records have the time that Berth counts.
 */
import assert from 'node:assert/strict'
import { globSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { until } from '../engine/until.ts'
import { type BerthProcess, berthProcess } from '../e2e/process.ts'
import { docker, dockerHost, removeAll, type Service } from '../e2e/swarm.ts'
import { temporaryFolder } from '../fixtures/folder.ts'

const hour = 3600
const day = 24 * hour

/** Starts a Berth whose wall clock the test can set. The monotonic clock does not change, as on a real machine. */
async function open(t: TestContext) {
  const folder = temporaryFolder(t)
  const [library] = globSync('/usr/lib/*/faketime/libfaketimeMT.so.1')
  assert.ok(library !== undefined, 'the package faketime is missing: ./berth test faults installs it')
  const clockPath = join(folder, 'clock')
  const setAhead = (seconds: number) => writeFileSync(clockPath, `${seconds < 0 ? '' : '+'}${seconds}s\n`)
  setAhead(0)
  const berth = await berthProcess(folder, {
    DOCKER_HOST: dockerHost,
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: clockPath,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  })
  t.after(() => berth.kill())
  await berth.start()
  await berth.signIn()
  return { berth, setAhead }
}

const statusOf = async (berth: BerthProcess) => (await berth.call('project.all')).status
const password = { email: 'ada@example.org', password: 'correct horse' }

test('sessions and login backoff follow the clock, and work again after it is corrected', async (t) => {
  const { berth, setAhead } = await open(t)
  const { body: created } = await berth.call<{ createdAt: string }>('project.create', { name: 'now' })
  for (const [days, status] of [
    [6, 200],
    [40, 401],
    [-40, 200],
    [0, 200],
  ] as const) {
    setAhead(days * day)
    assert.equal(await statusOf(berth), status, `${days} days ahead`)
  }
  setAhead(40 * day)
  assert.equal((await berth.call('auth.login', password)).status, 200, 'an expired session can sign in again')
  setAhead(0)
  for (let guess = 0; guess < 12; guess++) await berth.call('auth.login', { ...password, password: 'wrong horse' })
  const blocked = await berth.call<{ message: string }>('auth.login', password)
  assert.deepEqual([blocked.status, /^Too many attempts/.test(blocked.body.message)], [429, true])
  setAhead(-30 * day)
  await until('the wait to end', async () => (await berth.call('auth.login', password)).status === 200)
  const { body: earlier } = await berth.call<{ projectId: string; createdAt: string }>('project.create', {
    name: 'back',
  })
  assert.ok(earlier.createdAt > created.createdAt, 'the record does not have the time of the changed clock')
  setAhead(0)
  const { body: all } = await berth.call<{ name: string }[]>('project.all')
  assert.deepEqual(
    all.map(({ name }) => name),
    ['now', 'back'],
  )
  assert.equal(await berth.stop(), 0)
})

for (const [where, seconds] of [
  ['forward by a day', day],
  ['back by a day', -day],
] as const) {
  test(`a deploy and a stop succeed if the clock is set ${where} meanwhile`, async (t) => {
    const { berth, setAhead } = await open(t)
    const { body: project } = await berth.call<{ projectId: string }>('project.create', { name: 'clock' })
    const appName = `clock-${process.pid}-${seconds}`
    const { body: service } = await berth.call<Service>('postgres.create', {
      name: appName,
      appName,
      projectId: project.projectId,
      databaseName: 'shop',
      databaseUser: 'shop',
      databasePassword: '',
    })
    const { postgresId } = service
    const waiting = { prefer: 'wait=120' }
    const deploying = berth.call<Service>('postgres.deploy', { postgresId }, waiting)
    const installation = await until('the service', () =>
      docker('service', 'inspect', appName, '--format', '{{index .Spec.Labels "berth.installation"}}').then(
        ([id]) => id,
        () => null,
      ),
    )
    t.after(() => removeAll(installation))
    setAhead(seconds)
    const deployed = await deploying
    assert.deepEqual([deployed.status, deployed.body.applicationStatus], [200, 'done'], JSON.stringify(deployed.body))
    const stopping = berth.call<Service>('postgres.stop', { postgresId }, waiting)
    setAhead(0)
    const stopped = await stopping
    assert.deepEqual([stopped.status, stopped.body.applicationStatus], [200, 'idle'], JSON.stringify(stopped.body))
    assert.equal((await berth.call('postgres.remove', { postgresId, removeData: true }, waiting)).status, 200)
    assert.equal(await berth.stop(), 0)
  })
}
