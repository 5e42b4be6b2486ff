/**
 * The pure functions of Redis: limits of settings, server arguments, URLs, and programs, which must not contain a
 * caller's text.
 */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { redis } from './redis.ts'

const plain = { databasePassword: 'secret' }
const address = { host: '10.0.0.2', port: 6379 }
const launch = (command: string[], memoryLimitMiB: number | null = null, settings = plain) =>
  redis.launch!(settings, command, memoryLimitMiB)

test('accepts unusual passwords that Redis accepts, and does not change them', () => {
  const passwords = [
    '',
    ' ',
    'p\'a"s$s\\w`ord; --',
    '-a',
    '#<>~*',
    'nopass',
    '{{.Node.ID}}',
    '☃😀',
    'x'.repeat(512),
    'é'.repeat(256),
  ]
  for (const databasePassword of passwords) {
    assert.deepEqual(redis.settings.parse({ databasePassword }), { databasePassword })
  }
})

const refused: [text: string, messagePattern: RegExp][] = [
  ['a\nb', /control characters/],
  ['a\0', /control characters/],
  ['a\u007f', /control characters/],
  ['\ud83d', /lone surrogates/],
  ['x'.repeat(513), /at most 512 bytes/],
  ['é'.repeat(257), /at most 512 bytes/],
]

test('refuses passwords that Redis refuses or changes, and gives the reason', () => {
  for (const [databasePassword, messagePattern] of refused) {
    const { error } = redis.settings.safeParse({ databasePassword })
    assert.match(error!.issues[0]!.message, messagePattern)
  }
})

const tags: [tag: string | null, version: string | null][] = [
  ['8', '8'],
  ['7', '7'],
  ['7.4', '7.4'],
  ['7.4-alpine', '7.4'],
  ['7.4.1', '7.4'],
  ['7.4.1-alpine3.20', '7.4'],
  ['8.0-rc1', '8.0'],
  ['8-bookworm', '8'],
  ['7.4.0-v3', '7.4'],
  ['9', '9'],
  ['9.0-alpine', '9.0'],
  ['10.12', '10.12'],
  [null, null],
  ['latest', null],
  ['alpine', null],
  ['alpine3.20', null],
  ['bookworm', null],
  ['32bit', null],
  ['20240101', null],
  ['2024.01', null],
  ['v7', null],
  ['unstable', null],
  ['0', null],
]

test('reads the major and minor version from a tag', () => {
  for (const [tag, version] of tags) assert.equal(redis.versionOf(tag), version, String(tag))
})

const upgrades: [dataVersion: string, serverVersion: string, opens: boolean][] = [
  ['7.0', '7.0', true],
  ['7.0', '7.2', true],
  ['7.4', '8', true],
  ['7.4', '7', true],
  ['8', '8.2', true],
  ['9.1', '10', true],
  ['7.4', '7.2', false],
  ['8.0', '7.4', false],
  ['8', '7', false],
  ['10.0', '9', false],
]

test('opens files of older versions and refuses files of newer versions', () => {
  for (const [dataVersion, serverVersion, opens] of upgrades) {
    assert.equal(redis.opens(dataVersion, serverVersion), opens, `${dataVersion} ${serverVersion}`)
  }
})

const berthArgs = ['--daemonize', 'no', '--include', '/usr/local/etc/berth/redis.conf']
const limit = ['--maxmemory', '402653184']
const sh = ['sh', '-c', 'exec docker-entrypoint.sh "$@"', 'sh']

const commands: [command: string[], args: string[]][] = [
  [[], [...limit, ...berthArgs]],
  [
    ['--save', ''],
    [...limit, '--save', '', ...berthArgs],
  ],
  [
    ['--maxmemory', '1gb'],
    [...limit, '--maxmemory', '1gb', ...berthArgs],
  ],
  [['--include /etc/own.conf'], [...limit, '--include /etc/own.conf', ...berthArgs]],
  [['redis-server'], ['redis-server', ...limit, ...berthArgs]],
  [
    ['/usr/bin/valkey-server', '--save', ''],
    ['/usr/bin/valkey-server', ...limit, '--save', '', ...berthArgs],
  ],
  [
    ['/own.conf', '--port', '1'],
    [...limit, '--include', '/own.conf', '--port', '1', ...berthArgs],
  ],
  [
    ['redis-server', '/own', '--port', '1'],
    ['redis-server', ...limit, '--include', '/own', '--port', '1', ...berthArgs],
  ],
  [sh, [...sh, ...berthArgs]],
]

