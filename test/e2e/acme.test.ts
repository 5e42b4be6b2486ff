/** Issues and renews certificates with a real ACME server. Failures are reported, and retries succeed on their own. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import https from 'node:https'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { until } from '../engine/until.ts'
import { type Acme, startAcme } from './acme.ts'
import { dateIn, makeCertificate } from './certificate-files.ts'
import { startRoutingBerth, type RoutingBerth } from './routing-berth.ts'
import { freePort } from '../fixtures/free-port.ts'
import { handshake, servedFingerprint } from './tls-client.ts'
import { startTraffic } from './traffic.ts'

interface Certificate {
  certificateId: string
  notBefore: string
  notAfter: string
  renewedAt: string | null
  issuer: string
  names: string[]
  fingerprint256: string
  renewsAt: string
  renewal: { error: string; nextTryAt: string | null } | null
}

interface Issuance {
  name: string
  notAfter: string | null
  error: string | null
  nextTryAt: string | null
}

describe('ACME certificates', () => {
  const end = new AsyncDisposableStack()
  let acme: Acme
  let runtime: RoutingBerth
  before(async () => {
    acme = end.use(await startAcme({ httpPort: await freePort(), httpsPort: await freePort() }))
    runtime = end.use(await startRoutingBerth({ env: acme.env }))
  })
  after(() => end.disposeAsync())

  /** Uploads a certificate in the last third of its life. It expires later than the certificate that replaces it. */
  const uploadOld = (names: string[]) => {
    const { chain, key } = makeCertificate({ names, days: [dateIn(-500), dateIn(200)] })
    return runtime.call<Certificate>('certificates.create', {
      name: 'old',
      certificateData: chain,
      privateKey: key,
      autoRenew: true,
    })
  }
  const read = (certificateId: string) => runtime.call<Certificate>('certificates.one', { certificateId })
  const waitForRenewal = (certificateId: string) =>
    until(
      'the certificate to be renewed',
      async () => {
        const certificate = await read(certificateId)
        return certificate.renewedAt === null ? null : certificate
      },
      150_000,
    )
  const issuancesOf = async (name: string) =>
    (await runtime.call<{ name: string; issuances: Issuance[] }[]>('application.all', {})).find(
      (application) => application.name === name,
    )!.issuances
  /** The time of the last load of the proxy's key configuration, in milliseconds since 1970. */
  const lastKeysLoad = () => statSync(join(runtime.berth.folder, 'proxy/keys/caddy/autosave.json')).mtimeMs

  test('an application with tls=auto is served over HTTPS only', async () => {
    const name = await runtime.application({ 'berth.host': 'auto.example.org', 'berth.tls': 'auto' })
    await until('a certificate at the first attempt', async () => {
      assert.equal((await issuancesOf(name))[0]?.error ?? null, null)
      return servedFingerprint(runtime.httpsPort, 'auto.example.org')
    })
    const response = await runtime.ask('https://auto.example.org/x', { tls: { ca: await acme.root() } })
    assert.deepEqual([response.status, response.body], [200, `${name} GET /x`])
    const plain = await runtime.ask('http://auto.example.org/x?y')
    assert.deepEqual([plain.status, plain.headers.location], [301, `https://auto.example.org:${runtime.httpsPort}/x?y`])
    const [issuance] = await until('the issuance to be recorded', async () => {
      const issuances = await issuancesOf(name)
      return issuances[0]?.notAfter == null ? null : issuances
    })
    assert.deepEqual([issuance!.name, issuance!.error, issuance!.nextTryAt], ['auto.example.org', null, null])
    const daysLeft = (Date.parse(issuance!.notAfter!) - Date.now()) / 86_400_000
    assert.ok(daysLeft > 88 && daysLeft < 91, `${daysLeft} days`)
  })

  test('an uploaded certificate in the last third of its life is renewed without interrupting requests', async () => {
    const names = ['renew.example.org', 'also.example.org']
    const name = await runtime.application({ 'berth.host': names.join(' ') })
    const long = makeCertificate({ names: ['renew.example.org'], days: [dateIn(-510), dateIn(190)] })
    await runtime.call('certificates.create', { name: 'before', certificateData: long.chain, privateKey: long.key })
    const agent = new https.Agent({ keepAlive: true, maxSockets: 8 })
    const tls = { rejectUnauthorized: false }
    await using traffic = startTraffic({
      perSecond: 100,
      url: 'https://renew.example.org/page',
      ask: (url, options) => runtime.ask(url, options.agent === undefined ? { tls } : { tls, agent }),
    })
    const old = await uploadOld(names)
    const renewed = await waitForRenewal(old.certificateId)
    const { answers, faults } = await traffic.stop()
    agent.destroy()
    assert.deepEqual(faults, [])
    assert.equal((await runtime.ask('https://renew.example.org/', { tls })).body, `${name} GET /`)
    assert.ok(answers > 50, `${answers} answers`)
    assert.deepEqual([renewed.names.toSorted(), renewed.renewal], [names.toSorted(), null])
    assert.ok(renewed.notBefore > old.notBefore && renewed.notAfter < old.notAfter)
    assert.ok(renewed.renewsAt > new Date().toISOString())
    assert.match(renewed.issuer, /Pebble/)
    for (const name of names) await handshake(runtime.httpsPort, name, { ca: await acme.root() })
    const files = readdirSync(runtime.berth.folder).filter((file) => file.startsWith('berth.db'))
    const stored = files.map((file) => readFileSync(join(runtime.berth.folder, file), 'latin1')).join('')
    assert.ok(!stored.includes('PRIVATE KEY') && stored.includes('Pebble'))
  })

  const waitForFailure = (certificateId: string) =>
    until('a renewal to fail', async () => {
      const { renewal } = await read(certificateId)
      return renewal?.nextTryAt == null ? null : { error: renewal.error, nextTryAt: Date.parse(renewal.nextTryAt) }
    })

  test('a failed issuance or renewal shows its next attempt, reloads nothing, and later succeeds', async () => {
    const [lost, old] = ['lost.example.org', 'old.example.org']
    for (const name of [lost, old]) await acme.failLookups(name)
    const name = await runtime.application({ 'berth.host': lost, 'berth.tls': 'auto' })
    const { certificateId, fingerprint256 } = await uploadOld([old])
    const { error, nextTryAt } = await waitForFailure(certificateId)
    assert.match(error, /old\.example\.org/)
    const waitMs = nextTryAt - Date.now()
    assert.ok(waitMs > 0 && waitMs < 120_000, `${waitMs} ms`)
    const issuance = await until('the issuance to fail', async () =>
      (await issuancesOf(name)).find(({ nextTryAt }) => nextTryAt !== null),
    )
    assert.match(issuance.error!, /lost\.example\.org/)
    assert.equal(await servedFingerprint(runtime.httpsPort, old), fingerprint256, 'the old certificate is still served')
    const loadedAt = lastKeysLoad()
    for (const name of [lost, old]) await acme.restoreLookups(name)
    await until('the next attempt', async () => Date.now() > nextTryAt - 2000, 120_000)
    assert.equal(lastKeysLoad(), loadedAt, 'no load, because each load would start another attempt')
    await until('the certificate', async () => servedFingerprint(runtime.httpsPort, lost), 150_000)
    const renewed = await waitForRenewal(certificateId)
    assert.deepEqual([renewed.renewal, await servedFingerprint(runtime.httpsPort, old)], [null, renewed.fingerprint256])
    await until('the success to be recorded', async () => (await issuancesOf(name))[0]?.error === null)
  })

  test('a removed certificate is not served any more, and a tls=auto name gets its own certificate', async () => {
    const names = ['gone.example.org', 'auto.example.org']
    const { certificateId } = await uploadOld(names)
    await waitForRenewal(certificateId)
    await runtime.call('certificates.remove', { certificateId })
    assert.equal(await servedFingerprint(runtime.httpsPort, names[0]!), '')
    await handshake(runtime.httpsPort, names[1]!, { ca: await acme.root() })
  })

  test('an ACME server that does not answer is reported, and the old certificate is still served', async () => {
    await acme.stop()
    const { certificateId, fingerprint256 } = await uploadOld(['away.example.org'])
    assert.match((await waitForFailure(certificateId)).error, /refused/)
    assert.equal(await servedFingerprint(runtime.httpsPort, 'away.example.org'), fingerprint256)
  })
})
