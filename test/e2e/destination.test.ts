/** destination.testConnection against a real S3 server: each thing that can be wrong is told apart, in 15 seconds. */
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
import { freePort } from './swarm.ts'

const opened = new AsyncDisposableStack()
let storage: Storage
let berth: Berth
before(async () => {
  storage = opened.use(await startStorage({ region: 'eu-central-1' }))
  for (const bucket of ['backups', 'no-write', 'no-read', 'no-list', 'no-delete']) storage.makeBucket(bucket)
  berth = opened.use(await startBerth())
})
after(() => opened.disposeAsync())

interface Said {
  status: number
  message: string
  issues: { path: string }[]
  steps: { did: string }[]
}

async function ask(settings: Settings, more: Record<string, unknown> = {}): Promise<Said> {
  const { status, body } = await berth.call('destination.testConnection', { name: 'it', ...settings, ...more })
  return { status, ...body } as unknown as Said
}

/** The refusal: its status, its sentence and its field, with no secret in it. */
async function refused(settings: Settings, status: number, path: string | null, message: RegExp) {
  const said = await ask(settings)
  assert.match(said.message, message)
  assert.deepEqual([said.status, said.issues.map((it) => it.path)], [status, path === null ? [] : [path]])
  assert.ok(!JSON.stringify(said).includes(settings.secretAccessKey))
}

const good = (more: Partial<Settings> = {}) => storage.settings('backups', more)
const left = (bucket = 'backups') => readdirSync(storage.filesOf(bucket)).filter((name) => name.includes('probe'))

test('what works is written, read, listed and deleted, and nothing is left', async () => {
  for (const endpoint of [storage.endpoint, `http://localhost:${storage.port}/`]) {
    const { status, steps } = await ask(good({ endpoint }))
    assert.deepEqual([status, steps.map(({ did }) => did)], [200, ['write', 'read', 'list', 'delete']])
  }
  assert.deepEqual(left(), [])
})

test('a name that is not resolved, and a port where nothing listens', async () => {
  await refused(good({ endpoint: 'no-such-host.invalid' }), 502, 'endpoint', /^The name no-such-host\.invalid could/)
  const endpoint = `http://127.0.0.1:${await freePort()}`
  await refused(good({ endpoint }), 502, 'endpoint', /^127\.0\.0\.1:\d+ refused the connection/)
})

test('a key that is unknown, a wrong secret, no bucket, and a wrong region with the right one', async () => {
  await refused(good({ accessKey: 'nobody' }), 400, 'accessKey', /does not know this access key/)
  await refused(good({ secretAccessKey: 'a-wrong-secret' }), 400, 'secretAccessKey', /does not belong to this/)
  await refused(good({ bucket: 'no-such-bucket' }), 400, 'bucket', /^There is no bucket no-such-bucket/)
  await refused(good({ region: 'us-east-2' }), 400, 'region', /region "us-east-2"\. The right one is eu-central-1/)
  await refused(good({ region: '' }), 400, 'region', /not in the region "us-east-1"\. The right one is eu-central-1/)
})

test('no right to write, to read, to list or to delete, and what is left then', async () => {
  const actions = { write: 's3:PutObject', read: 's3:GetObject', list: 's3:ListBucket', delete: 's3:DeleteObject' }
  for (const verb of ['write', 'read', 'list', 'delete'] as const) {
    const others = Object.entries(actions)
      .filter(([it]) => it !== verb)
      .map(([, action]) => action)
    const settings = await storage.account(`no-${verb}`, `may-not-${verb}`, others)
    const message = new RegExp(`^The access key may not ${verb} in the bucket no-${verb}\\.`)
    await refused(settings, 400, 'accessKey', message)
    assert.equal(left(`no-${verb}`).length, verb === 'delete' ? 1 : 0)
  }
  const { message } = await ask(await storage.account('no-delete', 'may-not-delete-2', ['s3:PutObject']))
  assert.match(message, /may not read.* The probe object berth-probe-\S+ is still in the bucket$/)
})

