/** Commands, configuration files and passwords of the Redis kind, in real containers of Redis and Valkey. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { redis } from '../../src/kinds/redis/redis.ts'
import { done, logOf, type Server, shell } from './container.ts'
import {
  assertChanged,
  assertExited,
  begin,
  first,
  healthy,
  images,
  mounts,
  open,
  ready,
  removeContainers,
  rotate,
  save,
  send,
  serverOf,
  type Settings,
  startServer,
  wrong,
} from './redis-containers.ts'
import { representative } from './representative.ts'
import { docker } from './swarm.ts'

after(removeContainers)

/** Passwords with special characters. The second list splits passwords of the first list. */
const passwords = representative([
  [
    'nopass',
    `--@:/?#[]%41+&= "'\\\`$(id)\${HOME}; \\x41\\`,
    '#<>~*&+ lead, trail ',
    ' ﬁª\u00a0e\u0301\u00ad☃😀',
    'é'.repeat(256),
  ],
  ['hush-hush', ' lead, trail ', '-a', '--', '@:/?#[]%41+&=', `"'\\\`$(id)\${HOME};`, '#<>~*&+', '\\x41\\'],
]).flat()

async function option(server: Server, name: string): Promise<string> {
  return ((await send(server, first, 'CONFIG', 'GET', name)) as [string, string])[1]
}

