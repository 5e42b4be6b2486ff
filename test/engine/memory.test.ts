/** The remembering engine: the suite that Docker passes too, and what only it can be told. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { EngineUnavailable } from '../../src/engine/engine.ts'
import type { FoundTask, Outcome } from '../../src/engine/engine.ts'
import { memoryEngine } from '../../src/engine/memory.ts'
import type { MemoryEngine } from '../../src/engine/memory.ts'
import type { Exec } from '../../src/kinds/kind.ts'
import { running, specOf } from './bench.ts'
import type { Bench } from './bench.ts'
import { engineSuite } from './suite.ts'

async function open(): Promise<Bench> {
  const engine = memoryEngine('mine')
  engine.answer = (task, program) => answerLikeAContainer(engine, task, program)
  return {
    engine,
    stranger: { ...engine, createService: async ({ name }) => engine.putForeign(name), removeService: async () => {} },
    nodeId: 'node1', image: 'postgres:15',
    behaving: (spec, how) => {
      engine.behave(spec.name, how === 'crashes' ? 'crash:3' : 'out of memory')
      engine.lastLines.set(spec.name, ['last words'])
      return spec
    },
    scaleDown: async (name) => engine.alter(name, { replicas: 0 }),
    detach: async ({ serviceName }) => engine.detach(serviceName),
    say: async ({ serviceName }, line, stream) => engine.say(serviceName, line, stream),
    close: async () => {},
  }
}

/** Runs the program here, but for the files that only a container would have. */
async function answerLikeAContainer(engine: MemoryEngine, task: FoundTask, program: Exec): Promise<Outcome> {
  const file = engine.specOf(task.serviceName)?.files.find((it) => it.path === program.argv[1])
  if (file) return { exitCode: 0, stdout: file.content, stderr: '' }
  const [command = '', ...args] = program.argv
  const child = spawn(command, args, { env: { ...process.env, ...program.env }, timeout: 500 })
  const exit = new Promise<number>((resolve) => child.on('close', (code) => resolve(code ?? -1)))
  child.stdin.end(program.stdin)
  const [stdout, stderr, exitCode] = await Promise.all([text(child.stdout), text(child.stderr), exit])
  return { exitCode, stdout, stderr }
}

engineSuite('the remembering engine', open)

test('while it is down every call is rejected, a watch breaks off, and nothing is lost', async () => {
  const engine = memoryEngine('mine')
  await engine.createService({ ...specOf(await open()), name: 'a' })
  const watching = engine.watch(() => {}, new AbortController().signal)
  engine.setDown(true)
  await assert.rejects(watching, EngineUnavailable)
  await assert.rejects(engine.ping(), EngineUnavailable)
  await assert.rejects(engine.tasks(['a']), EngineUnavailable)
  engine.setDown(false)
  assert.equal((await engine.tasks(['a'])).length, 1)
})

test('calls are counted, the rejected ones too', async () => {
  const engine = memoryEngine('mine')
  await engine.services()
  engine.setDown(true)
  await assert.rejects(engine.services())
  assert.equal(engine.calls.services, 2)
  assert.equal(engine.calls.tasks, 0)
})

test('behaviour can change while it runs', async () => {
  const engine = memoryEngine('mine')
  const spec = specOf(await open())
  engine.behave(spec.name, 'preparing')
  await engine.createService(spec)
  const stateOf = async () => (await engine.tasks([spec.name])).map((it) => `${it.state} ${it.error}`.trim())
  assert.deepEqual(await stateOf(), ['preparing'])
  engine.behave(spec.name, 'pending:no suitable node')
  assert.deepEqual(await stateOf(), ['pending no suitable node'])
  engine.behave(spec.name, 'running')
  assert.deepEqual(await stateOf(), ['running'])
  engine.behave(spec.name, 'failed:port is taken')
  assert.deepEqual(await stateOf(), ['starting', 'failed port is taken'])
  assert.deepEqual(await stateOf(), ['starting', 'failed port is taken', 'failed port is taken'])
  engine.behave(spec.name, 'running')
  assert.equal((await stateOf())[0], 'running')
})

test('without being told a program prints 15', async () => {
  const engine = memoryEngine('mine')
  const spec = specOf(await open())
  await engine.createService(spec)
  const task = await running(engine, spec.name)
  const outcome = await engine.run(task, { argv: ['psql'], env: {} }, 1000)
  assert.deepEqual(outcome, { exitCode: 0, stdout: '', stderr: '' })
})
