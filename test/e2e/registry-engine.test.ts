/** A real engine and a registry that requires a password: which operations of the engine use credentials. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { dockerEngine } from '../../src/engine/docker/engine.ts'
import { type CredentialsFor, type Engine, EngineFailure, type RegistryCredentials } from '../../src/engine/engine.ts'
import { specOf } from '../fixtures/samples.ts'
import { until } from '../engine/until.ts'
import { type RealRegistry, startRegistry } from './registry.ts'
import { forgetImages, removeImages, smallImage } from './registry-image.ts'
import { docker, dockerHost, removeAll, uniqueName } from './swarm.ts'

const installationId = `registry-${process.pid}`
const end = new AsyncDisposableStack()
let registry: RealRegistry
let engine: Engine
let nodeId: string
/** The password that Berth knows; null without credentials. */
let password: string | null = null

const credentialsFor: CredentialsFor = async (image) =>
  password !== null && image.startsWith(`${registry.host}/`)
    ? ({ username: 'team', password, serverAddress: registry.host } satisfies RegistryCredentials)
    : null

before(async () => {
  registry = end.use(await startRegistry({ users: { team: 'a:first-password?>' } }))
  end.defer(removeImages)
  end.defer(() => forgetImages(registry.host))
  end.defer(() => removeAll(installationId))
  engine = dockerEngine({ dockerHost, installationId, networkName: 'berth-test', credentialsFor })
  await engine.prepare()
  nodeId = (await engine.nodes()).find((it) => it.local)!.id
})
after(() => end.disposeAsync())

const specFor = (image: string) =>
  specOf({ name: uniqueName('pulled'), labels: {}, image, nodeId, stopGraceSeconds: 1 })
/** Waits for a task in this state. Ignores the task `ignoredId`. */
const task = (name: string, state: RegExp, ignoredId = '') =>
  until(`a task of ${name} that is ${state}`, async () =>
    (await engine.tasks([name])).find((it) => state.test(it.state) && it.id !== ignoredId),
  )
const push = async (name: string, pushPassword: string) => registry.push(name, 'team', pushPassword, await smallImage())
const removeImage = (image: string) =>
  until('the image to be removed', () =>
    docker('image', 'rm', '--force', image).then(
      () => true,
      () => false,
    ),
  )
const hasImage = async (image: string) => (await docker('image', 'ls', '--quiet', image)).length > 0

test('creating and updating a service use credentials, and without credentials the task is rejected', async () => {
  const image = await push('team/one:1', 'a:first-password?>')
  password = null
  const spec = specFor(image)
  await engine.createService(spec)
  assert.match((await task(spec.name, /rejected/)).failure?.detail ?? '', /No such image/)
  password = 'a:first-password?>'
  await engine.updateService({ ...spec, env: { NEXT: '1' } })
  await task(spec.name, /running/)
  const other = specFor(image)
  await engine.removeService(spec.name)
  await removeImage(image)
  await engine.createService(other)
  await task(other.name, /running/)
  await engine.removeService(other.name)
  await removeImage(image)
})

test('running a job uses credentials with every kind of character', async () => {
  password = 'é>?~'.repeat(8)
  await registry.changeUsers({ team: password })
  const image = await push('team/characters:1', password)
  const argv = ['/usr/bin/busybox', 'true']
  const job = { name: uniqueName('job'), recordId: 'a', image, argv, env: {}, stdin: false }
  const { stdout, ended } = await engine.runJob(job, new AbortController().signal)
  stdout.resume()
  assert.equal((await ended).exitCode, 0)
  await docker('image', 'rm', '--force', image)
  password = 'wrong'
  await assert.rejects(
    engine.runJob(job, new AbortController().signal),
    (error: unknown) =>
      error instanceof EngineFailure &&
      error.reason === 'missing' &&
      /cannot be pulled/.test(error.message) &&
      !error.message.includes('wrong'),
  )
})

test('new credentials do not restart a running task, and the next pull uses them', async () => {
  await registry.changeUsers({ team: 'old' })
  const image = await push('team/kept:1', 'old')
  password = 'old'
  const spec = specFor(image)
  await engine.createService(spec)
  const running = await task(spec.name, /running/)
  await registry.changeUsers({ team: 'new' })
  password = 'new'
  await engine.updateService(spec)
  password = null
  await engine.updateService(spec)
  password = 'new'
  await engine.renewCredentials(spec.name)
  await engine.renewCredentials('no-such-service')
  assert.deepEqual(
    (await engine.tasks([spec.name])).map(({ id, state }) => [id, state]),
    [[running.id, 'running']],
  )
  await docker('image', 'rm', '--force', image)
  await docker('rm', '--force', running.containerId!)
  const next = await task(spec.name, /running/, running.id)
  assert.notEqual(next.id, running.id)
  assert.ok(await hasImage(image))
  await engine.removeService(spec.name)
})

test('does not send the credentials of one registry to the next registry of a service', async (t) => {
  const authorizations: (string | undefined)[] = []
  const otherRegistry = createServer(({ headers }, response) => {
    authorizations.push(headers.authorization)
    response.writeHead(401, { 'www-authenticate': 'Basic realm="mine"' }).end('{"errors":[]}')
  }).listen(0, '127.0.0.1')
  await once(otherRegistry, 'listening')
  t.after(() => otherRegistry.close().closeAllConnections())
  const image = await push('team/moved:1', 'new')
  const spec = specFor(image)
  await engine.createService(spec)
  await task(spec.name, /running/)
  const { port } = otherRegistry.address() as AddressInfo
  await engine.updateService({ ...spec, image: `127.0.0.1:${port}/team/moved:1` })
  await task(spec.name, /rejected/)
  assert.ok(authorizations.length > 0)
  assert.deepEqual(
    authorizations.filter((it) => it !== undefined),
    [],
  )
  await engine.removeService(spec.name)
})
