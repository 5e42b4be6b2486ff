/**
 * The kind's programs inside real containers of Redis and Valkey, and a real client from outside. Knows nothing of the
 * swarm and of Berth's loops: a container each, its address on the bridge, and what the kind says to run in it.
 */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { createClient } from 'redis'
import { redis } from '../../src/kinds/redis/redis.ts'
import { isSameVersion } from '../../src/lib/text/version.ts'
import { until } from '../engine/until.ts'
import { containersOf, done, inside, logOf, type Server, shell } from './container.ts'
import { representative } from './representative.ts'
import { docker } from './swarm.ts'

type Settings = { databasePassword: string }

const products = Object.fromEntries(
  ['redis', 'valkey/valkey'].map((image) => [image, containersOf<Settings>(redis, image)]),
)
const { label, check, healthy, ready, rotate, serverOf, removeAll } = products.redis!
const folder = mkdtempSync(join(tmpdir(), 'berth-test-'))
const first: Settings = { databasePassword: 'p\'a"s$s\\w`ord; --' }
const wrong: Settings = { databasePassword: 'wrong' }

let count = 0
/** As the swarm's configurations are mounted: by their paths, for everybody to read and nobody to write. */
function mounts(files: { path: string; content: string }[]): string[] {
  return files.flatMap(({ path, content }) => {
    const place = join(folder, String(++count), basename(path))
    mkdirSync(dirname(place))
    writeFileSync(place, content, { mode: 0o444 })
    return ['--volume', `${place}:${path}:ro`]
  })
}

/** With the entry point's arguments as they stand after `--`. */
async function beginAs(image: string, ...words: string[]): Promise<Server> {
  const [product, version] = image.split(':')
  return products[product!]!.begin(version!, first, ...words)
}

/** Not waited for. */
async function begin(
  image: string,
  settings: Settings,
  words: string[] = [],
  options: string[] = [],
  memoryMiB: number | null = null,
): Promise<Server> {
  const { args, files } = redis.launch!(settings, words, memoryMiB)
  return beginAs(image, ...mounts(files), ...options, '--', ...args)
}

async function startServer(...it: Parameters<typeof begin>): Promise<Server> {
  const server = await begin(...it)
  await healthy(server.id)
  return server
}

/** One command over a connection of its own, by the URL as it stands. */
async function ask({ address }: Server, settings: Settings, ...words: string[]): Promise<unknown> {
  const client = createClient({ url: redis.url(settings, address), RESP: 2, socket: { reconnectStrategy: false } })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return await client.sendCommand(words)
  } finally {
    client.destroy()
  }
}

async function option(server: Server, name: string): Promise<string> {
  return ((await ask(server, first, 'CONFIG', 'GET', name)) as [string, string])[1]
}

/** The new password opens, with node-redis and with redis-cli, and neither the one before nor none does. */
async function assertTaken(server: Server, from: Settings, to: Settings) {
  assert.equal(await ask(server, to, 'PING'), 'PONG')
  assert.equal((await ready(server, to)).exitCode, 0)
  const client = `exec $(command -v valkey-cli || command -v redis-cli) -u "$url" PING`
  const byUrl = { argv: ['sh', '-c', client], env: { url: redis.url(to, server.address) } }
  assert.equal((await inside(server.id, byUrl)).stdout, 'PONG\n')
  await assert.rejects(ask(server, from, 'PING'), /WRONGPASS/)
  const { exitCode, stdout, stderr } = await ready(server, from)
  assert.deepEqual([exitCode, stdout], [1, ''])
  assert.match(stderr, /^AUTH failed: WRONGPASS .*\n$/)
}

async function assertGone({ id }: Server, log: RegExp) {
  await until(
    'the container to end',
    async () => (await docker('inspect', '--format', '{{.State.Status}}', id))[0] === 'exited',
  )
  assert.match(await logOf(id), log)
}

const newVolume = async () => (await docker('volume', 'create', '--label', label))[0]!

after(async () => {
  await removeAll()
  rmSync(folder, { recursive: true, force: true })
})

