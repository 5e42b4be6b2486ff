/** Servers that keep data outside their volume, on a real swarm: in a container, which each restart replaces. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import { kindNamed } from '../../src/kinds/index.ts'
import type { Kind } from '../../src/kinds/kind.ts'
import { freePort } from '../fixtures/free-port.ts'
import { until } from '../engine/until.ts'
import { startClient, startQueries } from './waiting-client.ts'
import { clients } from './clients.ts'
import { type DatabaseClients, databaseClientsOn, type Fields } from './database-clients.ts'
import type { Database } from '../fixtures/database-clients.ts'
import { representative, representativeImages, shouldTestAll } from './representative.ts'
import { containersOf, docker, dockerHost, type Swarm } from './swarm.ts'

/** An image whose entry script puts the data elsewhere, whatever the variables of the container say. */
const movedImage = `FROM postgres:15
RUN install -d -o postgres /srv/pg
ENTRYPOINT ["sh", "-c", "PGDATA=/srv/pg/data exec docker-entrypoint.sh \\"$@\\"", "sh"]
CMD ["postgres"]
`

async function build(image: string, text: string): Promise<void> {
  const program = promisify(execFile)('docker', ['--host', dockerHost, 'build', '--quiet', '--tag', image, '-'])
  program.child.stdin!.end(text)
  await program
}

/** How a server is deployed so that its data is elsewhere, and the place that Berth names. */
type FirstDeploy = [kind: string, title: string, fields: Fields, place: string]

const moveByCommand: FirstDeploy = [
  'mysql',
  'an option in the command',
  { command: '--datadir=/srv/mysql' },
  '/srv/mysql',
]
const firstDeploys: FirstDeploy[] = [
  // mysql-kinds.test.ts asserts that the login prints this folder.
  ...(shouldTestAll ? [moveByCommand] : []),
  ['mariadb', 'an option for the redo log', { command: '--innodb-log-group-home-dir=/run/mysqld' }, '/run/mysqld'],
  ['postgres', 'the entry script of the image', { dockerImage: 'berth-test-moved-data' }, '/srv/pg/data'],
  [
    'postgres',
    'a symbolic link of initdb',
    { env: 'POSTGRES_INITDB_ARGS=--waldir=/tmp/wal' },
    '/var/lib/postgresql/data/pg_wal (a symbolic link leads to /tmp/wal)',
  ],
]

const mariadbRoot = 'mariadb -uroot -p"$MARIADB_ROOT_PASSWORD" shop -e '

/** Shell commands that move data of a running server out of the volume and back, and the place that Berth names. */
const moves: Record<string, [out: string, back: string, place: string]> = {
  postgres: [
    `install -d -o postgres /srv/fast; psql -qU shop -c "create tablespace fast location '/srv/fast'"`,
    'psql -qU shop -c "drop tablespace fast"',
    '/srv/fast',
  ],
  mysql: [
    'install -d -o mysql /tmp/other; ln -s /tmp/other /var/lib/mysql/other',
    'rm /var/lib/mysql/other',
    '/tmp/other',
  ],
  mariadb: [
    `install -d -o mysql /tmp/fast; ${mariadbRoot}"create table fast (id int) data directory '/tmp/fast'"`,
    `${mariadbRoot}'drop table fast'`,
    '/tmp/fast/shop/fast.ibd',
  ],
  redis: [
    'cp -a /data/appendonlydir /tmp/aof; mv /data/appendonlydir /data/kept; ln -s /tmp/aof /data/appendonlydir',
    'rm /data/appendonlydir; mv /data/kept /data/appendonlydir',
    '/tmp/aof',
  ],
  mongo: ['ln -s /tmp/index /data/db/index', 'rm /data/db/index', '/tmp/index'],
}

/** The kinds for which a test also watches when clients reach the server. The others have `movedDataTests` only. */
const watchedKinds = representative(Object.keys(moves))

