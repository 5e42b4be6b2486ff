/** Runs the engine suite against the in-memory engine, and tests the controls that only this engine has. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { chmod, writeFile } from 'node:fs/promises'
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
import { jobOf, running, specOf } from './engine-fixture.ts'
import type { EngineFixture } from './engine-fixture.ts'
import { engineSuite } from './suite.ts'

const behaviours = {
  crashes: 'crash:3',
  'exceeds memory': 'out of memory',
  'waits for its clearance': 'answering',
} as const

async function open(): Promise<EngineFixture> {
  const engine = memoryEngine('mine')
  const kills = new Map<string, () => void>()
  engine.onJob = programOfJobs(engine, kills)
  engine.answer = (task, program) => runProgramLocally(engine, task, program)
  return {
    engine,
    otherInstallation: otherInstallationOn(engine),
    nodeId: 'node1',
    image: 'postgres:15',
    withBehaviour: (spec, behaviour) => {
      engine.behave(spec.name, behaviours[behaviour])
      engine.lastLines.set(spec.name, ['last line'])
      return spec
    },
    scaleDown: async (name) => engine.alter(name, { replicas: 0 }),
    detach: async ({ serviceName }) => engine.detach(serviceName),
    printLine: async ({ serviceName }, line, stream) => engine.printLine(serviceName, line, stream),
    addLeftoverJob: async (name, recordId) => engine.leaveJob(name, recordId),
    addForeignContainer: async (_t, name, volume) =>
      volume === undefined ? engine.putForeignContainer(name) : engine.runOnVolume(name, volume),
    killContainer: async (name) => kills.get(name)?.(),
    close: async () => {},
  }
}

/** The engine as another installation uses it: its services are someone else's for the first installation. */
function otherInstallationOn(engine: MemoryEngine): EngineFixture['engine'] {
  const createService = async ({ name, labels, ports, replicas }: ServiceSpec) => {
    const published = ports.map(({ published: port, protocol }) => ({ port, protocol }))
    engine.putForeign(name, { labels, published, onNetwork: true, replicas, running: replicas })
  }
  return { ...engine, createService, removeService: async () => {}, listJobs: async () => [] }
}

/** Runs the program on this machine. Returns the content of a file if the program reads a file of the service. */
async function runProgramLocally(engine: MemoryEngine, task: FoundTask, program: Exec): Promise<Outcome> {
  const file = engine.specOf(task.serviceName)?.files.find((it) => it.path === program.argv[1])
  if (file) return { exitCode: 0, stdout: file.content, stderr: '' }
  const [command = '', ...args] = program.argv
  const child = spawn(command, args, { env: { ...process.env, ...program.env }, timeout: 10_000 })
  const exit = new Promise<number>((resolve) => child.on('close', (code) => resolve(code ?? -1)))
  child.stdin.end(program.stdin)
  const [stdout, stderr, exitCode] = await Promise.all([text(child.stdout), text(child.stderr), exit])
  return { exitCode, stdout, stderr }
}

/** Simulates programs whose result depends on a container. Runs other programs on this machine. */
function programOfJobs(engine: MemoryEngine, kills: Map<string, () => void>): Program {
  return (job, io) => {
    const [program = '', , name = ''] = job.argv
    if (program === 'no-such-program') {
      throw new EngineFailure('rejected', `exec: "${program}": executable file not found`)
    }
    if (job.memoryMib !== undefined) return Promise.resolve({ exitCode: 137, outOfMemory: true })
    return program === 'getent' ? printAddress(engine, name, io) : runJobLocally(job, io, kills)
  }
}

/** Runs the program of a job on this machine, with the job's files in a temporary folder. */
async function runJobLocally(job: Job, io: JobIo, kills: Map<string, () => void>): Promise<number> {
  await using end = new AsyncDisposableStack()
  const folder = folderUnder(end)
  const placedFiles = await Promise.all(
    (job.files ?? []).map(async ({ path, content, mode }, at) => {
      await writeFile(join(folder, String(at)), content)
      // Unlike the mode of a new file, this does not depend on the umask.
      await chmod(join(folder, String(at)), mode)
      return [path, join(folder, String(at))] as const
    }),
  )
  const [command = '', ...args] = job.argv.map((argument) => new Map(placedFiles).get(argument) ?? argument)
  const child = spawn(command, args, { env: { ...process.env, ...job.env }, detached: true })
  const exit = new Promise<number>((done) => {
    child.on('close', (code) => done(code ?? 137))
  })
  // Kills the whole process group, as a container ends with all its processes.
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  const kill = () => {
    if (!hasEnded()) process.kill(-child.pid!, 'SIGKILL')
  }
  kills.set(job.name, kill)
  io.signal.addEventListener('abort', kill)
  if (io.signal.aborted) kill()
  // A program that stops reading its input reports this by its exit code.
  const input = io.stdin ? pipeline(io.stdin, child.stdin) : child.stdin.end()
  const [exitCode] = await Promise.all([
    exit,
    pipeline(child.stdout, io.stdout),
    pipeline(child.stderr, io.stderr),
    Promise.allSettled([input]),
  ])
  return exitCode
}

/** Prints the address of a service as `getent hosts` does. */
async function printAddress(engine: MemoryEngine, name: string, io: JobIo): Promise<number> {
  const [task] = await engine.tasks([name])
  io.stdout.write(`${task?.address} ${task?.serviceName}\n`)
  return 0
}

engineSuite('in-memory engine', open)

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
    stdout.write('partial output')
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
  const [leftover] = await engine.listJobs()
  assert.equal(leftover?.attached, false)
  await engine.removeJob(leftover?.name ?? '')
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
    (await engine.tasks([spec.name])).map(({ state, failure }) => `${state} ${failure?.detail ?? ''}`.trim())
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

test('returns exit code 0 and no output for a program without a configured answer', async () => {
  const engine = memoryEngine('mine')
  const spec = specOf(await open())
  await engine.createService(spec)
  const task = await running(engine, spec.name)
  const outcome = await engine.run(task, { argv: ['psql'], env: {} }, 1000)
  assert.deepEqual(outcome, { exitCode: 0, stdout: '', stderr: '' })
})