test('a clock that is an hour late', async () => {
  await berth.admin()
  mock.timers.enable({ apis: ['Date'], now: Date.now() - 3_600_000 })
  try {
    await refused(good(), 502, null, /^The clocks of this machine and of 127\.0\.0\.1:\d+ are (59|60|61) minutes apart/)
  } finally {
    mock.timers.reset()
  }
})

test('a storage that takes the connection and says nothing is 504 within 15 seconds', async () => {
  await using line = await openFaultyProxy(storage.port)
  line.stall('up', 0)
  const began = performance.now()
  await refused(
    good({ endpoint: `http://127.0.0.1:${line.port}` }),
    504,
    'endpoint',
    /did not answer within 11 seconds when it was asked to write/,
  )
  assert.ok(performance.now() - began < 15_000)
})

test('a line that breaks, a server that is no S3, and TLS where there is none', async () => {
  await using line = await openFaultyProxy(storage.port)
  line.cut('up', 0)
  await refused(good({ endpoint: `http://127.0.0.1:${line.port}` }), 502, 'endpoint', /^The connection to .* broke/)
  await refused(good({ endpoint: `https://127.0.0.1:${storage.port}` }), 502, 'endpoint', /does not speak TLS on/)
  const page = await berth.listen()
  await refused(good({ endpoint: page }), 502, 'endpoint', /did not answer as S3 does/)
})

const faults: Record<Certificate, RegExp> = {
  good: /signed by an authority that this machine does not know.*NODE_EXTRA_CA_CERTS/,
  expired: /has expired/,
  'other name': /is for another name/,
}

describe('over TLS', () => {
  const certificates = ['good', 'expired', 'other name'] as const
  const end = new AsyncDisposableStack()
  const secure = new Map<Certificate, Storage>()
  /** Knows all their authorities. */
  let knowing: BerthProcess
  before(async () => {
    const folder = folderUnder(end)
    for (const certificate of certificates) {
      const one = end.use(await startStorage({ certificate }))
      one.makeBucket('backups')
      secure.set(certificate, one)
    }
    const authorities = join(folder, 'authorities.pem')
    writeFileSync(authorities, [...secure.values()].map(({ ca }) => ca).join(''))
    const dockerHost = 'unix:///nowhere/docker.sock'
    knowing = await berthProcess(folder, { NODE_EXTRA_CA_CERTS: authorities, DOCKER_HOST: dockerHost })
    end.defer(() => knowing.kill())
    await knowing.start()
    await knowing.signIn()
  })
  after(() => end.disposeAsync())

  for (const certificate of certificates) {
    test(`a certificate that is ${certificate}, from an authority that is not known and one that is`, async () => {
      const settings = secure.get(certificate)!.settings('backups')
      // A certificate that has expired is not asked who signed it.
      await refused(settings, 502, 'endpoint', certificate === 'expired' ? faults.expired : faults.good)
      const { status, body } = await knowing.call('destination.testConnection', { name: 'it', ...settings })
      assert.equal(status, certificate === 'good' ? 200 : 502)
      if (certificate !== 'good') assert.match(String(body.message), faults[certificate])
    })
  }
})

test('a masked secret is the stored one of the destination that is named, with the values that are given', async () => {
  const secretAccessKey = '********'
  const { body: made } = await berth.call('destination.create', { name: 'it', ...good({ region: 'us-east-2' }) })
  const { destinationId } = made
  assert.equal((await ask(good({ secretAccessKey }), { destinationId })).status, 200)
  // The message quotes the mask, which is no secret.
  const masked = await ask(good({ secretAccessKey }))
  assert.deepEqual([masked.status, masked.issues.map(({ path }) => path)], [400, ['secretAccessKey']])
  assert.match(masked.message, /none is stored/)
  const other = await ask(good({ secretAccessKey: 'a-wrong-secret' }), { destinationId })
  assert.deepEqual([other.status, other.issues[0]?.path], [400, 'secretAccessKey'])
  const wrong = await ask(good({ secretAccessKey, region: 'us-east-2' }), { destinationId })
  assert.equal(wrong.issues[0]?.path, 'region')
})
