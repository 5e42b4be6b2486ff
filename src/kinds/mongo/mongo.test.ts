/**
 * The pure functions of MongoDB: limits of settings, server arguments, URLs, and programs, which must not contain a
 * caller's text.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import saslprep from '@mongodb-js/saslprep'
import { mongo } from './mongo.ts'

const plain = { databaseUser: 'owner', databasePassword: 'secret' }
const address = { host: '10.0.0.2', port: 27_017 }

const accepted = {
  databaseUser: [
    'a',
    'root',
    '__system',
    'Ünï ☃😀',
    'o\'bri"en',
    '$x `id` \\ ;--',
    ' a ',
    'a=b,c',
    '-d',
    'a@b:c/d#e?f%',
    '{*}',
    'ª',
    'x'.repeat(255),
    '€'.repeat(255),
  ],
  databasePassword: [
    '',
    ' ',
    'p\'a"s$s\\w`ord; --',
    '{{.Node.ID}}',
    '☃€',
    '密码 пароль κωδικός ひ 한글',
    'é',
    'x'.repeat(255),
    '\\',
    'a"b"',
    '\'"',
    '-p',
    ',=@:/?#[]%',
  ],
}

test('accepts unusual texts that MongoDB accepts, and does not change them', () => {
  for (const [field, texts] of Object.entries(accepted)) {
    for (const text of texts) {
      const settings = { ...plain, [field]: text }
      assert.deepEqual(mongo.settings.parse(settings), settings)
    }
  }
})

const refused: [field: keyof typeof accepted, text: string, messagePattern: RegExp][] = [
  ['databaseUser', '', /must not be empty/],
  ['databaseUser', 'x'.repeat(256), /at most 255/],
  ['databaseUser', 'a\nb', /control characters/],
  ['databaseUser', 'a\0', /control characters/],
  ['databaseUser', 'a\u2028b', /line separators/],
  ['databaseUser', '\ud83d', /lone surrogates/],
  ['databaseUser', '"a', /must not begin with "/],
  ['databaseUser', 'a\\"b', /must not begin with " or contain \\"/],
  ['databasePassword', 'x'.repeat(256), /at most 255/],
  ['databasePassword', 'a\r', /control characters/],
  ['databasePassword', 'a\u007f', /control characters/],
  ['databasePassword', 'a\udc00b', /lone surrogates/],
  ['databasePassword', '"', /must not begin with "/],
  ['databasePassword', 'a\\\\"}', /must not begin with "/],
  ['databasePassword', '😀', /SASLprep/],
  ['databasePassword', 'ª', /SASLprep/],
  ['databasePassword', 'ﬁ', /SASLprep/],
  ['databasePassword', 'e\u0301', /SASLprep/],
  ['databasePassword', 'a\u00a0b', /SASLprep/],
  ['databasePassword', 'a\u00adb', /SASLprep/],
  ['databasePassword', 'a\u3000b', /SASLprep/],
  ['databasePassword', 'סוד', /SASLprep/],
]

test('refuses texts that MongoDB refuses, changes or loses, and gives the reason', () => {
  for (const [field, text, messagePattern] of refused) {
    const { error } = mongo.settings.safeParse({ ...plain, [field]: text })
    assert.deepEqual(error?.issues[0]?.path, [field], `${field} ${JSON.stringify(text)}`)
    assert.match(error.issues.map((it) => it.message).join(), messagePattern)
  }
})

test('allows in passwords only characters that SASLprep does not change', () => {
  let allowed = 0
  for (let code = 0x20; code <= 0xffff; code++) {
    const text = `a${String.fromCharCode(code)}a`
    if (!mongo.settings.safeParse({ ...plain, databasePassword: text }).success) continue
    allowed++
    assert.equal(saslprep(text), text, code.toString(16))
  }
  assert.ok(allowed > 30_000)
})

const tags: [tag: string | null, version: string | null][] = [
  ['8', '8'],
  ['8.0', '8.0'],
  ['7.0.5-jammy', '7.0'],
  ['3.6', '3.6'],
  ['3.6-mongosh', '3.6'],
  ['4.4.29-focal', '4.4'],
  ['8.2.0-rc1', '8.2'],
  ['8-noble', '8'],
  ['10.0', '10.0'],
  [null, null],
  ['latest', null],
  ['noble', null],
  ['20240101', null],
  ['v8', null],
  ['', null],
]

test('reads the series (such as 8.0) from a tag, and opens data files of the same series only', () => {
  for (const [tag, version] of tags) assert.equal(mongo.versionOf(tag), version, String(tag))
  assert.deepEqual([mongo.opens('8', '8.0'), mongo.opens('8.0', '8'), mongo.opens('3.6', '3.6')], [true, true, true])
  assert.deepEqual([mongo.opens('7.0', '8.0'), mongo.opens('8', '7'), mongo.opens('4.2', '4.4')], [false, false, false])
  for (const version of ['3.6', '8', null]) assert.equal(mongo.dataPath(version), '/data/db')
})

const urls: [settings: Partial<typeof plain>, host: string, url: string][] = [
  [{}, 'db', 'mongodb://owner:secret@db:27017/?authSource=admin'],
  [{}, 'fd00::1', 'mongodb://owner:secret@[fd00::1]:27017/?authSource=admin'],
  [
    { databaseUser: 'a@b:c/d#e?f%[]' },
    'db',
    'mongodb://a%40b%3Ac%2Fd%23e%3Ff%25%5B%5D:secret@db:27017/?authSource=admin',
  ],
  [
    { databasePassword: 'p\'a"s$s\\w`o; --' },
    'db',
    'mongodb://owner:p%27a%22s%24s%5Cw%60o%3B%20--@db:27017/?authSource=admin',
  ],
  [
    { databasePassword: ' é☃%41+&=!*()~' },
    'db',
    'mongodb://owner:%20%C3%A9%E2%98%83%2541%2B%26%3D%21*%28%29~@db:27017/?authSource=admin',
  ],
]

test('the URL percent-encodes special characters in the user and the password', () => {
  for (const [settings, host, url] of urls) {
    assert.equal(mongo.url({ ...plain, ...settings }, { ...address, host }), url)
    const { username, password } = new URL(url)
    const { databaseUser, databasePassword } = { ...plain, ...settings }
    assert.deepEqual([username, password].map(decodeURIComponent), [databaseUser, databasePassword])
  }
})

test('names the replica set to clients on the network, and the address itself to clients outside', () => {
  const set = { ...plain, replicaSet: 'rs0' }
  const login = 'mongodb://owner:secret@10.0.0.2:27017/?authSource=admin'
  assert.equal(mongo.url(set, address), `${login}&replicaSet=rs0`)
  assert.equal(mongo.url(set, address, true), `${login}&directConnection=true`)
  assert.equal(mongo.url(plain, address, true), login)
})

const replicaSets: [name: string | null, isAccepted: boolean][] = [
  ['rs0', true],
  ['a', true],
  ['My_set-1.b', true],
  ['x'.repeat(63), true],
  [null, true],
  ['', false],
  ['-rs', false],
  ['rs/a', false],
  ['rs&a', false],
  ['rs 0', false],
  ['x'.repeat(64), false],
]

test('accepts names of replica sets that are safe in a URL and as an argument', () => {
  for (const [replicaSet, isAccepted] of replicaSets) {
    assert.equal(mongo.settings.safeParse({ ...plain, replicaSet }).success, isAccepted, String(replicaSet))
  }
})

test('starts a member of a replica set with a key, under the host name of the database', () => {
  const { before, needsHostname, args, files } = mongo.launch!({ ...plain, replicaSet: 'rs0' }, ['--quiet'], 512)
  const set = ['--replSet', 'rs0', '--keyFile', '/data/db/.berth/key']
  assert.deepEqual([before, needsHostname], [['sh', '/etc/berth/start.sh'], true])
  assert.deepEqual(args, ['--quiet', ...required, ...set, '--wiredTigerCacheSizeGB', '0.25'])
  assert.deepEqual(
    files.map(({ path }) => path),
    ['/etc/berth/start.sh'],
  )
  assert.deepEqual(mongo.lasting!.found(args), { replicaSet: 'rs0' })
  assert.deepEqual(mongo.lasting!.found(required), {})
  const other = ['bash', '-c', 'exec mongod']
  assert.deepEqual(mongo.launch!({ ...plain, replicaSet: 'rs0' }, other, null).args, other)
})

const required = ['--auth', '--dbpath', '/data/db', '--port', '27017']
const launches: [command: string[], memoryLimitMiB: number | null, args: string[]][] = [
  [[], null, required],
  [['--quiet'], null, ['--quiet', ...required]],
  [['mongod', '--quiet'], null, ['mongod', '--quiet', ...required]],
  [['--auth', '--dbpath', '/data/db'], null, ['--auth', '--dbpath', '/data/db', '--port', '27017']],
  [['--dbpath=/data/db', '--port=27017'], null, ['--dbpath=/data/db', '--port=27017', '--auth']],
  [['--dbpath', '/tmp'], null, ['--dbpath', '/tmp', ...required]],
  [['--port', '1'], null, ['--port', '1', ...required]],
  [['bash', '-c', 'exec mongod'], 512, ['bash', '-c', 'exec mongod']],
  [[], 512, [...required, '--wiredTigerCacheSizeGB', '0.25']],
  [[], 4096, [...required, '--wiredTigerCacheSizeGB', '1.50']],
  [['--wiredTigerCacheSizeGB', '1'], 4096, ['--wiredTigerCacheSizeGB', '1', ...required]],
  [['--config=/x'], 4096, ['--config=/x', ...required]],
]

test('adds authentication, the data path and the port to every command that starts the server', () => {
  for (const [command, memoryLimitMiB, args] of launches) {
    assert.deepEqual(mongo.launch!(plain, command, memoryLimitMiB), { args, files: [] })
  }
})

test("passes a caller's text only on standard input, in ASCII", () => {
  const other = { databaseUser: 'u"ser`id`☃', databasePassword: "'; quit()" }
  const otherAddress = { host: 'fd00::1', port: 15_432 }
  const pairs = [
    [mongo.ready(plain, address), mongo.ready(other, otherAddress)],
    [mongo.rotate(plain, other, address, null), mongo.rotate(other, plain, otherAddress, null)],
    [mongo.lasting!.prepare(plain, address), mongo.lasting!.prepare({ ...other, replicaSet: 'rs0' }, otherAddress)],
  ]
  for (const [one, two] of pairs) {
    assert.deepEqual([two!.argv, two!.env], [one!.argv, {}])
    assert.match(two!.stdin!, /^[ -~]*\n$/)
    const { user, password, url } = JSON.parse(two!.stdin!) as Record<string, string>
    assert.deepEqual([user, password], [other.databaseUser, other.databasePassword])
    assert.ok(url!.startsWith('mongodb://[fd00::1]:15432/?'))
  }
})

test('reserves variables that would create another user', () => {
  assert.deepEqual(Object.keys(mongo.reserved).length, 4)
  for (const name of ['MONGO_INITDB_ROOT_USERNAME', 'MONGO_INITDB_ROOT_PASSWORD_FILE']) {
    assert.match(mongo.reserved[name]!, /^use database\w+$/, name)
  }
  assert.equal(mongo.reserved.MONGO_INITDB_DATABASE, undefined)
})
