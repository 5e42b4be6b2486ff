import assert from 'node:assert/strict'
import { hostname } from 'node:os'
import { test } from 'node:test'
import { parseConfig } from './config.ts'

test('by default Berth listens on loopback, port 3000, and has its data folder in the home folder', () => {
  const config = parseConfig({})
  assert.deepEqual([config.host, config.port, config.dockerHost], ['127.0.0.1', 3000, 'unix:///var/run/docker.sock'])
  assert.match(config.dataFolder, /^\/.*\.berth$/)
})

test('an empty setting counts as unset', () => {
  assert.equal(parseConfig({ BERTH_PORT: '', BERTH_MASTER_KEY: '' }).port, 3000)
})

test('the names by which browsers may reach Berth are in lower case', () => {
  const { hostNames } = parseConfig({
    BERTH_PUBLIC_HOST: 'DB.example.org',
    BERTH_HOSTS: 'Berth.example.org, berth.lan',
  })
  assert.deepEqual([...hostNames], [hostname().toLowerCase(), 'db.example.org', 'berth.example.org', 'berth.lan'])
})

test('the public URL has a certificate by ACME by default, and its name is known', () => {
  const { publicUrl, hostNames } = parseConfig({ BERTH_PUBLIC_URL: 'https://Berth.example.org:8443/' })
  const parsed = { origin: 'https://berth.example.org:8443', host: 'berth.example.org', port: 8443 }
  assert.deepEqual(publicUrl, { ...parsed, certificate: 'acme' })
  assert.ok(hostNames.has('berth.example.org'))
  assert.equal(parseConfig({}).publicUrl, null)
})

test('a port without TLS is for this machine, unless a setting allows more', () => {
  for (const BERTH_HOST of ['127.0.0.1', '127.1.2.3', '::1', 'localhost']) {
    assert.equal(parseConfig({ BERTH_HOST }).host, BERTH_HOST)
  }
  for (const BERTH_HOST of ['0.0.0.0', '::', '192.0.2.1', '2001:db8::1']) {
    assert.throws(() => parseConfig({ BERTH_HOST }), /BERTH_HOST .*BERTH_PUBLIC_URL.*BERTH_INSECURE_HTTP=1/)
    assert.throws(() => parseConfig({ BERTH_HOST, BERTH_INSECURE_HTTP: '0' }), /BERTH_INSECURE_HTTP=1/)
    assert.equal(parseConfig({ BERTH_HOST, BERTH_INSECURE_HTTP: '1' }).host, BERTH_HOST)
  }
})

test('the settings of the public URL do not contradict each other', () => {
  const BERTH_PUBLIC_URL = 'https://berth.example.org'
  assert.throws(
    () => parseConfig({ BERTH_PUBLIC_URL, BERTH_PROXY: 'off' }),
    /BERTH_PUBLIC_URL needs the proxy.*BERTH_HOSTS/,
  )
  assert.throws(
    () => parseConfig({ BERTH_PUBLIC_CERTIFICATE: 'internal' }),
    /BERTH_PUBLIC_CERTIFICATE has no effect without BERTH_PUBLIC_URL/,
  )
  const { publicUrl } = parseConfig({ BERTH_PUBLIC_URL, BERTH_PUBLIC_CERTIFICATE: 'internal' })
  assert.equal(publicUrl?.certificate, 'internal')
})

