/** TLS of all kinds except PostgreSQL: arguments, configuration, what programs verify, and URLs. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Program } from './backup.ts'
import { kindNamed, kinds } from './index.ts'
import { type Address, type Kind, namedAddress, tlsPaths } from './kind.ts'

const [mysql, mariadb, mongo, redis] = ['mysql', 'mariadb', 'mongo', 'redis'].map(kindNamed) as [Kind, Kind, Kind, Kind]

const settingsOf = (kind: Kind) => Object.fromEntries(Object.keys(kind.settings.shape).map((name) => [name, 'x']))
const tls = { serverName: 'shop-db' }
const byAddress: Address = { host: '10.0.0.2', port: 1, tls }
const byName: Address = { host: 'shop-db', port: 1, tls }
const plain: Address = { host: '10.0.0.2', port: 1 }

const launchOf = (kind: Kind, args: string[], ...more: [('allow' | 'require' | 'off')?, (string | null)?]) =>
  kind.launch!(settingsOf(kind), args, null, ...more)

test('off changes neither arguments, files nor the health check of a server', () => {
  for (const kind of kinds) {
    assert.deepEqual(launchOf(kind, ['--verbose'], 'off'), launchOf(kind, ['--verbose']), kind.name)
    assert.equal('health' in launchOf(kind, [], 'off'), false, kind.name)
  }
  assert.deepEqual(launchOf(mysql, ['--verbose']), { args: ['--verbose'], files: [] })
  assert.match(launchOf(redis, []).files[0]!.content, /^port 6379\nbind \* -::\*\n/)
  assert.doesNotMatch(launchOf(redis, []).files[0]!.content, /tls/)
})

test('MySQL and MariaDB: the certificate follows the options of the caller, and the authority precedes them', () => {
  const files = ['--ssl-cert=/etc/berth/tls/server.pem', '--ssl-key=/etc/berth/tls/server-key.pem']
  const ca = '--ssl-ca=/etc/berth/tls/ca.pem'
  for (const kind of [mysql, mariadb]) {
    assert.deepEqual(launchOf(kind, [], 'allow').args, [ca, ...files])
    assert.deepEqual(launchOf(kind, ['--ssl-ca=/x'], 'allow').args, [ca, '--ssl-ca=/x', ...files])
    const { args } = launchOf(kind, ['mysqld', '--require-secure-transport=OFF'], 'require')
    const required = ['mysqld', ca, '--require-secure-transport=OFF', ...files, '--require-secure-transport=ON']
    assert.deepEqual(args, required)
  }
})

test('MongoDB: the options have other names before version 4.2, and `require` needs another health check', () => {
  const base = launchOf(mongo, []).args
  const added = (mode: 'allow' | 'require', version: string | null) =>
    launchOf(mongo, [], mode, version).args.slice(base.length).join(' ')
  const [ca, combined] = [tlsPaths.ca, tlsPaths.combined]
  const old = `--sslPEMKeyFile ${combined} --sslCAFile ${ca} --sslAllowConnectionsWithoutCertificates`
  const now = `--tlsCertificateKeyFile ${combined} --tlsCAFile ${ca} --tlsAllowConnectionsWithoutCertificates`
  for (const version of ['3.6', '4.0']) assert.equal(added('allow', version), `--sslMode allowSSL ${old}`)
  for (const version of ['4.2', '8.0', '8', null])
    assert.equal(added('require', version), `--tlsMode requireTLS ${now}`)
  assert.equal('health' in launchOf(mongo, [], 'allow', '8.0'), false)
  assert.notDeepEqual(launchOf(mongo, [], 'require', '8.0').health, mongo.health)
  assert.deepEqual(launchOf(mongo, ['bash', '-c', 'exec mongod'], 'require').args, ['bash', '-c', 'exec mongod'])
})

test('Redis: the port with TLS is the same in both modes, and `require` closes the other one', () => {
  const configurationOf = (mode: 'allow' | 'require') => launchOf(redis, [], mode).files[0]!.content
  const lines =
    'tls-port 6380\ntls-cert-file /etc/berth/tls/server.pem\ntls-key-file /etc/berth/tls/server-key.pem\ntls-auth-clients no\n'
  assert.ok(configurationOf('allow').startsWith(`port 6379\n${lines}`))
  assert.ok(configurationOf('require').startsWith(`port 0\n${lines}`))
  assert.deepEqual([redis.tls!.port('allow'), redis.tls!.port('require')], [6380, 6380])
  assert.equal('health' in launchOf(redis, [], 'allow'), false)
  assert.match(launchOf(redis, [], 'require').health![2]!, /-p 6380 --tls --insecure --user berth-health/)
})

/** What a program verifies, by the variable of its kind. */
const verifiedBy = ({ env }: { env: Record<string, string> }) => env.BERTH_TLS ?? env.BERTH_TLS_NAME

