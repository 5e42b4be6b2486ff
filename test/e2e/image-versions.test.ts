/**
 * Images built on this machine that change behind their tag: what was deployed stays what runs, and a newer server
 * never gets at the files of an older one. With a real registry: a tag is what it was when it was deployed.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { kindNamed } from '../../src/kinds/index.ts'
import { clients } from './clients.ts'
import { type Fields, type DatabaseClients, databaseClientsOn } from './database-clients.ts'
import { startRegistry } from './registry.ts'
import { forgetImages } from './registry-image.ts'
import { containersOf, docker, onSwarm, type Swarm } from './swarm.ts'

const repository = `berth-test-latest-${process.pid}`
const tag = `${repository}:latest`
const end = new AsyncDisposableStack()
let berth: Swarm
before(async () => {
  berth = end.use(await onSwarm())
})
after(() => end.disposeAsync())

const point = (image: string) => docker('tag', image, tag)
const idOf = async (image: string) => (await docker('image', 'inspect', '--format', '{{.Id}}', image))[0]!
const rowsOf = (databaseClients: DatabaseClients, database: Fields) =>
  databaseClients.open(database, (session) => session.read())
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

/** Work that must be refused, with the reason. */
async function refused(databaseClients: DatabaseClients, verb: string, database: Fields, more: Fields, reason: RegExp) {
  const { status, body } = await databaseClients.callAndWait(verb, database, more)
  assert.equal(status, 422)
  assert.match(body.message, reason)
}

describe('images behind their tags', { concurrency: 2 }, () => {
  test('a tag without a version that comes to stand for a newer MySQL is refused, and the server runs on', refusesNewer)
  test('what a registry gives a tag to is taken when that is asked for, and not before', takesWhenAsked)
})

async function refusesNewer(): Promise<void> {
  const databaseClients = databaseClientsOn(berth, kindNamed('mysql'), clients.mysql!)
  end.defer(async () => {
    await docker('image', 'rm', tag)
  })
  await point('mysql:8.0')
  const up = await databaseClients.deployed({ dockerImage: tag })
  const old = await idOf('mysql:8.0')
  assert.deepEqual([up.imageVersion, up.imageDigest], ['8.0', old])
  await databaseClients.open(up, (session) => session.write('kept'))
  const containers = await containersOf(up.appName)
  await point('mysql:9.7')
  await refused(
    databaseClients,
    'deploy',
    up,
    { pull: true },
    /holds data of MySQL 8\.0, which .*latest cannot open.*9\.7/,
  )
  assert.deepEqual(await containersOf(up.appName), containers)
  await databaseClients.done('deploy', up)
  assert.deepEqual(await containersOf(up.appName), containers)
  await databaseClients.done('reload', up, { appName: up.appName })
  assert.notDeepEqual(await containersOf(up.appName), containers)
  assert.deepEqual([...new Set(await imagesOf(up.appName))], [old])
  assert.deepEqual(await rowsOf(databaseClients, up), ['kept'])
  await databaseClients.clear(up)
}

async function takesWhenAsked(): Promise<void> {
  await using registry = await startRegistry({ users: { team: 'a:password' } })
  await using forget = new AsyncDisposableStack()
  forget.defer(() => forgetImages(registry.host))
  const image = await registry.push('team/redis:latest', 'team', 'a:password', 'redis:7')
  const databaseClients = databaseClientsOn(berth, kindNamed('redis'), clients.redis!)
  const { status, body } = await berth.call('registry.create', {
    registryName: 'ours',
    username: 'team',
    password: 'a:password',
    registryUrl: registry.host,
    registryType: 'selfHosted',
    imagePrefix: 'team',
  })
  assert.equal(status, 200, JSON.stringify(body))
  const up = await databaseClients.deployed({ dockerImage: image })
  assert.equal(up.imageVersion, '7.0')
  assert.match(String(up.imageDigest), new RegExp(`^${registry.host}/team/redis@sha256:[0-9a-f]{64}$`))
  await databaseClients.open(up, (session) => session.write('kept'))
  await registry.push('team/redis:latest', 'team', 'a:password', 'redis:8')
  await databaseClients.done('stop', up)
  const again = await databaseClients.done('start', up)
  assert.deepEqual([again.imageDigest, again.imageVersion], [up.imageDigest, '7.0'])
  const newer = await databaseClients.done('deploy', up, { pull: true })
  assert.equal(newer.imageVersion, '8.0')
  assert.notEqual(newer.imageDigest, up.imageDigest)
  assert.deepEqual(await rowsOf(databaseClients, up), ['kept'])
  await databaseClients.clear(up)
}
