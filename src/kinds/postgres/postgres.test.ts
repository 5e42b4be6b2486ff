/**
 * The pure functions of PostgreSQL: limits of settings, data paths, URLs, and programs, which must not contain a
 * caller's text.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { postgres } from './postgres.ts'

const plain = { databaseName: 'shop', databaseUser: 'owner', databasePassword: 'secret' }
const address = { host: '10.0.0.2', port: 5432 }

const accepted = {
  databaseName: [
    'a',
    'postgres',
    'Ünï ☃',
    'quo"te\'s',
    '$x `id` \\ ;--',
    ' a ',
    'a=b',
    '-d',
    'x'.repeat(63),
    'é'.repeat(31),
  ],
  databaseUser: [
    'a',
    'postgres',
    'PG_x',
    'Public',
    'current_user',
    'sp ace',
    'a@b:c/d#e?f%',
    '`id`;-',
    '-d',
    '{*}',
    '😀',
  ],
  databasePassword: [
    '',
    ' ',
    'p\'a"s$s\\w`ord; --',
    '{{.Node.ID}}',
    '☃😀',
    'x'.repeat(255),
    'md5',
    'SCRAM',
    `md5${'F'.repeat(32)}`,
  ],
}

test('accepts unusual texts that PostgreSQL accepts, and does not change them', () => {
  for (const [field, texts] of Object.entries(accepted)) {
    for (const text of texts) {
      const settings = { ...plain, [field]: text }
      assert.deepEqual(postgres.settings.parse(settings), settings)
    }
  }
})

const refused: [field: keyof typeof accepted, text: string, messagePattern: RegExp][] = [
  ['databaseName', '', /must not be empty/],
  ['databaseName', 'template0', /choose another name/],
  ['databaseName', 'template1', /choose another name/],
  ['databaseName', 'x'.repeat(64), /at most 63 bytes/],
  ['databaseName', 'é'.repeat(32), /at most 63 bytes/],
  ['databaseName', 'a\nb', /control characters/],
  ['databaseName', 'a\0', /control characters/],
  ['databaseName', 'a\u0085', /control characters/],
  ['databaseName', '\ud83d', /lone surrogates/],
  ['databaseUser', '', /must not be empty/],
  ['databaseUser', 'pg_monitor', /must not start with pg_/],
  ['databaseUser', 'public', /public or none/],
  ['databaseUser', 'none', /public or none/],
  ['databaseUser', "o'brien", /remove them/],
  ['databaseUser', 'a"b', /remove them/],
  ['databaseUser', 'a$b', /remove them/],
  ['databaseUser', 'a\\b', /remove them/],
  ['databaseUser', '--help', /remove them/],
  ['databaseUser', 'a/*b', /remove them/],
  ['databaseUser', 'a*/b', /remove them/],
  ['databaseUser', 'u'.repeat(64), /at most 63 bytes/],
  ['databaseUser', 'a\tb', /control characters/],
  ['databasePassword', 'x'.repeat(256), /at most 255/],
  ['databasePassword', 'a\r', /control characters/],
  ['databasePassword', 'a\u007f', /control characters/],
  ['databasePassword', 'a\udc00b', /lone surrogates/],
  ['databasePassword', `md5${'0f'.repeat(16)}`, /a PostgreSQL password hash/],
  ['databasePassword', 'SCRAM-SHA-256$4096:c2FsdA==$aGFzaA==:aGFzaA==', /a PostgreSQL password hash/],
]

test('refuses texts that PostgreSQL refuses or changes, and gives the reason', () => {
  for (const [field, text, messagePattern] of refused) {
    const { error } = postgres.settings.safeParse({ ...plain, [field]: text })
    assert.deepEqual(
      error?.issues.map(({ path }) => path),
      [[field]],
      `${field} ${JSON.stringify(text)}`,
    )
    assert.match(error!.issues[0]!.message, messagePattern)
  }
})

