/** A database with an image of a real registry that requires a password. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startRegistry } from './registry.ts'
import { forgetImages } from './registry-image.ts'
import { docker, onSwarm, uniqueName } from './swarm.ts'

const [username, password] = ['team', 'a:pass word?>é']
const waitHeader = { prefer: 'wait=120' }

interface Redis {
  redisId: string
  applicationStatus: string
  statusReason: string | null
  dockerImage: string
}

test('pulls the image with the credentials of the registry, and fails without them', async () => {
  await using registry = await startRegistry({ users: { [username]: password } })
  await using end = new AsyncDisposableStack()
  end.defer(() => forgetImages(registry.host))
  const image = await registry.push('team/redis:8', username, password, 'redis:8')
  await using berth = await onSwarm()
  const { call, projectId } = berth
  const {
    body: { registryId, host },
  } = await call('registry.create', {
    registryName: 'ours',
    username,
    password,
    registryUrl: registry.host,
    registryType: 'selfHosted',
    imagePrefix: 'team',
  })
  assert.equal(host, registry.host)
  const create = async (fields: Record<string, unknown>) =>
    (
      await call<Redis>('redis.create', {
        name: 'cache',
        appName: uniqueName('cache'),
        projectId,
        databasePassword: '',
        ...fields,
      })
    ).body
  const deploy = async ({ redisId }: Redis) =>
    await call<Redis & { message: string }>('redis.deploy', { redisId }, undefined, waitHeader)
  const created = await create({ dockerImage: 'redis:8', registryId })
  assert.equal(created.dockerImage, image)
  const { status, body } = await deploy(created)
  assert.deepEqual([status, body.applicationStatus], [200, 'done'], body.message)
  assert.equal((await call('registry.remove', { registryId })).status, 409)
  await call('redis.remove', { redisId: created.redisId }, undefined, waitHeader)
  assert.equal((await call('registry.remove', { registryId })).status, 200)
  await docker('image', 'rm', '--force', image)
  const other = await deploy(await create({ dockerImage: image }))
  assert.equal(other.status, 422)
  assert.match(other.body.message, /team\/redis:8/)
})
