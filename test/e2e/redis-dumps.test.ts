/**
 * Dumps and restores servers of Redis and Valkey, with all types of keys, and compares the contents. Kills a restore and
 * a server during a restore: the data is then the old or the new, and the server accepts writes.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { createClient } from 'redis'
import { type ArchiveContents, type Backup, differences, type Program } from '../../src/kinds/backup.ts'
import { redis } from '../../src/kinds/redis/redis.ts'
import { until } from '../engine/until.ts'
import { compareData } from '../fixtures/compare-data.ts'
import { job, type Server } from './container.ts'
import { first, images, removeContainers, send, serverOf, startServer } from './redis-containers.ts'
import { fleetingKeys, manyKeys, redisSamples } from './redis-samples.ts'
import { docker, dockerHost } from './swarm.ts'

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

const loadProgram = (server: Server, isTemporary = false) => backup.restore(login, { ...at(server), isTemporary }, null)

async function load(image: string, server: Server, archive: Buffer, isTemporary = false): Promise<void> {
  const { exitCode, stderr } = await job(image, loadProgram(server, isTemporary), archive)
  assert.equal(exitCode, 0, stderr)
}

const compare = (what: string, expected: ArchiveContents, actual: ArchiveContents) =>
  compareData(what, () => assert.deepEqual([differences(expected, actual), actual], [[], expected]))

const start = (image: string) => startServer(image, first, [...backup.temporaryServerArgs])

/** Begins to load in a container that can be killed. `ended` resolves when it is gone. */
function beginLoad(image: string, { argv, env, files = [] }: Program, archive: Buffer) {
  const folder = mkdtempSync(join(tmpdir(), 'berth-job-'))
  const mounts = files.flatMap(({ path, content, mode }, index) => {
    const source = join(folder, String(index))
    writeFileSync(source, content)
    chmodSync(source, mode)
    return ['--volume', `${source}:${path}:ro`]
  })
  const variables = Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`])
  const [tool, ...rest] = argv as [string, ...string[]]
  const options = ['--rm', '--interactive', '--name', loader, '--cap-drop', 'ALL', '--user', '0', '--entrypoint', tool]
  const docked = ['--host', dockerHost, 'run', ...options, ...variables, ...mounts, image, ...rest]
  const child = spawn('docker', docked, { stdio: ['pipe', 'ignore', 'ignore'] })
  child.stdin.on('error', () => undefined).end(archive)
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()))
  return { ended: ended.finally(() => rmSync(folder, { recursive: true })) }
}

/** Empty while the server does not answer. */
const replication = (server: Server) => send(server, first, 'INFO', 'replication').then(String, () => '')
const hasBegun = async (server: Server) => (await replication(server)).includes('role:slave')

for (const image of images) {
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
    const { ended } = beginLoad(image, loadProgram(server), archive)
    let hasEnded = false
    void ended.then(() => {
      hasEnded = true
    })
    // It may end by itself before the state is seen.
    await until('the state or the end', async () => hasEnded || state.test(await replication(server)))
    await docker('kill', loader).catch(() => [])
    await ended
    const { exitCode, stderr } = await job(image, backup.endLoad!(login, server.address))
    assert.equal(exitCode, 0, stderr)
    assert.match(await replication(server), /role:master/)
    const contents = await contentsOf(image, server)
    const expected = contents.tables['0 string']!.rows === 1 ? oldData : newData
    await compare('the contents after a killed restore', expected, contents)
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
  const { ended } = beginLoad(image, loadProgram(server), archive)
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
  const { exitCode, stderr } = await job(image, backup.endLoad!(login, restarted.address))
  assert.equal(exitCode, 0, stderr)
  const contents = await contentsOf(image, restarted)
  const expected = contents.tables['0 string']!.rows === 1 ? oldData : newData
  await compare('the contents after a kill of the server', expected, contents)
})
