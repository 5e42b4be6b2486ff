/** A restore into a new service validates the manifest in the bucket by the rules of `<kind>.create`. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import type { Manifest } from '../../src/dumps/manifest.ts'
import type { ServerProfile } from '../../src/dumps/server-profile.ts'
import { single } from '../../src/dumps/streams.ts'
import { encryptFor, newIdentity } from '../../src/lib/crypto/encryption.ts'
import type { Kind } from '../../src/kinds/kind.ts'
import { dumpedKinds } from '../../src/backups/fields.ts'
import { settingsOf } from '../fixtures/database-clients.ts'
import { type Input, type TestBerth, startTestBerth } from '../fixtures/test-berth.ts'

const key = 'nightly/shop/shop/20261122T030000Z-r1.dump.zst'

function manifestOf(kind: Kind, more: Partial<Manifest>): Manifest {
  const settings = Object.fromEntries(Object.entries(settingsOf(kind)).filter(([name]) => !kind.secrets.includes(name)))
  return {
    format: 1,
    kind: kind.name,
    appName: 'removed',
    image: kind.defaultImage,
    serverVersion: null,
    settings,
    server: null,
    database: 'shop',
    runId: 'r1',
    startedAt: '2026-11-22T03:00:00.000Z',
    finishedAt: '2026-11-22T03:00:01.000Z',
    sizeBytes: 10,
    sha256: 'a'.repeat(64),
    rawBytes: 20,
    encryptedFor: null,
    contents: { tables: {}, objects: {}, roles: null, database: null },
    ...more,
  }
}

/** A storage that answers every request with the same object. */
async function storageOf(testBerth: TestBerth, text: () => string) {
  const server = createServer((_request, response) => {
    const body = text()
    response.writeHead(200, { 'content-length': Buffer.byteLength(body), etag: '"it"' }).end(body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { destinationId } = await testBerth.ok<{ destinationId: string }>('destination.create', {
    name: 'bucket',
    accessKey: 'key',
    secretAccessKey: 'a-secret-of-the-storage',
    bucket: 'backups',
    region: '',
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  })
  return {
    destinationId,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

for (const kind of dumpedKinds) {
  describe(`restore from a manifest of ${kind.name}`, () => {
    const settings = Object.keys(kind.settings.shape).filter((name) => !kind.secrets.includes(name))
    const good = manifestOf(kind, {}).settings
    const invalidManifests: [what: string, more: Partial<Manifest>, messagePattern: RegExp][] = [
      [
        'an image that is not an image reference',
        { image: 'not an image; reboot' },
        /image must be an image reference/,
      ],
      ['an empty image', { image: '' }, /image must be an image reference/],
      // Redis has no setting but its password.
      ...settings.slice(0, 1).flatMap((setting): [string, Partial<Manifest>, RegExp][] => [
        [
          'a setting with a control character',
          { settings: { ...good, [setting]: 'a\u0000b' } },
          new RegExp(`settings\\.${setting} must not contain control characters`),
        ],
        [
          'a setting that is too long',
          { settings: { ...good, [setting]: 'x'.repeat(600) } },
          new RegExp(`settings\\.${setting} must have at most`),
        ],
        ['no settings', { settings: {} }, new RegExp(`settings\\.${setting} `)],
      ]),
      [
        'a field of create among the settings',
        { settings: { ...good, env: 'LD_PRELOAD=/x' } },
        /settings\.env is not a setting/,
      ],
      [
        'a password among the settings',
        { settings: { ...good, [kind.secrets[0]!]: 'known' } },
        new RegExp(`settings\\.${kind.secrets[0]} is not a setting`),
      ],
    ]

    test('refuses an invalid manifest, names the faults, and creates no service', async () => {
      await using testBerth = await startTestBerth()
      let manifest = ''
      await using storage = await storageOf(testBerth, () => manifest)
      const input: Input = {
        destinationId: storage.destinationId,
        key,
        appName: 'restored',
        projectId: testBerth.projectId,
      }
      for (const [what, more, messagePattern] of invalidManifests) {
        manifest = JSON.stringify(manifestOf(kind, more))
        const { message } = await testBerth.refused('UNPROCESSABLE_CONTENT', 'backup.restore', input, 'key')
        assert.match(message, messagePattern, what)
      }
      assert.deepEqual(await testBerth.app.db.selectFrom('backupRun').selectAll().execute(), [])
    })

    test('creates the service that a valid manifest describes', async () => {
      await using testBerth = await startTestBerth()
      const manifest = JSON.stringify(manifestOf(kind, { image: 'registry.example.com/team/db:1' }))
      await using storage = await storageOf(testBerth, () => manifest)
      const input: Input = {
        destinationId: storage.destinationId,
        key,
        appName: 'restored',
        projectId: testBerth.projectId,
      }
      await testBerth.refused('BAD_REQUEST', 'backup.restore', { ...input, appName: 'a b' }, 'appName')
      if (!kind.isAppNameOptional) {
        await testBerth.refused('BAD_REQUEST', 'backup.restore', { ...input, appName: '' }, 'appName')
      }
      const run = await testBerth.ok<Input>('backup.restore', input)
      const one = await testBerth.ok<Input>(`${kind.name}.one`, { [kind.idField]: run.databaseId })
      const settings = Object.fromEntries(Object.keys(good).map((name) => [name, one[name]]))
      assert.deepEqual(
        [settings, one.dockerImage, one.name, one.appName],
        [good, 'registry.example.com/team/db:1', 'restored', 'restored'],
      )
      for (const secret of kind.secrets) assert.match(one[secret] as string, /^[\w-]{22,}$/)
    })
  })
}

const profile: ServerProfile = {
  imageDigest: null,
  command: "-c app.tenant='x'",
  memoryReservation: null,
  memoryLimit: 512,
  cpuReservation: null,
  cpuLimit: 1.5,
  externalPort: 5432,
  envNames: ['A', 'TZ'],
  databaseSettingNames: ['app.tenant'],
  encrypted: null,
}

/** The private part of the profile, encrypted for the recipient like that of a manifest. */
async function encryptedFor(recipient: string, part: unknown): Promise<string> {
  const bytes = await Array.fromAsync(encryptFor(recipient, single(JSON.stringify(part))))
  return Buffer.concat(bytes).toString('base64')
}

describe('the configuration of a new service', () => {
  const kind = dumpedKinds.find(({ name }) => name === 'postgres')!

  async function restored(more: Partial<Manifest>, input: Input) {
    await using testBerth = await startTestBerth()
    await using storage = await storageOf(testBerth, () => JSON.stringify(manifestOf(kind, more)))
    const { projectId } = testBerth
    const all = { destinationId: storage.destinationId, key, appName: 'restored', projectId, ...input }
    const run = await testBerth.ok<Input>('backup.restore', all)
    const one = await testBerth.ok<Input>('postgres.one', { postgresId: run.databaseId })
    const { command, memoryLimit, cpuLimit, env, externalPort } = one
    return { service: { command, memoryLimit, cpuLimit, env, externalPort }, notCarriedOver: run.notCarriedOver }
  }

  test('is the one in the manifest, and the answer lists the values that nobody knows', async () => {
    const { service, notCarriedOver } = await restored({ server: profile }, {})
    const { command, memoryLimit, cpuLimit } = profile
    assert.deepEqual(service, { command, memoryLimit, cpuLimit, env: null, externalPort: null })
    assert.deepEqual(notCarriedOver, [
      { field: 'externalPort' },
      { field: 'env', names: ['A', 'TZ'] },
      { field: 'databaseSettings', names: ['app.tenant'] },
    ])
  })

  test('has the values of an encrypted manifest, which the identity of the dump opens', async () => {
    const { identity, recipient } = await newIdentity()
    const encrypted = await encryptedFor(recipient, { env: 'A=1\nTZ=UTC', databaseSettings: ['app.tenant=x'] })
    const server = { ...profile, encrypted }
    const { service, notCarriedOver } = await restored({ server, encryptedFor: recipient }, { identity })
    assert.deepEqual([service.env, notCarriedOver], ['A=1\nTZ=UTC', [{ field: 'externalPort' }]])
  })

  test('lists the values of an encrypted part that is not valid', async () => {
    const { identity, recipient } = await newIdentity()
    for (const encrypted of ['AAAA', await encryptedFor(recipient, { env: 7 })]) {
      const server = { ...profile, encrypted }
      const { service, notCarriedOver } = await restored({ server, encryptedFor: recipient }, { identity })
      assert.deepEqual([service.env, (notCarriedOver as unknown[]).length], [null, 3])
    }
  })

  test('is empty if the caller wants the default one', async () => {
    const { service, notCarriedOver } = await restored({ server: profile }, { configuration: 'default' })
    assert.deepEqual(service, { command: null, memoryLimit: null, cpuLimit: null, env: null, externalPort: null })
    assert.deepEqual(
      (notCarriedOver as { field: string }[]).map(({ field }) => field),
      ['command', 'memoryLimit', 'cpuLimit', 'externalPort', 'env', 'databaseSettings'],
    )
  })

  test('is refused with its path in the manifest if it is not valid', async () => {
    await using testBerth = await startTestBerth()
    const server = { ...profile, command: "'" }
    await using storage = await storageOf(testBerth, () => JSON.stringify(manifestOf(kind, { server })))
    const input = { destinationId: storage.destinationId, key, appName: 'restored', projectId: testBerth.projectId }
    const { message } = await testBerth.refused('UNPROCESSABLE_CONTENT', 'backup.restore', input, 'key')
    assert.match(message, /server\.command /)
  })
})
