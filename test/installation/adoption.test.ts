/** Services that a restored state does not know are adopted with credentials that their servers accept. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Input, startTestBerth, type TestBerth, wait } from '../fixtures/test-berth.ts'
import { serveDatabases, settingsWith } from './fake-servers.ts'
import {
  backUpState,
  confirmation,
  confirmState,
  differencesOf,
  type Entry,
  restoreState,
  signInAgain,
} from './restored-berth.ts'

let berth: TestBerth
let token: string
before(async () => {
  berth = await startTestBerth()
  token = berth.admin
  serveDatabases(berth, [15_432, 15_433])
})
after(() => berth.close())

const right = settingsWith('password-2')
const wrong = settingsWith('password-3')

async function created(appName: string, fields: Input = {}) {
  const input = { name: appName, appName, projectId: berth.projectId, ...right, ...fields }
  const { mysqlId } = await berth.ok('mysql.create', input, {}, token)
  return { mysqlId: String(mysqlId) }
}

async function deployed(appName: string, fields: Input = {}) {
  const subject = await created(appName, fields)
  await berth.ok('mysql.deploy', subject, wait, token)
  return subject
}

const one = (subject: Input) => berth.ok<Input>('mysql.one', subject, {}, token)

const untilUp = (subject: Input) =>
  berth.until('the database to be up', async () => {
    const record = await one(subject)
    return record.applicationStatus === 'done' ? record : null
  })

async function taskOf(service: string): Promise<string | undefined> {
  const tasks = await berth.engine.tasks([service])
  return tasks.find(({ state }) => state === 'running')?.id
}

/** Restores the state, and signs in again. Returns the entries by their names. */
async function restored(backup: Buffer): Promise<Map<string, Entry>> {
  await restoreState(berth, backup)
  token = await signInAgain(berth)
  const { entries } = await differencesOf(berth, token)
  return new Map(entries.map((entry) => [entry.name, entry]))
}

/** Asserts that state.confirm refuses the input, with the path of a field, and that nothing has changed. */
async function refused(input: Input, status: number, path: string) {
  const before = [await berth.everything(), berth.changes()]
  const answer = await berth.call<{ issues: { path: string }[] }>('state.confirm', input, {}, token)
  const details = JSON.stringify([input, answer.body])
  assert.deepEqual([answer.status, answer.body.issues[0]?.path], [status, path], details)
  assert.ok(!details.includes(`failed: ${wrong.databasePassword}`), details)
  assert.deepEqual([await berth.everything(), berth.changes()], before, details)
  assert.notEqual((await differencesOf(berth, token)).unconfirmedSince, null)
}

test('adopts a service with its credentials and keeps its container, and refuses wrong ones', async () => {
  const backup = await backUpState(berth)
  const options = { command: '--max-connections=200', env: "TZ=Europe/Berlin\nA='b c'", externalPort: 15_432 }
  const limits = { memoryLimit: 1024, memoryReservation: 512, cpuLimit: 1.5, cpuReservation: 0.25 }
  const later = await deployed('later', { ...settingsWith('password-1'), ...options, ...limits })
  await berth.ok('mysql.update', { ...later, ...right }, {}, token)
  await berth.ok('mysql.deploy', later, wait, token)
  await berth.ok('mysql.reload', { ...later, appName: 'later' }, wait, token)
  const [recorded, task] = [await one(later), await taskOf('later')]
  const entry = (await restored(backup)).get('later')!
  assert.deepEqual([entry.reasonCode, entry.decisions, entry.proposal], ['Unknown', ['leave', 'adopt'], 'leave'])
  assert.deepEqual(
    entry.credentials.map(({ name, isSecret }) => [name, isSecret]),
    [
      ['databaseName', false],
      ['databaseUser', false],
      ['databasePassword', true],
      ['databaseRootPassword', true],
    ],
  )
  const input = { ...(await confirmation(berth, token)), decisions: { later: 'adopt' } }
  const { databaseRootPassword: _left, ...incomplete } = right
  const cases: [adoptions: Input, status: number, path: string][] = [
    [{}, 400, 'adoptions.later'],
    [{ later: incomplete }, 400, 'adoptions.later.databaseRootPassword'],
    [{ later: { ...right, databasePassword: '' } }, 400, 'adoptions.later.databasePassword'],
    [{ later: { ...right, databaseUser: 'x'.repeat(33) } }, 400, 'adoptions.later.databaseUser'],
    [{ later: right, other: right }, 400, 'adoptions.other'],
    [{ later: wrong }, 422, 'adoptions.later.databasePassword'],
    [{ later: { ...right, projectId: later.mysqlId } }, 404, 'adoptions.later.projectId'],
  ]
  for (const [adoptions, status, path] of cases) await refused({ ...input, adoptions }, status, path)
  await refused({ ...input, decisions: {}, adoptions: { later: right } }, 400, 'adoptions.later')
  const { dockerImage } = recorded
  await berth.ok('state.confirm', { ...input, adoptions: { later: { ...right, dockerImage } } }, {}, token)
  const adopted = await untilUp(later)
  const { createdAt: _createdAt, lastDeployedAt: _deployedAt, ...same } = recorded
  assert.deepEqual({ ...recorded, ...adopted, ...same }, { ...recorded, ...adopted })
  assert.deepEqual([adopted.drift, adopted.statusReason, adopted.pendingChanges], [[], null, false])
  await berth.ok('mysql.deploy', later, wait, token)
  assert.equal(await taskOf('later'), task)
  assert.equal(berth.engine.specOf('later')!.env.MYSQL_PASSWORD, 'password-1')
  await berth.ok('mysql.remove', later, wait, token)
})

