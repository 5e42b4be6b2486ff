/**
 * The kind's programs inside real MongoDB containers, with the mongo shell and with mongosh, and the driver from
 * outside. The driver is the last version that supports MongoDB 3.6.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { loginOutput } from '../../src/kinds/login-output.ts'
import { type Document, MongoClient } from 'mongodb'
import { mongo } from '../../src/kinds/mongo/mongo.ts'
import { containersOf, done, inside, logOf, type Server, shell } from './container.ts'
import { representative, shouldTestAll } from './representative.ts'
import { docker } from './swarm.ts'

type Credentials = { databaseUser: string; databasePassword: string }

const { label, start, serverOf, startServer, check, checkWithoutPauses, remove, removeAll, ready, rotate, urlOf } =
  containersOf<Credentials>(mongo, 'mongo')
const first: Credentials = { databaseUser: 'sp ace@ü:/#?[]%;-`😀"', databasePassword: 'p\'a"s$s\\w`ord; --' }
const second: Credentials = { databaseUser: 'o\'w"ner $x \\', databasePassword: '@:/?#[]% ☃ hush-hush' }

after(removeAll)

async function connected<T>(url: string, work: (client: MongoClient) => Promise<T>): Promise<T> {
  const client = new MongoClient(url, { serverSelectionTimeoutMS: 5000 })
  try {
    return await work(await client.connect())
  } finally {
    await client.close()
  }
}

/** Runs one command in the database `admin` over a new connection. */
async function command(server: Server, settings: Credentials, body: Document): Promise<Document> {
  return connected(urlOf(server, settings), (client) => client.db('admin').command(body))
}

/** Returns the error code of a connection, 0 if it succeeds, or -1 for an error without a code. */
async function refusalOf(url: string): Promise<number> {
  return connected(url, (client) => client.db('admin').command({ ping: 1 })).then(
    () => 0,
    (error: { code?: number }) => error.code ?? -1,
  )
}

const readDocuments = (server: Server, settings: Credentials) =>
  connected(urlOf(server, settings), (client) => client.db('shop').collection('note').find({}).toArray())

const addDocument = (server: Server, settings: Credentials, _id: number) =>
  connected(urlOf(server, settings), (client) =>
    client.db('shop').collection<{ _id: number }>('note').insertOne({ _id }),
  )

async function userOf(server: Server, settings: Credentials, databaseUser = settings.databaseUser) {
  const { users } = await command(server, settings, { usersInfo: { user: databaseUser, db: 'admin' } })
  return (users as Document[])[0]!
}

/**
 * Asserts that the new credentials log in, with the driver and in the container, and that the old ones fail with code
 * 18 (AuthenticationFailed). Only with BERTH_TEST_ALL, the old ones are also checked in the container.
 */
async function assertRotated(server: Server, from: Credentials, to: Credentials) {
  const { authInfo } = await command(server, to, { connectionStatus: 1 })
  assert.deepEqual(authInfo.authenticatedUsers, [{ user: to.databaseUser, db: 'admin' }])
  assert.equal(loginOutput((await ready(server, to)).stdout).version, '3.6')
  assert.equal(await refusalOf(urlOf(server, from)), 18)
  if (shouldTestAll) assert.deepEqual(await ready(server, from), refused('Authentication failed.'))
}

/** Returns the text as in JSON, without quotation marks. */
const escaped = (text: string) => JSON.stringify(text).slice(1, -1)

const refused = (message: string) => ({ exitCode: 1, stdout: '', stderr: `${message}\n` })
const authenticationOff = 'The server accepts clients without a login: remove the option that disables authentication'

/** Returns the container arguments that Berth makes of the arguments of a service's command. */
const launchArguments = (command: string[], memoryLimitMiB: number | null = null) =>
  mongo.launch!(first, command, memoryLimitMiB).args

test('the health check requires a server beyond loopback, slows down after a success, and detects a hang', async () => {
  // The loop reaps orphaned processes. `mongod --shutdown` waits until the server's process has been reaped.
  const id = await start('3.6', '--entrypoint', 'bash', '--', '-c', 'while sleep 1; do :; done')
  const mongod = (options: string) => shell(id, `mongod --logpath /tmp/log ${options} >/dev/null`)
  const [bash] = (await shell(id, 'readlink -f "$(command -v bash)"')).stdout.split('\n')
  const withoutBash = async (expected: number) => {
    assert.deepEqual(await shell(id, `mv ${bash} /tmp/bash`), done)
    assert.equal(await check(id), expected, 'the check works in an image without bash')
    assert.deepEqual(await shell(id, `mv /tmp/bash ${bash}`), done)
  }
  assert.equal(await check(id), 1)
  assert.equal((await mongod('--fork --bind_ip 127.0.0.1')).exitCode, 0)
  await withoutBash(1)
  assert.equal(await check(id), 1, 'a server that is being initialized listens on loopback only')
  const { exitCode, stderr } = await ready(await serverOf(id), first)
  assert.equal(exitCode, 1)
  assert.match(stderr, /connect|ECONNREFUSED/)
  await mongod('--shutdown')
  assert.equal((await mongod('--fork --bind_ip_all')).exitCode, 0)
  await withoutBash(0)
  assert.deepEqual(await shell(id, 'rmdir /dev/shm/.berth-answered'), done)
  const logLines = async () => Number((await shell(id, 'grep -c 127.0.0.1 /tmp/log')).stdout)
  const linesBefore = await logLines()
  assert.equal(await check(id), 0)
  assert.equal((await logLines()) - linesBefore, 2, 'a check adds two lines to the log of the server')
  await shell(id, 'pkill -STOP mongod || kill -STOP $(pidof mongod)')
  const later = { exitCode: 1, pauses: '10' }
  assert.deepEqual(await checkWithoutPauses(id), later, 'an open port is not enough, and it is asked after 10 seconds')
  await remove({ id })
})