const tags: [tag: string | null, version: string | null, dataPath: string][] = [
  ['15', '15', '/var/lib/postgresql/data'],
  ['15.4-alpine', '15', '/var/lib/postgresql/data'],
  ['17-bookworm', '17', '/var/lib/postgresql/data'],
  ['17', '17', '/var/lib/postgresql/data'],
  ['18', '18', '/var/lib/postgresql'],
  ['18rc1-alpine3.22', '18', '/var/lib/postgresql'],
  ['19beta1', '19', '/var/lib/postgresql'],
  ['9.6.24', '9', '/var/lib/postgresql/data'],
  ['16-3.4-alpine', '16', '/var/lib/postgresql/data'],
  ['pg16', '16', '/var/lib/postgresql/data'],
  ['0.8.0-pg17', '17', '/var/lib/postgresql/data'],
  ['2.17.2-pg16', '16', '/var/lib/postgresql/data'],
  ['latest-pg18', '18', '/var/lib/postgresql'],
  [null, null, '/var/lib/postgresql/data'],
  ['latest', null, '/var/lib/postgresql/data'],
  ['alpine', null, '/var/lib/postgresql/data'],
  ['alpine3.22', null, '/var/lib/postgresql/data'],
  ['bookworm', null, '/var/lib/postgresql/data'],
  ['2.1', null, '/var/lib/postgresql/data'],
  ['20240101', null, '/var/lib/postgresql/data'],
  ['v15', null, '/var/lib/postgresql/data'],
]

test('reads the major version from a tag, and mounts the volume at its data path (Dokploy#3157)', () => {
  for (const [tag, version, dataPath] of tags) {
    assert.equal(postgres.versionOf(tag), version, String(tag))
    assert.equal(postgres.dataPath(version), dataPath, String(tag))
  }
})

test('PGDATA is on the volume for every version', () => {
  for (const version of ['9', '17', '18', null]) {
    assert.ok(`${postgres.env(plain).PGDATA}/`.startsWith(`${postgres.dataPath(version)}/`), String(version))
  }
})

const urls: [settings: Partial<typeof plain>, host: string, url: string][] = [
  [{}, 'db', 'postgresql://owner:secret@db:5432/shop'],
  [{}, '10.0.0.2', 'postgresql://owner:secret@10.0.0.2:5432/shop'],
  [{}, 'fd00::1', 'postgresql://owner:secret@[fd00::1]:5432/shop'],
  [{ databaseUser: 'a@b:c/d#e?f%' }, 'db', 'postgresql://a%40b%3Ac%2Fd%23e%3Ff%25:secret@db:5432/shop'],
  [{ databasePassword: 'p\'a"s$s\\w`o; --' }, 'db', 'postgresql://owner:p%27a%22s%24s%5Cw%60o%3B%20--@db:5432/shop'],
  [
    { databasePassword: ' é☃%41+&=!*()~' },
    'db',
    'postgresql://owner:%20%C3%A9%E2%98%83%2541%2B%26%3D%21*%28%29~@db:5432/shop',
  ],
  [{ databaseName: 'a b%20"\'#?' }, 'db', 'postgresql://owner:secret@db:5432/a%20b%2520%22%27%23%3F'],
  [{ databaseName: 'a/b@c:d' }, 'db', 'postgresql://owner:secret@db:5432/a/b@c:d'],
]

test('the URL percent-encodes special characters, except / @ and : in the database name', () => {
  for (const [settings, host, url] of urls) {
    assert.equal(postgres.url({ ...plain, ...settings }, { host, port: 5432 }), url)
    assert.equal(new URL(url).port, '5432')
  }
})

test("passes a caller's text only in the environment", () => {
  const other = { databaseName: 'd"b`id`', databaseUser: 'u;er', databasePassword: "'; drop--" }
  const otherAddress = { host: 'other-host', port: 15_432 }
  assert.deepEqual(postgres.ready(other, otherAddress).argv, postgres.ready(plain, address).argv)
  const [one, two] = [postgres.rotate(plain, other, address, null), postgres.rotate(other, plain, otherAddress, null)]
  assert.deepEqual([one.argv, one.stdin], [two.argv, two.stdin])
  const { PGHOST, PGPORT, PGUSER, PGDATABASE, PGPASSWORD, BERTH_USER, BERTH_PASSWORD, BERTH_DATABASE } = two.env
  assert.deepEqual([PGHOST, PGPORT], ['other-host', '15432'])
  assert.deepEqual([PGUSER, PGDATABASE, PGPASSWORD], ['u;er', 'd"b`id`', "'; drop--"])
  assert.deepEqual([BERTH_USER, BERTH_PASSWORD, BERTH_DATABASE], ['owner', 'secret', 'shop'])
})

test('reserves variables that change the data folder, the port or the login, and names the alternative', () => {
  const names = [
    'POSTGRES_USER',
    'POSTGRES_PASSWORD_FILE',
    'POSTGRES_DB',
    'PGDATA',
    'PGPORT',
    'POSTGRES_INITDB_WALDIR',
    'POSTGRES_HOST_AUTH_METHOD',
  ]
  for (const name of names) assert.match(postgres.reserved[name]!, /\w+ \w+/, name)
  assert.equal(postgres.reserved.POSTGRES_INITDB_ARGS, undefined)
})
