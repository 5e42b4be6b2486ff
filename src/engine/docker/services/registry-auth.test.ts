/** The calls that send credentials, and the credentials that they send. */
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
const never = new AbortController().signal
const credentialsOf = (username: string): RegistryCredentials => ({
  username,
  password: 'é>?~:',
  serverAddress: 'registry.example.com',
})

/** Returns the credentials that each call sends; undefined: none. */
async function pulls(t: TestContext, found: RegistryCredentials | null) {
  const service = {
    ID: 'id1',
    Version: { Index: 1 },
    Spec: { Name: 'shop-db', TaskTemplate: {}, Labels: { [installationLabel]: 'mine' } },
  }
  const api = await fakeApi(({ method, path }) => {
    if (path.endsWith('/services') && method === 'GET') return [200, [service]]
    if (path.endsWith('/json')) return [404, { message: 'No such image' }]
    return path.endsWith('/images/create') ? [500, { message: 'it ends here' }] : [200, {}]
  })
  t.after(api.close)
  const asked: string[] = []
  const engine = dockerEngine({
    dockerHost: api.dockerHost,
    installationId: 'mine',
    networkName: 'berth',
    credentialsFor: async (reference) => {
      asked.push(reference)
      return found
    },
  })
  await engine.createService(specOf({ image }))
  await engine.updateService(specOf({ image }))
  await engine.removeService('shop-db')
  await assert.rejects(engine.runJob(job, never), /it ends here/)
  assert.deepEqual(asked, [image, image, image])
  return Object.fromEntries(
    api.asked.filter(({ method }) => method !== 'GET').map(({ path, pullsAs }) => [path.slice(6), pullsAs]),
  )
}

test('sends credentials with create, update and pull only', async (t) => {
  for (const username of ['a', 'ab', 'abc']) {
    const { serverAddress: serveraddress, ...rest } = credentialsOf(username)
    const sent = { ...rest, serveraddress }
    assert.deepEqual(await pulls(t, credentialsOf(username)), {
      '/services/create': sent,
      '/services/id1/update': sent,
      '/services/id1': undefined,
      '/images/create': sent,
    })
  }
})

test('removes the previous credentials by an update without credentials', async (t) => {
  assert.deepEqual(await pulls(t, null), {
    '/services/create': undefined,
    '/services/id1/update': {},
    '/services/id1': undefined,
    '/images/create': undefined,
  })
})

test('records credentials in the in-memory engine', async () => {
  const engine = memoryEngine('mine')
  const spec = specOf({ image })
  await engine.createService(spec)
  assert.deepEqual([...engine.pullsAs], [['shop-db', null]])
  engine.credentialsFor = async (reference) => (reference === image ? credentialsOf('a') : null)
  await engine.updateService(spec)
  await (await engine.runJob(job, never)).stop()
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
