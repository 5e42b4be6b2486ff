/** The in-memory engine: the suite that Docker passes too, and the controls that only this engine has. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { test } from 'node:test'
import { EngineFailure, EngineUnavailable } from '../../src/engine/engine.ts'
import type { FoundTask, Outcome } from '../../src/engine/engine.ts'
import type { Job } from '../../src/engine/job.ts'
import type { JobIo, Program } from './memory/jobs.ts'
import { memoryEngine } from './memory/engine.ts'
import type { MemoryEngine } from './memory/engine.ts'
import type { ServiceSpec } from '../../src/engine/spec.ts'
import type { Exec } from '../../src/engine/exec.ts'
import { folderUnder } from '../fixtures/folder.ts'
import { jobOf, running, specOf } from './bench.ts'
import type { Bench } from './bench.ts'
import { engineSuite } from './suite.ts'

async function open(): Promise<Bench> {
  const engine = memoryEngine('mine')
  const kills = new Map<string, () => void>()
  engine.onJob = jobLikeAContainer(engine, kills)
  engine.answer = (task, program) => answerLikeAContainer(engine, task, program)
  return {
    engine,
    stranger: strangerOn(engine),
    nodeId: 'node1',
    image: 'postgres:15',
    behaving: (spec, how) => {
      engine.behave(spec.name, how === 'crashes' ? 'crash:3' : 'out of memory')
      engine.lastLines.set(spec.name, ['last words'])
      return spec
    },
    scaleDown: async (name) => engine.alter(name, { replicas: 0 }),
    detach: async ({ serviceName }) => engine.detach(serviceName),
    say: async ({ serviceName }, line, stream) => engine.printLine(serviceName, line, stream),
    leaveJob: async (name, recordId) => engine.leaveJob(name, recordId),
    putContainer: async (_t, name) => engine.putForeignContainer(name),
    killContainer: async (name) => kills.get(name)?.(),
    close: async () => {},
  }
}

/** Another installation's services are someone else's. */
function strangerOn(engine: MemoryEngine): Bench['engine'] {
  const createService = async ({ name, labels, ports, replicas }: ServiceSpec) => {
    const published = ports.map((it) => ({ port: it.published, protocol: it.protocol }))
    engine.putForeign(name, { labels, published, onNetwork: true, replicas, running: replicas })
  }
  return { ...engine, createService, removeService: async () => {}, listJobs: async () => [] }
}

/** Runs the program on this machine, except for files that only a container has. */
async function answerLikeAContainer(engine: MemoryEngine, task: FoundTask, program: Exec): Promise<Outcome> {
  const file = engine.specOf(task.serviceName)?.files.find((it) => it.path === program.argv[1])
  if (file) return { exitCode: 0, stdout: file.content, stderr: '' }
  const [command = '', ...args] = program.argv
  const child = spawn(command, args, { env: { ...process.env, ...program.env }, timeout: 10_000 })
  const exit = new Promise<number>((resolve) => child.on('close', (code) => resolve(code ?? -1)))
  child.stdin.end(program.stdin)
  const [stdout, stderr, exitCode] = await Promise.all([text(child.stdout), text(child.stderr), exit])
  return { exitCode, stdout, stderr }
}

/** Answers programs whose output depends on the machine. Other programs run here, with their files in a folder. */
function jobLikeAContainer(engine: MemoryEngine, kills: Map<string, () => void>): Program {
  return (job, io) => {
    const [program = '', , name = ''] = job.argv
    if (program === 'no-such-program')
      throw new EngineFailure('rejected', `exec: "${program}": executable file not found`)
    if (job.memoryMib !== undefined) return Promise.resolve({ exitCode: 137, oomKilled: true })
    return program === 'getent' ? resolve(engine, name, io) : runHere(job, io, kills)
  }
}

async function runHere(job: Job, io: JobIo, kills: Map<string, () => void>): Promise<number> {
  await using end = new AsyncDisposableStack()
  const folder = folderUnder(end)
  const placed = await Promise.all(
    (job.files ?? []).map(async ({ path, content, mode }, at) => {
      await writeFile(join(folder, String(at)), content, { mode })
      return [path, join(folder, String(at))] as const
    }),
  )
  const [command = '', ...args] = job.argv.map((it) => new Map(placed).get(it) ?? it)
  const child = spawn(command, args, { env: { ...process.env, ...job.env }, detached: true })
  const exit = new Promise<number>((done) => {
    child.on('close', (code) => done(code ?? 137))
  })
  // Kills the whole process group, as a container ends with all its processes.
  const isOver = () => child.exitCode !== null || child.signalCode !== null
  const kill = () => {
    if (!isOver()) process.kill(-child.pid!, 'SIGKILL')
  }
  kills.set(job.name, kill)
  io.signal.addEventListener('abort', kill)
  if (io.signal.aborted) kill()
  // A program that stops reading its input reports this by its exit code.
  const input = io.stdin ? pipeline(io.stdin, child.stdin) : child.stdin.end()
  const all = await Promise.all([
    exit,
    pipeline(child.stdout, io.stdout),
    pipeline(child.stderr, io.stderr),
    Promise.allSettled([input]),
  ])
  return all[0]
}

async function resolve(engine: MemoryEngine, name: string, io: JobIo): Promise<number> {
  const [task] = await engine.tasks([name])
  io.stdout.write(`${task?.address} ${task?.serviceName}\n`)
  return 0
}

engineSuite('the remembering engine', open)

test('rejects every call and breaks watches while it is down, and keeps its state', async () => {
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

test('breaks jobs when it goes down, and keeps their containers', async () => {
  const engine = memoryEngine('mine')
  const killed = Promise.withResolvers<void>()
  engine.onJob = (_job, { stdout, signal }) => {
    stdout.write('half')
    signal.addEventListener('abort', () => killed.resolve())
    return new Promise(() => {})
  }
  const job = await engine.runJob(jobOf(await open()), new AbortController().signal)
  const reading = text(job.stdout)
  engine.setDown(true)
  await assert.rejects(reading, EngineUnavailable)
  await assert.rejects(job.ended, EngineUnavailable)
  await assert.rejects(job.stop(), EngineUnavailable)
  await killed.promise
  engine.setDown(false)
  const [left] = await engine.listJobs()
  assert.equal(left?.attached, false)
  await engine.removeJob(left?.name ?? '')
  assert.deepEqual(await engine.listJobs(), [])
})

test('counts calls, including rejected ones', async () => {
  const engine = memoryEngine('mine')
  await engine.services()
  engine.setDown(true)
  await assert.rejects(engine.services())
  assert.equal(engine.calls.services, 2)
  assert.equal(engine.calls.tasks, 0)
})

test('changes the behaviour of a running service', async () => {
  const engine = memoryEngine('mine')
  const spec = specOf(await open())
  engine.behave(spec.name, 'preparing')
  await engine.createService(spec)
  const stateOf = async () =>
    (await engine.tasks([spec.name])).map((it) => `${it.state} ${it.failure?.detail ?? ''}`.trim())
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

test('runs a program without a set answer with exit code 0 and no output', async () => {
  const engine = memoryEngine('mine')
  const spec = specOf(await open())
  await engine.createService(spec)
  const task = await running(engine, spec.name)
  const outcome = await engine.run(task, { argv: ['psql'], env: {} }, 1000)
  assert.deepEqual(outcome, { exitCode: 0, stdout: '', stderr: '' })
})
