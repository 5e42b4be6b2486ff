/** The host of BERTH_PUBLIC_URL is reserved: which rules and certificates are refused, and what applications say. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { issueCertificate } from '../../src/authority/issue.ts'
import { ensureOwnCertificate } from '../../src/authority/own-certificate.ts'
import { configsOf } from '../../src/routing/proxy-config.ts'
import { readRules } from '../../src/routing/queries.ts'
import type { Runtime } from '../../src/runtime.ts'
import { type Input, type TestBerth, startTestBerth } from '../fixtures/test-berth.ts'

const host = 'berth.example.org'
const start = (certificate: string) =>
  startTestBerth({ BERTH_PUBLIC_URL: `https://${host}`, BERTH_PUBLIC_CERTIFICATE: certificate })

interface Application {
  name: string
  servedHosts: string[]
  reason: string | null
  faults: string[]
}

/** Creates a service with a label, and returns it when Berth has recorded it. */
async function applicationWith(testBerth: TestBerth, name: string, hosts: string, labels = {}) {
  testBerth.engine.putForeign(name, { labels: { 'berth.host': hosts, ...labels }, onNetwork: true })
  return testBerth.until(`${name} to be recorded`, async () => {
    const applications = await testBerth.ok<Application[]>('application.all', {})
    return applications.find((application) => application.name === name) ?? null
  })
}

const configsFor = async ({ app }: TestBerth) =>
  configsOf({ ...app, installationId: 'it' } as unknown as Runtime, '/proxy', await readRules(app.db))

/** The input of an upload. */
async function certificateFor({ app }: TestBerth, names: string[]) {
  const request = { commonName: 'a certificate', use: 'server', dnsNames: names, validDays: 30 } as const
  const { certificatePem, keyPem } = await issueCertificate(app, 'installation', request)
  return { name: 'own', certificateData: certificatePem, privateKey: keyPem }
}

const texts = { regex: '/old', replacement: '/new', permanent: true }
const user = { username: 'ann', password: 'a password of her own' }

test('a service that already has the label is not served, and says why', async () => {
  await using testBerth = await start('acme')
  const { servedHosts, reason } = await applicationWith(testBerth, 'claim', host)
  assert.deepEqual(servedHosts, [])
  assert.match(reason!, /berth\.example\.org is the host of Berth itself \(BERTH_PUBLIC_URL\).*claim/)
  await testBerth.refused('BAD_REQUEST', 'redirects.create', { ...texts, applicationId: 'claim' }, 'applicationId')
  await testBerth.refused('BAD_REQUEST', 'security.create', { ...user, applicationId: 'claim' }, 'applicationId')
})

test('a service with other hosts besides is served there only', async () => {
  await using testBerth = await start('acme')
  const { servedHosts, reason, faults } = await applicationWith(testBerth, 'both', `${host} shop.example.org`)
  assert.deepEqual([servedHosts, reason], [['shop.example.org'], null])
  assert.match(faults[0]!, /^berth\.host: berth\.example\.org is the host of Berth itself/)
  await testBerth.ok('redirects.create', { ...texts, applicationId: 'both' })
})

test('refuses redirects, certificates and a registry for the host, and tests no redirect of it', async () => {
  await using testBerth = await start('internal')
  await applicationWith(testBerth, 'shop', 'shop.example.org')
  const naming = { ...texts, regex: `^https://${host}/`, applicationId: 'shop' }
  await testBerth.refused('BAD_REQUEST', 'redirects.create', naming, 'regex')
  const { redirectId } = await testBerth.ok('redirects.create', { ...texts, applicationId: 'shop' })
  await testBerth.refused('BAD_REQUEST', 'redirects.update', { redirectId, ...texts, regex: naming.regex }, 'regex')
  await testBerth.refused('BAD_REQUEST', 'redirects.test', { url: `https://${host}/old` }, 'url')
  const upload = await certificateFor(testBerth, ['a.example', host])
  await testBerth.refused('BAD_REQUEST', 'certificates.create', upload, 'certificateData')
  await testBerth.ok('certificates.create', await certificateFor(testBerth, ['*.example.org']))
  const registry = { registryUrl: host, username: 'team', password: 'a long password' }
  await testBerth.refused('BAD_REQUEST', 'registry.enableSelfHostedRegistry', registry, 'registryUrl')
})

test('the proxy obtains a certificate of the host itself, and serves no other for it', async () => {
  await using testBerth = await start('acme')
  await applicationWith(testBerth, 'auto', `${host} auto.example.org`, { 'berth.tls': 'auto' })
  const { keys, front } = await configsFor(testBerth)
  const { automate } = (keys.apps.tls as { certificates: { automate: string[] } }).certificates
  assert.deepEqual(automate, ['auto.example.org', host])
  const routes = JSON.stringify(front.apps.http.servers.front!.routes)
  assert.ok(routes.includes('/proxy/berth.socket') && routes.includes('Strict-Transport-Security'))
})

test('the proxy serves the certificate of the authority, and browsers are not told to require a valid one', async () => {
  await using testBerth = await start('internal')
  const before = (await configsFor(testBerth)).keys
  assert.ok(!JSON.stringify(before).includes('PRIVATE KEY'))
  await ensureOwnCertificate(testBerth.app, host)
  const { keys, front } = await configsFor(testBerth)
  assert.equal(JSON.stringify(keys).split('PRIVATE KEY').length, 3, 'one key, with its begin and its end')
  assert.ok(!JSON.stringify(front).includes('Strict-Transport-Security'))
  assert.deepEqual((keys.apps.tls as { certificates: { automate: string[] } }).certificates.automate, [])
})

test('an uploaded certificate serves Berth, also one of a wildcard', async () => {
  await using testBerth = await start('uploaded')
  await testBerth.ok('certificates.create', await certificateFor(testBerth, ['*.example.org']))
  const { keys } = await configsFor(testBerth)
  assert.deepEqual(keys.apps.http.servers.certificates!.routes[0]!.match, [{ host: ['*.example.org'] }])
})

test('the only valid certificate of the host cannot be removed while Berth is served with it', async () => {
  await using testBerth = await start('uploaded')
  const upload = async (...names: string[]) => {
    const input = await certificateFor(testBerth, names)
    return testBerth.ok<{ certificateId: string }>('certificates.create', input)
  }
  const [only, other] = [await upload(host), await upload('shop.example.org')]
  const { message } = await testBerth.refused('CONFLICT', 'certificates.remove', only, 'certificateId')
  assert.match(message, /berth\.example\.org.*BERTH_PUBLIC_URL.*Upload another one/)
  await testBerth.ok('certificates.remove', other)
  const wildcard = await upload('*.example.org')
  await testBerth.ok('certificates.remove', only)
  await testBerth.refused('CONFLICT', 'certificates.remove', wildcard, 'certificateId')
})

test('with another kind of certificate, an uploaded one of the host can be removed', async () => {
  await using testBerth = await start('acme')
  const wildcard = await certificateFor(testBerth, ['*.example.org'])
  await testBerth.ok('certificates.remove', await testBerth.ok<Input>('certificates.create', wildcard))
})
