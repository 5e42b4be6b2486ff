/** Readiness, health check and data of servers of the Redis kind, in real containers of Redis and Valkey. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { loginOutput } from '../../src/kinds/login-output.ts'
import { redis } from '../../src/kinds/redis/redis.ts'
import { isSameVersion } from '../../src/lib/text/version.ts'
import { until } from '../engine/until.ts'
import { done, inside, type Server, shell } from './container.ts'
import {
  assertExited,
  begin,
  beginWith,
  check,
  checkWithoutPauses,
  entryPoint,
  first,
  healthy,
  images,
  mountNewVolume,
  mounts,
  ready,
  removeContainers,
  send,
  startServer,
  wrong,
} from './redis-containers.ts'
import { representative } from './representative.ts'
import { docker } from './swarm.ts'

after(removeContainers)

for (const image of representative(images)) {
  describe(image, () => {
    let server: Server
    before(async () => {
      server = await startServer(image, first, [], [], 64)
    })

    test('ready prints the version as in an image tag, and only with the correct password', async () => {
      const { exitCode, stdout, stderr } = await ready(server, first)
      assert.deepEqual([exitCode, stderr], [0, ''])
      const { version, paths } = loginOutput(stdout)
      assert.match(version!, /^\d+\.\d+$/)
      assert.ok(isSameVersion(version!, redis.versionOf(image.split(':')[1]!)!))
      assert.deepEqual(paths, ['/data', '/data/*', '/data/*/*'])
      const refused = await ready(server, wrong)
      assert.deepEqual([refused.exitCode, refused.stdout], [1, ''])
      assert.match(refused.stderr, /^AUTH failed: WRONGPASS .*\n$/)
      const right = { REDISCLI_AUTH: first.databasePassword, VALKEYCLI_AUTH: first.databasePassword }
      assert.equal((await ready(server, wrong, right)).exitCode, 1)
      const wrongVariables = { REDISCLI_AUTH: 'wrong', VALKEYCLI_AUTH: 'wrong' }
      assert.equal((await ready(server, first, wrongVariables)).exitCode, 0)
      const unreachable = { ...server, address: { host: '127.0.0.1', port: 1 } }
      assert.match((await ready(unreachable, first)).stderr, /^Could not connect .*refused\n$/)
    })

    test('a server without a password or without an append-only file is not ready', async () => {
      const readyOf = async (...args: string[]) => {
        const unsafe = await beginWith(image, '--', ...args)
        await until('a response', async () =>
          /^The (?:server accepts|append-only)/.test((await ready(unsafe, first)).stderr),
        )
        return ready(unsafe, first)
      }
      assert.deepEqual(await readyOf(), {
        ...done,
        exitCode: 1,
        stderr: 'The server accepts clients without a password\n',
      })
      assert.deepEqual(await readyOf('--requirepass', first.databasePassword), {
        ...done,
        exitCode: 1,
        stderr: 'The append-only file is off, so the server can lose data\n',
      })
    })

    test('data that was written to the append-only file survives a kill', async () => {
      const mount = await mountNewVolume()
      const before = await startServer(image, first, [], mount)
      await send(before, first, 'SET', 'old', 'one')
      await send(before, first, 'BGREWRITEAOF')
      await send(before, first, 'CONFIG', 'SET', 'appendfsync', 'always')
      await send(before, first, 'SET', 'new', 'two')
      await docker('kill', before.id)
      const after = await startServer(image, first, ['--appenddirname', 'x', '--save', ''], mount)
      assert.deepEqual(await send(after, first, 'MGET', 'old', 'new'), ['one', 'two'])
    })

    test('a server that is still loading its data is neither healthy nor ready', async () => {
      const mount = await mountNewVolume()
      const before = await startServer(image, first, [], mount)
      const fill = 'for i = 1, 60000 do redis.call("set", i, i) end'
      await send(before, first, 'EVAL', fill, '0')
      await docker('stop', before.id)
      const loading = await begin(image, first, ['--key-load-delay', '1000'], mount)
      await until(
        'the server to load',
        async () => (await ready(loading, first)).stderr === 'The server still loads its data\n',
      )
      assert.equal((await inside(loading.id, { argv: ['timeout', '1', ...redis.health], env: {} })).exitCode, 124)
      await send(loading, first, 'CONFIG', 'SET', 'key-load-delay', '0')
      await healthy(loading.id)
      assert.equal((await ready(loading, first)).exitCode, 0)
      assert.equal(await send(loading, first, 'DBSIZE'), 60_000)
    })

    test("the health check's user can only call PING, and a busy server is healthy", async () => {
      const asUser = (...command: string[]) =>
        shell(
          server.id,
          `export REDISCLI_AUTH="$(cat /usr/local/etc/berth/redis-health)"
          exec $(command -v valkey-cli || command -v redis-cli) --user berth-health ${command.join(' ')}`,
        )
      assert.equal((await asUser('PING')).stdout, 'PONG\n')
      const refused = [['GET', 'a'], ['INFO'], ['ACL', 'LIST'], ['CONFIG', 'GET', 'dir'], ['PUBLISH', 'a', 'b']]
      for (const command of refused) {
        assert.match((await asUser(...command)).stdout, /^NOPERM/, command.join(' '))
      }
      await send(server, first, 'CONFIG', 'SET', 'busy-reply-threshold', '10')
      const busy = send(server, first, 'EVAL', 'while true do end', '0').catch(String)
      await until('the server to be busy', async () => (await asUser('PING')).stdout.startsWith('BUSY'))
      await shell(server.id, 'rm -r /dev/shm/.berth-answered')
      assert.equal(await check(server.id), 0)
      assert.match((await ready(server, first)).stderr, /^BUSY/)
      await send(server, first, 'SCRIPT', 'KILL')
      await busy
    })
  })
}

test('the health check waits for a server, remembers its first answer, and then notices its end', async () => {
  const { args, files, before } = redis.launch!(first, [], null)
  const { id } = await beginWith('redis:8', ...mounts(files), '--entrypoint', 'sleep', '--', 'infinity')
  assert.equal(await check(id), 1)
  await docker('exec', '--detach', id, ...before!, entryPoint, ...args)
  assert.equal(await check(id), 0)
  assert.equal((await shell(id, 'kill "$(pidof redis-server || pidof redis-check-rdb)"')).exitCode, 0)
  const later = { exitCode: 1, pauses: '10' }
  assert.deepEqual(await checkWithoutPauses(id), later, 'after its first answer the server is asked every 10 seconds')
})

test('a newer version opens the data of an older one, and another product refuses the data', async () => {
  const mount = await mountNewVolume()
  const old = await startServer('redis:7', first, [], mount)
  await send(old, first, 'SET', 'a', 'one')
  await docker('stop', old.id)
  const newer = await startServer('redis:8', first, [], mount)
  assert.equal(await send(newer, first, 'GET', 'a'), 'one')
  await send(newer, first, 'BGREWRITEAOF')
  await until('the rewrite', async () =>
    String(await send(newer, first, 'INFO', 'persistence')).includes('aof_rewrite_in_progress:0'),
  )
  await send(newer, first, 'SET', 'b', 'two')
  await docker('stop', newer.id)
  await assertExited(await begin('valkey/valkey:9', first, [], mount), /RDB format version 12/)
  const newerAgain = await startServer('redis:8', first, [], mount)
  assert.deepEqual(await send(newerAgain, first, 'MGET', 'a', 'b'), ['one', 'two'])
})
