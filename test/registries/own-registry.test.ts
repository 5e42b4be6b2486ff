/**
 * The registry that Berth runs, on the in-memory engine. A fake registry in this process answers in place of its
 * container.
 */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import type { Outcome } from '../../src/engine/engine.ts'
import type { Code } from '../../src/errors.ts'
import { kindNamed } from '../../src/kinds/index.ts'
import { isBcryptOf } from '../../src/lib/crypto/bcrypt.ts'
import { startFakeRegistry, type FakeRegistry } from '../fixtures/fake-registry.ts'
import { databaseClientsOf } from '../fixtures/database-clients.ts'
import { type Failure, type Input, type TestBerth, startTestBerth, wait } from '../fixtures/test-berth.ts'

const mask = '********'
const name = 'berth-registry'
const ann = { username: 'ann', password: 'a first password' }

interface Registry extends Record<string, unknown> {
  registryId: string
  registryUrl: string
  server: { status: string; statusReason: string | null; port: number; volume: string; readOnly: boolean }
}
interface Volume {
  volumeId: string
  name: string
  kind: string
  state: string
}
interface Deployment {
  action: string
  state: string
  reason: string | null
}

let testBerth: TestBerth
let registry: FakeRegistry
beforeEach(async () => {
  testBerth = await startTestBerth()
  registry = await startFakeRegistry({ users: { [ann.username]: ann.password } })
})
afterEach(async () => {
  await testBerth.close()
  await registry[Symbol.asyncDispose]()
})

const enable = (more: Input = {}) =>
  testBerth.ok<Registry>('registry.enableSelfHostedRegistry', { registryUrl: registry.host, ...ann, ...more }, wait)
const unable = (code: Code, input: Input, field: string) =>
  testBerth.refused(code, 'registry.enableSelfHostedRegistry', { registryUrl: registry.host, ...ann, ...input }, field)
const read = (registryId: string) => testBerth.ok<Registry>('registry.one', { registryId })
const volumes = async () => (await testBerth.ok<Volume[]>('volume.all')).filter(({ kind }) => kind === 'registry')
const lastWork = async () => (await testBerth.ok<Deployment[]>('deployment.all')).at(-1)!
const fileOf = (path: string) => testBerth.engine.specOf(name)!.files.find((it) => it.path.endsWith(path))!

