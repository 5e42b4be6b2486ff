/** Uploaded certificates, checked by TLS handshakes with the real proxy. */
import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { dateIn, type CertificateFiles, makeCertificate } from './certificate-files.ts'
import { startRoutingBerth, type RoutingBerth } from './routing-berth.ts'
import { onSwarm } from './swarm.ts'
import { handshake, servedFingerprint } from './tls-client.ts'

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
  let runtime: RoutingBerth
  let name = ''
  const upload = (files: CertificateFiles, more = {}) =>
    runtime.call<Certificate>('certificates.create', uploadOf(files, more))
  const remove = ({ certificateId }: Pick<Certificate, 'certificateId'>) =>
    runtime.call<Certificate>('certificates.remove', { certificateId })
  const all = () => runtime.call<Certificate[]>('certificates.all', {})
  const shownFor = (host: string) => servedFingerprint(runtime.httpsPort, host)

  before(async () => {
    runtime = await startRoutingBerth()
    name = await runtime.application({ 'berth.host': 'shop.example.org, *.dev.example.org' })
  })
  after(async () => runtime[Symbol.asyncDispose]())

  test('a certificate is served for its names, including wildcards, from the next handshake on', async () => {
    const hosts = ['shop.example.org', 'a.dev.example.org', 'b.dev.example.org']
    for (const host of hosts) assert.equal(await shownFor(host), '')
    const files = makeCertificate({ names: ['shop.example.org', '*.dev.example.org'], by: authority })
    const certificate = await upload(files)
    for (const host of hosts) {
      const response = await runtime.ask(`https://${host}/x`, { tls: trusting })
      assert.deepEqual([response.status, response.body], [200, `${name} GET /x`])
    }
    assert.equal(await shownFor('dev.example.org'), '', 'a wildcard matches a single label')
    assert.equal(await shownFor('a.b.dev.example.org'), '')
    await remove(certificate)
    for (const host of hosts) assert.equal(await shownFor(host), '', 'a removed certificate is not served')
  })

  test('the newest valid certificate of a name is served, independent of the order of uploads', async () => {
    const periods = [
      [-20, 40],
      [-2, 20],
      [-10, 300],
    ] as const
    const [older, newer, longer] = periods.map(([from, to], index) =>
      makeCertificate({
        names: ['shop.example.org', `${index}.example.org`],
        by: authority,
        days: [dateIn(from), dateIn(to)],
      }),
    ) as [CertificateFiles, CertificateFiles, CertificateFiles]
    const star = makeCertificate({ names: ['*.example.org'], by: authority, days: [dateIn(-1), dateIn(3)] })
    const uploaded = []
    for (const files of [longer, newer, star, older]) uploaded.push(await upload(files))
    assert.equal(await shownFor('shop.example.org'), fingerprint(newer), 'an exact name has precedence over a wildcard')
    const others = await Promise.all(['0', '1', '2', '3'].map((label) => shownFor(`${label}.example.org`)))
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

  test('a private key is in no response, and not in plain text in the store or the log', async () => {
    const pair = makeCertificate({ names: ['key.example.org'], by: authority, type: 'rsa' })
    const certificate = await upload(pair, { certificateId: 'kept' })
    const { certificateId } = certificate
    const user = (await runtime.berth.user()).token
    const answers = [
      certificate,
      await all(),
      await runtime.call('certificates.one', { certificateId }),
      await runtime.berth.call('certificates.all', {}, user),
      await runtime.berth.call('audit.all', {}),
      await runtime.berth.call('certificates.create', uploadOf(pair, { certificateId: 'kept' })),
      await remove({ certificateId }),
    ]
    const files = readdirSync(runtime.berth.folder).filter((file) => file.startsWith('berth.db'))
    const stored = files.map((file) => readFileSync(join(runtime.berth.folder, file), 'latin1')).join('')
    const lines = pair.key.split('\n').filter((line) => line.length > 30 && !line.startsWith('-'))
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

  test('certificates.all shows the days left and the next renewal of each certificate', async () => {
    const half = { days: [dateIn(-15), dateIn(15.5)] as [string, string], by: authority }
    const renewable = await upload(makeCertificate({ names: ['x.example.org'], ...half }), { autoRenew: true })
    const manual = await upload(makeCertificate({ names: ['y.example.org'], ...half }), { autoRenew: null })
    const certificates = await all()
    assert.deepEqual(certificates, [renewable, manual])
    assert.deepEqual(
      certificates.map(({ daysLeft, autoRenew }) => [daysLeft, autoRenew]),
      [
        [15, true],
        [15, false],
      ],
    )
    const thirdMs = (Date.parse(renewable.notAfter) - Date.parse(renewable.notBefore)) / 3
    assert.deepEqual(
      certificates.map(({ renewsAt }) => renewsAt),
      [new Date(Date.parse(renewable.notAfter) - Math.floor(thirdMs)).toISOString(), null],
    )
    assert.deepEqual(
      certificates.map(({ renewedAt, renewal }) => [renewedAt, renewal]),
      [
        [null, null],
        [null, null],
      ],
    )
    assert.deepEqual(
      [renewable.subject, renewable.issuer, renewable.names],
      ['CN=x.example.org', 'CN=authority.example', ['x.example.org']],
    )
    for (const certificate of certificates) await remove(certificate)
  })

  describe('uploads that are refused', () => {
    const leaf = makeCertificate({ names: ['shop.example.org'], by: authority })
    const other = makeCertificate({ names: ['shop.example.org'], by: authority })
    const expired = makeCertificate({ names: ['shop.example.org'], by: authority, days: [dateIn(-9), dateIn(-1)] })
    const early = makeCertificate({ names: ['shop.example.org'], by: authority, days: [dateIn(1), dateIn(9)] })
    const wild = makeCertificate({ names: ['*.example.org'], by: authority })
    const locked = leaf.key.replaceAll('PRIVATE KEY', 'ENCRYPTED PRIVATE KEY')
    const cases: [name: string, input: object, path: string, messagePattern: RegExp][] = [
      ['an expired certificate', uploadOf(expired), 'certificateData', /expired/],
      ['a certificate that is not valid yet', uploadOf(early), 'certificateData', /not valid before/],
      ['the key of another certificate', uploadOf({ ...leaf, key: other.key }), 'privateKey', /does not belong/],
      ['a chain out of order', uploadOf({ ...leaf, chain: authority.chain + leaf.chain }), 'certificateData', /order/],
      [
        'a chain of unrelated certificates',
        uploadOf({ ...leaf, chain: leaf.chain + wild.chain }),
        'certificateData',
        /order/,
      ],
      ['an encrypted key', uploadOf({ ...leaf, key: locked }), 'privateKey', /encrypted/],
      ['garbage instead of a certificate', uploadOf({ ...leaf, chain: 'garbage' }), 'certificateData', /certificate/],
      [
        'a damaged certificate',
        uploadOf({ ...leaf, chain: leaf.chain.replace(/\n.{20}/, '\n') }),
        'certificateData',
        /cannot be parsed/,
      ],
      ['garbage instead of a key', uploadOf({ ...leaf, key: 'garbage' }), 'privateKey', /private key/],
      ['automatic renewal of a wildcard', uploadOf(wild, { autoRenew: true }), 'autoRenew', /wildcard/],
      ['a path outside its folder', uploadOf(leaf, { certificatePath: '../x' }), 'certificatePath', /\.\./],
    ]
    for (const [name, input, path, messagePattern] of cases) {
      test(name, async () => {
        const before = [await all(), await shownFor('shop.example.org')]
        const { status, body } = await runtime.berth.call<{ issues: { path: string; message: string }[] }>(
          'certificates.create',
          input as Record<string, unknown>,
        )
        assert.deepEqual([status, body.issues.map((issue) => issue.path)], [400, [path]], JSON.stringify(body))
        assert.match(body.issues[0]!.message, messagePattern)
        assert.deepEqual([await all(), await shownFor('shop.example.org')], before)
      })
    }
  })

  test('an existing id is refused with 409, and a certificatePath creates no file', async () => {
    const first = makeCertificate({ names: ['shop.example.org'], by: authority })
    const more = { certificateId: 'mine', certificatePath: 'some/where.pem' }
    const certificate = await upload(first, more)
    assert.deepEqual([certificate.certificateId, certificate.certificatePath], ['mine', 'some/where.pem'])
    const second = makeCertificate({ names: ['shop.example.org'], by: authority })
    const { status, body } = await runtime.berth.call<{ code: string }>('certificates.create', uploadOf(second, more))
    assert.deepEqual([status, body.code], [409, 'CONFLICT'])
    assert.equal(await shownFor('shop.example.org'), fingerprint(first))
    const files = readdirSync(runtime.berth.folder, { recursive: true }).map(String)
    assert.deepEqual(
      files.filter((file) => /where/.test(file)),
      [],
    )
    await remove(certificate)
    assert.equal((await runtime.berth.call('certificates.one', { certificateId: 'mine' })).status, 404)
  })
})

test('certificates are served while Berth is stopped and after its restart', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-'))
  const files = makeCertificate({ names: ['shop.example.org'], by: authority })
  const { berth, call, httpsPort, env } = await startRoutingBerth({ folder })
  const assertServed = async () =>
    assert.equal(await handshake(httpsPort, 'shop.example.org', trusting), fingerprint(files))
  let id = ''
  try {
    id = (await call<Certificate>('certificates.create', uploadOf(files))).certificateId
    await assertServed()
  } finally {
    await berth.close()
  }
  await assertServed()
  const restarted = await onSwarm({ folder, env })
  try {
    await assertServed()
    assert.equal((await restarted.call('certificates.remove', { certificateId: id })).status, 200)
    assert.equal(await servedFingerprint(httpsPort, 'shop.example.org'), '')
  } finally {
    await restarted[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true, force: true })
  }
})
