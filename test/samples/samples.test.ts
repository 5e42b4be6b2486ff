/** The samples of databases and nodes, with the in-memory engine: what is asked, when, and what /metrics answers. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { kindNamed } from '../../src/kinds/index.ts'
import { answerEnd } from '../../src/kinds/sampler.ts'
import { EngineUnavailable } from '../../src/engine/engine.ts'
import { sampleFamilies } from '../../src/samples/metrics.ts'
import { databaseClientsOf } from '../fixtures/database-clients.ts'
import { startTestBerth, type TestBerth, wait } from '../fixtures/test-berth.ts'
import { until } from '../engine/until.ts'
import { answerQuestions, succeeded } from './answers.ts'

/** The value of a metric of the only database or node; undefined if it has none. */
async function valueIn({ app }: TestBerth, metric: string): Promise<number | undefined> {
  const value = new RegExp(`^berth_${metric}\\{[^}]*\\} (\\S+)$`, 'm').exec(await app.metrics())?.[1]
  return value === undefined ? undefined : Number(value)
}

const untilValue = (berth: TestBerth, metric: string, expected: number | undefined) =>
  until(`${metric} to be ${expected}`, async () => {
    berth.app.wake('samples')
    return (await valueIn(berth, metric)) === expected
  })

/** Waits for a turn that begins now. */
async function turnOf(berth: TestBerth): Promise<void> {
  const ageOf = async () => Number(/^berth_samples_age_seconds (\S+)$/m.exec(await berth.app.metrics())?.[1])
  const calls = berth.engine.calls.nodes
  await until('a turn of samples', async () => {
    berth.app.wake('samples')
    return berth.engine.calls.nodes > calls && (await ageOf()) < 1
  })
}

const deployed = (berth: TestBerth) => databaseClientsOf(berth, kindNamed('postgres')).createDeployed()

test('a deployed database is measured, with one client that stays connected', async () => {
  await using berth = await startTestBerth()
  const asked = answerQuestions(berth, () => '4|100|5000|90|10||0.5')
  const database = await deployed(berth)
  await untilValue(berth, 'database_connections', 4)
  for (const [metric, expected] of [
    ['up', 1],
    ['connections_allowed', 100],
    ['oldest_transaction_seconds', 0.5],
    ['volume_bytes', 2048 * 1024],
    ['replication_slot_bytes', undefined],
  ] as const) {
    assert.equal(await valueIn(berth, `database_${metric}`), expected, metric)
  }
  assert.match(
    await berth.app.metrics(),
    new RegExp(`database_up\\{database=".+",service="${database.appName}",kind="postgres"\\} 1`),
  )
  const { openProgram } = berth.engine.calls
  const questions = asked.length
  berth.app.wake('samples')
  await until('another question', async () => asked.length > questions)
  assert.equal(berth.engine.calls.openProgram, openProgram)
  assert.doesNotMatch(JSON.stringify(asked.map(({ argv, stdin }) => [argv, stdin])), /password/i)
})

test('the use of the processor and the transactions are rates between two samples', async () => {
  await using berth = await startTestBerth()
  let transactions = 0
  answerQuestions(berth, () => `1|100|${transactions}|0|0||0`)
  await deployed(berth)
  await untilValue(berth, 'database_connections', 1)
  transactions += 600
  berth.pass(60_000)
  berth.app.wake('samples')
  const rate = await until('a rate', async () => {
    const found = await valueIn(berth, 'database_transactions_per_second')
    return found !== undefined && found > 0 ? found : null
  })
  assert.ok(rate > 9 && rate <= 10, String(rate))
  assert.ok((await valueIn(berth, 'database_cpu_cores'))! > 0)
})

test('a server without a connected client is asked in every tenth turn, and its values stay until then', async () => {
  await using berth = await startTestBerth()
  const { answer } = berth.engine
  let asked = 0
  berth.engine.answer = (task, program) => {
    if (!program.argv.some((text) => text.includes('serverStatus'))) return answer(task, program)
    asked++
    berth.pass(4000)
    return succeeded(`connections ${asked}\navailable 90\noperations ${asked * 1200}\n`)
  }
  await databaseClientsOf(berth, kindNamed('mongo')).createDeployed()
  await untilValue(berth, 'database_connections', 1)
  berth.pass(9 * 60_000 - 4000)
  await turnOf(berth)
  assert.deepEqual([asked, await valueIn(berth, 'database_connections')], [1, 1])
  berth.pass(60_000)
  await turnOf(berth)
  assert.deepEqual([asked, await valueIn(berth, 'database_connections')], [2, 2])
  const rate = (await valueIn(berth, 'database_transactions_per_second'))!
  assert.ok(rate > 1.9 && rate < 2.1, String(rate))
  // The clock was an hour ahead.
  berth.pass(-3600_000)
  await turnOf(berth)
  assert.deepEqual([asked, await valueIn(berth, 'database_transactions_per_second')], [3, undefined])
})

test('samples have the time at which their turn began, however long it takes', async () => {
  await using berth = await startTestBerth()
  let passes = true
  answerQuestions(berth, () => {
    if (passes) berth.pass(30_000)
    passes = false
    return '2|100|1|0|0||0'
  })
  await deployed(berth)
  const age = await until('the age of the samples', async () => {
    if ((await valueIn(berth, 'database_connections')) === undefined) return null
    return /^berth_samples_age_seconds (\S+)$/m.exec(await berth.app.metrics())?.[1]
  })
  assert.ok(Number(age) >= 30, age)
})

