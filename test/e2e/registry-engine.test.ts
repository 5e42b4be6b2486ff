/** A real engine and a registry that lets in by a password: what pulls with credentials, and what does not. */
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
let word: string | null = null

const credentialsFor: CredentialsFor = async (image) =>
  word !== null && image.startsWith(`${registry.host}/`)
    ? ({ username: 'team', password: word, serverAddress: registry.host } satisfies RegistryCredentials)
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
const task = (name: string, state: RegExp, besides = '') =>
  until(`a task of ${name} that is ${state}`, async () =>
    (await engine.tasks([name])).find((it) => state.test(it.state) && it.id !== besides),
  )
const push = async (name: string, password: string) => registry.push(name, 'team', password, await smallImage())
const isHere = async (image: string) => (await docker('image', 'ls', '--quiet', image)).length > 0

test('a service is pulled with credentials, and rejected without; an update brings them', async () => {
  const image = await push('team/one:1', 'a:first-password?>')
  word = null
  const spec = specFor(image)
  await engine.createService(spec)
  assert.match((await task(spec.name, /rejected/)).failure?.detail ?? '', /No such image/)
  word = 'a:first-password?>'
  await engine.updateService({ ...spec, env: { NEXT: '1' } })
  await task(spec.name, /running/)
  const other = { ...specFor(image) }
  await engine.removeService(spec.name)
  await until('the image to go', () =>
    docker('image', 'rm', '--force', image).then(
      () => true,
      () => false,
    ),
  )
  await engine.createService(other)
  await task(other.name, /running/)
  await engine.removeService(other.name)
  await until('the image to go', () =>
    docker('image', 'rm', '--force', image).then(
      () => true,
      () => false,
    ),
  )
})

test('credentials of any characters arrive', async () => {
  const password = 'é>?~'.repeat(8)
  await registry.changeUsers({ team: password })
  const image = await push('team/characters:1', password)
  word = password
  const argv = ['/usr/bin/busybox', 'true']
  const job = { name: uniqueName('job'), recordId: 'a', image, argv, env: {}, stdin: false }
  const it = await engine.runJob(job, new AbortController().signal)
  it.stdout.resume()
  assert.equal((await it.ended).exitCode, 0)
  await docker('image', 'rm', '--force', image)
  word = 'wrong'
  await assert.rejects(
    engine.runJob(job, new AbortController().signal),
    (error: unknown) =>
      error instanceof EngineFailure &&
      error.reason === 'missing' &&
      /cannot be pulled/.test(error.message) &&
      !error.message.includes('wrong'),
  )
})

test('new credentials do not restart what runs, and are those of the next pull', async () => {
  await registry.changeUsers({ team: 'old' })
  const image = await push('team/kept:1', 'old')
  word = 'old'
  const spec = specFor(image)
  await engine.createService(spec)
  const running = await task(spec.name, /running/)
  await registry.changeUsers({ team: 'new' })
  word = 'new'
  await engine.updateService(spec)
  word = null
  await engine.updateService(spec)
  word = 'new'
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
  assert.ok(await isHere(image))
  await engine.removeService(spec.name)
})

test('credentials of one registry do not go to the next that a service has its image from', async (t) => {
  const seen: (string | undefined)[] = []
  const stranger = createServer(({ headers }, response) => {
    seen.push(headers.authorization)
    response.writeHead(401, { 'www-authenticate': 'Basic realm="mine"' }).end('{"errors":[]}')
  }).listen(0, '127.0.0.1')
  await once(stranger, 'listening')
  t.after(() => stranger.close().closeAllConnections())
  const image = await push('team/moved:1', 'new')
  const spec = specFor(image)
  await engine.createService(spec)
  await task(spec.name, /running/)
  await engine.updateService({ ...spec, image: `127.0.0.1:${(stranger.address() as AddressInfo).port}/team/moved:1` })
  await task(spec.name, /rejected/)
  assert.ok(seen.length > 0)
  assert.deepEqual(
    seen.filter((it) => it !== undefined),
    [],
  )
  await engine.removeService(spec.name)
})
