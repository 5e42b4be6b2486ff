/** Statistics of every kind of database, and the refusals if nothing runs. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { FoundTask, Outcome } from '../../src/engine/engine.ts'
import { kinds } from '../../src/kinds/index.ts'
import type { Exec } from '../../src/engine/exec.ts'
import type { Kind } from '../../src/kinds/kind.ts'
import { databaseClientsOf } from '../fixtures/database-clients.ts'
import { type Failure, type Input, type TestBerth, startTestBerth } from '../fixtures/test-berth.ts'

/** Programs of the kind's own are let in, as before. */
function countWith(testBerth: TestBerth, answer: (program: Exec, task: FoundTask) => Partial<Outcome>) {
  const before = testBerth.engine.answer
  testBerth.engine.answer = (task, program) =>
    program.argv[0] === 'du' ? { exitCode: 0, stdout: '', stderr: '', ...answer(program, task) } : before(task, program)
}

for (const kind of kinds) {
  describe(`stats of ${kind.name}`, { concurrency: true }, () => {
    figureTests(kind)
    refusalTests(kind)
    engineTests(kind)
  })
}

function figureTests(kind: Kind): void {
  test('returns processor, memory and volume usage', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const made = await databaseClients.create()
    await databaseClients.act('update', made, { memoryLimit: 512 })
    await databaseClients.settle('deploy', made)
    const startedAt = '2030-01-01T00:00:00.000Z'
    testBerth.engine.usage = () => ({ cpuCores: 1.5, memoryBytes: 123_456_789, startedAt })
    const [{ dataPath } = {}] = (await testBerth.everything()).volume!
    const counted: Exec[] = []
    countWith(testBerth, (program) => {
      counted.push(program)
      return { stdout: `2048\t${String(dataPath)}\n` }
    })
    const before = await testBerth.everything()
    const { at, ...figures } = (await databaseClients.act('stats', made)) as Input
    assert.deepEqual(figures, {
      cpuCores: 1.5,
      memoryBytes: 123_456_789,
      memoryLimitBytes: 512 * 1024 * 1024,
      volumeBytes: 2048 * 1024,
      startedAt,
    })
    assert.match(String(at), /^2030-01-01T00:00:\d\d\.\d{3}Z$/)
    assert.deepEqual(counted, [{ argv: ['du', '-sk', dataPath], env: {} }])
    assert.deepEqual(await testBerth.everything(), before)
    const { status } = await testBerth.call(
      `${kind.name}.stats`,
      { [kind.idField]: databaseClients.idOf(made) },
      {},
      testBerth.user,
    )
    assert.equal(status, 200)
  })

  test('returns null without a limit or a count, and ignores files that disappear', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const up = await databaseClients.up()
    const cases: [Partial<Outcome>, number | null][] = [
      [{ exitCode: 1, stdout: '7\t/data\n', stderr: 'du: cannot access x: No such file' }, 7168],
      [{ exitCode: 124, stdout: '', stderr: 'Not finished within 8000 ms' }, null],
      [{ exitCode: 127, stdout: '', stderr: 'du: not found' }, null],
    ]
    for (const [answer, volumeBytes] of cases) {
      countWith(testBerth, () => answer)
      const stats = (await databaseClients.act('stats', up)) as Input
      assert.deepEqual([stats.volumeBytes, stats.memoryLimitBytes], [volumeBytes, null])
    }
  })
}

function refusalTests(kind: Kind): void {
  test('responds 412 with the reason if nothing runs, and 404 for an unknown service', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const says = async (pattern: RegExp) => {
      assert.match((await databaseClients.refused('PRECONDITION_FAILED', 'stats', made)).message, pattern)
    }
    const made = await databaseClients.create()
    await says(new RegExp(`never deployed. Call ${kind.name}.deploy`))
    await databaseClients.settle('deploy', made)
    await databaseClients.settle('stop', made)
    await says(new RegExp(`is stopped. Call ${kind.name}.start`))
    await databaseClients.settle('start', made)
    const { appName } = await databaseClients.one(made)
    testBerth.engine.behave(appName, 'crash:3')
    await says(/does not run now: its container is \w+ \(task: non-zero exit \(3\)\)\. Try again/)
    testBerth.engine.behave(appName, 'running')
    await databaseClients.gone(await databaseClients.one(made))
    await databaseClients.refused('NOT_FOUND', 'stats', made)
    await testBerth.refused('NOT_FOUND', `${kind.name}.stats`, { [kind.idField]: 'nobody' })
    await testBerth.refused('BAD_REQUEST', `${kind.name}.stats`, {}, kind.idField)
  })
}

function engineTests(kind: Kind): void {
  test('responds 503 without the engine, 502 without the node, 412 without the container', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const up = await databaseClients.up()
    const { tasks } = testBerth.engine
    const ask = () => databaseClients.ask('stats', up)
    testBerth.engine.tasks = async (names) => (await tasks(names)).map((task) => ({ ...task, nodeId: 'far' }))
    const far = await ask()
    assert.deepEqual([far.status, far.body.code], [502, 'BAD_GATEWAY'])
    assert.match(far.body.message, /Node far is not in the swarm/)
    testBerth.engine.tasks = async (names) => (await tasks(names)).map((task) => ({ ...task, id: 'another' }))
    const gone = await ask()
    assert.deepEqual([gone.status, gone.body.code], [412, 'PRECONDITION_FAILED'])
    assert.match(gone.body.message, /No such container/)
    testBerth.engine.tasks = tasks
    testBerth.engine.setDown(true)
    const { status, body, headers } = (await ask()) as { status: number; body: Failure; headers: Input }
    assert.deepEqual([status, body.code, headers['retry-after']], [503, 'SERVICE_UNAVAILABLE', '5'])
  })
}