test('a command can add server options, but not override required ones', async () => {
  const limited = await startServer('3.6', first, '--', ...launchArguments(['--quiet'], 512))
  const { argv } = await command(limited, first, { getCmdLineOpts: 1 })
  for (const part of ['--quiet', '--auth', '/data/db', '0.25']) assert.ok(argv.includes(part), part)
  await remove(limited)
  for (const option of ['--noauth', '--dbpath=/tmp', '--port=1']) {
    const id = await start('3.6', '--', ...launchArguments([option]))
    assert.notDeepEqual(await docker('wait', id), ['0'], option)
    assert.match(await logOf(id), /not allowed when noauth|Multiple occurrences of option/, option)
  }
})

for (const version of representative(['3.6', '3.6-mongosh'])) {
  describe(`MongoDB ${version}`, () => {
    let server: Server
    let mounted: string[]
    before(async () => {
      const [volume] = await docker('volume', 'create', '--label', label)
      mounted = ['--volume', `${volume}:${mongo.dataPath(version)}`, '--']
      server = await startServer(
        version,
        first,
        ...mounted,
        ...launchArguments(['--slowms', '0', '--profile', '2', '-vv']),
      )
    })

    test('ready prints the series and checks the password', async () => {
      const stdout = '3.6\n/data/db\n/data/db/*\n/data/db/*/*\n'
      assert.deepEqual(await ready(server, first), { ...done, stdout })
      for (const wrong of [{ databasePassword: 'wrong' }, { databaseUser: 'nobody' }]) {
        assert.deepEqual(await ready(server, { ...first, ...wrong }), refused('Authentication failed.'))
      }
      assert.equal(await refusalOf(urlOf(server, first)), 0)
    })

    test('a rotation accepts passwords with special characters', async () => {
      let current = first
      for (const databasePassword of [' :x=,%41 lead, trail ', `'\\\`$(id)\${HOME};--"\\`, `密码☃${'€'.repeat(252)}`]) {
        const next = mongo.settings.parse({ ...current, databasePassword }) as unknown as Credentials
        assert.deepEqual(await rotate(server, current, next), done)
        await assertRotated(server, current, next)
        current = next
      }
      assert.deepEqual(await rotate(server, current, first), done)
      assert.deepEqual(await rotate(server, first, first), done, 'a repeated rotation')
      await assertRotated(server, current, first)
    })

    test('a rotation to another user and back keeps roles and data', async () => {
      await addDocument(server, first, 42)
      const custom = { updateUser: first.databaseUser, customData: { team: 'shop', size: 3 } }
      await command(server, first, custom)
      assert.deepEqual(await rotate(server, first, second), done)
      await assertRotated(server, first, second)
      const { roles, customData } = await userOf(server, second)
      assert.deepEqual([roles, customData], [[{ role: 'root', db: 'admin' }], { team: 'shop', size: 3 }])
      assert.deepEqual(await readDocuments(server, second), [{ _id: 42 }])
      assert.ok(await userOf(server, second, first.databaseUser), 'the old user still exists')
      assert.deepEqual(await rotate(server, second, second), done, 'a repeated rotation')
      assert.equal((await rotate(server, first, second)).exitCode, 1, 'the old user cannot rotate')
      assert.deepEqual(await rotate(server, second, first), done)
      await assertRotated(server, second, first)
      assert.deepEqual((await userOf(server, first)).roles, [{ role: 'root', db: 'admin' }])
      assert.deepEqual(await readDocuments(server, first), [{ _id: 42 }])
    })

    test('a rotation completes an interrupted one and reuses an existing user', async () => {
      const third = { databaseUser: 'half', databasePassword: 'x' }
      const role = { role: 'special', db: 'admin' }
      await command(server, first, { createRole: 'special', privileges: [], roles: [] })
      await command(server, first, {
        createUser: 'half',
        pwd: 'other',
        roles: [role],
        customData: { its: 'own' },
        authenticationRestrictions: [{ clientSource: ['10.255.255.255'] }],
      })
      assert.deepEqual(await rotate(server, first, third), done)
      await assertRotated(server, first, third)
      const { roles, customData } = await userOf(server, third)
      assert.deepEqual(customData, { its: 'own' })
      assert.deepEqual((roles as Document[]).map(({ role }) => role).sort(), ['root', 'special'])
      await command(server, third, { updateUser: first.databaseUser, pwd: first.databasePassword })
      assert.deepEqual(await rotate(server, first, third), done, 'both credentials were valid')
      await assertRotated(server, first, third)
      assert.deepEqual(await rotate(server, third, first), done)
      await assertRotated(server, third, first)
    })

    test('a failed rotation changes nothing and prints no secret', async () => {
      const weak = { databaseUser: 'weak', databasePassword: 'hush-hush weak' }
      const wanted = { databaseUser: 'late', databasePassword: 'hush-hush late' }
      await command(server, first, { createUser: weak.databaseUser, pwd: weak.databasePassword, roles: [] })
      assert.equal((await ready(server, weak)).exitCode, 0, 'a user without rights can log in')
      const { exitCode, stdout, stderr } = await rotate(server, weak, wanted)
      assert.deepEqual([exitCode, stdout], [1, ''])
      assert.match(stderr, /not authorized on admin/)
      assert.ok(!stderr.includes('hush'))
      assert.equal((await ready(server, weak)).exitCode, 0)
      assert.equal(await refusalOf(urlOf(server, wanted)), 18)
    })

    test('rotates the password of a user whose only right is to change its own password', async () => {
      const app = { databaseUser: 'app', databasePassword: 'one' }
      const privileges = [{ resource: { db: 'admin', collection: '' }, actions: ['changeOwnPassword'] }]
      await command(server, first, { createRole: 'self', privileges, roles: [] })
      await command(server, first, { createUser: 'app', pwd: 'one', roles: ['self'] })
      assert.deepEqual(await rotate(server, app, { ...app, databasePassword: 'two' }), done)
      await assertRotated(server, app, { ...app, databasePassword: 'two' })
    })

    test('no password is in the log or the profile of a server that logs and profiles everything', async () => {
      const log = await logOf(server.id)
      assert.match(log, /updateUser/)
      const profile = await connected(urlOf(server, first), (client) =>
        client.db('admin').collection('system.profile').find({}).toArray(),
      )
      for (const text of [log, JSON.stringify(profile)]) {
        for (const secret of ['hush-hush', 'lead, trail', first.databasePassword, escaped(first.databasePassword)]) {
          assert.ok(!text.includes(secret), secret)
        }
      }
      assert.match(JSON.stringify(profile), /note|users/)
      assert.ok(JSON.stringify(profile).includes(escaped(first.databaseUser)), 'the profile contains user names')
    })

    test('ready and rotate leave no history, log or settings of a shell in the container', async () => {
      await shell(server.id, 'touch /tmp/before')
      assert.equal((await ready(server, first)).exitCode, 0)
      assert.equal((await rotate(server, first, first)).exitCode, 0)
      assert.deepEqual(await shell(server.id, 'cd /; find dev/shm root tmp home -newer /tmp/before -type f'), done)
      assert.deepEqual(await shell(server.id, 'ls -A /dev/shm'), { ...done, stdout: '.berth-answered\n' })
    })

    test('the shell connects with the connection URL', async () => {
      const status = 'db.getSiblingDB("admin").runCommand({ connectionStatus: 1 })'
      const print = `print(${status}.authInfo.authenticatedUsers[0].user)`
      const argv = [
        'sh',
        '-c',
        'HOME=/tmp exec "$(command -v mongo || command -v mongosh)" "$@"',
        'shell',
        urlOf(server, first),
        '--quiet',
        '--norc',
        '--eval',
        print,
      ]
      const { exitCode, stdout } = await inside(server.id, { argv, env: {} })
      assert.deepEqual([exitCode, stdout.trim().split('\n').at(-1)], [0, first.databaseUser])
    })

    test('a new container on the volume has the data and the rotated users', async () => {
      await addDocument(server, first, 43)
      const kept = await readDocuments(server, first)
      assert.deepEqual(kept.at(-1), { _id: 43 })
      assert.deepEqual(await rotate(server, first, second), done)
      await docker('kill', server.id)
      await remove(server)
      const restarted = await startServer(version, first, ...mounted, ...launchArguments([]))
      await assertRotated(restarted, first, second)
      assert.deepEqual(await readDocuments(restarted, second), kept)
      await remove(restarted)
      const open = await startServer(version, first, ...mounted, 'bash', '-c', 'exec mongod --bind_ip_all')
      assert.deepEqual(await ready(open, second), refused(authenticationOff))
      assert.deepEqual(await ready(open, first), refused('Authentication failed.'))
      await remove(open)
    })
  })
}
