/**
 * The pure functions of MySQL and MariaDB: limits of settings, versions, URLs, and programs, which must not contain a
 * caller's text.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { mariadb } from '../mariadb/mariadb.ts'
import type { Credentials } from './programs.ts'
import { mysql } from './mysql.ts'

type Field = keyof Credentials
type Settings = Credentials & Record<string, string>

const plain: Settings = {
  databaseName: 'shop',
  databaseUser: 'owner',
  databasePassword: 'secret',
  databaseRootPassword: 'hidden',
}
const address = { host: '10.0.0.2', port: 3306 }

const accepted: [kinds: 'both' | 'mariadb', field: Field, texts: string[]][] = [
  [
    'both',
    'databaseName',
    [
      'a',
      'Root',
      ' a',
      'a b',
      'd"b\'s',
      '$x;--',
      'a_b',
      'a/b.c',
      '-d',
      '#x',
      'x'.repeat(64),
      `${'x'.repeat(13)}${'-'.repeat(48)}`,
    ],
  ],
  ['both', 'databaseUser', ['a', 'Root', 'public', 'o"w n@e:r/#?%', '`id`;$x', '-d', '--', 'x'.repeat(32)]],
  ['both', 'databasePassword', ['', ' ', 'p"a s$s`w; --#', '{{.Node.ID}}', '☃😀', 'x'.repeat(213), '-x', '*94BDCEBE']],
  ['both', 'databaseRootPassword', ['', ' ', 'p a$s`w; --#', '☃😀', 'x'.repeat(213)]],
  ['mariadb', 'databaseName', ['Ünï ☃']],
  ['mariadb', 'databaseUser', ['ü☃', 'x'.repeat(80)]],
  ['mariadb', 'databasePassword', ["'", '\\', "\\'", 'x'.repeat(255), '-', '-nx']],
  ['mariadb', 'databaseRootPassword', ['\'"\\#']],
]

const refused: [kinds: 'both' | 'mysql' | 'mariadb', field: Field, text: string, messagePattern: RegExp][] = [
  ['both', 'databaseName', '', /must not be empty/],
  ['both', 'databaseName', 'x'.repeat(65), /at most 64 characters/],
  ['both', 'databaseName', '-'.repeat(52), /takes five bytes/],
  ['both', 'databaseName', 'a ', /end with a space/],
  ['both', 'databaseName', '..', /a URL cannot contain/],
  ['both', 'databaseName', '#mysql50#a', /reserved/],
  ['both', 'databaseName', 'mysql', /a system database/],
  ['both', 'databaseName', 'Information_Schema', /a system database/],
  ['both', 'databaseName', 'PERFORMANCE_SCHEMA', /a system database/],
  ['both', 'databaseName', 'sys', /a system database/],
  ['both', 'databaseName', 'a`b', /remove them/],
  ['both', 'databaseName', 'a\\b', /remove them/],
  ['both', 'databaseName', 'a%', /remove them/],
  ['both', 'databaseName', 'a\nb', /control characters/],
  ['both', 'databaseName', 'a\0', /control characters/],
  ['both', 'databaseName', '\ud83d', /lone surrogates/],
  ['mysql', 'databaseName', 'café', /only ASCII characters/],
  ['mariadb', 'databaseName', 'a😀', /beyond U\+FFFF/],
  ['both', 'databaseUser', '', /must not be empty/],
  ['both', 'databaseUser', 'root', /a system account .*databaseRootPassword/],
  ['both', 'databaseUser', 'mysql.sys', /a system account/],
  ['both', 'databaseUser', 'mariadb.sys', /a system account/],
  ['both', 'databaseUser', 'a ', /begin or end with a space/],
  ['both', 'databaseUser', ' a', /begin or end with a space/],
  ['both', 'databaseUser', "o'brien", /remove them/],
  ['both', 'databaseUser', 'a\\b', /remove them/],
  ['both', 'databaseUser', 'a\tb', /control characters/],
  ['mysql', 'databaseUser', 'x'.repeat(33), /at most 32 characters/],
  ['mysql', 'databaseUser', 'jürgen', /only ASCII characters/],
  ['mariadb', 'databaseUser', 'x'.repeat(81), /at most 80 characters/],
  ['mariadb', 'databaseUser', '😀', /beyond U\+FFFF/],
  ['both', 'databasePassword', 'a\r', /control characters/],
  ['both', 'databasePassword', 'a\udc00b', /lone surrogates/],
  ['mysql', 'databasePassword', 'x'.repeat(214), /at most 213 bytes/],
  ['mysql', 'databasePassword', '☃'.repeat(72), /at most 213 bytes/],
  ['mysql', 'databasePassword', "a'", /remove them/],
  ['mysql', 'databasePassword', 'a\\', /remove them/],
  ['mysql', 'databaseRootPassword', 'a"#', /remove it/],
  ['mariadb', 'databasePassword', 'x'.repeat(256), /at most 255/],
  ['mariadb', 'databasePassword', '-n', /choose another/],
  ['mariadb', 'databaseRootPassword', '-neE', /choose another/],
]

for (const kind of [mysql, mariadb]) {
  describe(kind.label, () => {
    const isForKind = (name: string) => name === 'both' || name === kind.name

    test('accepts unusual texts that the server and its image accept, and does not change them', () => {
      for (const [, field, texts] of accepted.filter(([name]) => isForKind(name))) {
        for (const text of texts) {
          const settings = { ...plain, [field]: text }
          assert.deepEqual(kind.settings.parse(settings), settings)
        }
      }
    })

    test('refuses texts that the server or its image refuses or changes, and gives the reason', () => {
      for (const [, field, text, messagePattern] of refused.filter(([name]) => isForKind(name))) {
        const { error } = kind.settings.safeParse({ ...plain, [field]: text })
        const issue = error?.issues[0]
        assert.deepEqual(issue?.path, [field], JSON.stringify(text))
        assert.match(issue.message, messagePattern)
      }
    })

    test("passes a caller's text only in the environment or as hexadecimal digits", () => {
      const other = {
        databaseName: 'd"b',
        databaseUser: 'u;er',
        databasePassword: '$(id)',
        databaseRootPassword: '`id`; drop--',
      }
      const otherAddress = { host: 'other-host', port: 15_432 }
      const { argv, env } = kind.ready(other, otherAddress)
      assert.deepEqual(argv, kind.ready(plain, address).argv)
      assert.deepEqual([env.BERTH_HOST, env.BERTH_PORT, env.BERTH_USER], ['other-host', '15432', 'u;er'])
      assert.deepEqual([env.BERTH_DATABASE, env.MYSQL_PWD, env.BERTH_ROOT_PASSWORD], ['d"b', '$(id)', '`id`; drop--'])
      const rotation = kind.rotate(other, plain, otherAddress, null)
      assert.deepEqual(rotation.argv, kind.rotate(plain, other, address, null).argv)
      assert.match(rotation.stdin!, /^(?:set @\w+ = convert\(x'[0-9a-f]*' using utf8mb4\);\n){8}-- complete$/)
      assert.deepEqual([rotation.env.MYSQL_PWD, rotation.env.BERTH_NEW_ROOT_PASSWORD], ['`id`; drop--', 'hidden'])
    })

    test('reserves variables that change the data folder, the port or the login, and names the alternative', () => {
      const prefix = kind.name.toUpperCase()
      const names = [
        ...Object.keys(kind.env(plain)),
        `${prefix}_PASSWORD_FILE`,
        `${prefix}_ROOT_PASSWORD_FILE`,
        `${prefix}_ROOT_HOST`,
        'MYSQL_ALLOW_EMPTY_PASSWORD',
        'MYSQL_RANDOM_ROOT_PASSWORD',
        'MYSQL_ONETIME_PASSWORD',
        'MYSQL_TCP_PORT',
        'MYSQL_UNIX_PORT',
        'MYSQL_PWD',
        'MYSQL_HOST',
        'MYSQL_HOME',
        'MYSQL_USER',
        'MYSQL_DATABASE',
      ]
      for (const name of names) assert.match(kind.reserved[name]!, /\w+ \w+/, name)
      for (const name of ['MYSQL_INITDB_SKIP_TZINFO', 'MARIADB_MYSQL_LOCALHOST_USER', 'TZ', 'LANG']) {
        assert.equal(kind.reserved[name], undefined)
      }
    })
  })
}

const tags: [tag: string | null, version: string | null][] = [
  ['8', '8'],
  ['11', '11'],
  ['8.4', '8.4'],
  ['8.4.3-oraclelinux9', '8.4'],
  ['8.0.40-debian', '8.0'],
  ['9.7.0', '9.7'],
  ['8-oracle', '8'],
  ['11.8-noble', '11.8'],
  ['10.11.6-jammy', '10.11'],
  ['11.8-ubi9', '11.8'],
  ['5.7', '5.7'],
  ['10.11-rc', '10.11'],
  ['lts', null],
  ['latest', null],
  ['innovation', null],
  ['noble', null],
  ['20240101', null],
  ['v8.4', null],
  ['', null],
  [null, null],
]

test('reads the series (such as 8.4) from a tag, and opens data files of the same series only', () => {
  for (const [tag, version] of tags) {
    for (const { versionOf } of [mysql, mariadb]) assert.equal(versionOf(tag), version, String(tag))
  }
  for (const { opens, dataPath } of [mysql, mariadb]) {
    assert.deepEqual([opens('8.4', '8.4'), opens('8.4', '8'), opens('8', '8.4')], [true, true, true])
    assert.deepEqual([opens('8.0', '8.4'), opens('8.4', '8.0'), opens('10.11', '10.6')], [false, false, false])
    assert.deepEqual([dataPath('8.0'), dataPath(null)], ['/var/lib/mysql', '/var/lib/mysql'])
  }
})

const urls: [settings: Partial<Settings>, host: string, url: string][] = [
  [{}, 'db', 'mysql://owner:secret@db:3306/shop'],
  [{}, 'fd00::1', 'mysql://owner:secret@[fd00::1]:3306/shop'],
  [{ databaseUser: 'a@b:c/d#e?f%' }, 'db', 'mysql://a%40b%3Ac%2Fd%23e%3Ff%25:secret@db:3306/shop'],
  [
    { databasePassword: " é☃%41+&=!*()~'" },
    'db',
    'mysql://owner:%20%C3%A9%E2%98%83%2541%2B%26%3D%21*%28%29~%27@db:3306/shop',
  ],
  [{ databaseName: 'a b/c.d?#%20' }, 'db', 'mysql://owner:secret@db:3306/a%20b%2Fc.d%3F%23%2520'],
]

test('the URL percent-encodes special characters in the user, the password and the database name', () => {
  for (const [settings, host, url] of urls) {
    for (const kind of [mysql, mariadb]) assert.equal(kind.url({ ...plain, ...settings }, { host, port: 3306 }), url)
  }
})

test('MySQL and MariaDB have their own names, fields and images', () => {
  assert.deepEqual(
    [mysql, mariadb].map(({ name, idField, defaultImage }) => [name, idField, defaultImage]),
    [
      ['mysql', 'mysqlId', 'mysql:8'],
      ['mariadb', 'mariadbId', 'mariadb:6'],
    ],
  )
  assert.deepEqual(
    Object.keys(mysql.env(plain)).map((name) => name.replace(/^MYSQL_/, '')),
    Object.keys(mariadb.env(plain)).map((name) => name.replace(/^MARIADB_/, '')),
  )
  for (const { isAppNameOptional, secrets } of [mysql, mariadb]) {
    assert.deepEqual([isAppNameOptional, secrets], [false, ['databasePassword', 'databaseRootPassword']])
  }
})
