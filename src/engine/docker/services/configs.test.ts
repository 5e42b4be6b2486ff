/** The removal of configs and secrets that no service uses. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeApi } from '../../../../test/engine/fake-api.ts'
import { dockerClient } from '../transport/client.ts'
import { removeLeftoverFiles } from './configs.ts'

test('removes unused configs and secrets, and keeps used ones and the one that says who is in charge', async (t) => {
  const lists: Record<string, unknown> = {
    '/configs': [
      { ID: 'used', Spec: { Name: 'berth-1' } },
      { ID: 'unused', Spec: { Name: 'berth-2' } },
      { ID: 'charge', Spec: { Name: 'berth-charge-mine' } },
    ],
    '/secrets': [{ ID: 'secret', Spec: { Name: 'berth-3' } }],
    '/services': [{ Spec: { TaskTemplate: { ContainerSpec: { Configs: [{ ConfigID: 'used' }] } } } }],
  }
  const api = await fakeApi(({ method, path }) =>
    // The swarm refuses to remove an object that a service has started to use.
    method === 'DELETE' ? [path.endsWith('secret') ? 400 : 204, null] : [200, lists[path.replace(/^\/v[\d.]+/, '')]],
  )
  t.after(() => api.close())
  await removeLeftoverFiles(dockerClient(api.dockerHost, null), 'mine')
  const ownFilter = { filters: JSON.stringify({ label: ['berth.installation=mine'] }) }
  const requests = api.requests.map(({ method, path, query }) => [method, path.replace(/^\/v[\d.]+/, ''), query])
  assert.deepEqual(requests.slice(0, 3), [
    ['GET', '/configs', ownFilter],
    ['GET', '/secrets', ownFilter],
    ['GET', '/services', ownFilter],
  ])
  assert.deepEqual(requests.slice(3), [
    ['DELETE', '/configs/unused', {}],
    ['DELETE', '/secrets/secret', {}],
  ])
})
