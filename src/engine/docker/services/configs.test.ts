/** Files in the swarm, and the removal of unused ones. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeApi } from '../../../../test/engine/fake-api.ts'
import { dockerClient } from '../transport/client.ts'
import { removeLeftoverFiles } from './configs.ts'

test('removes unused configs and secrets, and keeps used ones', async (t) => {
  const lists: Record<string, unknown> = {
    '/configs': [{ ID: 'held' }, { ID: 'left' }],
    '/secrets': [{ ID: 'secret' }],
    '/services': [{ Spec: { TaskTemplate: { ContainerSpec: { Configs: [{ ConfigID: 'held' }] } } } }],
  }
  const api = await fakeApi(({ method, path }) =>
    // The swarm refuses to remove an object that came into use meanwhile.
    method === 'DELETE' ? [path.endsWith('secret') ? 400 : 204, null] : [200, lists[path.replace(/^\/v[\d.]+/, '')]],
  )
  t.after(() => api.close())
  await removeLeftoverFiles(dockerClient(api.dockerHost, null), 'mine')
  const ofOwn = { filters: JSON.stringify({ label: ['berth.installation=mine'] }) }
  const asked = api.asked.map(({ method, path, query }) => [method, path.replace(/^\/v[\d.]+/, ''), query])
  assert.deepEqual(asked.slice(0, 3), [
    ['GET', '/configs', ofOwn],
    ['GET', '/secrets', ofOwn],
    ['GET', '/services', ofOwn],
  ])
  assert.deepEqual(asked.slice(3), [
    ['DELETE', '/configs/left', {}],
    ['DELETE', '/secrets/secret', {}],
  ])
})