export function placesTests(swarm: () => Swarm): void {
  const clientsOf = (kind: string) => databaseClientsOn(swarm(), kindNamed(kind), clients[kind]!)

  describe('data outside the volume', { concurrency: 3 }, () => {
    for (const [kind, title, fields, place] of firstDeploys) {
      test(`${kind}: ${title} fails the first deploy, and no client reaches the server`, async () => {
        const databaseClients = clientsOf(kind)
        if (fields.dockerImage !== undefined) await build(String(fields.dockerImage), movedImage)
        const database = await databaseClients.create()
        const present = await databaseClients.one(database)
        const env = [present.env, fields.env].filter(Boolean).join('\n')
        await databaseClients.call('update', database, { ...fields, env })
        await using client = await startClient(database.appName, databaseClients.kind.port)
        await refuses(databaseClients, 'deploy', database, place)
        assert.equal(await client.firstConnection(), null)
        assert.deepEqual(await containersOf(database.appName), [])
        await databaseClients.clear(database)
      })
    }

    test('postgres: an update that moves the data is rolled back before a client reaches the new server', async () => {
      const databaseClients = clientsOf('postgres')
      await build('berth-test-moved-data', movedImage)
      const database = await databaseClients.deployed()
      await using client = await startQueries(
        (await databaseClients.one(database)).connection.internalUrl,
        'show data_directory',
      )
      await until('the first answer', async () => (await client.answers()).length > 0)
      await databaseClients.call('update', database, { dockerImage: 'berth-test-moved-data' })
      const { status, body } = await databaseClients.callAndWait('deploy', database)
      assert.equal(status, 422)
      assert.match(body.message, /^The server keeps data outside its volume, in \/srv\/pg\/data.*Rolled back/s)
      const before = (await client.answers()).length
      await until('another answer', async () => (await client.answers()).length > before)
      assert.deepEqual([...new Set(await client.answers())], ['/var/lib/postgresql/data'])
      await databaseClients.clear(database)
    })

    for (const kind of watchedKinds) {
      const [out, back, place] = moves[kind]!
      test(`${kind}: clients reach the cleared server, which is not restarted until moved data is back`, async () => {
        const databaseClients = clientsOf(kind)
        const database = await databaseClients.create()
        await databaseClients.call('saveExternalPort', database, { externalPort: await freePort() })
        await using client = await startClient(database.appName, databaseClients.kind.port)
        await databaseClients.done('deploy', database)
        const [container = ''] = await containersOf(database.appName)
        const connected = await until('the first connection', client.firstConnection)
        assert.ok((await clearedAt(container, databaseClients.kind)) <= connected)
        await databaseClients.open(database, (session) => session.write('kept'))
        await docker('exec', container, 'sh', '-ec', out)
        const { appName } = database
        await refuses(databaseClients, 'reload', database, place, { appName })
        await refuses(databaseClients, 'stop', database, place)
        assert.deepEqual(await containersOf(appName), [container])
        await docker('exec', container, 'sh', '-ec', back)
        assert.equal((await databaseClients.callAndWait('reload', database, { appName })).status, 200)
        assert.deepEqual(await databaseClients.open(database, (session) => session.read()), ['kept'])
        await databaseClients.clear(database)
      })
    }
  })
}

/** Tests of the running server of a suite, for kinds that `placesTests` does not watch. Leaves the server as it was. */
export function movedDataTests(context: { databaseClients: DatabaseClients; database: Database }, kind: Kind): void {
  const move = moves[kind.name]
  if (move === undefined || watchedKinds.includes(kind.name)) return
  test('a server that keeps data outside its volume is not restarted until the data is back', async () => {
    const [out, back, place] = move
    const { databaseClients, database } = context
    const { appName } = database
    const [container = ''] = await containersOf(appName)
    await docker('exec', container, 'sh', '-ec', out)
    await refuses(databaseClients, 'reload', database, place, { appName })
    assert.deepEqual(await containersOf(appName), [container])
    await docker('exec', container, 'sh', '-ec', back)
    await databaseClients.done('deploy', database)
    assert.deepEqual(await containersOf(appName), [container])
  })
}

/** Redis on a volume that has a snapshot and no append-only file, as when somebody brings data along. */
export function snapshotTests(swarm: () => Swarm): void {
  describe('a snapshot of Redis without an append-only file', { concurrency: 3 }, () => {
    for (const dockerImage of representativeImages(clients.redis!.images)) {
      test(`${dockerImage} loads it, and keeps the data at later starts`, async () => {
        const databaseClients = databaseClientsOn(swarm(), kindNamed('redis'), clients.redis!)
        const database = await databaseClients.deployed({ dockerImage, command: '--dbfilename shop.data' })
        const { volume, appName } = await databaseClients.one(database)
        await databaseClients.open(database, (session) => session.write('brought along'))
        await databaseClients.done('stop', database)
        const onVolume = (command: string) =>
          docker('run', '--rm', '--volume', `${volume}:/data`, '--entrypoint', 'sh', dockerImage, '-ec', command)
        await onVolume('rm -r /data/appendonlydir; chown 0:0 /data/shop.data')
        await databaseClients.done('start', database)
        const read = () => databaseClients.open(database, (session) => session.read())
        assert.deepEqual(await read(), ['brought along'])
        await databaseClients.open(database, (session) => session.write('later'))
        await databaseClients.done('reload', database, { appName })
        assert.deepEqual(await read(), ['brought along', 'later'])
        await databaseClients.done('stop', database)
        await onVolume('rm -r /data/appendonlydir; cp /data/shop.data /data/a.rdb; mv /data/shop.data /data/b.rdb')
        const { status, body } = await databaseClients.callAndWait('start', database)
        assert.equal(status, 422)
        assert.match(body.message, /no append-only file, but several snapshots: \/data\/a\.rdb, \/data\/b\.rdb/)
        await databaseClients.clear(database)
      })
    }
  })
}

/** When Berth has cleared the server, in seconds since the epoch. */
async function clearedAt(container: string, kind: Kind): Promise<number> {
  const file = `${kind.dataPath(null)}/berth-clearance`
  const [time] = await docker('exec', container, 'stat', '--format', '%.9Y', file)
  return Number(time)
}

/** Asserts that the operation fails because of this place. */
async function refuses(databaseClients: DatabaseClients, verb: string, database: Fields, place: string, more = {}) {
  const { status, body } = await databaseClients.callAndWait(verb, database, more)
  assert.equal(status, 422, `${verb}: ${JSON.stringify(body)}`)
  assert.match(body.message, /^The server keeps data outside its volume, in /)
  assert.ok(body.message.includes(place), body.message)
  const { applicationStatus, statusCode } = await databaseClients.one(database)
  assert.deepEqual([applicationStatus, statusCode], ['error', 'DataOutsideVolume'])
}
