/**
 * Dumps and restores servers of Redis and Valkey, with all types of keys, and compares the contents. Kills a restore and
 * a server during a restore: the data is then the old or the new, and the server accepts writes.
 */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { createClient } from 'redis'
import { type ArchiveContents, type Backup, differences, type Program } from '../../src/kinds/backup.ts'
import { redis } from '../../src/kinds/redis/redis.ts'
import { until } from '../engine/until.ts'
import { compareData } from '../fixtures/compare-data.ts'
import { beginJob, job, type Server } from './container.ts'
import { first, images, removeContainers, send, serverOf, startServer } from './redis-containers.ts'
import { representativeImages } from './representative.ts'
import { fleetingKeys, manyKeys, redisSamples } from './redis-samples.ts'
import { docker } from './swarm.ts'

const backup = redis.backup as Backup
const loader = `berth-test-load-${process.pid}`
after(removeContainers)

async function run({ address }: Server, commands: readonly string[][]): Promise<void> {
  const client = createClient({ url: redis.url(first, address), RESP: 2 })
  client.on('error', () => undefined)
  await client.connect()
  try {
    for (const command of commands) await client.sendCommand(command)
  } finally {
    client.destroy()
  }
}

const login = { settings: first, own: null }
const at = ({ address }: Server) => ({ ...address, database: 'all' })

async function dump(image: string, server: Server): Promise<Buffer> {
  const { exitCode, stdout, stderr } = await job(image, backup.dump(login, at(server), null))
  assert.equal(exitCode, 0, stderr)
  return stdout
}

function contentsIn(archive: Buffer): ArchiveContents {
  const reader = backup.reader()
  reader.write(archive)
  return reader.end()
}

const contentsOf = async (image: string, server: Server) => contentsIn(await dump(image, server))

const loadProgram = (server: Server, isTemporary = false, runId?: string) =>
  backup.restore(login, { ...at(server), isTemporary, ...(runId === undefined ? {} : { runId }) }, null)
const { identify, end, clear } = backup.atomicRestore!

/** Runs one of the programs around a restore, and returns what it prints. */
async function answer(image: string, program: Program): Promise<string> {
  const { exitCode, stdout, stderr } = await job(image, program)
  assert.equal(exitCode, 0, stderr)
  return stdout.toString()
}

/**
 * Asserts that the server has the old or the new data after a restore, that it says which of both, and that nothing else is
 * left. Returns whether it has the new data.
 */
async function checkOutcome(
  image: string,
  server: Server,
  before: string,
  oldData: ArchiveContents,
  newData: ArchiveContents,
) {
  await answer(image, end(login, at(server)))
  assert.match(await replication(server), /role:master/)
  const isReplaced = (await answer(image, identify(login, at(server), 'run'))) !== before
  await answer(image, clear(login, at(server), 'run'))
  await compare('the contents after a killed restore', isReplaced ? newData : oldData, await contentsOf(image, server))
  assert.equal(await answer(image, identify(login, at(server), 'run')), before)
  return isReplaced
}

async function load(image: string, server: Server, archive: Buffer, isTemporary = false): Promise<void> {
  const { exitCode, stderr } = await job(image, loadProgram(server, isTemporary), archive)
  assert.equal(exitCode, 0, stderr)
}

const compare = (what: string, expected: ArchiveContents, actual: ArchiveContents) =>
  compareData(what, () => assert.deepEqual([differences(expected, actual), actual], [[], expected]))

const start = (image: string) => startServer(image, first, [...backup.temporaryServerArgs])

/** Empty while the server does not answer. */
const replication = (server: Server) => send(server, first, 'INFO', 'replication').then(String, () => '')
const hasBegun = async (server: Server) => (await replication(server)).includes('role:slave')

