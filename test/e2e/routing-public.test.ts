/** Berth by HTTPS through the proxy of the swarm, as a process of its own: ACME, a change of settings, and restarts. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { until } from '../engine/until.ts'
import { folderUnder } from '../fixtures/folder.ts'
import { type Acme, startAcme } from './acme.ts'
import { berthProcess } from './process.ts'
import { requestVia } from './routing-berth.ts'
import { docker, freePort, removeAll } from './swarm.ts'
import { handshake, servedFingerprint } from './tls-client.ts'

const host = 'berth.example.org'
const end = new AsyncDisposableStack()
const folder = folderUnder(end)
const ports = { httpPort: await freePort(), httpsPort: await freePort() }
let acme: Acme
let env: Record<string, string>
let berth: Awaited<ReturnType<typeof berthProcess>>
before(async () => {
  acme = end.use(await startAcme(ports))
  env = { ...acme.env, BERTH_PROXY: 'service', BERTH_PUBLIC_URL: `https://${host}:${ports.httpsPort}` }
  berth = await startWith({})
})
after(async () => {
  await berth.kill()
  const [installation] = await docker(
    'service',
    'inspect',
    'berth-proxy',
    '--format',
    '{{index .Spec.Labels "berth.installation"}}',
  )
  await removeAll(installation ?? '')
  await end.disposeAsync()
})

async function startWith(more: Record<string, string>) {
  const started = await berthProcess(folder, { ...env, ...more })
  end.defer(() => started.kill())
  await started.start()
  return started
}

const readiness = async () => {
  const response = await fetch(`${berth.base}/readyz`)
  return { status: response.status, body: (await response.json()) as { issues?: { path: string; message: string }[] } }
}
const ready = () => until('Berth to be ready', async () => (await readiness()).status === 200, 60_000)
const get = (ca: string, path: string) => requestVia(ports, `https://${host}${path}`, { tls: { ca } })

test('obtains a certificate by ACME, serves pages and calls, and redirects HTTP', async () => {
  await ready()
  const ca = await acme.root()
  const { status, headers } = await get(ca, '/')
  assert.equal(status, 200)
  assert.match(String(headers['content-security-policy']), /default-src 'none'/)
  assert.equal(headers['strict-transport-security'], 'max-age=31536000')
  const plain = await requestVia(ports, `http://${host}/api/project.all?a=b`)
  const location = `https://${host}:${ports.httpsPort}/api/project.all?a=b`
  assert.deepEqual([plain.status, plain.headers.location], [308, location])
  assert.equal((await get(ca, '/api/project.all')).status, 401)
  const line = await until('the call in the log', async () =>
    readFileSync(berth.logPath, 'utf8')
      .split('\n')
      .findLast((it) => it.includes('"project.all"')),
  )
  const { address } = JSON.parse(line) as { address: string }
  // Docker hides the address of a client on this machine.
  const [gateway] = await docker(
    'network',
    'inspect',
    'docker_gwbridge',
    '--format',
    '{{(index .IPAM.Config 0).Gateway}}',
  )
  assert.equal(address, gateway)
})

test('a restart of Berth loses no call and replaces no container of the proxy', async () => {
  const ca = await acme.root()
  const containers = () => docker('ps', '--quiet', '--filter', 'label=com.docker.swarm.service.name=berth-proxy')
  const before = await containers()
  await berth.kill()
  const waiting = get(ca, '/healthz')
  await berth.start()
  assert.equal((await waiting).status, 200)
  assert.deepEqual(await containers(), before)
})

async function stopProxy(): Promise<void> {
  try {
    await docker('service', 'scale', '--detach', 'berth-proxy=0')
  } catch (error) {
    // Berth changed the service at the same time.
    if (!/update out of sequence/.test(String(error))) throw error
  }
}

test('says that the proxy does not run, and answers on the machine itself', async () => {
  const { issues } = await until(
    'the fault',
    async () => {
      // Berth starts the proxy again within seconds, so it is stopped until a turn of the loop finds it stopped.
      await stopProxy()
      const { status, body } = await readiness()
      return status === 503 ? body : null
    },
    60_000,
  )
  assert.equal(issues![0]!.path, 'publicUrl')
  assert.equal((await fetch(`${berth.base}/healthz`)).status, 200)
  await ready()
})

test('changes to the certificate of its own authority with the setting', async () => {
  await berth.kill()
  berth = await startWith({ BERTH_PUBLIC_CERTIFICATE: 'internal' })
  await berth.signIn()
  await ready()
  const { body } = await berth.call<{ pem: string }>('installation.ca')
  await until('its certificate', () =>
    handshake(ports.httpsPort, host, { ca: body.pem }).then(
      () => true,
      () => false,
    ),
  )
  const { headers } = await get(body.pem, '/')
  assert.equal(headers['strict-transport-security'], undefined)
  assert.equal(await servedFingerprint(ports.httpsPort, 'other.example.org'), '')
  await assert.rejects(get(await acme.root(), '/'), /unable to verify|self.signed/)
})
