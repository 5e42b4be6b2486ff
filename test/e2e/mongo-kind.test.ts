/**
 * The kind's programs inside real containers of MongoDB, with the old shell and with mongosh, and the real driver from
 * outside. The driver is the last one that speaks to a server of this age.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Document, MongoClient } from 'mongodb'
import { mongo } from '../../src/kinds/mongo/mongo.ts'
import { containersOf, done, inside, logOf, type Server, shell } from './container.ts'
import { representative, triesAll } from './representative.ts'
import { docker } from './swarm.ts'

type Credentials = { databaseUser: string; databasePassword: string }

const { label, start, serverOf, startServer, check, remove, removeAll, ready, rotate, urlOf } =
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

/** One command in `admin` over a connection of its own. */
async function command(server: Server, settings: Credentials, body: Document): Promise<Document> {
  return connected(urlOf(server, settings), (client) => client.db('admin').command(body))
}

async function refusalOf(url: string): Promise<number> {
  return connected(url, (client) => client.db('admin').command({ ping: 1 })).then(
    () => 0,
    (error: { code?: number }) => error.code ?? -1,
  )
}

const notes = (server: Server, settings: Credentials) =>
  connected(urlOf(server, settings), (client) => client.db('shop').collection('note').find({}).toArray())

const addNote = (server: Server, settings: Credentials, _id: number) =>
  connected(urlOf(server, settings), (client) =>
    client.db('shop').collection<{ _id: number }>('note').insertOne({ _id }),
  )

async function userOf(server: Server, settings: Credentials, databaseUser = settings.databaseUser) {
  const { users } = await command(server, settings, { usersInfo: { user: databaseUser, db: 'admin' } })
  return (users as Document[])[0]!
}

/**
 * The new credentials open, with the driver and in the container, and the ones before do not (18); in the container
 * that is seen each time only where all is tried.
 */
async function assertTaken(server: Server, from: Credentials, to: Credentials) {
  const { authInfo } = await command(server, to, { connectionStatus: 1 })
  assert.deepEqual(authInfo.authenticatedUsers, [{ user: to.databaseUser, db: 'admin' }])
  assert.deepEqual(await ready(server, to), { ...done, stdout: '3.6\n' })
  assert.equal(await refusalOf(urlOf(server, from)), 18)
  if (triesAll) assert.deepEqual(await ready(server, from), refused('Authentication failed.'))
}

/** As a text stands in JSON, without the quotation marks around it. */
const escaped = (text: string) => JSON.stringify(text).slice(1, -1)

const refused = (sentence: string) => ({ exitCode: 1, stdout: '', stderr: `${sentence}\n` })
const openDoor = 'It lets in whoever does not log in: take what turns authentication off out of the command'

/** The rest of a container's command, as the work loop makes it. */
const launched = (words: string[], memoryLimitMiB: number | null = null) =>
  mongo.launch!(first, words, memoryLimitMiB).args

test('the check waits for a server beyond the loopback, remembers its answer, and then sees it fail', async () => {
  // Its first process ends those that lost their parent: `mongod --shutdown` waits for that.
  const id = await start('3.6', '--entrypoint', 'bash', '--', '-c', 'while sleep 1; do :; done')
  const server = (line: string) => shell(id, `mongod --logpath /tmp/log ${line} >/dev/null`)
  const [bash] = (await shell(id, 'readlink -f "$(command -v bash)"')).stdout.split('\n')
  const withoutBash = async (expected: number) => {
    assert.deepEqual(await shell(id, `mv ${bash} /tmp/away`), done)
    assert.equal(await check(id), expected, 'an image without bash is looked at from outside')
    assert.deepEqual(await shell(id, `mv /tmp/away ${bash}`), done)
  }
  assert.equal(await check(id), 1)
  assert.equal((await server('--fork --bind_ip 127.0.0.1')).exitCode, 0)
  await withoutBash(1)
  assert.equal(await check(id), 1, 'a server that is still being set up listens on the loopback only')
  const { exitCode, stderr } = await ready(await serverOf(id), first)
  assert.equal(exitCode, 1)
  assert.match(stderr, /connect|ECONNREFUSED/)
  await server('--shutdown')
  assert.equal((await server('--fork --bind_ip_all')).exitCode, 0)
  await withoutBash(0)
  assert.deepEqual(await shell(id, 'rmdir /dev/shm/.berth-answered'), done)
  const lines = async () => Number((await shell(id, 'grep -c 127.0.0.1 /tmp/log')).stdout)
  const linesBefore = await lines()
  assert.equal(await check(id), 0)
  assert.equal((await lines()) - linesBefore, 2, 'the check costs little, and the server two lines in its log')
  await shell(id, 'pkill -STOP mongod || kill -STOP $(pidof mongod)')
  const askedAt = performance.now()
  assert.equal(await check(id), 1, 'an open port is no answer')
  assert.ok(performance.now() - askedAt >= 10_000, 'once it has answered it is asked every 10 seconds only')
  await remove({ id })
})