for (const image of representative(['redis:8', 'redis:7', 'valkey/valkey:9'])) {
  describe(image, () => {
    let server: Server
    before(async () => {
      server = await startServer(image, first, [], [], 64)
    })

    test('ready prints the version that a tag would name, with the right password only', async () => {
      const { exitCode, stdout, stderr } = await ready(server, first)
      assert.deepEqual([exitCode, stderr], [0, ''])
      assert.match(stdout, /^\d+\.\d+\n$/)
      assert.ok(isSameVersion(stdout.trim(), redis.versionOf(image.split(':')[1]!)!))
      assert.equal((await ready(server, wrong)).exitCode, 1)
      const right = { REDISCLI_AUTH: first.databasePassword, VALKEYCLI_AUTH: first.databasePassword }
      assert.equal((await ready(server, wrong, right)).exitCode, 1)
      const misled = { REDISCLI_AUTH: 'wrong', VALKEYCLI_AUTH: 'wrong' }
      assert.equal((await ready(server, first, misled)).exitCode, 0)
      const nowhere = { ...server, address: { host: '127.0.0.1', port: 1 } }
      assert.match((await ready(nowhere, first)).stderr, /^Could not connect .*refused\n$/)
    })

    test('a server that lets everybody in, or would lose its data, is not ready', async () => {
      const run = async (...words: string[]) => {
        const it = await beginAs(image, '--', ...words)
        await until('an answer', async () => /^Its? /.test((await ready(it, first)).stderr))
        return ready(it, first)
      }
      assert.deepEqual(await run(), { ...done, exitCode: 1, stderr: 'It answers without a password\n' })
      assert.deepEqual(await run('--requirepass', first.databasePassword), {
        ...done,
        exitCode: 1,
        stderr: 'Its append-only file is off, so that it would lose data\n',
      })
    })

    test('no command takes the password, the data or the address away', async () => {
      const words = [
        '--maxmemory-policy',
        'allkeys-lru',
        '--requirepass',
        '',
        '--appendonly',
        'no',
        '--save',
        '',
        '--dir',
        '/tmp',
        '--appendfilename',
        'x',
        '--appenddirname',
        'x',
        '--port',
        '0',
        '--bind',
        '127.0.0.1',
        '--daemonize',
        'yes',
      ]
      const it = await startServer(image, first, words)
      await assertTaken(it, wrong, first)
      const wanted = {
        'maxmemory-policy': 'allkeys-lru',
        appendonly: 'yes',
        save: '',
        dir: '/data',
        appendfilename: 'appendonly.aof',
        appenddirname: 'appendonlydir',
        port: '6379',
        maxmemory: '0',
      }
      for (const [name, value] of Object.entries(wanted)) assert.equal(await option(it, name), value, name)
    })

    test('a command whose end would swallow what follows opens nothing', async () => {
      await assertGone(await begin(image, first, ['--requirepass']), /wrong number of arguments/)
      await assertGone(await begin(image, first, ['--user', 'default', 'on', 'nopass']), /Duplicate user/)
      const bound = await startServer(image, first, ['--bind'])
      assert.equal((await ready(bound, first)).exitCode, 0)
    })

    test("what is kept in memory is bounded below the container's memory, unless the command says more", async () => {
      assert.equal(await option(server, 'maxmemory'), String(48 * 1024 * 1024))
      const more = await startServer(image, first, ['redis-server', '--maxmemory', '60mb'], [], 64)
      assert.equal(await option(more, 'maxmemory'), String(60 * 1024 * 1024))
    })

    test("a configuration file of the image's is read first", async () => {
      const path = '/etc/berth-test/own.conf'
      const own = mounts([{ path, content: 'maxmemory 40mb\nappendonly no\nrequirepass other\ntimeout 77\n' }])
      const it = await startServer(image, first, [path, '--loglevel', 'verbose'], own, 64)
      await assertTaken(it, { databasePassword: 'other' }, first)
      assert.deepEqual(await Promise.all(['maxmemory', 'timeout', 'appendonly'].map((name) => option(it, name))), [
        String(40 * 1024 * 1024),
        '77',
        'yes',
      ])
    })

    test('a changed password holds, whatever it is made of, there and back, and done twice', async () => {
      let now = first
      const passwords = [
        'hush-hush',
        ' lead, trail ',
        '-a',
        '--',
        '@:/?#[]%41+&=',
        `"'\\\`$(id)\${HOME};`,
        '#<>~*&+',
        'nopass',
        'ﬁª\u00a0e\u0301\u00ad☃😀',
        'é'.repeat(256),
        '\\x41\\',
      ]
      for (const databasePassword of passwords) {
        const next = redis.settings.parse({ databasePassword }) as Settings
        assert.deepEqual(await rotate(server, now, next), done)
        await assertTaken(server, now, next)
        now = next
      }
      assert.deepEqual(await rotate(server, now, first), done)
      assert.deepEqual(await rotate(server, first, first), done)
      await assertTaken(server, now, first)
      const refused = await rotate(server, wrong, now)
      assert.deepEqual([refused.exitCode, refused.stdout], [1, ''])
      assert.match(refused.stderr, /WRONGPASS/)
      await assertTaken(server, now, first)
      for (const hidden of passwords) assert.ok(!(await logOf(server.id)).includes(hidden) || hidden.length < 4, hidden)
    })

    test('it starts with every password, and the one that the server was given meanwhile goes', async () => {
      const odd = { databasePassword: ' -@:/?#[]%41 "\'☃\\ ' }
      const it = await startServer(image, odd)
      await assertTaken(it, wrong, odd)
      assert.equal(await ask(it, odd, 'CONFIG', 'SET', 'requirepass', 'hush'), 'OK')
      await assertTaken(it, odd, { databasePassword: 'hush' })
      await docker('restart', it.id)
      await healthy(it.id)
      await assertTaken(await serverOf(it.id), { databasePassword: 'hush' }, odd)
    })

    test('what was written and has reached the file survives a kill', async () => {
      const mount = ['--volume', `${await newVolume()}:${redis.dataPath(null)}`]
      const before = await startServer(image, first, [], mount)
      await ask(before, first, 'SET', 'old', 'one')
      await ask(before, first, 'BGREWRITEAOF')
      await ask(before, first, 'CONFIG', 'SET', 'appendfsync', 'always')
      await ask(before, first, 'SET', 'new', 'two')
      await docker('kill', before.id)
      const after = await startServer(image, first, ['--appenddirname', 'x', '--save', ''], mount)
      assert.deepEqual(await ask(after, first, 'MGET', 'old', 'new'), ['one', 'two'])
    })

    test('while it still reads its data it is neither healthy nor ready', async () => {
      const mount = ['--volume', `${await newVolume()}:${redis.dataPath(null)}`]
      const before = await startServer(image, first, [], mount)
      const fill = 'for i = 1, 60000 do redis.call("set", i, i) end'
      await ask(before, first, 'EVAL', fill, '0')
      await docker('stop', before.id)
      const loading = await begin(image, first, ['--key-load-delay', '1000'], mount)
      await until('it to load', async () => (await ready(loading, first)).stderr === 'It is still reading its data\n')
      assert.equal((await inside(loading.id, { argv: ['timeout', '1', ...redis.health], env: {} })).exitCode, 124)
      await ask(loading, first, 'CONFIG', 'SET', 'key-load-delay', '0')
      await healthy(loading.id)
      assert.equal((await ready(loading, first)).exitCode, 0)
      assert.equal(await ask(loading, first, 'DBSIZE'), 60_000)
    })

    test("the check's own user may do nothing but ask for a sign of life, and a busy server gives one", async () => {
      const asUser = (...words: string[]) =>
        shell(
          server.id,
          `export REDISCLI_AUTH="$(cat /usr/local/etc/berth/redis-health)"
          exec $(command -v valkey-cli || command -v redis-cli) --user berth-health ${words.join(' ')}`,
        )
      assert.equal((await asUser('PING')).stdout, 'PONG\n')
      for (const words of [['GET', 'a'], ['INFO'], ['ACL', 'LIST'], ['CONFIG', 'GET', 'dir'], ['PUBLISH', 'a', 'b']]) {
        assert.match((await asUser(...words)).stdout, /^NOPERM/, words.join(' '))
      }
      await ask(server, first, 'CONFIG', 'SET', 'busy-reply-threshold', '10')
      const busy = ask(server, first, 'EVAL', 'while true do end', '0').catch(String)
      await until('it to be busy', async () => (await asUser('PING')).stdout.startsWith('BUSY'))
      await shell(server.id, 'rm -r /dev/shm/.berth-answered')
      assert.equal(await check(server.id), 0)
      assert.match((await ready(server, first)).stderr, /^BUSY/)
      await ask(server, first, 'SCRIPT', 'KILL')
      await busy
    })
  })
}

