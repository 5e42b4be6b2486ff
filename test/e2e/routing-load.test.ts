/** Requests through the proxy while rules change, and while the proxy or Berth restarts. */
import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { until } from '../engine/until.ts'
import { makeCertificate } from './certificate-files.ts'
import { startRoutingBerth, type RoutingBerth } from './routing-berth.ts'
import { docker } from './swarm.ts'
import { servedFingerprint } from './tls-client.ts'
import { startTraffic } from './traffic.ts'

const changes = 200

describe('routing under load', () => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-routing-'))
  let runtime: RoutingBerth
  let name = ''
  before(async () => {
    runtime = await startRoutingBerth({ folder })
    name = await runtime.application({ 'berth.host': 'shop.example.org' }, { replicas: 2 })
  })
  after(async () => {
    await runtime[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true })
  })

  const redirect = (regex: string) =>
    runtime.call<{ redirectId: string }>('redirects.create', {
      applicationId: name,
      regex,
      replacement: '/new',
      permanent: false,
    })

  test(`${changes} changes of rules fail none of 200 requests a second`, async () => {
    const { ask, call } = runtime
    const { redirectId } = await redirect('/never')
    await using traffic = startTraffic({ perSecond: 200, url: 'http://shop.example.org/page', ask })
    for (let i = 0; i < changes; i++) {
      await call('redirects.update', { redirectId, regex: `/never${i}`, replacement: `/new${i}`, permanent: false })
      assert.equal((await ask(`http://shop.example.org/never${i}`)).headers.location, `/new${i}`)
    }
    const { answers, faults } = await traffic.stop()
    assert.deepEqual(faults, [])
    assert.ok(answers > changes, `${answers} answers`)
    await call('redirects.delete', { redirectId })
  })

  test('a rolling update of the application fails no request', async () => {
    const { ask } = runtime
    await using traffic = startTraffic({ perSecond: 100, url: 'http://shop.example.org/page', ask })
    const oneByOne = ['--update-parallelism', '1', '--update-delay', '2s']
    await docker('service', 'update', '--quiet', ...oneByOne, '--env-add', 'A=1', name)
    const { answers, faults } = await traffic.stop()
    assert.deepEqual(faults, [])
    assert.ok(answers > 100, `${answers} answers`)
  })

  for (const [target, kill] of [
    ['proxy', killContainer],
    ['keys process of the proxy', killKeysProcess],
  ] as const) {
    test(`a killed ${target} restarts with all rules and certificates`, async () => {
      const { ask, call, httpsPort } = runtime
      const { redirectId } = await redirect('/old')
      const { chain, key } = makeCertificate({ names: ['shop.example.org'] })
      const { certificateId } = await call<{ certificateId: string }>('certificates.create', {
        name: 'it',
        certificateData: chain,
        privateKey: key,
      })
      const [container] = await docker('ps', '--quiet', '--filter', 'name=berth-proxy')
      await kill(container!)
      await until(
        'the redirect to work again',
        async () =>
          (await docker('ps', '--quiet', '--filter', 'name=berth-proxy'))[0] !== container &&
          ask('http://shop.example.org/old').then(
            ({ status }) => status === 302,
            () => false,
          ),
      )
      await until(
        'the certificate to be served again',
        async () =>
          (await servedFingerprint(httpsPort, 'shop.example.org')) === new X509Certificate(chain).fingerprint256,
      )
      await call('certificates.remove', { certificateId })
      await call('redirects.delete', { redirectId })
      assert.equal((await ask('http://shop.example.org/old')).status, 200)
    })
  }

  test('the proxy keeps serving while Berth is down, and the next Berth keeps its rules', async () => {
    const { redirectId } = await redirect('/old')
    const { ask } = runtime
    await runtime.berth.close()
    await using traffic = startTraffic({ perSecond: 50, url: 'http://shop.example.org/page', ask })
    assert.equal((await ask('http://shop.example.org/old')).status, 302)
    runtime = await startRoutingBerth({ folder, env: runtime.env }, runtime.applications)
    await runtime.call('redirects.delete', { redirectId })
    assert.equal((await ask('http://shop.example.org/old')).status, 200)
    assert.deepEqual((await traffic.stop()).faults, [])
  })

  test('refuses a change without a proxy, and stores nothing', async (t) => {
    const { berth } = runtime
    const serves = () =>
      runtime.ask('http://shop.example.org/').then(
        ({ status }) => status === 200,
        () => false,
      )
    const label = `berth-test-name=${process.pid}`
    const releaseName = () => removeServices(`label=${label}`)
    t.after(releaseName)
    // Berth creates its proxy again immediately, and may be faster than this test.
    await until('the name of the proxy to be free', async () => {
      await removeServices('name=berth-proxy')
      return docker(
        'service',
        'create',
        '--detach',
        '--quiet',
        '--name',
        'berth-proxy',
        '--label',
        label,
        '--replicas',
        '0',
        'caddy:2',
      ).then(() => true, isTaken)
    })
    await until('the proxy to end', async () => !(await serves()), 30_000)
    const { status, body } = await berth.call<{ message: string }>('redirects.create', {
      applicationId: name,
      regex: '/a',
      replacement: '/b',
      permanent: true,
    })
    await releaseName()
    assert.equal(status, 503, body.message)
    assert.match(body.message, /already has the name berth-proxy|does not answer/)
    assert.deepEqual((await berth.call('redirects.all', {})).body, [])
    await until('the proxy to be created again', serves, 30_000)
  })
})

async function removeServices(filter: string) {
  const ids = await docker('service', 'ls', '--quiet', '--filter', filter)
  if (ids.length > 0) await docker('service', 'rm', ...ids)
}

/** Returns false if the engine refused to create a service because of its name. Throws any other error. */
function isTaken(error: unknown): false {
  if (!/already exists|name conflicts/.test(String(error))) throw error
  return false
}

async function killContainer(container: string) {
  await docker('kill', container)
}

/** Kills one of three processes of the container. The container must then exit by itself. */
async function killKeysProcess(container: string) {
  const rows = await docker('top', container, '-eo', 'pid,args')
  const [keys] = await withAdminSocket(
    rows.map((row) => row.trim().split(/\s+/)[0]!),
    '/keys-admin.sock',
  )
  process.kill(Number(keys), 'SIGKILL')
}

/** Returns the ids of the processes whose admin socket contains `part`. */
async function withAdminSocket(pids: string[], part: string): Promise<string[]> {
  const environments = await Promise.all(
    pids
      .filter((it) => /^\d+$/.test(it))
      .map(async (pid) => [pid, await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')] as const),
  )
  return environments
    .filter(([, text]) => text.split('\0').some((it) => it.startsWith('CADDY_ADMIN=') && it.includes(part)))
    .map(([pid]) => pid)
}