const wrong: Record<string, string[]> = {
  BERTH_INSECURE_HTTP: ['yes', '2'],
  BERTH_PUBLIC_URL: ['http://berth.example.org', 'https://192.0.2.7', 'berth.example.org', 'https://a.example/b'],
  BERTH_PUBLIC_CERTIFICATE: ['letsencrypt', 'ACME'],
  BERTH_TRUSTED_PROXIES: ['proxy.example', '10.0.0.0/33', '*'],
  BERTH_PORT: ['0', '65536', '80a', '-1', '3000.5', '1e3'],
  BERTH_HOST: ['example', '300.1.1.1', '127.0.0.1:3000'],
  BERTH_HOSTS: ['https://berth.example.org', 'berth.example.org:3000', 'a,,b', 'bérth.example.org', '*.example.org'],
  BERTH_ACCESS_TOKEN: ['short', 'with spaces '.repeat(4)],
  BERTH_MASTER_KEY: ['short', 'zz'.repeat(32)],
  DOCKER_HOST: ['ssh://host', '/var/run/docker.sock', 'tcp://host'],
  BERTH_NETWORK: ['UPPER', '-x'],
  BERTH_PROXY: ['on', 'caddy'],
  BERTH_PROXY_HTTP_PORT: ['0', '65536', 'http'],
  BERTH_PROXY_HTTPS_PORT: ['0', '65536', 'https'],
  BERTH_ACME_DIRECTORY: ['directory', 'ftp://acme.example/'],
  BERTH_ACME_EMAIL: ['nobody', 'a@'],
  BERTH_BACKUP_CONCURRENCY: ['0', '101', 'all'],
  BERTH_BACKUP_IDLE_SECONDS: ['0', '1.5', '10m'],
  BERTH_BACKUP_TOTAL_SECONDS: ['0', '-1', '9999999'],
  BERTH_EGRESS_ALLOW: ['metadata.example', '169.254.169.254/33', '10.0.0.1;10.0.0.2'],
}

for (const [name, values] of Object.entries(wrong)) {
  for (const value of values) {
    test(`refuses ${name}=${value} and names the setting`, () =>
      assert.throws(() => parseConfig({ [name]: value }), new RegExp(name)))
  }
}

test('one error names all invalid settings without their values', () => {
  const env = Object.fromEntries(Object.entries(wrong).map(([name, values]) => [name, values[0]]))
  assert.throws(
    () => parseConfig(env),
    (error: Error) => {
      assert.deepEqual(
        Object.keys(wrong).filter((name) => !error.message.includes(name)),
        [],
      )
      assert.ok(!error.message.includes('short'))
      return true
    },
  )
})

test("the proxy is by default a service on ports 80 and 443 with certificates of Let's Encrypt", () => {
  const { proxy, proxyImage, registryImage, udpGatewayImage, proxyHttpPort, proxyHttpsPort, acme } = parseConfig({})
  assert.deepEqual(
    [proxy, proxyImage, registryImage, udpGatewayImage, proxyHttpPort, proxyHttpsPort],
    ['service', 'caddy:2', 'registry:2', 'nginx:1', 80, 443],
  )
  const directory = 'https://acme-v02.api.letsencrypt.org/directory'
  assert.deepEqual(acme, { directory, email: null, rootsFile: null })
})

test('requests to metadata services are forbidden unless a setting allows them', () => {
  const isOpen = (env: Record<string, string>) => parseConfig(env).egress.faultOf('169.254.169.254') === null
  assert.deepEqual([isOpen({}), isOpen({ BERTH_EGRESS_ALLOW: 'fe80::/10, 169.254.169.254' })], [false, true])
})

test('the certificate authority can be set', () => {
  const { acme } = parseConfig({
    BERTH_ACME_DIRECTORY: 'https://ca.internal:14000/dir',
    BERTH_ACME_EMAIL: 'a@b.example',
    BERTH_ACME_ROOTS: '/etc/roots.pem',
  })
  assert.deepEqual(acme, {
    directory: 'https://ca.internal:14000/dir',
    email: 'a@b.example',
    rootsFile: '/etc/roots.pem',
  })
})

test('two settings cannot have the same port, unless the proxy is off', () => {
  assert.throws(
    () => parseConfig({ BERTH_PROXY_HTTP_PORT: '443' }),
    /HTTPS_PORT must not be the same port as .*HTTP_PORT/,
  )
  assert.throws(
    () => parseConfig({ BERTH_PORT: '80' }),
    /BERTH_PROXY_HTTP_PORT must not be the same port as BERTH_PORT/,
  )
  assert.equal(parseConfig({ BERTH_PORT: '80', BERTH_PROXY: 'off' }).port, 80)
})

test('backup runs end by default after a day, or after ten minutes without a byte', () => {
  const { concurrency, ...deadlines } = parseConfig({}).backups
  assert.deepEqual(deadlines, { idleMs: 600_000, totalMs: 24 * 3600_000 })
  assert.ok(concurrency >= 2)
})

test('accepts a master key in base64 and in hexadecimal', () => {
  const key = Buffer.from('00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff', 'hex')
  for (const text of [key.toString('hex'), key.toString('base64')]) {
    assert.deepEqual(parseConfig({ BERTH_MASTER_KEY: text }).masterKey, key)
  }
})
