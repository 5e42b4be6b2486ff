/** The registry that Berth runs: failing deployments, garbage collections and changed credentials. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Outcome } from '../../src/engine/engine.ts'
import { kindNamed } from '../../src/kinds/index.ts'
import { databaseClientsOf } from '../fixtures/database-clients.ts'
import { wait, type Failure } from '../fixtures/test-berth.ts'
import { ann, name, startOwnRegistry, type Deployment, type Registry } from './own-registry-fixture.ts'

test('reports why a login fails, and recovers without a call', async () => {
  await using ownRegistry = await startOwnRegistry()
  const { testBerth, registry, read, beginEnable, enableWithWrongPassword, lastDeployment } = ownRegistry
  registry.users = { ann: 'another' }
  const { registryId } = await beginEnable()
  await testBerth.until('the service to exist', async () => testBerth.engine.specOf(name) !== null)
  testBerth.pass(61_000)
  await testBerth.until('the failure to be recorded', async () => (await read(registryId)).server.status === 'error')
  assert.match((await read(registryId)).server.statusReason!, /^The registry runs, but a login to it fails\. /)
  assert.equal((await lastDeployment()).state, 'error')
  await testBerth.refused('CONFLICT', 'registry.collectGarbage', { registryId })
  registry.users = { ann: ann.password }
  await testBerth.until('the registry to recover', async () => (await read(registryId)).server.status === 'done')
  registry.users = null
  registry.answer = (_, response) => {
    response.end('{}')
    return true
  }
  const { server } = await enableWithWrongPassword()
  assert.match(server.statusReason ?? '', /requires no login, so another registry answers there/)
})

test('reports why the container cannot run', async () => {
  await using ownRegistry = await startOwnRegistry()
  const { testBerth, registry } = ownRegistry
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
  await using ownRegistry = await startOwnRegistry()
  const { testBerth, registry, read, enable, lastDeployment, fileOf } = ownRegistry
  const { registryId } = await enable()
  const runs: [argv: string[], config: string][] = []
  testBerth.engine.answer = (_, { argv }) => {
    runs.push([argv, fileOf('registry.yml').content])
    return { exitCode: 0, stdout: '\n9 blobs marked, 3 blobs and 2 manifests eligible for deletion\n', stderr: '' }
  }
  const { server } = await testBerth.ok<Registry>('registry.collectGarbage', { registryId, untagged: true }, wait)
  assert.deepEqual([server.status, server.readOnly], ['done', false])
  assert.equal((await lastDeployment()).reason, '3 blobs and 2 manifests that no image uses were deleted')
  assert.deepEqual(
    runs.map(([argv]) => argv),
    [['registry', 'garbage-collect', '--delete-untagged', '/etc/berth/registry.yml']],
  )
  assert.match(runs[0]![1], /readonly:\n {6}enabled: true/)
  assert.match(fileOf('registry.yml').content, /readonly:\n {6}enabled: false/)

  testBerth.engine.answer = () => ({ exitCode: 1, stdout: '', stderr: 'failed: no room\n' })
  const failed = await testBerth.call<Failure>('registry.collectGarbage', { registryId }, wait)
  assert.match(failed.body.message, /The garbage collection failed: failed: no room/)
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
    imagePrefix: 'team',
  })
  await testBerth.refused('CONFLICT', 'registry.collectGarbage', { registryId: cloud.registryId })
})

test('starts another collection in a new container after a restart of Berth during a collection', async () => {
  await using ownRegistry = await startOwnRegistry()
  const { testBerth, read, enable, lastDeployment } = ownRegistry
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
  ended.resolve({ exitCode: 1, stdout: '', stderr: 'interrupted' })
  testBerth.engine.answer = () => ({ exitCode: 0, stdout: '', stderr: '' })
  await testBerth.until('the end of the collection', async () => (await read(registryId)).server.status === 'done')
  assert.equal(testBerth.engine.specOf(name)!.restarts, restarts + 1)
  assert.equal((await lastDeployment()).reason, '0 blobs and 0 manifests that no image uses were deleted')
})

test('supersedes a deployment by a later call, and refuses a garbage collection during a deployment', async () => {
  await using ownRegistry = await startOwnRegistry()
  const { testBerth, registry, beginEnable, enable } = ownRegistry
  registry.users = {}
  const { registryId } = await beginEnable()
  const { status, body } = await testBerth.call<Failure>('registry.collectGarbage', { registryId })
  assert.deepEqual(
    [status, body.message],
    [409, 'A deployment of the registry is in progress. Try again when it has ended'],
  )
  registry.users = { ann: 'second' }
  assert.equal((await enable({ password: 'second' })).server.status, 'done')
  const states = (await testBerth.ok<Deployment[]>('deployment.all')).map(({ state }) => state)
  assert.deepEqual(states, ['superseded', 'done'])
})

test('gives services the changed credentials of a registry, and none after its removal', async () => {
  await using ownRegistry = await startOwnRegistry()
  const { testBerth, registry } = ownRegistry
  const { registryId } = await testBerth.ok<Registry>('registry.create', {
    registryName: 'x',
    ...ann,
    registryUrl: registry.host,
    registryType: 'cloud',
    imagePrefix: null,
  })
  const { appName } = await databaseClientsOf(testBerth, kindNamed('redis')).createDeployed({
    dockerImage: `${registry.host}/redis:8`,
  })
  const other = await databaseClientsOf(testBerth, kindNamed('redis')).createDeployed({})
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