test('creates the registry with port, volume and hashed password, and finishes once a login works', async () => {
  const started = await testBerth.ok<Registry>('registry.enableSelfHostedRegistry', {
    registryUrl: registry.host,
    ...ann,
  })
  assert.deepEqual([started.server.status, started.password, started.registryType], ['running', mask, 'selfHosted'])
  const made = await enable()
  const port = Number(registry.host.split(':')[1])
  const [volume] = await volumes()
  assert.deepEqual(
    testBerth.logged.filter(({ event }) => event.includes('belongs to no record')),
    [],
  )
  assert.deepEqual(made, {
    ...started,
    server: {
      ...{ status: 'done', statusReason: null, statusCode: null, port },
      ...{ node: 'memory', volume: volume!.name, readOnly: false },
    },
  })
  assert.deepEqual(await testBerth.ok('registry.all'), [made])
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
  const made = await enable()
  const { registryId } = made
  const changed = await testBerth.ok<Registry>('registry.update', {
    ...{ registryId, registryName: 'ours', imagePrefix: 'team', registryUrl: registry.host, username: 'ann' },
    ...{ password: mask, registryType: 'selfHosted' },
  })
  assert.deepEqual(changed, { ...made, registryName: 'ours', imagePrefix: 'team' })
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
  const wrong: [registryUrl: string, message: RegExp][] = [
    ['', /must not be empty/],
    ['docker.io', /Docker Hub/],
    ['https://index.docker.io/v1/', /Docker Hub/],
    ['10.0.0.5', /must be a host name without a port/],
    ['[fd00::1]', /must be a host name without a port/],
    ['https://registry.example.org:5000', /cannot use TLS at this port\. The proxy serves host names with TLS at port 443/],
    ['http://registry.example.org', /must have a port/],
    ['a b', /must be a host/],
    ['ftp://x', /must be a host/],
    ['registry.example.org:80', /a port of the proxy/],
    ['127.0.0.1:2377', /the swarm's own port/],
  ]
  for (const [registryUrl, message] of wrong) {
    const { status, body } = await testBerth.call<Failure>('registry.enableSelfHostedRegistry', { registryUrl, ...ann })
    assert.ok(status === 400 || status === 409, `${registryUrl}: ${status}`)
    assert.equal(body.issues[0]?.path, 'registryUrl', registryUrl)
    assert.match(body.message, message)
  }
  for (const password of ['x'.repeat(73), 'é'.repeat(37), '', mask, 'a\nb', 'a\0b']) {
    await unable('BAD_REQUEST', { password }, 'password')
  }
  for (const username of ['', 'a:b']) {
    await unable('BAD_REQUEST', { username }, 'username')
  }
  assert.equal(testBerth.engine.specOf(name), null)
})

test('refuses ports and names that others have, and refuses its own port to others', async () => {
  const databaseClients = databaseClientsOf(testBerth, kindNamed('redis'))
  const { redisId } = await databaseClients.up({ appName: 'cache' })
  await testBerth.ok('redis.saveExternalPort', { redisId, externalPort: 16_379 }, wait)
  await unable('CONFLICT', { registryUrl: '127.0.0.1:16379' }, 'registryUrl')
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
  await unable('CONFLICT', { registryUrl: 'images.example.org' }, 'registryUrl')
})

test('gives a registry behind the proxy the labels of an application, but does not list it as one', async () => {
  const started = await testBerth.ok<Registry>('registry.enableSelfHostedRegistry', {
    registryUrl: 'Images.example.org',
    ...ann,
  })
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

test('reports why the registry cannot be logged in to, and recovers by itself', async () => {
  registry.users = { ann: 'another' }
  const { registryId } = await testBerth.ok<Registry>('registry.enableSelfHostedRegistry', {
    registryUrl: registry.host,
    ...ann,
  })
  await testBerth.until('the service to exist', async () => testBerth.engine.specOf(name) !== null)
  testBerth.pass(61_000)
  await testBerth.until('the failure to be recorded', async () => (await read(registryId)).server.status === 'error')
  assert.match((await read(registryId)).server.statusReason!, /^The registry runs, and cannot be logged in to\. /)
  assert.equal((await lastWork()).state, 'error')
  await testBerth.refused('CONFLICT', 'registry.collectGarbage', { registryId })
  registry.users = { ann: ann.password }
  await testBerth.until('the registry to recover', async () => (await read(registryId)).server.status === 'done')
  registry.users = null
  registry.answer = (_, response) => {
    response.end('{}')
    return true
  }
  const { server } = await enableLate()
  assert.match(server.statusReason ?? '', /lets anybody in, so it is another registry/)
})

/** Enables the registry, lets its time limit pass, and returns it with its error. */
async function enableLate(): Promise<Registry> {
  const { registryId } = await testBerth.ok<Registry>('registry.enableSelfHostedRegistry', {
    registryUrl: registry.host,
    ...ann,
    password: 'new',
  })
  testBerth.pass(61_000)
  await testBerth.until('the failure to be recorded', async () => (await read(registryId)).server.status === 'error')
  return read(registryId)
}

test('reports why a container cannot run', async () => {
  testBerth.engine.images = () => null
  const { status, body } = await testBerth.call<Failure>(
    'registry.enableSelfHostedRegistry',
    { registryUrl: registry.host, ...ann },
    wait,
  )
  assert.notEqual(status, 200)
  assert.match(body.message, /The registry does not run: Image not found/)
})

test('makes the registry read-only during a garbage collection, and reports what was deleted', async () => {
  const { registryId } = await enable()
  const runs: [argv: string[], config: string][] = []
  testBerth.engine.answer = (_, { argv }) => {
    runs.push([argv, fileOf('registry.yml').content])
    return { exitCode: 0, stdout: '\n9 blobs marked, 3 blobs and 2 manifests eligible for deletion\n', stderr: '' }
  }
  const { server } = await testBerth.ok<Registry>('registry.collectGarbage', { registryId, untagged: true }, wait)
  assert.deepEqual([server.status, server.readOnly], ['done', false])
  assert.equal((await lastWork()).reason, '3 blobs and 2 manifests that no image uses were deleted')
  assert.deepEqual(
    runs.map(([argv]) => argv),
    [['registry', 'garbage-collect', '--delete-untagged', '/etc/berth/registry.yml']],
  )
  assert.match(runs[0]![1], /readonly:\n {6}enabled: true/)
  assert.match(fileOf('registry.yml').content, /readonly:\n {6}enabled: false/)

  testBerth.engine.answer = () => ({ exitCode: 1, stdout: '', stderr: 'failed: no room\n' })
  const failed = await testBerth.call<Failure>('registry.collectGarbage', { registryId }, wait)
  assert.match(failed.body.message, /The collection of garbage failed: failed: no room/)
  await testBerth.until(
    'the registry to recover from the failure',
    async () => (await read(registryId)).server.status === 'done',
  )
  assert.match(fileOf('registry.yml').content, /readonly:\n {6}enabled: false/)
  const cloud = await testBerth.ok<Registry>('registry.create', {
    registryName: 'x',
    ...ann,
    registryUrl: registry.host,
    registryType: 'cloud',
    imagePrefix: null,
  })
  await testBerth.refused('CONFLICT', 'registry.collectGarbage', { registryId: cloud.registryId })
})

test('starts another collection in a new container after a restart during a collection', async () => {
  const { registryId } = await enable()
  const begun = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<Outcome>()
  testBerth.engine.answer = () => {
    begun.resolve()
    return ended.promise
  }
  await testBerth.ok('registry.collectGarbage', { registryId })
  await begun.promise
  const { restarts } = testBerth.engine.specOf(name)!
  await testBerth.restart()
  ended.resolve({ exitCode: 1, stdout: '', stderr: 'of nobody' })
  testBerth.engine.answer = () => ({ exitCode: 0, stdout: '', stderr: '' })
  await testBerth.until('the end of the collection', async () => (await read(registryId)).server.status === 'done')
  assert.equal(testBerth.engine.specOf(name)!.restarts, restarts + 1)
  assert.equal((await lastWork()).reason, '0 blobs and 0 manifests that no image uses were deleted')
})

test('supersedes work by a later call, and refuses a garbage collection while work is in progress', async () => {
  registry.users = {}
  const { registryId } = await testBerth.ok<Registry>('registry.enableSelfHostedRegistry', {
    registryUrl: registry.host,
    ...ann,
  })
  const { status, body } = await testBerth.call<Failure>('registry.collectGarbage', { registryId })
  assert.deepEqual([status, body.message], [409, 'A deployment of the registry is in progress. Try again when it has ended'])
  registry.users = { ann: 'second' }
  assert.equal((await enable({ password: 'second' })).server.status, 'done')
  const states = (await testBerth.ok<Deployment[]>('deployment.all')).map(({ state }) => state)
  assert.deepEqual(states, ['superseded', 'done'])
})

test('removes the service and keeps its volume for the next registry or until it is deleted', async () => {
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

test('keeps its volume when enabled during its removal', async () => {
  const { registryId, server } = await enable()
  await testBerth.ok('registry.remove', { registryId })
  const again = await enable()
  assert.deepEqual([again.server.status, again.server.volume], ['done', server.volume])
})

test('gives services new credentials, and none after the registry is removed', async () => {
  const { registryId } = await testBerth.ok<Registry>('registry.create', {
    registryName: 'x',
    ...ann,
    registryUrl: registry.host,
    registryType: 'cloud',
    imagePrefix: null,
  })
  const { appName } = await databaseClientsOf(testBerth, kindNamed('redis')).up({
    dockerImage: `${registry.host}/redis:8`,
  })
  const other = await databaseClientsOf(testBerth, kindNamed('redis')).up({})
  const pullsAs = () => testBerth.engine.pullsAs.get(appName as string)?.password
  assert.equal(pullsAs(), ann.password)
  const { updateService } = testBerth.engine.calls
  registry.users = { ann: 'second' }
  await testBerth.ok('registry.update', { registryId, password: 'second' })
  await testBerth.until('the service to be updated', async () => pullsAs() === 'second')
  assert.equal(testBerth.engine.pullsAs.get(other.appName as string), null)
  await testBerth.restart()
  testBerth.engine.setDown(true)
  await testBerth.ok('registry.remove', { registryId, force: true })
  testBerth.engine.setDown(false)
  await testBerth.until('the service to be updated', async () => pullsAs() === undefined)
  assert.equal(testBerth.engine.calls.updateService, updateService)
})
