/** The proxy as processes on this machine: rules, changing tasks, killed processes, and a restart of Berth. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { processNames } from '../../src/routing/caddy/launch.ts'
import { proxyProcesses } from '../crash/engine.ts'
import { until } from '../engine/until.ts'
import { programs } from './caddy.ts'
import { makeCertificate } from './certificate-files.ts'
import { startRoutingBerth, type RoutingBerth } from './routing-berth.ts'
import { docker } from './swarm.ts'
import { servedFingerprint } from './tls-client.ts'

const host = 'shop.example.org'

describe('the proxy as processes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-processes-'))
  const path = process.env.PATH
  let runtime: RoutingBerth
  let name = ''
  before(async () => {
    process.env.PATH = `${programs}:${path}`
    runtime = await startRoutingBerth({ folder, env: { BERTH_PROXY: 'process' } })
    name = await runtime.application({ 'berth.host': host }, { replicas: 2 })
  })
  after(async () => {
    process.env.PATH = path
    await runtime[Symbol.asyncDispose]()
    for (const id of proxyProcesses(folder)) process.kill(id, 'SIGKILL')
    await until('the processes to end', async () => proxyProcesses(folder).length === 0)
    rmSync(folder, { recursive: true, force: true })
  })

  const statusOf = (url: string) =>
    runtime.ask(url).then(
      ({ status }) => status,
      () => 0,
    )
  const serves = (status = 200) =>
    until(`a response with status ${status}`, async () => (await statusOf(`http://${host}/x`)) === status)

  test('rules and certificates of an application take effect when their call returns', async () => {
    await serves()
    assert.equal((await runtime.ask(`http://${host}/x`)).body, `${name} GET /x`)
    assert.equal(proxyProcesses(folder).length, processNames.length)
    await runtime.call('redirects.create', {
      applicationId: name,
      regex: '/old$',
      replacement: '/new',
      permanent: true,
    })
    const { status, headers } = await runtime.ask(`http://${host}/old`)
    assert.deepEqual([status, headers.location], [301, '/new'])
    const { chain, key } = makeCertificate({ names: [host] })
    await runtime.call('certificates.create', { name: 'own', certificateData: chain, privateKey: key })
    assert.notEqual(await servedFingerprint(runtime.httpsPort, host), '')
    assert.deepEqual(
      await docker(
        'service',
        'ls',
        '--quiet',
        '--filter',
        'name=berth-proxy',
        '--filter',
        `label=berth.installation=${runtime.berth.installationId}`,
      ),
      [],
    )
  })

  test('follows tasks that end, start and are replaced', async () => {
    await docker('service', 'scale', '--detach', `${name}=0`)
    await serves(503)
    await docker('service', 'scale', '--detach', `${name}=1`)
    await serves()
    const [container = ''] = await docker('ps', '--quiet', '--filter', `label=com.docker.swarm.service.name=${name}`)
    await docker('kill', container)
    await until('the end of the container to be noticed', async () => (await statusOf(`http://${host}/x`)) !== 200)
    await serves()
  })

  test('restarts a killed process with all rules and certificates', async () => {
    for (const id of proxyProcesses(folder)) {
      process.kill(id, 'SIGKILL')
      await until('a new process', async () => {
        const ids = proxyProcesses(folder)
        return ids.length === processNames.length && !ids.includes(id)
      })
      await serves()
      assert.equal((await runtime.ask(`http://${host}/old`)).headers.location, '/new')
      await until('the certificate', async () => (await servedFingerprint(runtime.httpsPort, host)) !== '')
    }
  })

  test('the processes keep serving without Berth, and the next Berth uses them', async () => {
    const before = proxyProcesses(folder)
    await runtime.berth.close()
    assert.equal(await statusOf(`http://${host}/old`), 301)
    runtime = await startRoutingBerth({ folder, env: runtime.env }, runtime.applications)
    assert.equal(await statusOf(`http://${host}/old`), 301)
    await runtime.call('redirects.create', {
      applicationId: name,
      regex: '/older$',
      replacement: '/new',
      permanent: false,
    })
    assert.equal(await statusOf(`http://${host}/older`), 302)
    assert.deepEqual(proxyProcesses(folder), before)
  })
})
