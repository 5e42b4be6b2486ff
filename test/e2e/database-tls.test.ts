/** A database with TLS on a real swarm: verified connections, and a certificate that is replaced while clients work. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { kindNamed } from '../../src/kinds/index.ts'
import { until } from '../engine/until.ts'
import {
  callAndWait,
  create,
  docker,
  freePort,
  getService,
  onSwarm,
  type Swarm,
  startTime,
  uniqueName,
} from './swarm.ts'
import { replacements, underLoad } from './tls-load.ts'

interface Record {
  volume: string
  externalPort: number
  connection: { externalUrl: string; caCertificate: string; verifiedExternalUrl: string }
  certificate: { fingerprint256: string; servedSince: string | null; names: string[]; reason: string | null }
}

const appName = uniqueName('tls-pg')
let swarm: Swarm
let service: Awaited<ReturnType<typeof create>>
const read = async () => (await getService(swarm, service)) as unknown as Record
const served = (than = '') =>
  until('the certificate to be served', async () => {
    const record = await read()
    const { servedSince, fingerprint256 } = record.certificate
    return servedSince !== null && fingerprint256 !== than ? record : null
  })

const certificateVolumeOf = ({ volume }: Record) => `berth-tls-${volume.replace(/^berth-/, '')}`

/** Connects as a client that verifies the authority and the name. */
async function verifiedClient({ connection }: Record, ca = connection.caCertificate): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: connection.externalUrl, ssl: { ca } })
  client.on('error', () => undefined)
  await client.connect()
  return client
}

before(async () => {
  swarm = await onSwarm()
  service = await create(swarm, { appName, dockerImage: 'postgres:15', externalPort: await freePort() })
  await callAndWait(swarm, 'deploy', service)
})
after(() => swarm[Symbol.asyncDispose]())

test('a client verifies the server, and refuses another authority', async () => {
  const record = await served()
  const client = await verifiedClient(record)
  const { rows } = await client.query('select ssl from pg_stat_ssl where pid = pg_backend_pid()')
  assert.deepEqual(rows, [{ ssl: true }])
  await client.end()
  await assert.rejects(verifiedClient(record, ''), /certificate/)
})

test('replacements under load drop no connection, do not restart the server, and are served', async (t) => {
  const first = await served()
  const { connection, certificate: _, volume: __, ...settings } = first
  const startedAt = await startTime(connection.externalUrl)
  const { hostname: host, port } = new URL(connection.externalUrl)
  const ca = connection.caCertificate
  const target = { kind: kindNamed('postgres'), host, port: Number(port), settings, serverName: appName, ca }
  const plain = new pg.Client({ connectionString: connection.externalUrl })
  await plain.connect()
  const { postgresId } = service
  let last = first
  const load = await underLoad(target, async () => {
    for (let number = 1; number <= replacements; number++) {
      const tlsNames = [`db-${number}.example.org`]
      const { status, body } = await swarm.call('postgres.update', { postgresId, tlsNames })
      assert.equal(status, 200, JSON.stringify(body))
      last = await served(last.certificate.fingerprint256)
      assert.ok(last.certificate.names.includes(tlsNames[0]!))
      await plain.query('select 1')
    }
  })
  t.diagnostic(`${replacements} replacements, ${load.requests} requests, ${load.connections} new connections`)
  assert.equal(await startTime(last.connection.externalUrl), startedAt)
  await plain.end()
})

test('a failed deploy without TLS is rolled back to a server that clients verify', async () => {
  const { postgresId } = service
  await swarm.call('postgres.update', { postgresId, tls: 'off', command: 'postgres -c shared_buffers=none' })
  const { status, body } = await callAndWait(swarm, 'deploy', service)
  assert.equal(status, 422)
  assert.match(body.message, /Rolled back/)
  await (await verifiedClient(await served())).end()
  await swarm.call('postgres.update', { postgresId, tls: 'allow', command: null })
})

test('a volume with a certificate that was removed by hand is written again before the server starts', async () => {
  await callAndWait(swarm, 'stop', service)
  const name = certificateVolumeOf(await read())
  const ended = await docker('ps', '--all', '--quiet', '--filter', `volume=${name}`)
  if (ended.length > 0) await docker('rm', ...ended)
  assert.deepEqual(await docker('volume', 'rm', name), [name])
  const { body } = await callAndWait(swarm, 'start', service)
  assert.deepEqual([body.applicationStatus, body.statusReason], ['done', null])
  await (await verifiedClient(await served())).end()
})

test('with require, plain connections are refused outside, and verified ones are not', async () => {
  const { postgresId } = service
  await swarm.call('postgres.update', { postgresId, tls: 'require' })
  const { body } = await callAndWait(swarm, 'deploy', service)
  assert.equal(body.applicationStatus, 'done', body.statusReason ?? '')
  const record = await served()
  await (await verifiedClient(record)).end()
  const plain = new pg.Client({ connectionString: record.connection.externalUrl })
  plain.on('error', () => undefined)
  await assert.rejects(plain.connect(), /no encryption|reject|SSL/i)
})

test('a kept volume of a server with require accepts plain connections in a database without TLS', async () => {
  const { volume, externalPort } = await read()
  await callAndWait(swarm, 'remove', service)
  const { body: volumes } = await swarm.call<{ name: string; volumeId: string }[]>('volume.all')
  const { volumeId } = volumes.find(({ name }) => name === volume)!
  const input = { volumeId, name: 'again', appName, projectId: swarm.projectId }
  service = (await swarm.call<typeof service>('volume.restore', input)).body
  const { postgresId } = service
  await swarm.call('postgres.update', { postgresId, tls: 'off', externalPort })
  const { body } = await callAndWait(swarm, 'deploy', service)
  assert.deepEqual([body.applicationStatus, body.statusReason], ['done', null])
  const { connection, certificate } = await read()
  assert.equal(certificate, null)
  await startTime(connection.externalUrl)
})

test('a removal takes the volume with the certificate away', async () => {
  const name = certificateVolumeOf(await read())
  await callAndWait(swarm, 'remove', service, { removeData: true })
  await until('the end of the volume', async () => {
    const names = await docker('volume', 'ls', '--quiet', '--filter', `name=${name}`)
    return names.length === 0
  })
})