test('the check waits for a server, remembers its first answer, and then sees it fail', async () => {
  const { args, files } = redis.launch!(first, [], null)
  const { id } = await beginAs('redis:8', ...mounts(files), '--entrypoint', 'sleep', '--', 'infinity')
  assert.equal(await check(id), 1)
  await docker('exec', '--detach', id, 'docker-entrypoint.sh', ...args)
  assert.equal(await check(id), 0)
  assert.equal((await shell(id, 'kill "$(pidof redis-server || pidof redis-check-rdb)"')).exitCode, 0)
  const stoppedAt = performance.now()
  assert.equal(await check(id), 1)
  assert.ok(performance.now() - stoppedAt >= 10_000, 'once it has answered it is asked every 10 seconds only')
})

test('a newer version opens what an older one wrote; another product refuses and leaves it as it is', async () => {
  const mount = ['--volume', `${await newVolume()}:${redis.dataPath(null)}`]
  const old = await startServer('redis:7', first, [], mount)
  await ask(old, first, 'SET', 'a', 'one')
  await docker('stop', old.id)
  const newer = await startServer('redis:8', first, [], mount)
  assert.equal(await ask(newer, first, 'GET', 'a'), 'one')
  await ask(newer, first, 'BGREWRITEAOF')
  await until('the rewrite', async () =>
    String(await ask(newer, first, 'INFO', 'persistence')).includes('aof_rewrite_in_progress:0'),
  )
  await ask(newer, first, 'SET', 'b', 'two')
  await docker('stop', newer.id)
  await assertGone(await begin('valkey/valkey:9', first, [], mount), /RDB format version 12/)
  const back = await startServer('redis:8', first, [], mount)
  assert.deepEqual(await ask(back, first, 'MGET', 'a', 'b'), ['one', 'two'])
})