test("a command may add to the server's, and not take away what has to be", async () => {
  const limited = await startServer('3.6', first, '--', ...launched(['--quiet'], 512))
  const { argv } = await command(limited, first, { getCmdLineOpts: 1 })
  for (const part of ['--quiet', '--auth', '/data/db', '0.25']) assert.ok(argv.includes(part), part)
  await remove(limited)
  for (const word of ['--noauth', '--dbpath=/tmp', '--port=1']) {
    const id = await start('3.6', '--', ...launched([word]))
    assert.notDeepEqual(await docker('wait', id), ['0'], word)
    assert.match(await logOf(id), /not allowed when noauth|Multiple occurrences of option/, word)
  }
})

for (const version of representative(['3.6', '3.6-mongosh'])) {
  describe(`MongoDB ${version}`, () => {
    let server: Server
    let mounted: string[]
    before(async () => {
      const [volume] = await docker('volume', 'create', '--label', label)
      mounted = ['--volume', `${volume}:${mongo.dataPath(version)}`, '--']
      server = await startServer(version, first, ...mounted, ...launched(['--slowms', '0', '--profile', '2', '-vv']))
    })

    test('ready prints the series, over an address that asks for the password', async () => {
      assert.deepEqual(await ready(server, first), { ...done, stdout: '3.6\n' })
      for (const wrong of [{ databasePassword: 'wrong' }, { databaseUser: 'nobody' }]) {
        assert.deepEqual(await ready(server, { ...first, ...wrong }), refused('Authentication failed.'))
      }
      assert.equal(await refusalOf(urlOf(server, first)), 0)
    })

    test('a changed password holds, whatever it is made of', async () => {
      let now = first
      for (const databasePassword of [' :x=,%41 lead, trail ', `'\\\`$(id)\${HOME};--"\\`, `密码☃${'€'.repeat(252)}`]) {
        const next = mongo.settings.parse({ ...now, databasePassword }) as unknown as Credentials
        assert.deepEqual(await rotate(server, now, next), done)
        await assertTaken(server, now, next)
        now = next
      }
      assert.deepEqual(await rotate(server, now, first), done)
      assert.deepEqual(await rotate(server, first, first), done, 'done twice')
      await assertTaken(server, now, first)
    })

    test('a changed user takes over with equal rights, there and back, and nothing is lost', async () => {
      await addNote(server, first, 42)
      const custom = { updateUser: first.databaseUser, customData: { team: 'shop', size: 3 } }
      await command(server, first, custom)
      assert.deepEqual(await rotate(server, first, second), done)
      await assertTaken(server, first, second)
      const { roles, customData } = await userOf(server, second)
      assert.deepEqual([roles, customData], [[{ role: 'root', db: 'admin' }], { team: 'shop', size: 3 }])
      assert.deepEqual(await notes(server, second), [{ _id: 42 }])
      assert.ok(await userOf(server, second, first.databaseUser), 'the old one is still there')
      assert.deepEqual(await rotate(server, second, second), done, 'done twice')
      assert.equal((await rotate(server, first, second)).exitCode, 1, 'the old one changes nothing any more')
      assert.deepEqual(await rotate(server, second, first), done)
      await assertTaken(server, second, first)
      assert.deepEqual((await userOf(server, first)).roles, [{ role: 'root', db: 'admin' }])
      assert.deepEqual(await notes(server, first), [{ _id: 42 }])
    })

    test('what an attempt left half done is finished by the next, and what exists already is taken', async () => {
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
      await assertTaken(server, first, third)
      const { roles, customData } = await userOf(server, third)
      assert.deepEqual(customData, { its: 'own' })
      assert.deepEqual((roles as Document[]).map((it) => it.role).sort(), ['root', 'special'])
      await command(server, third, { updateUser: first.databaseUser, pwd: first.databasePassword })
      assert.deepEqual(await rotate(server, first, third), done, 'both held')
      await assertTaken(server, first, third)
      assert.deepEqual(await rotate(server, third, first), done)
      await assertTaken(server, third, first)
    })

    test('an attempt that fails changes nothing and tells no secret', async () => {
      const weak = { databaseUser: 'weak', databasePassword: 'hush-hush weak' }
      const wanted = { databaseUser: 'late', databasePassword: 'hush-hush late' }
      await command(server, first, { createUser: weak.databaseUser, pwd: weak.databasePassword, roles: [] })
      assert.equal((await ready(server, weak)).exitCode, 0, 'no right is needed to log in')
      const { exitCode, stdout, stderr } = await rotate(server, weak, wanted)
      assert.deepEqual([exitCode, stdout], [1, ''])
      assert.match(stderr, /not authorized on admin/)
      assert.ok(!stderr.includes('hush'))
      assert.equal((await ready(server, weak)).exitCode, 0)
      assert.equal(await refusalOf(urlOf(server, wanted)), 18)
    })

    test('a user whose one right is to change its password can be given another', async () => {
      const app = { databaseUser: 'app', databasePassword: 'one' }
      const privileges = [{ resource: { db: 'admin', collection: '' }, actions: ['changeOwnPassword'] }]
      await command(server, first, { createRole: 'self', privileges, roles: [] })
      await command(server, first, { createUser: 'app', pwd: 'one', roles: ['self'] })
      assert.deepEqual(await rotate(server, app, { ...app, databasePassword: 'two' }), done)
      await assertTaken(server, app, { ...app, databasePassword: 'two' })
    })

    test('a server that logs and profiles everything keeps no password', async () => {
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
      assert.ok(JSON.stringify(profile).includes(escaped(first.databaseUser)), 'names are found so')
    })

    test('no history, log or settings of a shell stay in the container', async () => {
      await shell(server.id, 'touch /tmp/before')
      assert.equal((await ready(server, first)).exitCode, 0)
      assert.equal((await rotate(server, first, first)).exitCode, 0)
      assert.deepEqual(await shell(server.id, 'cd /; find dev/shm root tmp home -newer /tmp/before -type f'), done)
      assert.deepEqual(await shell(server.id, 'ls -A /dev/shm'), { ...done, stdout: '.berth-answered\n' })
    })

    test('the URL opens the door to the shell', async () => {
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

    test('the next container finds the data and the users that were changed', async () => {
      await addNote(server, first, 43)
      const kept = await notes(server, first)
      assert.deepEqual(kept.at(-1), { _id: 43 })
      assert.deepEqual(await rotate(server, first, second), done)
      await docker('kill', server.id)
      await remove(server)
      const after = await startServer(version, first, ...mounted, ...launched([]))
      await assertTaken(after, first, second)
      assert.deepEqual(await notes(after, second), kept)
      await remove(after)
      const open = await startServer(version, first, ...mounted, 'bash', '-c', 'exec mongod --bind_ip_all')
      assert.deepEqual(await ready(open, second), refused(openDoor))
      assert.deepEqual(await ready(open, first), refused('Authentication failed.'))
      await remove(open)
    })
  })
}
