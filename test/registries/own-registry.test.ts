/** The registry that Berth runs: creation, changes, addresses, removal and its volume. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kindNamed } from '../../src/kinds/index.ts'
import { isBcryptOf } from '../../src/lib/crypto/bcrypt.ts'
import { startFakeRegistry } from '../fixtures/fake-registry.ts'
import { databaseClientsOf } from '../fixtures/database-clients.ts'
import { wait, type Failure } from '../fixtures/test-berth.ts'
import { ann, mask, name, startOwnRegistry, type Registry, type Volume } from './own-registry-fixture.ts'

test('creates the registry with port, volume and hashed password, and finishes once a login works', async () => {
  await using ownRegistry = await startOwnRegistry()
  const { testBerth, registry, beginEnable, enable, volumes, fileOf } = ownRegistry
  const started = await beginEnable()
  assert.deepEqual([started.server.status, started.password, started.registryType], ['running', mask, 'selfHosted'])
  const created = await enable()
  const port = Number(registry.host.split(':')[1])
  const [volume] = await volumes()
  assert.deepEqual(
    testBerth.logged.filter(({ event }) => event.includes('belongs to no record')),
    [],
  )
  assert.deepEqual(created, {
    ...started,
    server: {
      ...{ status: 'done', statusReason: null, statusCode: null, port },
      ...{ node: 'memory', volume: volume!.name, readOnly: false },
    },
  })
  assert.deepEqual(await testBerth.ok('registry.all'), [created])
  const spec = testBerth.engine.specOf(name)!
  assert.deepEqual(
    [spec.image, spec.ports, spec.mounts.map((it) => [it.name, it.path])],
    ['registry:2', [{ published: port, target: 5000, protocol: 'tcp' }], [[volume!.name, '/var/lib/registry']]],
  )
  const { content, isSecret } = fileOf('htpasswd')
  const [username, hash] = content.trimEnd().split(':')
  assert.deepEqual([username, await isBcryptOf(ann.password, hash!), isSecret], ['ann', true, true])
  assert.match(fileOf('registry.yml').content, /readonly:\n {6}enabled: false/)
})

test('changes nothing when called again with the same values, and only what differs otherwise', async () => {
  await using ownRegistry = await startOwnRegistry()
  const { testBerth, registry, enable, volumes, fileOf } = ownRegistry
  const { registryId } = await enable()
  const before = testBerth.engine.specOf(name)
  const { updateService } = testBerth.engine.calls
  await enable()
  await enable({ password: mask })
  assert.deepEqual([testBerth.engine.specOf(name), testBerth.engine.calls.updateService], [before, updateService])
  registry.users = { bob: 'x' }
  const again = await enable({ username: 'bob', password: 'x' })
  assert.deepEqual([again.registryId, again.username, again.server.status], [registryId, 'bob', 'done'])
  assert.match(fileOf('htpasswd').content, /^bob:/)
  await using other = await startFakeRegistry()
  const moved = await enable({ registryUrl: other.host })
  assert.deepEqual([moved.registryId, moved.host], [registryId, other.host])
  assert.deepEqual((await volumes()).length, 1)
})

test('updates the name and the image prefix, but refuses to update the address and credentials', async () => {
  await using ownRegistry = await startOwnRegistry()
  const { testBerth, registry, enable } = ownRegistry
  const created = await enable()
  const { registryId } = created
  const changed = await testBerth.ok<Registry>('registry.update', {
    ...{ registryId, registryName: 'ours', imagePrefix: 'team', registryUrl: registry.host, username: 'ann' },
    ...{ password: mask, registryType: 'selfHosted' },
  })
  assert.deepEqual(changed, { ...created, registryName: 'ours', imagePrefix: 'team' })
  const others = {
    registryUrl: 'other.example.org',
    username: 'bob',
    password: 'x',
    registryType: 'cloud',
    insecure: true,
  }
  for (const [field, value] of Object.entries(others)) {
    await testBerth.refused('BAD_REQUEST', 'registry.update', { registryId, [field]: value }, field)
  }
  assert.equal((await enable()).registryName, 'ours')
})

test('refuses invalid addresses and credentials with their field', async () => {
  await using ownRegistry = await startOwnRegistry()
  const { testBerth, refuseEnable } = ownRegistry
  const invalidUrls: [registryUrl: string, message: RegExp][] = [
    ['', /must not be empty/],
    ['docker.io', /Docker Hub/],
    ['https://index.docker.io/v1/', /Docker Hub/],
    ['10.0.0.5', /must be a host name without a port/],
    ['[fd00::1]', /must be a host name without a port/],
    [
      'https://registry.example.org:5000',
      /cannot use TLS at this port\. The proxy serves host names with TLS at port 443/,
    ],
    ['http://registry.example.org', /must have a port/],
    ['a b', /must be a host/],
    ['ftp://x', /must be a host/],
    ['registry.example.org:80', /a port of the proxy/],
    ['127.0.0.1:2377', /the swarm's own port/],
  ]
  for (const [registryUrl, message] of invalidUrls) {
    const { status, body } = await testBerth.call<Failure>('registry.enableSelfHostedRegistry', { registryUrl, ...ann })
    assert.ok(status === 400 || status === 409, `${registryUrl}: ${status}`)
    assert.equal(body.issues[0]?.path, 'registryUrl', registryUrl)
    assert.match(body.message, message)
  }
  for (const password of ['x'.repeat(73), 'é'.repeat(37), '', mask, 'a\nb', 'a\0b']) {
    await refuseEnable('BAD_REQUEST', { password }, 'password')
  }
  for (const username of ['', 'a:b']) {
    await refuseEnable('BAD_REQUEST', { username }, 'username')
  }
  assert.equal(testBerth.engine.specOf(name), null)
})

test('refuses ports and host names that have another owner, and owns its port', async () => {
  await using ownRegistry = await startOwnRegistry()
  const { testBerth, registry, enable, refuseEnable } = ownRegistry
  const databaseClients = databaseClientsOf(testBerth, kindNamed('redis'))
  const { redisId } = await databaseClients.createDeployed({ appName: 'cache' })
  await testBerth.ok('redis.saveExternalPort', { redisId, externalPort: 16_379 }, wait)
  await refuseEnable('CONFLICT', { registryUrl: '127.0.0.1:16379' }, 'registryUrl')
  await enable()
  const publishedPort = Number(registry.host.split(':')[1])
  await testBerth.refused(
    'CONFLICT',
    'port.create',
    { applicationId: 'shop', publishedPort, targetPort: 80 },
    'publishedPort',
  )
  testBerth.engine.putForeign('shop', { labels: { 'berth.host': 'images.example.org' }, onNetwork: true })
  await testBerth.until('the application to be recorded', async () =>
    (await testBerth.ok<{ name: string }[]>('application.all')).some((it) => it.name === 'shop'),
  )
  await refuseEnable('CONFLICT', { registryUrl: 'images.example.org' }, 'registryUrl')
})

test('gives a registry with a host name the labels of an application, but does not list it as one', async () => {
  await using ownRegistry = await startOwnRegistry()
  const { testBerth, beginEnable } = ownRegistry
  const started = await beginEnable({ registryUrl: 'Images.example.org' })
  assert.equal(started.host, 'images.example.org')
  await testBerth.until('the service to exist', async () => testBerth.engine.specOf(name) !== null)
  const { labels, ports } = testBerth.engine.specOf(name)!
  assert.deepEqual(
    [labels['berth.host'], labels['berth.port'], labels['berth.tls'], ports],
    ['images.example.org', '5000', 'auto', []],
  )
  await testBerth.until('the host name to be recorded', async () =>
    (await testBerth.app.db.selectFrom('application').select('hosts').where('name', '=', name).execute()).some(
      ({ hosts }) => hosts === '["images.example.org"]',
    ),
  )
  assert.deepEqual(await testBerth.ok('application.all'), [])
  for (const applicationId of [name, 'berth-registry-2']) {
    await testBerth.refused(
      'BAD_REQUEST',
      'security.create',
      { applicationId, username: 'a', password: 'b' },
      'applicationId',
    )
  }
})

test('removes the service, and keeps its volume for the next registry or until volume.remove', async () => {
  await using ownRegistry = await startOwnRegistry()
  const { testBerth, enable, volumes } = ownRegistry
  const { registryId, server } = await enable()
  const { note } = await testBerth.ok<{ note: string }>('registry.remove', { registryId }, wait)
  assert.match(note, new RegExp(`in the volume ${server.volume}\\. registry\\.enableSelfHostedRegistry uses`))
  assert.equal(testBerth.engine.specOf(name), null)
  assert.deepEqual(
    (await volumes()).map((it) => [it.name, it.state]),
    [[server.volume, 'kept']],
  )
  const [{ volumeId }] = (await volumes()) as [Volume]
  await testBerth.refused(
    'BAD_REQUEST',
    'volume.restore',
    { volumeId, name: 'x', projectId: testBerth.projectId },
    'volumeId',
  )
  const again = await enable()
  assert.deepEqual([again.server.volume, again.registryId === registryId], [server.volume, false])
  await testBerth.refused('CONFLICT', 'volume.remove', { volumeId })
  await testBerth.ok('registry.remove', { registryId: again.registryId }, wait)
  await testBerth.ok('volume.remove', { volumeId }, wait)
  assert.deepEqual(await volumes(), [])
  assert.notEqual((await enable()).server.volume, server.volume)
})

test('keeps its volume when it is enabled again during its removal', async () => {
  await using ownRegistry = await startOwnRegistry()
  const { testBerth, enable } = ownRegistry
  const { registryId, server } = await enable()
  await testBerth.ok('registry.remove', { registryId })
  const again = await enable()
  assert.deepEqual([again.server.status, again.server.volume], ['done', server.volume])
})

test('a registry of a swarm that was made anew names the node with its volume, and comes back with it', async () => {
  await using ownRegistry = await startOwnRegistry()
  const { testBerth, enable, read, volumes } = ownRegistry
  const { registryId } = await enable()
  testBerth.engine.rejoin('node1', 'anew')
  const lost = await testBerth.until('the volume to be found', async () => {
    const { server } = await read(registryId)
    return server.statusCode === 'NodeReturned' ? server : null
  })
  assert.deepEqual([lost.status, testBerth.engine.specOf(name)], ['error', null])
  await testBerth.ok('cluster.adoptNode', { missingNodeId: 'node1', nodeId: 'anew', confirm: 'memory' }, wait)
  await testBerth.until('the registry to run', async () => (await read(registryId)).server.status === 'done')
  const { nodeId, mounts } = testBerth.engine.specOf(name)!
  assert.deepEqual([nodeId, mounts.map((mount) => mount.name)], ['anew', [(await volumes())[0]!.name]])
})
