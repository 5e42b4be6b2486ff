/** Certificates by a real ACME server: got and renewed without anybody; failures are seen, and go by themselves. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import https from 'node:https'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { until } from '../engine/until.ts'
import { type Acme, startAcme } from './acme.ts'
import { dateIn, makeCertificate } from './certificate-files.ts'
import { openRouting, type Routing } from './routing-world.ts'
import { freePort } from './swarm.ts'
import { handshake, shown } from './tls-client.ts'
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

describe('certificates by ACME', () => {
  const end = new AsyncDisposableStack()
  let acme: Acme
  let runtime: Routing
  before(async () => {
    acme = end.use(await startAcme({ httpPort: await freePort(), httpsPort: await freePort() }))
    runtime = end.use(await openRouting({ env: acme.env }))
  })
  after(() => end.disposeAsync())

  /** In the last third of its life; it would end later than the one that takes its place. */
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
  const renewed = (certificateId: string) =>
    until(
      'the certificate to be renewed',
      async () => {
        const found = await read(certificateId)
        return found.renewedAt === null ? null : found
      },
      150_000,
    )
  const issuancesOf = async (name: string) =>
    (await runtime.call<{ name: string; issuances: Issuance[] }[]>('application.all', {})).find(
      (it) => it.name === name,
    )!.issuances
  const loadsOfKeys = () => statSync(join(runtime.berth.folder, 'proxy/keys/caddy/autosave.json')).mtimeMs

  test('an application with tls=auto is there by https, and by https only', async () => {
    const name = await runtime.application({ 'berth.host': 'auto.example.org', 'berth.tls': 'auto' })
    await until('a certificate at the first try', async () => {
      assert.equal((await issuancesOf(name))[0]?.error ?? null, null)
      return shown(runtime.httpsPort, 'auto.example.org')
    })
    const reply = await runtime.ask('https://auto.example.org/x', { tls: { ca: await acme.root() } })
    assert.deepEqual([reply.status, reply.body], [200, `${name} GET /x`])
    const plain = await runtime.ask('http://auto.example.org/x?y')
    assert.deepEqual([plain.status, plain.headers.location], [301, `https://auto.example.org:${runtime.httpsPort}/x?y`])
    const [issuance] = await until('it to be noted', async () => {
      const found = await issuancesOf(name)
      return found[0]?.notAfter == null ? null : found
    })
    assert.deepEqual([issuance!.name, issuance!.error, issuance!.nextTryAt], ['auto.example.org', null, null])
    const daysLeft = (Date.parse(issuance!.notAfter!) - Date.now()) / 86_400_000
    assert.ok(daysLeft > 88 && daysLeft < 91, `${daysLeft} days`)
  })

  test('an upload in the last third of its life is renewed, while it is served without a break', async () => {
    const names = ['renew.example.org', 'also.example.org']
    const name = await runtime.application({ 'berth.host': names.join(' ') })
    const long = makeCertificate({ names: ['renew.example.org'], days: [dateIn(-510), dateIn(190)] })
    await runtime.call('certificates.create', { name: 'before', certificateData: long.chain, privateKey: long.key })
    const agent = new https.Agent({ keepAlive: true, maxSockets: 8 })
    const tls = { rejectUnauthorized: false }
    await using traffic = startTraffic({
      perSecond: 100,
      url: 'https://renew.example.org/page',
      ask: (url, asked) => runtime.ask(url, asked.agent === undefined ? { tls } : { tls, agent }),
    })
    const old = await uploadOld(names)
    const now = await renewed(old.certificateId)
    const { answers, faults } = await traffic.stop()
    agent.destroy()
    assert.deepEqual(faults, [])
    assert.equal((await runtime.ask('https://renew.example.org/', { tls })).body, `${name} GET /`)
    assert.ok(answers > 50, `${answers} answers`)
    assert.deepEqual([now.names.toSorted(), now.renewal], [names.toSorted(), null])
    assert.ok(now.notBefore > old.notBefore && now.notAfter < old.notAfter && now.renewsAt > new Date().toISOString())
    assert.match(now.issuer, /Pebble/)
    for (const name of names) await handshake(runtime.httpsPort, name, { ca: await acme.root() })
    const files = readdirSync(runtime.berth.folder).filter((file) => file.startsWith('berth.db'))
    const stored = files.map((file) => readFileSync(join(runtime.berth.folder, file), 'latin1')).join('')
    assert.ok(!stored.includes('PRIVATE KEY') && stored.includes('Pebble'))
  })

  const failed = (certificateId: string) =>
    until('the failure of a renewal', async () => {
      const { renewal } = await read(certificateId)
      return renewal?.nextTryAt == null ? null : { error: renewal.error, nextTryAt: Date.parse(renewal.nextTryAt) }
    })

  test('what fails is seen with the time of the next try, loads nothing anew, and goes on by itself', async () => {
    const [lost, old] = ['lost.example.org', 'old.example.org']
    for (const it of [lost, old]) await acme.lose(it)
    const name = await runtime.application({ 'berth.host': lost, 'berth.tls': 'auto' })
    const { certificateId, fingerprint256 } = await uploadOld([old])
    const { error, nextTryAt } = await failed(certificateId)
    assert.match(error, /old\.example\.org/)
    const wait = nextTryAt - Date.now()
    assert.ok(wait > 0 && wait < 120_000, `${wait} ms`)
    const issuance = await until('the other failure', async () =>
      (await issuancesOf(name)).find((it) => it.nextTryAt !== null),
    )
    assert.match(issuance.error!, /lost\.example\.org/)
    assert.equal(await shown(runtime.httpsPort, old), fingerprint256, 'the old one is served on')
    const loaded = loadsOfKeys()
    for (const it of [lost, old]) await acme.find(it)
    await until('the next try', async () => Date.now() > nextTryAt - 2000, 120_000)
    assert.equal(loadsOfKeys(), loaded, 'each load would be a try more')
    await until('the certificate', async () => shown(runtime.httpsPort, lost), 150_000)
    const now = await renewed(certificateId)
    assert.deepEqual([now.renewal, await shown(runtime.httpsPort, old)], [null, now.fingerprint256])
    await until('the success to be noted', async () => (await issuancesOf(name))[0]?.error === null)
  })

  test('a renewed one that is removed is gone at once, and a name with tls=auto has its own again', async () => {
    const names = ['gone.example.org', 'auto.example.org']
    const { certificateId } = await uploadOld(names)
    await renewed(certificateId)
    await runtime.call('certificates.remove', { certificateId })
    assert.equal(await shown(runtime.httpsPort, names[0]!), '')
    await handshake(runtime.httpsPort, names[1]!, { ca: await acme.root() })
  })

  test('an authority that does not answer is seen, and what there is is served on', async () => {
    await acme.stop()
    const { certificateId, fingerprint256 } = await uploadOld(['away.example.org'])
    assert.match((await failed(certificateId)).error, /refused/)
    assert.equal(await shown(runtime.httpsPort, 'away.example.org'), fingerprint256)
  })
})
