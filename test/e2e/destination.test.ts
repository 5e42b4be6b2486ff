/** destination.testConnection against a real S3 server. Each fault has its own message. */
import assert from 'node:assert/strict'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, mock, test } from 'node:test'
import type { Settings } from '../../src/lib/s3/s3.ts'
import { folderUnder } from '../fixtures/folder.ts'
import { type Berth, startBerth } from '../fixtures/harness.ts'
import { openFaultyProxy } from './faulty-proxy.ts'
import { type BerthProcess, berthProcess } from './process.ts'
import { type Certificate, startStorage, type Storage } from './storage.ts'
import { freePort } from '../fixtures/free-port.ts'

const opened = new AsyncDisposableStack()
let storage: Storage
let berth: Berth
/** The test of a storage that sends nothing. It takes 11 seconds, so it runs during the other tests. */
let stalled: { settings: Settings; result: Promise<TestResult> }
before(async () => {
  storage = opened.use(await startStorage({ region: 'eu-central-1' }))
  for (const bucket of ['backups', 'no-write', 'no-read', 'no-list', 'no-delete']) storage.makeBucket(bucket)
  berth = opened.use(await startBerth())
  const proxy = opened.use(await openFaultyProxy(storage.port))
  proxy.stall('up', 0)
  const settings = good({ endpoint: `http://127.0.0.1:${proxy.port}` })
  stalled = { settings, result: testConnection(settings) }
})
after(() => opened.disposeAsync())

interface TestResult {
  status: number
  message: string
  issues: { path: string }[]
  steps: { did: string }[]
}

async function testConnection(settings: Settings, more: Record<string, unknown> = {}): Promise<TestResult> {
  const { status, body } = await berth.call('destination.testConnection', { name: 'it', ...settings, ...more })
  return { status, ...body } as unknown as TestResult
}

/** Asserts the status, message and field of a failed test, and that the response does not contain the secret. */
async function assertRefused(
  settings: Settings,
  status: number,
  path: string | null,
  messagePattern: RegExp,
  test = testConnection(settings),
) {
  const result = await test
  assert.match(result.message, messagePattern)
  assert.deepEqual([result.status, result.issues.map((issue) => issue.path)], [status, path === null ? [] : [path]])
  assert.ok(!JSON.stringify(result).includes(settings.secretAccessKey))
}

const good = (more: Partial<Settings> = {}) => storage.settings('backups', more)
/** Returns the names of the probe objects in a bucket. */
const probes = (bucket = 'backups') => readdirSync(storage.filesOf(bucket)).filter((name) => name.includes('probe'))

test('a test with correct settings writes, reads, lists and deletes an object', async () => {
  for (const endpoint of [storage.endpoint, `http://localhost:${storage.port}/`]) {
    const { status, steps } = await testConnection(good({ endpoint }))
    assert.deepEqual([status, steps.map(({ did }) => did)], [200, ['write', 'read', 'list', 'delete']])
  }
  assert.deepEqual(probes(), [])
})

test('reports each check on request, and answers the failed one', async () => {
  const checksOf = async (more: Partial<Settings>) => {
    const { status, body } = await berth.call('destination.testConnection', { name: 'it', ...good(more), report: true })
    assert.equal(status, 200)
    return (body as unknown as { checks: { check: string; result: string; error: string | null }[] }).checks
  }
  assert.deepEqual(new Set((await checksOf({})).map(({ result }) => result)), new Set(['done']))
  const failedOf = async (more: Partial<Settings>) =>
    (await checksOf(more)).filter(({ result }) => result === 'failed').map(({ check }) => check)
  assert.deepEqual(await failedOf({ endpoint: 'no-such-host.invalid' }), ['resolve'])
  assert.deepEqual(await failedOf({ endpoint: `http://127.0.0.1:${await freePort()}` }), ['connect'])
  assert.deepEqual(await failedOf({ secretAccessKey: 'a-wrong-secret' }), ['sign'])
  assert.deepEqual(await failedOf({ bucket: 'no-such-bucket' }), ['write'])
  assert.deepEqual(probes(), [])
})

test('reports a host name without an address, and a refused connection', async () => {
  await assertRefused(
    good({ endpoint: 'no-such-host.invalid' }),
    502,
    'endpoint',
    /^The name no-such-host\.invalid could/,
  )
  const endpoint = `http://127.0.0.1:${await freePort()}`
  await assertRefused(good({ endpoint }), 502, 'endpoint', /^127\.0\.0\.1:\d+ refused the connection/)
})

test('reports an unknown access key, a wrong secret, a missing bucket, and the right region', async () => {
  await assertRefused(good({ accessKey: 'nobody' }), 400, 'accessKey', /does not know this access key/)
  await assertRefused(good({ secretAccessKey: 'a-wrong-secret' }), 400, 'secretAccessKey', /does not belong to this/)
  await assertRefused(good({ bucket: 'no-such-bucket' }), 400, 'bucket', /^There is no bucket no-such-bucket/)
  await assertRefused(
    good({ region: 'us-east-2' }),
    400,
    'region',
    /region "us-east-2"\. The right one is eu-central-1/,
  )
  await assertRefused(
    good({ region: '' }),
    400,
    'region',
    /not in the region "us-east-1"\. The right one is eu-central-1/,
  )
})

