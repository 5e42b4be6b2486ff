/** The part of the engine suite about jobs: their start, end, names and leftover containers. */
import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { type Job, JobStopped } from '../../src/engine/job.ts'
import { engineFailure, jobStopped } from './engine-failure.ts'
import { jobOf, runJob, sharedTask } from './engine-fixture.ts'
import type { EngineFixture } from './engine-fixture.ts'

const neverAborted = new AbortController().signal

const shell = (program: string) => ['sh', '-c', program]

export function jobTests(fixture: () => EngineFixture): void {
  endTests(fixture)
  stopTests(fixture)
  nameTests(fixture)
  networkTests(fixture)
}

function endTests(fixture: () => EngineFixture): void {
  test('ends a job with its exit code and last lines, and removes its container', async (t) => {
    const program = 'i=0; while [ $i -lt 5000 ]; do i=$((i+1)); echo "line $i ü" >&2; done; echo out; exit 7'
    const job = await runJob(t, fixture(), { argv: shell(program) })
    assert.equal(await text(job.stdout), 'out\n')
    const { exitCode, outOfMemory, lastLines } = await job.ended
    const expected = Array.from({ length: 20 }, (_, at) => `line ${4981 + at} ü`).join('\n')
    assert.deepEqual([exitCode, outOfMemory, lastLines], [7, false, expected])
    assert.deepEqual(await fixture().engine.listJobs(), [])
  })

  test('ends a job without output, and drops a line that was cut', async (t) => {
    const silent = await runJob(t, fixture())
    silent.stdout.resume()
    assert.deepEqual(await silent.ended, { exitCode: 0, outOfMemory: false, lastLines: '' })
    const long = await runJob(t, fixture(), {
      argv: shell("(head -c 40000 /dev/zero | tr '\\0' x; echo; echo end) >&2"),
    })
    long.stdout.resume()
    assert.equal((await long.ended).lastLines, 'end')
  })

  test('reports a job that exceeds its memory limit', async (t) => {
    const argv = shell('x=0123456789abcdef; while :; do x=$x$x; done')
    const job = await runJob(t, fixture(), { argv, memoryMib: 32 })
    job.stdout.resume()
    const { exitCode, outOfMemory } = await job.ended
    assert.deepEqual({ exitCode, outOfMemory }, { exitCode: 137, outOfMemory: true })
  })

  test('refuses a missing image or program with a message, and removes the container', async () => {
    const { engine } = fixture()
    const run = (changes: object) => engine.runJob(jobOf(fixture(), changes), neverAborted)
    await assert.rejects(
      run({ image: 'no-such-image:1' }),
      engineFailure('missing', /^No such image: no-such-image:1, .*: ./),
    )
    await assert.rejects(run({ argv: ['no-such-program'] }), engineFailure('rejected', /no-such-program.*not found/))
    await assert.rejects(run({ argv: [] }), engineFailure('rejected', /no program/))
    const files = (path: string) => ({ files: [{ path, content: '', mode: 0o600 }] })
    for (const path of ['etc/x', '/etc/../x', '/etc/', `/${'x'.repeat(101)}`]) {
      await assert.rejects(run(files(path)), engineFailure('rejected', /has an invalid file path/))
    }
    assert.deepEqual(await engine.listJobs(), [])
  })

  test('passes arguments, environment and files uninterpreted', async (t) => {
    const odd = `a'b"c $(id) \`id\` \\ ; & | ü \u0001 %s {{.Node.ID}} {{ $HOME\nsecond line\n`
    const env = { ODD: odd, EMPTY: '', 'SPACE D': 'x=y', PATH: process.env.PATH ?? '' }
    const outputOf = async (argv: string[], files: Job['files'] = []) =>
      text((await runJob(t, fixture(), { argv, env, files })).stdout)
    // A shell would drop the variable whose name has a space.
    assert.equal(await outputOf(['printenv', 'ODD', 'EMPTY', 'SPACE D']), `${odd}\n\nx=y\n`)
    const secret = { path: '/etc/berth/a secret.cnf', content: odd, mode: 0o600 }
    const sized = (at: number) => ({ path: `/run/f${at}`, content: 'x'.repeat(at * 512), mode: 0o444 })
    const files = [secret, ...[0, 1, 2].map(sized)]
    const program = `printf %s "$1"; shift; cat "$1"; stat -c '%a %u' "$1"; shift; stat -c '%s %a' "$@"`
    assert.equal(
      await outputOf([...shell(program), 'sh', odd, ...files.map(({ path }) => path)], files),
      `${odd}${odd}600 0\n0 444\n512 444\n1024 444\n`,
    )
  })
}

const endless = shell('while :; do echo line; done')