test('a server that does not answer is down, and its client is replaced', async () => {
  await using berth = await startTestBerth()
  let answer = ''
  answerQuestions(berth, () => answer || '2|100|1|0|0||0')
  await deployed(berth)
  await untilValue(berth, 'database_up', 1)
  const good = berth.engine.answer
  berth.engine.answer = (task, program) =>
    program.stdin?.includes(answerEnd) ? { exitCode: 1, stdout: '', stderr: '' } : good(task, program)
  await untilValue(berth, 'database_up', 0)
  assert.equal(await valueIn(berth, 'database_connections'), undefined)
  berth.engine.answer = good
  answer = '7|100|1|0|0||0'
  await untilValue(berth, 'database_connections', 7)
})

const hangs = () => {
  throw new EngineUnavailable('The engine did not answer within 30 s')
}

test('a container that hangs costs no other database its values, and no other volume its count', async () => {
  await using berth = await startTestBerth()
  answerQuestions(berth, () => '2|100|1|0|0||0')
  const [good, hanging] = [berth.engine.answer, new Set<string>()]
  berth.engine.answer = (task, program) =>
    program.argv[0] === 'du' && hanging.has(task.serviceName) ? hangs() : good(task, program)
  const clients = databaseClientsOf(berth, kindNamed('postgres'))
  // In one turn the volumes of two databases are counted.
  for (let i = 0; i < 2; i++) {
    const { postgresId, appName } = await clients.create()
    hanging.add(appName as string)
    await clients.complete('deploy', { postgresId })
  }
  const { appName } = await deployed(berth)
  await until('the size of the other database', async () => {
    berth.app.wake('samples')
    return (await berth.app.metrics()).match(`berth_database_volume_bytes\\{.*service="${appName}"`)
  })
  assert.doesNotMatch(await berth.app.metrics(), new RegExp(`_volume_bytes\\{.*service="(${[...hanging].join('|')})"`))
})

test('a node that cannot be measured costs no other node its values', async () => {
  await using berth = await startTestBerth()
  const { answer } = berth.engine
  berth.engine.answer = (task, program) =>
    program.argv.at(-1)?.includes('df -Pk') !== true
      ? answer(task, program)
      : task.nodeId === 'node2'
        ? hangs()
        : succeeded('1893456000\noverlay 100 40 60 40% /\n')
  berth.engine.ownDataFolder = async () => hangs()
  berth.engine.addNode('node2', { hostname: 'two' })
  berth.engine.addNode('node3', { hostname: 'three' })
  const metrics = await until('the disk of the third node', async () => {
    berth.app.wake('samples')
    const text = await berth.app.metrics()
    return text.includes('berth_node_disk_bytes{node="node3"') ? text : null
  })
  assert.doesNotMatch(metrics, /^berth_node_disk_bytes\{node="node[12]"/m)
})

test("a folder of the engine that Berth's process cannot see costs nothing but the values of the disk", async () => {
  await using berth = await startTestBerth()
  berth.engine.ownDataFolder = async () => join(berth.folder, 'none')
  answerQuestions(berth, () => '2|100|1|0|0||0')
  await deployed(berth)
  await untilValue(berth, 'database_connections', 2)
  assert.ok((await valueIn(berth, 'node_memory_bytes'))! > 2 ** 20)
  assert.equal(await valueIn(berth, 'node_disk_bytes'), undefined)
})

test('a stopped database has no values', async () => {
  await using berth = await startTestBerth()
  answerQuestions(berth, () => '2|100|1|0|0||0')
  const database = await deployed(berth)
  await untilValue(berth, 'database_up', 1)
  await berth.ok('postgres.stop', { postgresId: database.postgresId }, wait)
  await untilValue(berth, 'database_up', undefined)
  assert.equal(await valueIn(berth, 'database_memory_bytes'), undefined)
})

test("Berth's own node is measured, and another node through the container of its engine port", async () => {
  await using berth = await startTestBerth()
  const { answer } = berth.engine
  berth.engine.answer = (task, program) =>
    program.argv.at(-1)?.includes('df -Pk') === true
      ? succeeded(`${Math.floor(berth.now().getTime() / 1000) + 60}\noverlay 100 40 60 40% /\n`)
      : answer(task, program)
  berth.engine.ownDataFolder = async () => '/'
  berth.engine.addNode('node2', { hostname: 'two' })
  const metrics = await until('the clock of the other node', async () => {
    berth.app.wake('samples')
    const text = await berth.app.metrics()
    return text.includes('berth_node_clock_offset_seconds{') ? text : null
  })
  assert.match(metrics, /^berth_node_clock_offset_seconds\{node="node2",hostname="two"\} (?:59|60)/m)
  assert.match(metrics, /^berth_node_disk_used_bytes\{node="node2",hostname="two"\} 40960$/m)
  const own = /^berth_node_memory_bytes\{node="node1",hostname="[^"]*"\} (\d+)$/m.exec(metrics)?.[1]
  assert.ok(Number(own) > 2 ** 20, metrics)
  assert.doesNotMatch(metrics, /^berth_node_clock_offset_seconds\{node="node1"/m)
})

for (const [title, minutes, expected] of [
  ['of the last five minutes have', 4, [8]],
  ['that are older have no', 6, []],
] as const) {
  test(`samples ${title} values, and always an age`, async () => {
    await using berth = await startTestBerth()
    const { id } = await berth.app.db.selectFrom('node').select('id').executeTakeFirstOrThrow()
    const now = berth.now()
    const at = new Date(now.getTime() - minutes * 60_000)
    const latest = { at, databases: new Map(), nodes: new Map([[id, { load1: 8 }]]) }
    const families = await sampleFamilies(berth.app.db, latest, now)
    const valuesOf = (name: string) =>
      families.find((family) => family.name === name)!.samples.map(([, value]) => value)
    assert.deepEqual(valuesOf('berth_node_load1'), expected)
    assert.deepEqual(valuesOf('berth_samples_age_seconds'), [minutes * 60])
  })
}