test('reports a missing permission to write, read, list or delete, and a probe object that remains', async () => {
  const actions = { write: 's3:PutObject', read: 's3:GetObject', list: 's3:ListBucket', delete: 's3:DeleteObject' }
  for (const verb of ['write', 'read', 'list', 'delete'] as const) {
    const others = Object.entries(actions)
      .filter(([permission]) => permission !== verb)
      .map(([, action]) => action)
    const settings = await storage.account(`no-${verb}`, `may-not-${verb}`, others)
    const messagePattern = new RegExp(`^The access key may not ${verb} in the bucket no-${verb}\\.`)
    await assertRefused(settings, 400, 'accessKey', messagePattern)
    assert.equal(probes(`no-${verb}`).length, verb === 'delete' ? 1 : 0)
  }
  const { message } = await testConnection(await storage.account('no-delete', 'may-not-delete-2', ['s3:PutObject']))
  assert.match(message, /may not read.* The probe object berth-probe-\S+ is still in the bucket$/)
})

test('reports a clock that is an hour slow', async () => {
  await berth.admin()
  mock.timers.enable({ apis: ['Date'], now: Date.now() - 3_600_000 })
  try {
    await assertRefused(
      good(),
      502,
      null,
      /^The clocks of this machine and of 127\.0\.0\.1:\d+ are (59|60|61) minutes apart/,
    )
  } finally {
    mock.timers.reset()
  }
})

test('reports a broken connection, a server that does not speak S3, and TLS to a server without TLS', async () => {
  await using proxy = await openFaultyProxy(storage.port)
  proxy.cut('up', 0)
  await assertRefused(
    good({ endpoint: `http://127.0.0.1:${proxy.port}` }),
    502,
    'endpoint',
    /^The connection to .* broke/,
  )
  await assertRefused(good({ endpoint: `https://127.0.0.1:${storage.port}` }), 502, 'endpoint', /does not speak TLS on/)
  const page = await berth.listen()
  await assertRefused(good({ endpoint: page }), 502, 'endpoint', /did not answer as S3 does/)
})

const faults: Record<Certificate, RegExp> = {
  good: /signed by an authority that this machine does not know.*NODE_EXTRA_CA_CERTS/,
  expired: /has expired/,
  'other name': /is for another name/,
}

describe('connections over TLS', () => {
  const certificates = ['good', 'expired', 'other name'] as const
  const end = new AsyncDisposableStack()
  const secure = new Map<Certificate, Storage>()
  /** A Berth that trusts the authorities of all these storages. */
  let trustingBerth: BerthProcess
  before(async () => {
    const folder = folderUnder(end)
    for (const certificate of certificates) {
      const secureStorage = end.use(await startStorage({ certificate }))
      secureStorage.makeBucket('backups')
      secure.set(certificate, secureStorage)
    }
    const authorities = join(folder, 'authorities.pem')
    writeFileSync(authorities, [...secure.values()].map(({ ca }) => ca).join(''))
    const dockerHost = 'unix:///nowhere/docker.sock'
    trustingBerth = await berthProcess(folder, { NODE_EXTRA_CA_CERTS: authorities, DOCKER_HOST: dockerHost })
    end.defer(() => trustingBerth.kill())
    await trustingBerth.start()
    await trustingBerth.signIn()
  })
  after(() => end.disposeAsync())

  for (const certificate of certificates) {
    test(`certificate "${certificate}": reports the fault if the authority is unknown and if it is known`, async () => {
      const settings = secure.get(certificate)!.settings('backups')
      // An expired certificate is reported as expired before its authority is checked.
      await assertRefused(settings, 502, 'endpoint', certificate === 'expired' ? faults.expired : faults.good)
      const { status, body } = await trustingBerth.call('destination.testConnection', { name: 'it', ...settings })
      assert.equal(status, certificate === 'good' ? 200 : 502)
      if (certificate !== 'good') assert.match(String(body.message), faults[certificate])
    })
  }
})

test('a masked secret stands for the stored secret of destinationId; other settings come from the input', async () => {
  const secretAccessKey = '********'
  const { body: destination } = await berth.call('destination.create', { name: 'it', ...good({ region: 'us-east-2' }) })
  const { destinationId } = destination
  assert.equal((await testConnection(good({ secretAccessKey }), { destinationId })).status, 200)
  // The message quotes the mask, which is no secret.
  const masked = await testConnection(good({ secretAccessKey }))
  assert.deepEqual([masked.status, masked.issues.map(({ path }) => path)], [400, ['secretAccessKey']])
  assert.match(masked.message, /none is stored/)
  const other = await testConnection(good({ secretAccessKey: 'a-wrong-secret' }), { destinationId })
  assert.deepEqual([other.status, other.issues[0]?.path], [400, 'secretAccessKey'])
  const wrong = await testConnection(good({ secretAccessKey, region: 'us-east-2' }), { destinationId })
  assert.equal(wrong.issues[0]?.path, 'region')
})

test('answers 504 after 11 seconds if the storage accepts the connection and sends nothing', async () => {
  const messagePattern = /did not answer within 11 seconds when it was asked to write/
  await assertRefused(stalled.settings, 504, 'endpoint', messagePattern, stalled.result)
})
