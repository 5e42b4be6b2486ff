/** Certificates by real handshakes with the real proxy: served, chosen, kept over restarts, removed, never shown. */
import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { dateIn, type CertificateFiles, makeCertificate } from './certificate-files.ts'
import { openRouting, type Routing } from './routing-world.ts'
import { onSwarm } from './swarm.ts'
import { handshake, shown } from './tls-client.ts'

interface Certificate {
  certificateId: string
  names: string[]
  issuer: string
  subject: string
  fingerprint256: string
  privateKey: string
  notBefore: string
  notAfter: string
  daysLeft: number
  renewsAt: string | null
  renewedAt: string | null
  renewal: unknown
  certificatePath: string | null
  autoRenew: boolean
}

const authority = makeCertificate({ names: ['authority.example'], ca: true })
const uploadOf = ({ chain, key }: CertificateFiles, more = {}) => ({
  name: 'a name',
  certificateData: chain,
  privateKey: key,
  ...more,
})
const fingerprint = ({ chain }: CertificateFiles) => new X509Certificate(chain).fingerprint256
const trusting = { ca: authority.chain }

describe('certificates', () => {
  let runtime: Routing
  let name = ''
  const upload = (made: CertificateFiles, more = {}) =>
    runtime.call<Certificate>('certificates.create', uploadOf(made, more))
  const remove = ({ certificateId }: Pick<Certificate, 'certificateId'>) =>
    runtime.call<Certificate>('certificates.remove', { certificateId })
  const all = () => runtime.call<Certificate[]>('certificates.all', {})
  const shownFor = (host: string) => shown(runtime.httpsPort, host)

  before(async () => {
    runtime = await openRouting()
    name = await runtime.application({ 'berth.host': 'shop.example.org, *.dev.example.org' })
  })
  after(async () => runtime[Symbol.asyncDispose]())

  test('one is served by its names from the next handshake on, a wildcard too', async () => {
    const hosts = ['shop.example.org', 'a.dev.example.org', 'b.dev.example.org']
    for (const host of hosts) assert.equal(await shownFor(host), '')
    const made = makeCertificate({ names: ['shop.example.org', '*.dev.example.org'], by: authority })
    const certificate = await upload(made)
    for (const host of hosts) {
      const reply = await runtime.ask(`https://${host}/x`, { tls: trusting })
      assert.deepEqual([reply.status, reply.body], [200, `${name} GET /x`])
    }
    assert.equal(await shownFor('dev.example.org'), '', 'a wildcard is for one label')
    assert.equal(await shownFor('a.b.dev.example.org'), '')
    await remove(certificate)
    for (const host of hosts) assert.equal(await shownFor(host), '', 'removed, and served on')
  })

  test('of several the newest valid one is served, whatever the order they came in', async () => {
    const lives = [
      [-20, 40],
      [-2, 20],
      [-10, 300],
    ] as const
    const [older, newer, longer] = lives.map(([from, to], at) =>
      makeCertificate({
        names: ['shop.example.org', `${at}.example.org`],
        by: authority,
        days: [dateIn(from), dateIn(to)],
      }),
    ) as [CertificateFiles, CertificateFiles, CertificateFiles]
    const star = makeCertificate({ names: ['*.example.org'], by: authority, days: [dateIn(-1), dateIn(3)] })
    const uploaded = []
    for (const it of [longer, newer, star, older]) uploaded.push(await upload(it))
    assert.equal(await shownFor('shop.example.org'), fingerprint(newer), 'a name of its own goes before a wildcard')
    const others = await Promise.all(['0', '1', '2', '3'].map((it) => shownFor(`${it}.example.org`)))
    assert.deepEqual(others, [older, newer, longer, star].map(fingerprint))
    await remove(uploaded[1]!)
    assert.equal(await shownFor('shop.example.org'), fingerprint(longer))
    await remove(uploaded[0]!)
    assert.equal(await shownFor('shop.example.org'), fingerprint(older))
    await remove(uploaded[3]!)
    assert.equal(await shownFor('shop.example.org'), fingerprint(star))
    await remove(uploaded[2]!)
    assert.equal(await shownFor('shop.example.org'), '')
  })

  test('a key is in no answer, and not in the store or the log in clear', async () => {
    const made = makeCertificate({ names: ['key.example.org'], by: authority, type: 'rsa' })
    const certificate = await upload(made, { certificateId: 'kept' })
    const { certificateId } = certificate
    const user = (await runtime.berth.user()).token
    const answers = [
      certificate,
      await all(),
      await runtime.call('certificates.one', { certificateId }),
      await runtime.berth.call('certificates.all', {}, user),
      await runtime.berth.call('audit.all', {}),
      await runtime.berth.call('certificates.create', uploadOf(made, { certificateId: 'kept' })),
      await remove({ certificateId }),
    ]
    const files = readdirSync(runtime.berth.folder).filter((file) => file.startsWith('berth.db'))
    const stored = files.map((file) => readFileSync(join(runtime.berth.folder, file), 'latin1')).join('')
    const lines = made.key.split('\n').filter((line) => line.length > 30 && !line.startsWith('-'))
    assert.ok(lines.length > 10 && stored.includes('key.example.org'))
    for (const text of [JSON.stringify(answers), stored, JSON.stringify(runtime.berth.logged)]) {
      assert.deepEqual(
        lines.filter((line) => text.includes(line)),
        [],
      )
      assert.ok(!text.includes('PRIVATE KEY-----'))
    }
    assert.equal(certificate.privateKey, '********')
  })

  test('the forecast says what is left of each and what becomes of it', async () => {
    const half = { days: [dateIn(-15), dateIn(15.5)] as [string, string], by: authority }
    const made = await upload(makeCertificate({ names: ['x.example.org'], ...half }), { autoRenew: true })
    const kept = await upload(makeCertificate({ names: ['y.example.org'], ...half }), { autoRenew: null })
    const found = await all()
    assert.deepEqual(found, [made, kept])
    assert.deepEqual(
      found.map(({ daysLeft, autoRenew }) => [daysLeft, autoRenew]),
      [
        [15, true],
        [15, false],
      ],
    )
    const third = (Date.parse(made.notAfter) - Date.parse(made.notBefore)) / 3
    assert.deepEqual(
      found.map(({ renewsAt }) => renewsAt),
      [new Date(Date.parse(made.notAfter) - Math.floor(third)).toISOString(), null],
    )
    assert.deepEqual(
      found.map(({ renewedAt, renewal }) => [renewedAt, renewal]),
      [
        [null, null],
        [null, null],
      ],
    )
    assert.deepEqual(
      [made.subject, made.issuer, made.names],
      ['CN=x.example.org', 'CN=authority.example', ['x.example.org']],
    )
    for (const it of found) await remove(it)
  })

  describe('what cannot be served is refused', () => {
    const leaf = makeCertificate({ names: ['shop.example.org'], by: authority })
    const other = makeCertificate({ names: ['shop.example.org'], by: authority })
    const ended = makeCertificate({ names: ['shop.example.org'], by: authority, days: [dateIn(-9), dateIn(-1)] })
    const early = makeCertificate({ names: ['shop.example.org'], by: authority, days: [dateIn(1), dateIn(9)] })
    const wild = makeCertificate({ names: ['*.example.org'], by: authority })
    const locked = leaf.key.replaceAll('PRIVATE KEY', 'ENCRYPTED PRIVATE KEY')
    const cases: [what: string, input: object, path: string, says: RegExp][] = [
      ['one that has expired', uploadOf(ended), 'certificateData', /expired/],
      ['one of the future', uploadOf(early), 'certificateData', /not valid before/],
      ['the key of another', uploadOf({ ...leaf, key: other.key }), 'privateKey', /does not belong/],
      ['a chain out of order', uploadOf({ ...leaf, chain: authority.chain + leaf.chain }), 'certificateData', /order/],
      ['a chain of strangers', uploadOf({ ...leaf, chain: leaf.chain + wild.chain }), 'certificateData', /order/],
      ['an encrypted key', uploadOf({ ...leaf, key: locked }), 'privateKey', /encrypted/],
      ['garbage for a certificate', uploadOf({ ...leaf, chain: 'garbage' }), 'certificateData', /certificate/],
      [
        'a torn certificate',
        uploadOf({ ...leaf, chain: leaf.chain.replace(/\n.{20}/, '\n') }),
        'certificateData',
        /read/,
      ],
      ['garbage for a key', uploadOf({ ...leaf, key: 'garbage' }), 'privateKey', /private key/],
      ['a wildcard to be renewed', uploadOf(wild, { autoRenew: true }), 'autoRenew', /wildcard/],
      ['a path out of its folder', uploadOf(leaf, { certificatePath: '../x' }), 'certificatePath', /\.\./],
    ]
    for (const [what, input, path, says] of cases) {
      test(what, async () => {
        const before = [await all(), await shownFor('shop.example.org')]
        const { status, body } = await runtime.berth.call<{ issues: { path: string; message: string }[] }>(
          'certificates.create',
          input as Record<string, unknown>,
        )
        assert.deepEqual([status, body.issues.map((it) => it.path)], [400, [path]], JSON.stringify(body))
        assert.match(body.issues[0]!.message, says)
        assert.deepEqual([await all(), await shownFor('shop.example.org')], before)
      })
    }
  })

  test('an id that is taken is 409, and a path is a label alone', async () => {
    const made = makeCertificate({ names: ['shop.example.org'], by: authority })
    const more = { certificateId: 'mine', certificatePath: 'some/where.pem' }
    const certificate = await upload(made, more)
    assert.deepEqual([certificate.certificateId, certificate.certificatePath], ['mine', 'some/where.pem'])
    const second = makeCertificate({ names: ['shop.example.org'], by: authority })
    const { status, body } = await runtime.berth.call<{ code: string }>('certificates.create', uploadOf(second, more))
    assert.deepEqual([status, body.code], [409, 'CONFLICT'])
    assert.equal(await shownFor('shop.example.org'), fingerprint(made))
    const files = readdirSync(runtime.berth.folder, { recursive: true }).map(String)
    assert.deepEqual(
      files.filter((file) => /where/.test(file)),
      [],
    )
    await remove(certificate)
    assert.equal((await runtime.berth.call('certificates.one', { certificateId: 'mine' })).status, 404)
  })
})

test('a Berth that ends and comes again finds its certificates served', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-'))
  const made = makeCertificate({ names: ['shop.example.org'], by: authority })
  const { berth, call, httpsPort, env } = await openRouting({ folder })
  const isServed = async () => assert.equal(await handshake(httpsPort, 'shop.example.org', trusting), fingerprint(made))
  let id = ''
  try {
    id = (await call<Certificate>('certificates.create', uploadOf(made))).certificateId
    await isServed()
  } finally {
    await berth.close()
  }
  await isServed()
  const again = await onSwarm({ folder, env })
  try {
    await isServed()
    assert.equal((await again.call('certificates.remove', { certificateId: id })).status, 200)
    assert.equal(await shown(httpsPort, 'shop.example.org'), '')
  } finally {
    await again[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true, force: true })
  }
})
