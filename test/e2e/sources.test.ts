/**
 * Allowed sources on a real swarm, with clients in another network namespace: a change is enforced without a restart of
 * the database or of its gateway, and stays enforced when the gateway restarts while Berth is down.
 */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { dockerEngine } from '../../src/engine/docker/engine.ts'
import { until } from '../engine/until.ts'
import { temporaryFolder } from '../fixtures/folder.ts'
import { type Berth, startBerth } from '../fixtures/harness.ts'
import { type RemoteClients, type RemoteConnection, remoteClients } from './remote-clients.ts'
import { containersOf, docker, dockerHost, freePort, removeAll, uniqueName } from './swarm.ts'

interface Sources {
  allowedSources: string[]
  isOfProject: boolean
  isEnforced: boolean
  enforcedSince: string | null
  reason: string | null
  reasonCode: string | null
  refusedAttempts: number
  refusedSources: { source: string; attempts: number }[]
}
type Redis = { redisId: string; appName: string; allowedSources: string[] | null; sources: Sources; message: string }

describe('the allowed sources of a database', () => {
  const cleanUp = new AsyncDisposableStack()
  after(() => cleanUp.disposeAsync())
  const folder = temporaryFolder({ after: (end) => cleanUp.defer(end) })
  let installationId = ''
  let berth: Berth
  let remote: RemoteClients
  let [allowed, other, projectId, redisId, appName] = ['', '', '', '', '']
  let port = 0

  const start = () =>
    startBerth({
      folder,
      env: { BERTH_PROXY: 'off' },
      realProxy: true,
      connect: (id, credentialsFor) => {
        installationId = id
        return dockerEngine({ dockerHost, installationId: id, networkName: 'berth', credentialsFor })
      },
    })

  async function call<T = Redis>(name: string, input: object): Promise<T> {
    const { status, body } = await berth.call<T & { message: string }>(name, { ...input }, undefined, {
      prefer: 'wait=120',
    })
    assert.equal(status, 200, `${name}: ${JSON.stringify(body)}`)
    return body
  }

  const gateway = () => `berth-gateway-${redisId}`
  const sources = async () => (await call('redis.one', { redisId })).sources
  const set = (allowedSources: string[] | null) => call('redis.update', { redisId, allowedSources })

  /** Changes the list and waits until the gateway enforces it. `./berth bench sources` measures how long that takes. */
  async function setAndWait(allowedSources: string[] | null): Promise<void> {
    const before = await sources()
    await set(allowedSources)
    await until('the list to be enforced', async () => {
      const { isEnforced, enforcedSince } = await sources()
      return isEnforced && enforcedSince !== before.enforcedSince
    })
  }

  const answers = async (connection: RemoteConnection) => (await connection.ask('PING'))?.startsWith('-NOAUTH') === true

  async function isServed(from: string): Promise<boolean> {
    const connection = await remote.connect(from, port).catch(() => null)
    return connection !== null && (await answers(connection))
  }

  /** Whether the machine itself is served at the address. */
  async function isServedAt(host: string): Promise<boolean> {
    const outcome = await fetchRedis(host, port)
    return outcome.startsWith('-NOAUTH')
  }

  before(async () => {
    remote = await remoteClients(41)
    cleanUp.use(remote)
    ;[allowed, other] = remote.addresses
    berth = await start()
    cleanUp.defer(async () => {
      await berth.close()
      await removeAll(installationId)
    })
    projectId = (await call<{ projectId: string }>('project.create', { name: 'sources' })).projectId
    port = await freePort()
    const created = await call('redis.create', {
      name: 'cache',
      appName: uniqueName('sources'),
      projectId,
      databasePassword: '',
      externalPort: port,
    })
    ;({ redisId, appName } = created)
    await call('redis.deploy', { redisId })
  })

  test('everyone can connect without a list, and the record says so', async () => {
    assert.deepEqual(
      [await isServed(allowed), await isServed(other), await isServedAt('127.0.0.1')],
      [true, true, true],
    )
    const { allowedSources, isEnforced, reason, refusedAttempts } = await sources()
    assert.deepEqual([allowedSources, isEnforced, reason, refusedAttempts], [[], true, null, 0])
  })

  test('the node was measured: addresses of IPv4 clients are kept, those of IPv6 and loopback are hidden', async () => {
    const [measured] = await until('the measurement', async () => {
      const rows = await berth.app.db.selectFrom('sourceMeasurement').selectAll().execute()
      return rows.length > 0 && rows
    })
    assert.deepEqual([measured!.ipv4, measured!.ipv6, measured!.loopback], ['kept', 'hidden', 'hidden'])
    assert.match(measured!.hiddenAddresses, /^\["172\.\d+\.0\.1"\]$/)
  })

  test('a list refuses others, closes their connections and keeps those of allowed clients', async () => {
    const containers = [await containersOf(gateway()), await containersOf(appName)]
    const [kept, closed] = [await remote.connect(allowed, port), await remote.connect(other, port)]
    assert.deepEqual([await answers(kept), await answers(closed)], [true, true])
    await set([allowed])
    await closed.closed
    assert.deepEqual([await isServed(other), await isServed(allowed), await answers(kept)], [false, true, true])
    assert.deepEqual([await containersOf(gateway()), await containersOf(appName)], containers)
  })

  test('a list refuses clients whose address the engine hides', async () => {
    assert.deepEqual([await isServedAt('127.0.0.1'), await isServedAt('::1')], [false, false])
    await setAndWait(['0.0.0.0/0'])
    assert.deepEqual([await isServed(allowed), await isServed(other)], [true, true])
    assert.deepEqual([await isServedAt('127.0.0.1'), await isServedAt('::1')], [false, false])
  })

  test('an entry that cannot be enforced is refused by name', async () => {
    const { hiddenAddresses } = await berth.app.db.selectFrom('sourceMeasurement').selectAll().executeTakeFirstOrThrow()
    const [bridge] = JSON.parse(hiddenAddresses) as [string]
    for (const source of ['2001:db8::/32', '::1', '127.0.0.1', bridge]) {
      const { status, body } = await berth.call<{ issues: { path: string; message: string }[] }>('redis.update', {
        redisId,
        allowedSources: [allowed, source],
      })
      assert.deepEqual([status, body.issues[0]?.path], [400, 'allowedSources'], source)
      assert.match(body.issues[0]!.message, new RegExp(`^${source}[/0-9]* cannot be enforced on node `))
    }
  })

  test('a database without a list has that of its project', async () => {
    await call('project.update', { projectId, name: 'sources', allowedSources: ['198.18.41.3/32'] })
    await setAndWait(null)
    assert.deepEqual([await isServed(allowed), await isServed(other)], [false, true])
    assert.equal((await sources()).isOfProject, true)
    await call('project.update', { projectId, name: 'sources', allowedSources: [] })
    await until('everyone to be served', () => isServed(allowed))
  })

  test('1,000 entries are enforced', async () => {
    const many = Array.from({ length: 999 }, (_, n) => `10.${n >> 8}.${n & 255}.0/24`)
    await setAndWait([...many, allowed])
    assert.deepEqual([await isServed(allowed), await isServed(other)], [true, false])
  })

  test('a gateway that restarts while Berth is down enforces the list', async () => {
    await setAndWait([allowed])
    await berth.close()
    const [container] = await containersOf(gateway())
    await docker('kill', container!)
    await until('the gateway to run again', () => isServed(allowed))
    assert.deepEqual([await isServed(other), await isServed(allowed)], [false, true])
    assert.notDeepEqual(await containersOf(gateway()), [container])
  })

  test('a restart of Berth changes nothing for clients, and the list can be changed again', async () => {
    const connection = await remote.connect(allowed, port)
    berth = await start()
    assert.deepEqual([await isServed(other), await answers(connection)], [false, true])
    await setAndWait([other])
    await connection.closed
    assert.deepEqual([await isServed(other), await isServed(allowed)], [true, false])
  })

  test('refused attempts are counted, with their source', async () => {
    const found = await until('the attempt to be counted', async () => {
      const { refusedAttempts, refusedSources } = await sources()
      return refusedSources.some(({ source }) => source === allowed) && { refusedAttempts, refusedSources }
    })
    assert.ok(found.refusedAttempts >= 1, String(found.refusedAttempts))
  })

  test('a database that requires TLS, and so has no plain port, is deployed with a list', async () => {
    const input = { databasePassword: '', tls: 'require', allowedSources: [allowed], externalPort: await freePort() }
    const created = await call('redis.create', { name: 'tls', appName: uniqueName('sources-tls'), projectId, ...input })
    const deployed = await call<Redis & { applicationStatus: string }>('redis.deploy', { redisId: created.redisId })
    assert.deepEqual([deployed.applicationStatus, deployed.sources.reason], ['done', null])
    assert.deepEqual([deployed.sources.isEnforced, deployed.sources.allowedSources], [true, [`${allowed}/32`]])
  })

  test('the volume of the gateway is removed with it', async () => {
    const volumes = () => docker('volume', 'ls', '--quiet', '--filter', `name=${gateway()}`)
    assert.deepEqual(await volumes(), [`${gateway()}-sources`])
    await call('redis.remove', { redisId, removeData: true })
    await until('the volume to be removed', async () => (await volumes()).length === 0)
  })
})

/** The first line that Redis answers; '' if the connection is refused or closed. */
function fetchRedis(host: string, port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host, port }).setTimeout(2000, () => socket.destroy())
    socket
      .on('connect', () => socket.write('PING\r\n'))
      .on('data', (data) => {
        resolve(data.toString())
        socket.destroy()
      })
      .on('error', () => undefined)
      .on('close', () => resolve(''))
  })
}
