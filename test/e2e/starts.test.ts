/** Long starts and interrupted first starts on a real swarm, of an image whose initialization waits for a file. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { until } from '../engine/until.ts'
import { freePort } from '../fixtures/free-port.ts'
import {
  callAndWait,
  containersOf,
  create,
  docker,
  dockerHost,
  getService,
  onSwarm,
  type Service,
  sql,
  type Swarm,
  uniqueName,
} from './swarm.ts'

const image = `${uniqueName('berth-test-slow')}:15`
const dockerfile = `FROM postgres:15
RUN printf '%s\\n' 'echo "filling the tables"' 'until [ -e /tmp/go ]; do sleep 0.2; done' \\
  > /docker-entrypoint-initdb.d/1-hold.sh \\
  && echo 'create table seed as select 1 as it' > /docker-entrypoint-initdb.d/2-seed.sql
`

let berth: Swarm
before(async () => {
  const build = promisify(execFile)('docker', ['--host', dockerHost, 'build', '--quiet', '--tag', image, '-'])
  build.child.stdin!.end(dockerfile)
  await build
  berth = await onSwarm()
})
after(async () => {
  await berth[Symbol.asyncDispose]()
  await docker('image', 'rm', image)
})

/** Begins the first deploy of a database, and waits until its server initializes the data. */
async function beginFirstStart(): Promise<{ service: Service; container: string }> {
  const service = await create(berth, { dockerImage: image })
  const { postgresId } = service
  await berth.call('postgres.saveExternalPort', { postgresId, externalPort: await freePort() })
  await berth.call('postgres.deploy', { postgresId })
  return { service, container: await initializing(service) }
}

/** Returns the container of the service whose initialization waits for the file. */
const initializing = ({ appName }: Service) =>
  until('the initialization', async () => {
    const [container] = await containersOf(appName)
    if (container === undefined) return null
    const lines = await docker('logs', container).catch((): string[] => [])
    return lines.includes('filling the tables') && container
  })

const release = (container: string) => docker('exec', container, 'touch', '/tmp/go')

const ended = (service: Service) =>
  until(
    'the end of the deployment',
    async () => {
      const record = await getService(berth, service)
      return record.applicationStatus !== 'running' && record
    },
    60_000,
  )

test('a first start that is held back goes on until its end, and its status has the last line of the log', async () => {
  const { service, container } = await beginFirstStart()
  const shown = await until('the last line', async () => {
    const record = await getService(berth, service)
    return /Last line: filling the tables$/.test(record.statusReason ?? '') && record
  })
  assert.equal(shown.applicationStatus, 'running')
  await release(container)
  const done = await ended(service)
  assert.deepEqual([done.applicationStatus, done.statusReason], ['done', null])
  assert.deepEqual(await containersOf(service.appName), [container])
  assert.deepEqual(await sql(done.connection.externalUrl, 'select it from seed'), [{ it: 1 }])
  assert.equal((await callAndWait(berth, 'remove', service, { removeData: true })).status, 200)
})

test('after a kill during the initialization no server runs on the incomplete files, and anew begins again', async () => {
  const { service, container } = await beginFirstStart()
  await docker('kill', container)
  const record = await ended(service)
  assert.equal(record.applicationStatus, 'error')
  assert.match(record.statusReason!, /The first start was interrupted.*postgres\.start with anew: true/s)
  assert.deepEqual(await containersOf(service.appName), [])
  const again = await callAndWait(berth, 'start', service)
  assert.equal(again.status, 422)
  assert.match(again.body.message, /The first start was interrupted/)
  const started = callAndWait(berth, 'start', service, { anew: true })
  await release(await initializing(service))
  const { status, body } = await started
  assert.deepEqual([status, body.message], [200, undefined])
  const done = await getService(berth, service)
  assert.deepEqual(await sql(done.connection.externalUrl, 'select it from seed'), [{ it: 1 }])
  const volumes = await docker('volume', 'ls', '--quiet', '--filter', `label=berth.app-name=${service.appName}`)
  assert.deepEqual(volumes.toSorted(), [record.volume, done.volume].toSorted())
})
