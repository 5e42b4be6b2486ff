/**
 * TLS of all kinds except PostgreSQL (postgres-tls.test.ts) in real containers that require it: the product's clients in
 * the programs of the kind and the drivers verify the server, and nothing connects without TLS. The tests run with one
 * image of each kind, or with all if BERTH_TEST_ALL is set.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { kinds } from '../../src/kinds/index.ts'
import { type Address, type Kind, tlsPaths } from '../../src/kinds/kind.ts'
import { fetchCertificate } from '../../src/lib/net/tls-handshake.ts'
import { clients } from './clients.ts'
import { containersOf, inside, job, type Server } from './container.ts'
import { mounts } from './redis-containers.ts'
import { representative } from './representative.ts'
import { assertSnippetsVerify } from './snippets.ts'
import { docker } from './swarm.ts'
import { newAuthority, type TlsFiles, tlsFilesFor } from './tls-files.ts'
import { replacements, underLoad } from './tls-load.ts'
import { openVerified } from './verified-clients.ts'

const serverName = 'shop-db'
/** A name of the container on its network that is not in the certificate. */
const otherName = 'other-db'

for (const kind of kinds.filter(({ name }) => name !== 'postgres')) {
  for (const image of representative(clients[kind.name]!.images)) {
    describe(image, { concurrency: 1 }, () => tlsSuite(kind, image))
  }
}

function tlsSuite(kind: Kind, image: string): void {
  const [repository, tag] = image.split(':') as [string, string]
  const version = kind.versionOf(tag)
  const names = Object.keys(kind.settings.shape)
  const settings = Object.fromEntries(names.map((name) => [name, kind.secrets.includes(name) ? 'secret' : 'shop']))
  const tls = kind.tls!
  const { args, files: launchFiles, health = kind.health } = kind.launch!(settings, [], null, 'require', version)
  const { start, healthy, ready, remove } = containersOf({ ...kind, health }, repository)
  const port = tls.port('require')
  const network = `berth-test-tls-${process.pid}-${image.replace(/\W/g, '-')}`
  let files: TlsFiles
  let id: string
  let host: string

  const serverAt = (address: Address): Server => ({ id, address })
  const login = (name: string, server = name) =>
    ready(serverAt({ host: name, port, tls: { serverName: server } }), settings)
  const target = () => ({ kind, host, port, settings, serverName, ca: files.ca })

  const served = () =>
    fetchCertificate({ host, port, handshake: tls.handshake, serverName, ca: files.ca, timeoutMs: 10_000 })

  before(async () => {
    files = await tlsFilesFor(image, tls.user, [serverName, 'localhost'])
    await docker('network', 'create', network)
    const env = Object.entries(kind.env(settings)).flatMap(([name, value]) => ['--env', `${name}=${value}`])
    const aliases = ['--network', network, '--network-alias', serverName, '--network-alias', otherName]
    const options = [...aliases, '--volume', `${files.folder}:/etc/berth/tls:ro`, ...mounts(launchFiles)]
    id = await start(tag, ...options, ...env, '--', ...args)
    host = (await docker('inspect', '--format', `{{(index .NetworkSettings.Networks "${network}").IPAddress}}`, id))[0]!
    await healthy(id)
  })
  after(async () => {
    if (id !== undefined) await remove({ id })
    await docker('network', 'rm', network)
    files.remove()
  })

  test("the product's client verifies the authority, and names that it connects to", async () => {
    for (const address of [serverName, host]) {
      const { exitCode, stdout, stderr } = await login(address, serverName)
      assert.deepEqual([exitCode, stderr], [0, ''], address)
      assert.match(stdout, /^\d+\.\d+\n$/)
    }
    // redis-cli and valkey-cli do not compare names.
    if (kind.name !== 'redis') assert.notEqual((await login(otherName)).exitCode, 0)
    const { certificatePem } = await newAuthority()
    files.write('ca', certificatePem)
    files.write('certificate', certificatePem)
    for (const address of [serverName, host]) {
      assert.match((await login(address, serverName)).stderr, /certificate|local issuer/i, address)
    }
    files.restore()
  })

  if (kind.backup !== undefined) {
    test('a dump verifies the name of the server, although it is given the address', async () => {
      const dump = (server: string, ca: string) => {
        const at = { host, port, tls: { serverName: server }, database: 'shop' }
        const program = kind.backup!.dump(settings, at, version)
        const authority = { path: tlsPaths.ca, content: ca, mode: 0o644 }
        const files = [...(program.files ?? []), authority]
        return job(image, { ...program, files }, Buffer.alloc(0), ['--network', `container:${id}`])
      }
      const { exitCode, stderr, stdout } = await dump(serverName, files.ca)
      assert.equal(exitCode, 0, stderr)
      assert.ok(stdout.length > 0)
      assert.notEqual((await dump(otherName, files.ca)).exitCode, 0)
      assert.notEqual((await dump(serverName, (await newAuthority()).certificatePem)).exitCode, 0)
    })
  }

  test('a driver verifies authority and name, and cannot connect without TLS', async () => {
    await (await openVerified(target())).close()
    const { certificatePem: ca } = await newAuthority()
    await assert.rejects(openVerified({ ...target(), ca }), /certificate|issuer/i)
    await assert.rejects(openVerified({ ...target(), serverName: otherName }), /altnames/i)
    await assert.rejects(clients[kind.name]!.connect(kind.url(settings, { host, port: kind.port })))
  })

  test('the programs that the console shows connect, and verify authority and name', () =>
    assertSnippetsVerify({ ...target(), image, network }, otherName))

  test('a reload serves a new certificate, refuses a broken one, and keeps connections', async () => {
    const reload = async () => inside(id, tls.reload(settings, { host, port, tls: { serverName } }))
    const { fingerprint, fault } = await served()
    assert.deepEqual([fingerprint, fault], [files.fingerprint, null])
    const session = await openVerified(target())
    const next = await files.issue([serverName, 'localhost'])
    const { exitCode, stderr } = await reload()
    const canReload = tls.canReload(version)
    assert.equal(exitCode === 0, canReload, stderr)
    const expected = canReload ? next : fingerprint
    assert.equal((await served()).fingerprint, expected)
    files.write('key', 'not a key')
    assert.notEqual((await reload()).exitCode, 0)
    assert.equal((await served()).fingerprint, expected)
    assert.ok(await session.isAlive())
    await session.close()
    files.restore()
  })

  if (tls.canReload(version)) {
    test('replacements under load drop no connection, and each is served', async (t) => {
      const load = await underLoad(target(), async () => {
        for (let number = 0; number < replacements; number++) {
          const next = await files.issue([serverName, 'localhost'])
          const { exitCode, stderr } = await inside(id, tls.reload(settings, { host, port, tls: { serverName } }))
          assert.equal(exitCode, 0, stderr)
          assert.equal((await served()).fingerprint, next)
        }
      })
      t.diagnostic(`${replacements} replacements, ${load.requests} requests, ${load.connections} new connections`)
    })
  }
}