test("puts Berth's options last and the memory limit first", () => {
  for (const [command, args] of commands) assert.deepEqual(launch(command, 512).args, args)
  assert.deepEqual(launch(['--save', '']).args, ['--save', '', ...berthArgs])
})

test('the files contain the password as a hash, and the options that keep data and users on the volume', () => {
  const settings = { databasePassword: 'p\'a"s$s\n' }
  const [configuration, users, health] = launch([], null, settings).files
  const hash = createHash('sha256').update(settings.databasePassword).digest('hex')
  const lines = configuration!.content.split('\n')
  const options = ['appendonly yes', 'dir /data', 'port 6379', 'daemonize no', 'aclfile /data/.berth/users.acl']
  for (const line of options) assert.ok(lines.includes(line), line)
  assert.ok(!lines.some((line) => line.startsWith('user')))
  assert.equal(redis.dataPath(null), '/data')
  const healthHash = createHash('sha256').update(health!.content.trim()).digest('hex')
  assert.equal(users!.content, `user default on #${hash} ~* &* +@all\nuser berth-health on #${healthHash} +ping\n`)
  assert.match(health!.content, /^[0-9a-f]{64}\n$/)
  assert.notEqual(health!.content.trim(), hash)
  assert.ok(redis.health[2]!.includes(health!.path))
})

test('resets appenddirname only if the command sets it', () => {
  const isReset = (command: string[]) => launch(command).files[0]!.content.includes('appenddirname appendonlydir\n')
  assert.deepEqual([[], ['--AppendDirName', 'x'], ['--appenddirname x']].map(isReset), [false, true, true])
})

test('refuses arguments that name users or another file of users', () => {
  const refusedArguments: [args: string[], option: string | null][] = [
    [['--user', 'alice on nopass'], '--user'],
    [['--save', '', '--USER alice on nopass'], '--USER'],
    [['--aclfile', '/data/own.acl'], '--aclfile'],
    [['--masteruser', 'alice', '--acllog-max-len', '1'], null],
    [[], null],
  ]
  for (const [args, option] of refusedArguments) {
    const refusal = redis.refusedArgument!(args)
    assert.equal(refusal?.split(':', 1)[0] ?? null, option, args.join(' '))
  }
})

const urls: [databasePassword: string, host: string, url: string][] = [
  ['secret', 'db', 'redis://default:secret@db:6379'],
  ['secret', 'fd00::1', 'redis://default:secret@[fd00::1]:6379'],
  ['@:/?#[]%41', 'db', 'redis://default:%40%3A%2F%3F%23%5B%5D%2541@db:6379'],
  ['p\'a"s$s\\w`; -', 'db', 'redis://default:p%27a%22s%24s%5Cw%60%3B%20-@db:6379'],
  ['é☃+&=!*()~', 'db', 'redis://default:%C3%A9%E2%98%83%2B%26%3D%21*%28%29~@db:6379'],
]

test('the URL percent-encodes special characters in the password', () => {
  for (const [databasePassword, host, url] of urls) {
    assert.equal(redis.url({ databasePassword }, { host, port: 6379 }), url)
    assert.equal(decodeURIComponent(new URL(url).password), databasePassword)
  }
})

test("passes a caller's text only in the environment or as a hash", () => {
  const other = { databasePassword: '\'"; $(id)\\' }
  const otherAddress = { host: 'other-host', port: 15_432 }
  assert.deepEqual(redis.ready(other, otherAddress).argv, redis.ready(plain, address).argv)
  const [one, two] = [redis.rotate(plain, other, address, null), redis.rotate(other, plain, otherAddress, null)]
  assert.deepEqual(one.argv, two.argv)
  assert.match(one.stdin!, /^ACL SETUSER default on resetpass #[0-9a-f]{64}\n$/)
  assert.deepEqual(redis.save!(other, otherAddress).argv, one.argv)
  const { BERTH_HOST, BERTH_PORT, REDISCLI_AUTH, VALKEYCLI_AUTH } = two.env
  assert.deepEqual([BERTH_HOST, BERTH_PORT], ['other-host', '15432'])
  assert.deepEqual([REDISCLI_AUTH, VALKEYCLI_AUTH], [other.databasePassword, other.databasePassword])
  assert.deepEqual(redis.env(other), {})
})

test("reserves variables that the server reads after Berth's configuration, and names the alternative", () => {
  for (const name of ['VALKEY_EXTRA_FLAGS', 'REDIS_ARGS']) assert.match(redis.reserved[name]!, /command/)
  assert.equal(redis.reserved.REDISCLI_AUTH, undefined)
})