test('programs in the container verify by address, and by name if they connect to it', () => {
  const verified: [kind: Kind, address: string, name: string][] = [
    [mysql, 'address', 'name'],
    [mariadb, 'address', 'name'],
    [mongo, 'authority', 'name'],
    [redis, 'shop-db', 'shop-db'],
  ]
  for (const [kind, ...expected] of verified) {
    const settings = settingsOf(kind)
    for (const exec of [kind.ready, (it: never, at: Address) => kind.rotate(it, it, at)]) {
      const actual = [byAddress, byName, plain].map((at) => verifiedBy(exec(settings as never, at)))
      assert.deepEqual(actual, [...expected, ''], kind.name)
    }
  }
})

test('programs in a container of their own connect to the name and verify it', () => {
  assert.deepEqual(namedAddress({ ...byAddress, database: 'shop' }), { ...byName, database: 'shop' })
  assert.equal(namedAddress(plain), plain)
  for (const kind of [mysql, mariadb, mongo]) {
    const { backup } = kind
    const settings = settingsOf(kind)
    const at = { ...byAddress, database: 'shop' }
    const programs: Program[] = [
      backup!.dump(settings, at, null),
      backup!.restore(settings, at, null),
      backup!.serverInventory!.list(settings, byAddress),
      kind.client(settings, byAddress, []),
    ]
    for (const { env } of programs) {
      assert.equal(env.BERTH_TLS, 'name', kind.name)
      if (env.BERTH_HOST !== undefined) assert.equal(env.BERTH_HOST, 'shop-db', kind.name)
    }
  }
})

test("MongoDB's URLs and options say what the two shells verify", () => {
  const urlsOf = (address: Address) => {
    const { url, mongoshUrl } = JSON.parse(mongo.ready(settingsOf(mongo), address).stdin!) as Record<string, string>
    return [url, mongoshUrl].map((it) => it!.slice(it!.indexOf('TimeoutMS=5000') + 14))
  }
  const trusted = '&tls=true&tlsCAFile=/etc/berth/tls/ca.pem'
  assert.deepEqual(urlsOf(plain), ['', ''])
  assert.deepEqual(urlsOf(byName), ['&ssl=true', trusted])
  assert.deepEqual(urlsOf(byAddress), ['&ssl=true', `${trusted}&tlsAllowInvalidHostnames=true`])
})

test('verified URLs name the mode and the file, where clients of the product agree on them', () => {
  const address = { host: 'db.example.org', port: 6000 }
  const urls: [kind: Kind, end: string][] = [
    [mysql, '/x?ssl-mode=VERIFY_IDENTITY&ssl-ca=/a%20b.pem'],
    [mariadb, '/x?ssl-mode=VERIFY_IDENTITY&ssl-ca=/a%20b.pem'],
    [mongo, '/?authSource=admin&tls=true&tlsCAFile=/a%20b.pem'],
    [redis, ''],
  ]
  for (const [kind, end] of urls) {
    const url = kind.tls!.verifiedUrl(settingsOf(kind), address, '/a b.pem')
    assert.ok(url.endsWith(`db.example.org:6000${end}`), url)
  }
  assert.equal(
    redis.tls!.verifiedUrl({ databasePassword: 'a@b' }, address, '/x'),
    'rediss://default:a%40b@db.example.org:6000',
  )
})

test('each product says which versions can replace a certificate while they run', () => {
  const reloads: [kind: Kind, version: string | null, can: boolean][] = [
    [mysql, '5.7', false],
    [mysql, '8.0', true],
    [mysql, '9.7', true],
    [mariadb, '10.11', true],
    [mongo, '3.6', false],
    [mongo, '4.4', false],
    [mongo, '5.0', true],
    [mongo, '8', true],
    [mongo, null, true],
    [redis, '7', true],
  ]
  for (const [kind, version, can] of reloads) assert.equal(kind.tls!.canReload(version), can, `${kind.name} ${version}`)
})

test('a reload verifies nothing, because the certificate to replace may have expired', () => {
  for (const kind of [mysql, mariadb]) assert.equal(kind.tls!.reload(settingsOf(kind), byAddress).env.BERTH_TLS, '')
  assert.equal(mongo.tls!.reload(settingsOf(mongo), byAddress).env.BERTH_TLS, 'any')
  const { env, argv } = redis.tls!.reload(settingsOf(redis), byAddress)
  assert.deepEqual([env.BERTH_PORT, /--tls --insecure/.test(argv[2]!)], ['6380', true])
})
