/**
 * Tags that later name another image, on this machine and in a real registry. A service keeps its deployed image until
 * a deploy with `pull`. A server that cannot open the data of the previous version is refused. Images that start their
 * server in another way than the official ones.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { kindNamed } from '../../src/kinds/index.ts'
import { clients } from './clients.ts'
import { type Fields, type DatabaseClients, databaseClientsOn } from './database-clients.ts'
import { startRegistry } from './registry.ts'
import { forgetImages } from './registry-image.ts'
import { buildImage, containersOf, docker, onSwarm, type Swarm } from './swarm.ts'

const repository = `berth-test-latest-${process.pid}`
const tag = `${repository}:latest`
const end = new AsyncDisposableStack()
let berth: Swarm
before(async () => {
  berth = end.use(await onSwarm())
})
after(() => end.disposeAsync())

const retag = (image: string) => docker('tag', image, tag)
const idOf = async (image: string) => (await docker('image', 'inspect', '--format', '{{.Id}}', image))[0]!
const rowsOf = (databaseClients: DatabaseClients, database: Fields) =>
  databaseClients.open(database, (session) => session.read())
/** Returns the images of all containers of a service, including exited ones. */
const imagesOf = (appName: string) =>
  docker(
    'ps',
    '--all',
    '--no-trunc',
    '--filter',
    `label=com.docker.swarm.service.name=${appName}`,
    '--format',
    '{{.Image}}',
  )

describe('tags that name another image', { concurrency: 2 }, () => {
  test('a deploy that would pull a newer PostgreSQL is refused, and the server keeps running', refuseNewerPostgres)
  test('a new image of a tag in a registry is used only by a deploy with pull', useNewImageAfterPull)
})

/** Images without an entry point. The script takes no arguments. */
const startImages = {
  script: `RUN printf '#!/bin/sh\\nexec redis-server\\n' >/start.sh && chmod 755 /start.sh
ENTRYPOINT []
CMD ["/start.sh"]
`,
  server: 'ENTRYPOINT []\nCMD ["redis-server", "--loglevel", "verbose"]\n',
}

test('an image whose command is a script is refused; one whose command is the server starts with all arguments', async (t) => {
  const redis = databaseClientsOn(berth, kindNamed('redis'), clients.redis!)
  const nameOf = (name: string) => `berth-test-start-${process.pid}:${name}`
  t.after(() => docker('image', 'rm', ...Object.keys(startImages).map(nameOf)))
  for (const [name, lines] of Object.entries(startImages)) await buildImage(nameOf(name), `FROM redis:7\n${lines}`)
  const refused = await redis.create({ dockerImage: nameOf('script') })
  const { status, body } = await redis.callAndWait('deploy', refused)
  assert.equal(status, 422)
  assert.match(body.message, /no entry point .* does not begin with redis-server: \/start\.sh\. Nothing was changed/)
  assert.deepEqual(await docker('service', 'ls', '--quiet', '--filter', `name=${refused.appName}`), [])
  const database = await redis.deployed({ dockerImage: nameOf('server'), memoryLimit: 64 })
  await redis.open(database, (session) => session.write('kept'))
  await redis.done('reload', database, { appName: database.appName })
  assert.deepEqual(await rowsOf(redis, database), ['kept'])
  const [args] = await docker(
    'service',
    'inspect',
    '--format',
    '{{json .Spec.TaskTemplate.ContainerSpec.Args}}',
    database.appName,
  )
  assert.match(args!, /^\["redis-server","--maxmemory","50331648","--loglevel","verbose","--daemonize","no"/)
  await redis.clear(database)
})

async function refuseNewerPostgres(): Promise<void> {
  const databaseClients = databaseClientsOn(berth, kindNamed('postgres'), clients.postgres!)
  end.defer(async () => {
    await docker('image', 'rm', tag)
  })
  await retag('postgres:15')
  const database = await databaseClients.deployed({ dockerImage: tag })
  const oldImage = await idOf('postgres:15')
  assert.deepEqual([database.imageVersion, database.imageDigest], ['15', oldImage])
  await databaseClients.open(database, (session) => session.write('kept'))
  const containers = await containersOf(database.appName)
  await retag('postgres:17')
  const { status, body } = await databaseClients.callAndWait('deploy', database, { pull: true })
  assert.equal(status, 422)
  assert.match(body.message, /holds data of PostgreSQL 15, which .*latest cannot open.*17/)
  assert.deepEqual(await containersOf(database.appName), containers)
  await databaseClients.done('deploy', database)
  assert.deepEqual(await containersOf(database.appName), containers)
  await databaseClients.done('reload', database, { appName: database.appName })
  assert.notDeepEqual(await containersOf(database.appName), containers)
  assert.deepEqual([...new Set(await imagesOf(database.appName))], [oldImage])
  assert.deepEqual(await rowsOf(databaseClients, database), ['kept'])
  await databaseClients.clear(database)
}

async function useNewImageAfterPull(): Promise<void> {
  await using registry = await startRegistry({ users: { team: 'a:password' } })
  await using cleanUp = new AsyncDisposableStack()
  cleanUp.defer(() => forgetImages(registry.host))
  const image = await registry.push('team/redis:latest', 'team', 'a:password', 'redis:7')
  const databaseClients = databaseClientsOn(berth, kindNamed('redis'), clients.redis!)
  const { status, body } = await berth.call('registry.create', {
    registryName: 'team',
    username: 'team',
    password: 'a:password',
    registryUrl: registry.host,
    registryType: 'selfHosted',
    imagePrefix: 'team',
  })
  assert.equal(status, 200, JSON.stringify(body))
  const database = await databaseClients.deployed({ dockerImage: image })
  assert.equal(database.imageVersion, '7.0')
  assert.match(String(database.imageDigest), new RegExp(`^${registry.host}/team/redis@sha256:[0-9a-f]{64}$`))
  await databaseClients.open(database, (session) => session.write('kept'))
  await registry.push('team/redis:latest', 'team', 'a:password', 'redis:8')
  await databaseClients.done('stop', database)
  const restarted = await databaseClients.done('start', database)
  assert.deepEqual([restarted.imageDigest, restarted.imageVersion], [database.imageDigest, '7.0'])
  const pulled = await databaseClients.done('deploy', database, { pull: true })
  assert.equal(pulled.imageVersion, '8.0')
  assert.notEqual(pulled.imageDigest, database.imageDigest)
  assert.deepEqual(await rowsOf(databaseClients, database), ['kept'])
  await databaseClients.clear(database)
}