function stopTests(fixture: () => EngineFixture): void {
  test('fails and removes a stopped job', async (t) => {
    const job = await runJob(t, fixture(), { argv: endless, stdin: true })
    await new Promise((resolve) => {
      job.stdout.once('readable', resolve)
    })
    await Promise.all([job.stop(), job.stop()])
    await assert.rejects(job.ended, jobStopped(/stop was called/))
    assert.ok(job.stdout.errored instanceof JobStopped)
    assert.ok(job.stdin?.errored instanceof JobStopped)
    assert.deepEqual(await fixture().engine.listJobs(), [])
    await job.stop()
  })

  test('stops a job by its signal, and never starts one whose signal is already aborted', async (t) => {
    const controller = new AbortController()
    const job = await runJob(t, fixture(), { argv: endless }, controller.signal)
    const reading = text(job.stdout)
    controller.abort(new Error('time is up'))
    await assert.rejects(reading, JobStopped)
    await assert.rejects(job.ended, jobStopped(/signal was aborted/, /time is up/))
    await assert.rejects(fixture().engine.runJob(jobOf(fixture()), controller.signal), JobStopped)
    assert.deepEqual(await fixture().engine.listJobs(), [])
  })

  test('stops a job whose output is destroyed', async (t) => {
    const job = await runJob(t, fixture(), { argv: endless })
    for await (const part of job.stdout) if (part) break
    await assert.rejects(job.ended, jobStopped(/output stream was destroyed/))
    assert.deepEqual(await fixture().engine.listJobs(), [])
  })

  test('ends with exit code 137 when someone else kills the job', async (t) => {
    const spec = jobOf(fixture(), { argv: shell('echo out; sleep 1000') })
    const job = await runJob(t, fixture(), spec)
    await new Promise((resolve) => {
      job.stdout.once('readable', resolve)
    })
    await fixture().killContainer(spec.name)
    assert.equal(await text(job.stdout), 'out\n')
    assert.deepEqual(await job.ended, { exitCode: 137, outOfMemory: false, lastLines: '' })
  })
}

function nameTests(fixture: () => EngineFixture): void {
  test('refuses a second job of the same name while the first runs, and accepts it afterwards', async (t) => {
    const { engine } = fixture()
    const spec = jobOf(fixture(), { argv: ['cat'], stdin: true })
    const first = await runJob(t, fixture(), spec)
    await assert.rejects(engine.runJob(spec, neverAborted), engineFailure('conflict', /already running/))
    first.stdin!.end('first')
    assert.equal(await text(first.stdout), 'first')
    await first.ended
    const second = await runJob(t, fixture(), spec)
    second.stdin!.end('second')
    assert.equal(await text(second.stdout), 'second')
  })

  test('lists running jobs and removes them', async (t) => {
    const { engine, otherInstallation } = fixture()
    const spec = jobOf(fixture(), { argv: endless, recordId: 'run 7' })
    const job = await runJob(t, fixture(), spec)
    const [listed] = await engine.listJobs()
    assert.deepEqual(
      [listed?.name, listed?.recordId, listed?.state, listed?.attached],
      [spec.name, 'run 7', 'running', true],
    )
    assert.ok(Math.abs(Date.parse(listed?.createdAt ?? '')) > 0)
    assert.deepEqual(await engine.attachedJobs(listed!.nodeId), [{ name: spec.name, recordId: 'run 7' }])
    assert.deepEqual(await engine.attachedJobs('elsewhere'), [])
    assert.deepEqual(await otherInstallation.listJobs(), [])
    await engine.removeLeftoverJob(spec.name, listed!.nodeId)
    assert.equal((await engine.listJobs()).length, 1, 'removed a running job')
    await engine.removeJob(spec.name)
    await assert.rejects(job.ended, JobStopped)
    assert.deepEqual([await engine.listJobs(), await engine.attachedJobs(listed!.nodeId)], [[], []])
    await engine.removeJob(spec.name)
    await (await runJob(t, fixture(), spec)).stop()
    await (await runJob(t, fixture(), spec)).stop()
  })

  test('lists a leftover container, and removes it by call or before the next job of its name', async (t) => {
    const { engine } = fixture()
    const [first, second] = [jobOf(fixture()), jobOf(fixture(), { argv: ['echo', 'new'] })]
    await Promise.all([first, second].map(({ name }) => fixture().addLeftoverJob(name, 'left')))
    const listed = (await engine.listJobs()).map(({ name, recordId, attached }) => [name, recordId, attached])
    assert.deepEqual(
      listed.sort(),
      [
        [first.name, 'left', false],
        [second.name, 'left', false],
      ].sort(),
    )
    const [{ nodeId } = { nodeId: '' }] = await engine.listJobs()
    await engine.removeLeftoverJob(first.name, nodeId)
    await engine.removeLeftoverJob(first.name, nodeId)
    const job = await runJob(t, fixture(), second)
    assert.equal(await text(job.stdout), 'new\n')
    assert.equal((await job.ended).exitCode, 0)
    assert.deepEqual(await engine.listJobs(), [])
  })

  test("neither removes nor replaces someone else's container", async (t) => {
    const { engine } = fixture()
    const spec = jobOf(fixture())
    await fixture().addForeignContainer(t, spec.name)
    await assert.rejects(
      engine.runJob(spec, neverAborted),
      engineFailure('conflict', /not a job of this Berth installation/),
    )
    await assert.rejects(engine.removeJob(spec.name), engineFailure('conflict', /not a job of this Berth installation/))
    assert.deepEqual(await engine.listJobs(), [])
  })
}

function networkTests(fixture: () => EngineFixture): void {
  test('reaches a service by its name', async (t) => {
    const task = await sharedTask(fixture())
    const job = await runJob(t, fixture(), { argv: ['getent', 'hosts', task.serviceName] })
    assert.match(await text(job.stdout), new RegExp(`^${task.address?.replaceAll('.', '\\.')}\\s`))
    assert.equal((await job.ended).exitCode, 0)
  })
}
