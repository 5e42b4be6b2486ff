/** The registry credentials that calls send. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { fakeApi } from '../../../../test/engine/fake-api.ts'
import { specOf } from '../../../../test/fixtures/samples.ts'
import { dockerEngine } from '../engine.ts'
import type { RegistryCredentials } from '../../engine.ts'
import { installationLabel } from '../../labels.ts'
import { memoryEngine } from '../../../../test/engine/memory/engine.ts'

const image = 'registry.example.com/team/postgres:15'
const job = { name: 'j', recordId: 'r', image, argv: ['x'], env: {}, stdin: false }
const neverAborted = new AbortController().signal
const credentialsOf = (username: string): RegistryCredentials => ({
  username,
  password: 'é>?~:',
  serverAddress: 'registry.example.com',
})

/** Makes each call that may pull an image. Returns the credentials of each writing request by path; undefined: none. */
async function sentCredentials(t: TestContext, credentials: RegistryCredentials | null) {
  const service = {
    ID: 'id1',
    Version: { Index: 1 },
    Spec: { Name: 'shop-db', TaskTemplate: {}, Labels: { [installationLabel]: 'mine' } },
  }
  const api = await fakeApi(({ method, path }) => {
    if (path.endsWith('/services') && method === 'GET') return [200, [service]]
    if (path.endsWith('/tasks')) return [200, []]
    if (path.endsWith('/json')) return [404, { message: 'No such image' }]
    return path.endsWith('/images/create') ? [500, { message: 'pull failed' }] : [200, {}]
  })
  t.after(api.close)
  const references: string[] = []
  const engine = dockerEngine({
    dockerHost: api.dockerHost,
    installationId: 'mine',
    networkName: 'berth',
    credentialsFor: async (reference) => {
      references.push(reference)
      return credentials
    },
  })
  await engine.createService(specOf({ image }))
  await engine.updateService(specOf({ image }))
  await engine.removeService('shop-db')
  await assert.rejects(engine.runJob(job, neverAborted), /pull failed/)
  assert.deepEqual(references, [image, image, image])
  return Object.fromEntries(
    api.requests
      .filter(({ method }) => method !== 'GET')
      .map(({ path, registryAuth }) => [path.slice(6), registryAuth]),
  )
}

test('sends credentials only with create, update and pull', async (t) => {
  for (const username of ['a', 'ab', 'abc']) {
    const { serverAddress: serveraddress, ...rest } = credentialsOf(username)
    const sent = { ...rest, serveraddress }
    assert.deepEqual(await sentCredentials(t, credentialsOf(username)), {
      '/services/create': sent,
      '/services/id1/update': sent,
      '/services/id1': undefined,
      '/images/create': sent,
    })
  }
})

test('an update without credentials removes the previous credentials', async (t) => {
  assert.deepEqual(await sentCredentials(t, null), {
    '/services/create': undefined,
    '/services/id1/update': {},
    '/services/id1': undefined,
    '/images/create': undefined,
  })
})

test('the in-memory engine records credentials', async () => {
  const engine = memoryEngine('mine')
  const spec = specOf({ image })
  await engine.createService(spec)
  assert.deepEqual([...engine.pullsAs], [['shop-db', null]])
  engine.credentialsFor = async (reference) => (reference === image ? credentialsOf('a') : null)
  await engine.updateService(spec)
  await (await engine.runJob(job, neverAborted)).stop()
  assert.deepEqual(
    [...engine.pullsAs],
    [
      ['shop-db', credentialsOf('a')],
      ['j', credentialsOf('a')],
    ],
  )
  await assert.rejects(engine.updateService({ ...spec, name: 'other' }))
  assert.equal(engine.pullsAs.has('other'), false)
})
