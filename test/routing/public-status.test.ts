/** What Berth says about its public URL: readiness, metrics and conditions. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { ensureOwnCertificate } from '../../src/authority/own-certificate.ts'
import { issueCertificate } from '../../src/authority/issue.ts'
import { waitUntilReady } from '../../src/installation/release/ready.ts'
import { egressOf } from '../../src/lib/net/egress.ts'
import { writeProxyFault } from '../../src/routing/queries.ts'
import { startTestBerth, type TestBerth } from '../fixtures/test-berth.ts'

const host = 'berth.example.org'
const start = (certificate: string) =>
  startTestBerth({ BERTH_PUBLIC_URL: `https://${host}`, BERTH_PUBLIC_CERTIFICATE: certificate })

/** The status of /readyz, and the fault of the public URL. */
async function readiness({ app }: TestBerth): Promise<string> {
  return (await app.readiness()).publicUrl
}

async function upload(testBerth: TestBerth, names: string[], validDays = 30) {
  const request = { commonName: 'a certificate', use: 'server', dnsNames: names, validDays } as const
  const { certificatePem, keyPem } = await issueCertificate(testBerth.app, 'installation', request)
  await testBerth.ok('certificates.create', { name: 'own', certificateData: certificatePem, privateKey: keyPem })
}

test('is not ready without a certificate, or while the proxy does not serve', async () => {
  await using testBerth = await start('internal')
  const { app } = testBerth
  const url = await testBerth.listen()
  const unready = await fetch(`${url}/readyz`)
  const message = `There is no valid certificate for ${host}`
  const { issues } = (await unready.json()) as { issues: object[] }
  assert.deepEqual([unready.status, issues], [503, [{ path: 'publicUrl', message }]])
  await ensureOwnCertificate(app, host)
  assert.equal(await readiness(testBerth), '')
  const ready = (await (await fetch(`${url}/readyz`)).json()) as object
  assert.deepEqual(ready, { store: 'ok', engine: 'ok', publicUrl: 'ok', accounts: 'ok' })
  await app.transact((tx) => writeProxyFault(tx, 'port 443 is taken'))
  assert.equal(await readiness(testBerth), `The proxy does not serve https://${host}: port 443 is taken`)
  assert.equal((await fetch(`${url}/healthz`)).status, 200)
})

test('an uploaded certificate has to cover the host and be valid', async () => {
  await using testBerth = await start('uploaded')
  assert.match(await readiness(testBerth), /no valid certificate/)
  await upload(testBerth, ['other.example.org'])
  assert.match(await readiness(testBerth), /no valid certificate/)
  await upload(testBerth, ['*.example.org'])
  assert.equal(await readiness(testBerth), '')
  testBerth.pass(31 * 24 * 3600_000)
  assert.match(await readiness(testBerth), /no valid certificate/)
})

test('says why ACME issued none', async () => {
  await using testBerth = await start('acme')
  const row = { name: host, error: 'no such name', nextTryAt: null, notAfter: null }
  await testBerth.app.transact((tx) => tx.insertInto('issuance').values(row).execute())
  assert.equal(await readiness(testBerth), `There is no valid certificate for ${host}: no such name`)
  const notAfter = '2031-01-01T00:00:00.000Z'
  await testBerth.app.transact((tx) => tx.updateTable('issuance').set({ notAfter, error: null }).execute())
  assert.equal(await readiness(testBerth), '')
  const line = `berth_public_certificate_expiry_timestamp_seconds{host="${host}",source="acme"} 1924992000`
  assert.ok((await testBerth.app.metrics()).split('\n').includes(line))
})

test('without a public URL there is no fault, and the metric has no value', async () => {
  await using testBerth = await startTestBerth()
  assert.equal(await readiness(testBerth), '')
  assert.doesNotMatch(await testBerth.app.metrics(), /^berth_public_certificate/m)
})

test('an upgrade does not wait for the public URL, but for the store and the engine', async () => {
  let paths = ['publicUrl']
  await using server = createServer((request, response) => {
    const issues = paths.map((path) => ({ path, message: 'no' }))
    const [status, body] = request.url === '/readyz' ? [503, { issues }] : [200, { info: { version: '1.2.3' } }]
    response.writeHead(status).end(JSON.stringify(body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = { host: '127.0.0.1', port: (server.address() as AddressInfo).port, egress: egressOf([]) }
  assert.equal(await waitUntilReady(address, '1.2.3', 0), null)
  paths = ['publicUrl', 'engine']
  assert.match((await waitUntilReady(address, '1.2.3', 0))!, /answers 503/)
  paths = []
  assert.match((await waitUntilReady(address, '1.2.3', 0))!, /answers 503/)
})
