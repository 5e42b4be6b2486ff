/** The list of deployments. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Kind } from '../../src/kinds/kind.ts'
import { databaseClientsOf, sampleKind } from '../fixtures/database-clients.ts'
import { type Input, type ProjectBody, type TestBerth, startTestBerth, wait } from '../fixtures/test-berth.ts'

interface Deployment {
  deploymentId: string
  databaseType: string | null
  serviceId: string | null
  volumeId: string | null
  appName: string | null
  action: string
  state: string
  phase: string
  reason: string | null
  reasonCode: string | null
  startedAt: string
  finishedAt: string | null
}

const list = (testBerth: TestBerth, input: Input = {}) => testBerth.ok<Deployment[]>('deployment.all', input)
const actions = (all: Deployment[]) => all.map(({ action, state }) => `${action} ${state}`)

describe('deployments', { concurrency: true }, () => {
  listTests(sampleKind)
  filterTests(sampleKind)
})

function listTests(kind: Kind): void {
  test('lists each deployment with its outcome, also after the service is removed', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    assert.deepEqual(await list(testBerth), [])
    const up = await databaseClients.createDeployed({ appName: 'shop' })
    const [first, ...others] = await list(testBerth)
    const { deploymentId, startedAt, finishedAt, ...rest } = first!
    assert.deepEqual(rest, {
      databaseType: kind.name,
      serviceId: databaseClients.idOf(up),
      volumeId: null,
      nodeId: null,
      subjectKind: 'database',
      subjectId: databaseClients.idOf(up),
      appName: 'shop',
      action: 'deploy',
      state: 'done',
      phase: 'apply',
      reason: null,
      reasonCode: null,
    })
    assert.ok(deploymentId !== '' && startedAt < finishedAt!)
    assert.deepEqual(others, [])
    testBerth.engine.behave('shop', 'crash:3')
    assert.equal((await databaseClients.call('reload', up, { appName: 'shop' }, wait)).status, 422)
    testBerth.engine.behave('shop', 'running')
    await databaseClients.remove(up)
    const all = await list(testBerth)
    assert.deepEqual(actions(all), ['deploy done', 'reload error', 'remove done'])
    assert.match(all[1]!.reason!, /exit code 3/)
    assert.equal(all[1]!.reasonCode, 'TaskExited')
    assert.ok(all.every((deployment) => deployment.databaseType === kind.name && deployment.appName === 'shop'))
    const [volume] = await testBerth.ok<{ volumeId: string }[]>('volume.all')
    await testBerth.ok('volume.remove', { volumeId: volume!.volumeId }, wait)
    const { serviceId, volumeId, databaseType, appName } = (await list(testBerth)).at(-1)!
    assert.deepEqual([serviceId, volumeId, databaseType, appName], [null, volume!.volumeId, kind.name, 'shop'])
  })

  test('lists a deployment in progress as running, and one that a later call replaced as superseded', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.create()
    testBerth.engine.setDown(true)
    for (const verb of ['deploy', 'stop', 'deploy']) await databaseClients.ok(verb, database)
    const all = await list(testBerth)
    assert.deepEqual(actions(all), ['deploy superseded', 'stop superseded', 'deploy running'])
    assert.deepEqual(
      all.map(({ finishedAt }) => finishedAt !== null),
      [true, true, false],
    )
  })

  test('lists a repair that Berth began by itself', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const up = await databaseClients.createDeployed({ appName: 'shop' })
    await testBerth.engine.removeService('shop')
    const repair = await testBerth.until(
      'the repair',
      async () => (await list(testBerth)).find(({ action }) => action === 'repair') ?? null,
    )
    assert.deepEqual(
      [repair.databaseType, repair.serviceId, repair.appName],
      [kind.name, databaseClients.idOf(up), 'shop'],
    )
  })
}

function filterTests(kind: Kind): void {
  test('filters by project, service and state, and lets every account read the list', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const { projectId: other } = await testBerth.ok<ProjectBody>('project.create', { name: 'other' })
    const [a, b] = [
      await databaseClients.createDeployed({ appName: 'a' }),
      await databaseClients.create({ appName: 'b', projectId: other }),
    ]
    await databaseClients.complete('stop', a)
    testBerth.engine.setDown(true)
    await databaseClients.ok('deploy', b)
    const names = async (input: Input) =>
      (await list(testBerth, input)).map(({ appName, action }) => `${appName} ${action}`)
    const [aId, bId] = [databaseClients.idOf(a), databaseClients.idOf(b)]
    const table: [Input, string[]][] = [
      [{}, ['a deploy', 'a stop', 'b deploy']],
      [{ serviceId: aId }, ['a deploy', 'a stop']],
      [{ projectId: other }, ['b deploy']],
      [{ projectId: testBerth.projectId }, ['a deploy', 'a stop']],
      [{ state: 'running' }, ['b deploy']],
      [{ state: 'done', serviceId: bId }, []],
      [{ state: 'done', limit: 1 }, ['a deploy']],
      [{ serviceId: 'nobody' }, []],
      [{ projectId: 'nobody' }, []],
    ]
    for (const [input, expected] of table) assert.deepEqual(await names(input), expected, JSON.stringify(input))
    assert.equal((await testBerth.call('deployment.all', {}, {}, testBerth.user)).status, 200)
    for (const state of ['', 'idle', 'DONE'])
      await testBerth.refused('BAD_REQUEST', 'deployment.all', { state }, 'state')
    for (const field of ['serviceId', 'projectId']) {
      await testBerth.refused('BAD_REQUEST', 'deployment.all', { [field]: '' }, field)
    }
  })
}