for (const image of representative(images)) {
  describe(image, () => {
    let server: Server
    before(async () => {
      server = await startServer(image, first, [], [], 64)
    })

    test('a command cannot change the password, the data folder or the address', async () => {
      const command = [
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
      const configured = await startServer(image, first, command)
      await assertChanged(configured, wrong, first)
      const expected = {
        'maxmemory-policy': 'allkeys-lru',
        appendonly: 'yes',
        save: '',
        dir: '/data',
        appendfilename: 'appendonly.aof',
        appenddirname: 'appendonlydir',
        port: '6379',
        maxmemory: '0',
      }
      for (const [name, value] of Object.entries(expected)) assert.equal(await option(configured, name), value, name)
    })

    test('a command with an incomplete option at its end does not disable the password', async () => {
      await assertExited(await begin(image, first, ['--requirepass']), /wrong number of arguments/)
      await assertExited(
        await begin(image, first, ['--user', 'default', 'on', 'nopass']),
        /an ACL file path is invalid/,
      )
      const bound = await startServer(image, first, ['--bind'])
      assert.equal((await ready(bound, first)).exitCode, 0)
    })

    test("maxmemory is below the container's memory limit unless the command sets a higher value", async () => {
      assert.equal(await option(server, 'maxmemory'), String(48 * 1024 * 1024))
      const raised = await startServer(image, first, ['redis-server', '--maxmemory', '60mb'], [], 64)
      assert.equal(await option(raised, 'maxmemory'), String(60 * 1024 * 1024))
    })

    test("Berth's settings override those of a configuration file of the image", async () => {
      const path = '/etc/berth-test/own.conf'
      const options = mounts([{ path, content: 'maxmemory 40mb\nappendonly no\nrequirepass other\ntimeout 77\n' }])
      const configured = await startServer(image, first, [path, '--loglevel', 'verbose'], options, 64)
      await assertChanged(configured, { databasePassword: 'other' }, first)
      const names = ['maxmemory', 'timeout', 'appendonly']
      const values = await Promise.all(names.map((name) => option(configured, name)))
      assert.deepEqual(values, [String(40 * 1024 * 1024), '77', 'yes'])
    })

    test('a changed password works with every kind of character, and a rotation can be repeated', async () => {
      let current = first
      for (const databasePassword of passwords) {
        const next = redis.settings.parse({ databasePassword }) as Settings
        assert.deepEqual(await rotate(server, current, next), done)
        await assertChanged(server, current, next)
        current = next
      }
      assert.deepEqual(await rotate(server, current, first), done)
      assert.deepEqual(await rotate(server, first, first), done)
      await assertChanged(server, current, first)
      const refused = await rotate(server, wrong, current)
      assert.deepEqual([refused.exitCode, refused.stdout], [1, ''])
      assert.match(refused.stderr, /WRONGPASS/)
      await assertChanged(server, current, first)
      const log = await logOf(server.id)
      for (const password of passwords) assert.ok(!log.includes(password) || password.length < 4, password)
    })

    test('a server starts with unusual characters in the password, and a restart undoes a change that is not saved', async () => {
      const unusual = { databasePassword: ' -@:/?#[]%41 "\'☃\\ ' }
      const restarted = await startServer(image, unusual)
      await assertChanged(restarted, wrong, unusual)
      assert.equal(await send(restarted, unusual, 'CONFIG', 'SET', 'requirepass', 'hush'), 'OK')
      await assertChanged(restarted, unusual, { databasePassword: 'hush' })
      await docker('restart', restarted.id)
      await healthy(restarted.id)
      await assertChanged(await serverOf(restarted.id), { databasePassword: 'hush' }, unusual)
    })

    test('a changed password and the users stay after a restart, and sessions stay open during the change', async () => {
      const [second, third] = [{ databasePassword: 'the second' }, { databasePassword: 'the third' }]
      const changing = await startServer(image, first)
      await send(changing, first, 'ACL', 'SETUSER', 'alice', 'on', '>hers', '~a*', '+get')
      await send(changing, first, 'ACL', 'SETUSER', 'default', '-flushall')
      const session = await open(changing, first)
      const subscriber = await open(changing, first)
      const heard = Promise.withResolvers<string>()
      await subscriber.subscribe('news', heard.resolve)
      await session.sendCommand(['WATCH', 'a'])
      await session.sendCommand(['MULTI'])
      assert.deepEqual(await rotate(changing, first, second), done)
      await assertChanged(changing, first, second)
      assert.equal(await session.sendCommand(['SET', 'a', 'one']), 'QUEUED')
      assert.deepEqual(await session.sendCommand(['EXEC']), ['OK'])
      await session.sendCommand(['PUBLISH', 'news', 'still here'])
      assert.equal(await heard.promise, 'still here')
      session.destroy()
      subscriber.destroy()
      await docker('kill', changing.id)
      await docker('start', changing.id)
      await healthy(changing.id)
      const restarted = await serverOf(changing.id)
      await assertChanged(restarted, first, second)
      const users = (await send(restarted, second, 'ACL', 'LIST')) as string[]
      assert.deepEqual(
        users.map((line) => line.split(' ')[1]),
        ['alice', 'berth-health', 'default'],
      )
      await assert.rejects(send(restarted, second, 'FLUSHALL'), /NOPERM/)
      // As after a crash between the change in memory and the change of the file.
      const hash = createHash('sha256').update(third.databasePassword).digest('hex')
      await send(restarted, second, 'ACL', 'SETUSER', 'default', 'resetpass', `#${hash}`)
      assert.deepEqual(await save(restarted, third), done)
      await docker('restart', changing.id)
      await healthy(changing.id)
      await assertChanged(await serverOf(changing.id), second, third)
    })

    test('a server that lost its users begins with the first password, and a full disk changes no password', async () => {
      const second = { databasePassword: 'the second' }
      const losing = await startServer(image, first)
      assert.deepEqual(await rotate(losing, first, second), done)
      await shell(losing.id, 'rm -r /data/.berth')
      await docker('restart', losing.id)
      await healthy(losing.id)
      const restarted = await serverOf(losing.id)
      await assertChanged(restarted, second, first)
      // Root can write to a folder that others cannot.
      await shell(losing.id, 'rm -r /data/.berth && : > /data/.berth')
      const refused = await rotate(restarted, first, second)
      assert.equal(refused.exitCode, 1)
      assert.notEqual(refused.stderr, '')
      await assertChanged(restarted, second, first)
    })
  })
}
