/** Statistics of databases, and refusals if the database does not run. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { FoundTask, Outcome } from '../../src/engine/engine.ts'
import type { Exec } from '../../src/engine/exec.ts'
import type { Kind } from '../../src/kinds/kind.ts'
import { databaseClientsOf, sampleKind } from '../fixtures/database-clients.ts'
import { type Failure, type Input, type TestBerth, startTestBerth } from '../fixtures/test-berth.ts'

/** Makes the engine answer `du` with `answer`, and other programs as before. */
function answerDu(testBerth: TestBerth, answer: (program: Exec, task: FoundTask) => Partial<Outcome>) {
  const previous = testBerth.engine.answer
  testBerth.engine.answer = (task, program) =>
    program.argv[0] === 'du'
      ? { exitCode: 0, stdout: '', stderr: '', ...answer(program, task) }
      : previous(task, program)
}

describe('stats of any kind', { concurrency: true }, () => {
  figureTests(sampleKind)
  refusalTests(sampleKind)
  engineTests(sampleKind)
})

function figureTests(kind: Kind): void {
  test('returns processor, memory and volume usage', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.create()
    await databaseClients.ok('update', database, { memoryLimit: 512 })
    await databaseClients.complete('deploy', database)
    const startedAt = '2030-01-01T00:00:00.000Z'
    testBerth.engine.usage = () => ({ cpuCores: 1.5, memoryBytes: 123_456_789, startedAt })
    const [{ dataPath } = {}] = (await testBerth.everything()).volume!
    const counted: Exec[] = []
    answerDu(testBerth, (program) => {
      counted.push(program)
      return { stdout: `2048\t${String(dataPath)}\n` }
    })
    const before = await testBerth.everything()
    const { at, ...figures } = (await databaseClients.ok('stats', database)) as Input
    assert.deepEqual(figures, {
      cpuCores: 1.5,
      memoryBytes: 123_456_789,
      memoryLimitBytes: 512 * 1024 * 1024,
      volumeBytes: 2048 * 1024,
      startedAt,
    })
    assert.match(String(at), /^2030-01-01T00:00:\d\d\.\d{3}Z$/)
    // The loop of samples may count the volume too, with the same program.
    assert.ok(counted.length > 0)
    for (const program of counted) assert.deepEqual(program, { argv: ['du', '-sk', dataPath], env: {} })
    assert.deepEqual(await testBerth.everything(), before)
    const { status } = await testBerth.call(
      `${kind.name}.stats`,
      { [kind.idField]: databaseClients.idOf(database) },
      {},
      testBerth.user,
    )
    assert.equal(status, 200)
  })

  test('returns null for an absent limit or a failed count, and ignores files that disappear', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.createDeployed()
    const cases: [Partial<Outcome>, number | null][] = [
      [{ exitCode: 1, stdout: '7\t/data\n', stderr: 'du: cannot access x: No such file' }, 7168],
      [{ exitCode: 124, stdout: '', stderr: 'Not finished within 8000 ms' }, null],
      [{ exitCode: 127, stdout: '', stderr: 'du: not found' }, null],
    ]
    for (const [answer, volumeBytes] of cases) {
      answerDu(testBerth, () => answer)
      const stats = (await databaseClients.ok('stats', database)) as Input
      assert.deepEqual([stats.volumeBytes, stats.memoryLimitBytes], [volumeBytes, null])
    }
  })
}

function refusalTests(kind: Kind): void {
  test('responds 412 with the reason if the database does not run, and 404 for an unknown one', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const checkRefusal = async (pattern: RegExp) => {
      assert.match((await databaseClients.refused('PRECONDITION_FAILED', 'stats', database)).message, pattern)
    }
    const database = await databaseClients.create()
    await checkRefusal(new RegExp(`never deployed. Call ${kind.name}.deploy`))
    await databaseClients.complete('deploy', database)
    await databaseClients.complete('stop', database)
    await checkRefusal(new RegExp(`is stopped. Call ${kind.name}.start`))
    await databaseClients.complete('start', database)
    const { appName } = await databaseClients.one(database)
    testBerth.engine.behave(appName, 'crash:3')
    await checkRefusal(/does not run now: its container is \w+ \(task: non-zero exit \(3\)\)\. Try again/)
    testBerth.engine.behave(appName, 'running')
    await databaseClients.remove(await databaseClients.one(database))
    await databaseClients.refused('NOT_FOUND', 'stats', database)
    await testBerth.refused('NOT_FOUND', `${kind.name}.stats`, { [kind.idField]: 'nobody' })
    await testBerth.refused('BAD_REQUEST', `${kind.name}.stats`, {}, kind.idField)
  })
}

function engineTests(kind: Kind): void {
  test('responds 503 if the engine does not answer, 502 without the node, and 412 without the container', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.createDeployed()
    const { tasks } = testBerth.engine
    const stats = () => databaseClients.call('stats', database)
    testBerth.engine.tasks = async (names) => (await tasks(names)).map((task) => ({ ...task, nodeId: 'far' }))
    const far = await stats()
    assert.deepEqual([far.status, far.body.code], [502, 'BAD_GATEWAY'])
    assert.match(far.body.message, /Node far is not in the swarm/)
    testBerth.engine.tasks = async (names) => (await tasks(names)).map((task) => ({ ...task, id: 'another' }))
    const missing = await stats()
    assert.deepEqual([missing.status, missing.body.code], [412, 'PRECONDITION_FAILED'])
    assert.match(missing.body.message, /No such container/)
    testBerth.engine.tasks = tasks
    testBerth.engine.setDown(true)
    const { status, body, headers } = (await stats()) as { status: number; body: Failure; headers: Input }
    assert.deepEqual([status, body.code, headers['retry-after']], [503, 'SERVICE_UNAVAILABLE', '5'])
  })
}