test('adopts two services of the names of forgotten records, and one on a volume that was kept', async () => {
  const [first, second] = [await deployed('first'), await deployed('second')]
  const backup = await backUpState(berth)
  for (const subject of [first, second]) await berth.ok('mysql.remove', subject, wait, token)
  const again = await deployed('first')
  const volumes = await berth.ok<{ volumeId: string; appName: string }[]>('volume.all', {}, {}, token)
  const { volumeId } = volumes.find(({ appName }) => appName === 'second')!
  const input = { volumeId, name: 'heir', appName: 'heir', projectId: berth.projectId }
  const heir = { mysqlId: String((await berth.ok('volume.restore', input, {}, token)).mysqlId) }
  await berth.ok('mysql.deploy', heir, wait, token)
  const tasks = [await taskOf('first'), await taskOf('heir')]
  const records = [await one(again), await one(heir)]
  const { entries } = await restored(backup).then(() => differencesOf(berth, token))
  assert.deepEqual(entries.map(({ name, reasonCode, decisions }) => [name, reasonCode, decisions.join()]).sort(), [
    ['first', 'RemovedSince', 'forget'],
    ['first', 'Unknown', 'leave,adopt'],
    ['heir', 'Unknown', 'leave,adopt'],
    ['second', 'RemovedSince', 'forget'],
  ])
  const adoptions = { first: { ...right, name: 'the first' }, heir: right }
  await confirmState(berth, token, { first: 'adopt', heir: 'adopt' }, adoptions)
  const adopted = [await untilUp(again), await untilUp(heir)]
  assert.deepEqual(
    adopted.map(({ name, volume, drift }) => [name, volume, drift]),
    records.map(({ volume }, index) => [['the first', 'heir'][index], volume, []]),
  )
  assert.deepEqual([await taskOf('first'), await taskOf('heir')], tasks)
  for (const subject of [first, second]) assert.equal((await berth.call('mysql.one', subject, {}, token)).status, 404)
  for (const subject of [again, heir]) await berth.ok('mysql.remove', subject, wait, token)
})

test('refuses a name and a port of another record, and a service that does not run any more', async () => {
  const [named, holder] = [await created('named'), await deployed('holder', { externalPort: 15_433 })]
  const backup = await backUpState(berth)
  await berth.ok('mysql.remove', named, {}, token)
  await berth.ok('mysql.saveExternalPort', { ...holder, externalPort: null }, {}, token)
  await berth.ok('mysql.deploy', holder, wait, token)
  await berth.until('the name to be free', async () =>
    (await berth.call('mysql.one', named, {}, token)).status === 404 ? true : null,
  )
  const services = [await deployed('named'), await deployed('ported', { externalPort: 15_433 })]
  const vanishing = await deployed('vanishing')
  await restored(backup)
  const input = await confirmation(berth, token)
  const adopt = (service: string) => ({ ...input, decisions: { [service]: 'adopt' }, adoptions: { [service]: right } })
  await refused(adopt('named'), 409, 'adoptions.named')
  await refused(adopt('ported'), 409, 'adoptions.ported')
  berth.engine.behave('vanishing', 'starting')
  berth.engine.replaceTask('vanishing')
  await refused(adopt('vanishing'), 409, 'adoptions.vanishing')
  await berth.engine.removeService('vanishing')
  const gone = await berth.call('state.confirm', adopt('vanishing'), {}, token)
  assert.equal(gone.status, 409)
  const before = berth.changes()
  await confirmState(berth, token)
  for (const subject of [...services, vanishing]) {
    assert.equal((await berth.call('mysql.one', subject, {}, token)).status, 404)
  }
  assert.ok(berth.engine.specOf('named')!.replicas === 1 && berth.changes().updateService === before.updateService)
})

test('lists a difference that no record can reproduce as drift, and does not restart the service', async () => {
  const backup = await backUpState(berth)
  const odd = await deployed('odd')
  berth.engine.alter('odd', { env: { ...berth.engine.specOf('odd')!.env, ODD: '\'"`' } })
  await berth.until('the changed service to run', async () => (await taskOf('odd')) ?? null)
  const task = await taskOf('odd')
  await restored(backup)
  await confirmState(berth, token, { odd: 'adopt' }, { odd: right })
  await untilUp(odd)
  const drift = await berth.until('the drift to be listed', async () => {
    const { driftCodes } = await one(odd)
    return (driftCodes as string[]).length > 0 ? driftCodes : null
  })
  assert.deepEqual([drift, await taskOf('odd')], [['ServiceChanged'], task])
})
