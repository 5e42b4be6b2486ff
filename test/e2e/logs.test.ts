/** Logs and statistics of a real server, compared with the engine's own output. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../engine/until.ts'
import { followOn, type Line } from '../databases/follow.ts'
import { containersOf, create, docker, freePort, onSwarm, getService, callAndWait, sql, startTime } from './swarm.ts'

interface Stats {
  cpuCores: number
  memoryBytes: number
  memoryLimitBytes: number | null
  volumeBytes: number
  startedAt: string
}

const secret = 'hunter2-in-the-log'

test('logs and stats of a PostgreSQL service', async (t) => {
  await using swarm = await onSwarm()
  const { call } = swarm
  const service = await create(swarm, { dockerImage: 'postgres:17', databasePassword: secret, name: 'logs' })
  const { postgresId } = service
  await call('postgres.update', { postgresId, externalPort: await freePort(), memoryLimit: 512 })
  const { body: deployed } = await callAndWait(swarm, 'deploy', service)
  assert.equal(deployed.applicationStatus, 'done', JSON.stringify(deployed))
  const {
    connection: { externalUrl },
  } = await getService(swarm, service)
  const logs = async (input: object = {}) => {
    const { status, body } = await call<Line[]>('postgres.logs', { postgresId, tail: 5000, ...input })
    assert.equal(status, 200, JSON.stringify(body))
    return body
  }

  await t.test('logs returns the lines that the engine returns, in order', async () => {
    const began = Date.now()
    const lines = await logs()
    t.diagnostic(`${lines.length} lines in ${Date.now() - began} ms`)
    assert.ok(lines.some(({ line }) => line.includes('database system is ready to accept connections')))
    assert.deepEqual(
      lines.map(({ at }) => at),
      lines.map(({ at }) => at).toSorted(),
    )
    assert.deepEqual(await logs({ tail: 2 }), lines.slice(-2))
    assert.deepEqual(await logs({ since: lines[3]!.at }), lines.slice(3))
    const printed = lines.filter(({ stream, line }) => stream === 'stdout' && line !== '').map(({ line }) => line)
    const [container] = await containersOf(deployed.appName)
    assert.deepEqual(printed, await docker('logs', container!))
  })

  const url = await swarm.listen()
  const token = (await swarm.admin()).token
  const follower = await followOn(url, token, 'postgres.logs', { postgresId, tail: 1 })
  const waitForLine = (text: string) =>
    until(text, async () => follower.lines().find(({ line }) => line.includes(text)), 60_000)

  await t.test('the stream sends a new line with its password masked', async () => {
    const began = Date.now()
    await sql(externalUrl, `do $$ begin raise log 'marker-one ${secret} ü'; end $$`)
    const { line, stream } = await waitForLine('marker-one')
    t.diagnostic(`${Date.now() - began} ms from the statement to the line`)
    assert.match(line, /marker-one \*{8} ü/)
    assert.equal(stream, 'stderr')
    assert.ok(!JSON.stringify([follower.texts, await logs()]).includes(secret))
  })

  await t.test('the stream continues after a reload', async () => {
    assert.equal((await callAndWait(swarm, 'reload', service, { appName: deployed.appName })).status, 200)
    await waitForLine('received')
    await sql(externalUrl, `do $$ begin raise log 'marker-two'; end $$`)
    await waitForLine('marker-two')
    const lines = await logs()
    const indexOf = (text: string) => lines.findIndex(({ line }) => line.includes(text))
    const [first, second] = [indexOf('marker-one'), indexOf('marker-two')]
    assert.ok(first >= 0 && first < second, 'the lines of both containers, in order')
    const followed = new Set(follower.lines().map(({ at, line }) => at + line))
    assert.equal(followed.size, follower.lines().length, 'no line is sent twice')
    const from = lines.findIndex(({ at }) => at === follower.lines()[0]!.at)
    assert.deepEqual(
      follower.lines().toSorted((a, b) => (a.at < b.at ? -1 : 1)),
      lines.slice(from),
      'no line is lost',
    )
  })

  await t.test("stats match the engine's and the server's own figures", async () => {
    await sql(externalUrl, 'create table t as select repeat(md5(i::text), 32) as x from generate_series(1, 30000) i')
    // A busy engine can answer too late. Berth then answers 504.
    const stats = await until(
      'the stats',
      async () => {
        const { status, body } = await call<Stats>('postgres.stats', { postgresId })
        assert.ok(status === 200 || status === 504, JSON.stringify(body))
        return status === 200 && body
      },
      60_000,
    )
    const [container] = await containersOf(deployed.appName)
    const [line] = await docker('stats', '--no-stream', '--format', '{{.MemUsage}} {{.CPUPerc}}', container!)
    t.diagnostic(`docker stats: ${line}`)
    const expected = Number(/^([\d.]+)MiB \/ 512MiB /.exec(line!)![1]) * 1024 * 1024
    const difference = Math.abs(stats.memoryBytes - expected)
    assert.ok(difference < 16 * 1024 * 1024, `${stats.memoryBytes} instead of ${expected}`)
    assert.equal(stats.memoryLimitBytes, 512 * 1024 * 1024)
    assert.ok(stats.cpuCores >= 0 && stats.cpuCores <= 8)
    const [{ bytes }] = (await sql(externalUrl, 'select pg_database_size(current_database())::float8 as bytes')) as [
      { bytes: number },
    ]
    assert.ok(stats.volumeBytes > bytes && stats.volumeBytes < bytes + 200 * 1024 * 1024, `${stats.volumeBytes}`)
    // The engine records a start with a delay, and the server's own start time has a resolution of one second.
    assert.ok(Date.parse(stats.startedAt) <= Date.parse(String(await startTime(externalUrl))) + 2000)
  })

  await t.test('stats show the CPU usage of a busy connection', async () => {
    const work = `do $$ declare stop timestamptz := clock_timestamp() + interval '60 s';
      begin while clock_timestamp() < stop loop perform md5(random()::text); end loop; end $$`
    const ended = sql(externalUrl, work).then(
      () => 'over',
      (error: { code?: string }) => error.code,
    )
    const busy = await until('stats to show CPU usage', async () => {
      const { cpuCores } = (await call<Stats>('postgres.stats', { postgresId })).body
      return cpuCores > 0.2 && cpuCores
    })
    t.diagnostic(`one busy connection: ${busy} cores`)
    assert.ok(busy < 1.5, String(busy))
    await sql(externalUrl, 'select pg_cancel_backend(pid) from pg_stat_activity where query = $1', [work])
    assert.equal(await ended, '57014', 'the statement was cancelled')
  })

  await t.test('a stopped service has logs but no stats, and a removal ends the stream', async () => {
    await callAndWait(swarm, 'stop', service)
    assert.equal((await call('postgres.stats', { postgresId })).status, 412)
    assert.equal((await call('postgres.logs', { postgresId })).status, 200)
    await callAndWait(swarm, 'remove', service, { removeData: true })
    assert.equal(await follower.ended, 'complete')
    assert.equal((await call('postgres.logs', { postgresId })).status, 404)
    const { body } = await call<{ action: string; state: string }[]>('deployment.all', { serviceId: postgresId })
    assert.deepEqual(
      body.map(({ action, state }) => `${action} ${state}`),
      ['deploy done', 'reload done', 'stop done', 'remove done'],
    )
  })
})