for (const image of representativeImages(images)) {
  describe(`dumps of ${image}`, { concurrency: 1 }, () => {
    test('a restore brings back all data, and a damaged dump changes nothing', async () => {
      const server = await start(image)
      await run(server, [...redisSamples(image), ...manyKeys(100_000)])
      const archive = await dump(image, server)
      const expected = contentsIn(archive)
      // PFADD and SETBIT make strings, too.
      assert.equal(expected.tables['0 string']!.rows, 100_008)
      await run(server, [['DEL', 'list'], ['SET', 'later', 'x'], ['FUNCTION', 'FLUSH'], ['FLUSHDB']])
      await run(server, [['SET', 'later', 'x']])
      const changed = await contentsOf(image, server)
      for (const broken of [archive.subarray(0, archive.length >> 1), archive.subarray(0, -9), Buffer.alloc(0)]) {
        const { exitCode } = await job(image, loadProgram(server), broken)
        assert.notEqual(exitCode, 0)
      }
      await compare('the contents after a failed restore', changed, await contentsOf(image, server))
      await load(image, server, archive)
      await compare('the restored contents', expected, await contentsOf(image, server))
      assert.equal(await send(server, first, 'SET', 'afterwards', 'x'), 'OK')
      await docker('kill', server.id)
      await docker('start', server.id)
      const restarted = await serverOf(server.id)
      await until('the server to answer', () =>
        send(restarted, first, 'PING').then(
          (it) => it === 'PONG',
          () => false,
        ),
      )
      await run(restarted, [['DEL', 'afterwards']])
      await compare('the restored contents after a kill', expected, await contentsOf(image, restarted))
    })

    test('a temporary server keeps the keys of a dump that have expired since', async () => {
      const [server, temporary] = await Promise.all([start(image), start(image)])
      await run(server, fleetingKeys(100))
      const archive = await dump(image, server)
      const expected = contentsIn(archive)
      await until('the keys to expire', async () => (await send(server, first, 'DBSIZE')) === 0)
      await load(image, temporary, archive, true)
      await compare('the contents of the temporary server', expected, await contentsOf(image, temporary))
      await load(image, server, archive)
      await until('the restored keys to expire', async () => (await send(server, first, 'DBSIZE')) === 0)
    })
  })
}

test('after a killed restore, the data is old or new, and the server accepts writes', async () => {
  const image = images[0]!
  const server = await start(image)
  await run(server, manyKeys(100_000))
  const archive = await dump(image, server)
  const newData = contentsIn(archive)
  await run(server, [['FLUSHALL'], ['SET', 'old', 'x']])
  const oldData = await contentsOf(image, server)
  for (const state of [/role:slave/, /master_sync_in_progress:1/, /master_link_status:up/]) {
    const before = await answer(image, identify(login, at(server), 'run'))
    const { ended } = beginJob(loader, image, loadProgram(server, false, 'run'), archive)
    let hasEnded = false
    void ended.then(() => {
      hasEnded = true
    })
    // It may end by itself before the state is seen.
    await until('the state or the end', async () => hasEnded || state.test(await replication(server)))
    await docker('kill', loader).catch(() => [])
    await ended
    await checkOutcome(image, server, before, oldData, newData)
    await run(server, [['FLUSHALL'], ['SET', 'old', 'x']])
  }
})

test('a server that is killed during a restore starts with the old or the new data', async () => {
  const image = images[0]!
  const server = await start(image)
  await run(server, manyKeys(100_000))
  const archive = await dump(image, server)
  const newData = contentsIn(archive)
  await run(server, [['FLUSHALL'], ['SET', 'old', 'x']])
  const oldData = await contentsOf(image, server)
  const before = await answer(image, identify(login, at(server), 'run'))
  const { ended } = beginJob(loader, image, loadProgram(server, false, 'run'), archive)
  await until('the restore to begin', () => hasBegun(server))
  await docker('kill', server.id)
  await docker('start', server.id)
  const restarted = await serverOf(server.id)
  await until('the server to answer', () =>
    send(restarted, first, 'PING').then(
      (it) => it === 'PONG',
      () => false,
    ),
  )
  await docker('kill', loader).catch(() => [])
  await ended
  await checkOutcome(image, restarted, before, oldData, newData)
})

test('after a restore that ended, the server says that it has the new data, also after a restart', async () => {
  const image = images[0]!
  const server = await start(image)
  await run(server, manyKeys(1000))
  const archive = await dump(image, server)
  const newData = contentsIn(archive)
  await run(server, [['FLUSHALL'], ['SET', 'old', 'x']])
  const oldData = await contentsOf(image, server)
  const before = await answer(image, identify(login, at(server), 'run'))
  await answer(image, end(login, at(server)))
  assert.equal(await answer(image, identify(login, at(server), 'run')), before)
  const { exitCode, stderr } = await job(image, loadProgram(server, false, 'run'), archive)
  assert.equal(exitCode, 0, stderr)
  await docker('kill', server.id)
  await docker('start', server.id)
  const restarted = await serverOf(server.id)
  const ping = () => send(restarted, first, 'PING').catch(() => null)
  await until('the server to answer', async () => (await ping()) === 'PONG')
  assert.ok(await checkOutcome(image, restarted, before, oldData, newData))
})
