import assert from 'node:assert/strict'
import { hostname } from 'node:os'
import { test } from 'node:test'
import { parseConfig } from './config.ts'
import { networkText } from './lib/net/networks.ts'

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

const wrong: Record<string, string[]> = {
  BERTH_PORT: ['0', '65536', '80a', '-1', '3000.5', '1e3'],
  BERTH_HOST: ['example', '300.1.1.1', '127.0.0.1:3000'],
  BERTH_HOSTS: ['https://berth.example.org', 'berth.example.org:3000', 'a,,b', 'bérth.example.org', '*.example.org'],
  BERTH_TRUSTED_PROXIES: [
    'proxy.example',
    '10.0.0.0/33',
    '127.0.0.1:80',
    '0.0.0.0/0',
    '::/0',
    'fe80::1%eth0',
    '10.0.0.1,',
  ],
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
  HTTP_PROXY: ['socks5://user:short@proxy.example', 'http://proxy.example/path'],
  HTTPS_PROXY: ['http://user:short#@proxy.example', 'http://'],
  https_proxy: ['http://user:short/@proxy.example', 'ftp://proxy.example'],
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

test('requests go directly unless a setting names a proxy; of both spellings, lower case counts', () => {
  const hostOf = (env: Record<string, string>, url: string) => parseConfig(env).egress.proxyOf(new URL(url))?.host
  const [plain, tls] = ['http://s3.example', 'https://s3.example']
  assert.equal(hostOf({}, tls), undefined)
  assert.equal(hostOf({ HTTPS_PROXY: '' }, tls), undefined)
  assert.equal(hostOf({ HTTPS_PROXY: 'http://one.example:3128' }, tls), 'one.example:3128')
  assert.equal(hostOf({ HTTPS_PROXY: 'http://one.example:3128' }, plain), undefined)
  assert.equal(hostOf({ HTTP_PROXY: 'one.example', http_proxy: 'two.example:81' }, plain), 'two.example:81')
  const some = { HTTP_PROXY: 'one.example', NO_PROXY: 'a.example, .s3.example  10.0.0.0/8' }
  const urls = ['http://a.example', 'http://b.s3.example', 'http://10.1.1.1:9000', plain]
  assert.deepEqual(
    urls.map((url) => hostOf(some, url)),
    [undefined, undefined, undefined, 'one.example:80'],
  )
  const own = { HTTP_PROXY: 'one.example', BERTH_HOST: '192.0.2.7' }
  assert.equal(hostOf(own, 'http://192.0.2.7:3000'), undefined, 'Berth asks itself directly')
})

test('no proxy is trusted by default; a setting names addresses and networks of both families', () => {
  const proxiesOf = (text: string) => parseConfig({ BERTH_TRUSTED_PROXIES: text }).trustedProxies.map(networkText)
  assert.deepEqual(proxiesOf(''), [])
  assert.deepEqual(proxiesOf('127.0.0.1, 10.1.0.0/16,2001:DB8:0::/32 ,::1'), [
    '127.0.0.1/32',
    '10.1.0.0/16',
    '2001:db8::/32',
    '::1/128',
  ])
  assert.deepEqual(proxiesOf('::ffff:10.0.0.1,::ffff:10.2.0.0/112'), ['10.0.0.1/32', '10.2.0.0/16'])
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
