/** The part of the engine suite about jobs: their streams, their end and their leftovers. */
import assert from 'node:assert/strict'
import { createCipheriv, createHash, type Hash } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { test } from 'node:test'
import { EngineFailure } from '../../src/engine/engine.ts'
import type { EngineFailureReason } from '../../src/engine/failures.ts'
import { InputClosed, JobStopped } from '../../src/engine/job.ts'
import { createRunning, jobOf, runJob, specOf } from './bench.ts'
import type { Bench } from './bench.ts'

const never = new AbortController().signal
const mebibyte = 1024 * 1024

const refused =
  (reason: EngineFailureReason, words = /./) =>
  (error: unknown) =>
    error instanceof EngineFailure && error.reason === reason && words.test(error.message)

const stopped =
  (words: RegExp, cause = /^/) =>
  (error: Error) =>
    error instanceof JobStopped && words.test(error.message) && cause.test(String(error.cause))

const shell = (program: string) => ['sh', '-c', program]

export function jobTests(bench: () => Bench): void {
  endTests(bench)
  streamTests(bench)
  inputTests(bench)
  stopTests(bench)
  nameTests(bench)
  networkTests(bench)
}

function endTests(bench: () => Bench): void {
  test('ends a job with its exit code and last lines, and leaves nothing behind', async (t) => {
    const program = 'i=0; while [ $i -lt 5000 ]; do i=$((i+1)); echo "line $i ü" >&2; done; echo out; exit 7'
    const job = await runJob(t, bench(), { argv: shell(program) })
    assert.equal(await text(job.stdout), 'out\n')
    const { exitCode, oomKilled, lastLines } = await job.ended
    const expected = Array.from({ length: 20 }, (_, at) => `line ${4981 + at} ü`).join('\n')
    assert.deepEqual([exitCode, oomKilled, lastLines], [7, false, expected])
    assert.deepEqual(await bench().engine.listJobs(), [])
  })

  test('ends a job without output, and never cuts last lines within a line', async (t) => {
    const quiet = await runJob(t, bench())
    quiet.stdout.resume()
    assert.deepEqual(await quiet.ended, { exitCode: 0, oomKilled: false, lastLines: '' })
    const long = await runJob(t, bench(), { argv: shell("(head -c 40000 /dev/zero | tr '\\0' x; echo; echo end) >&2") })
    long.stdout.resume()
    assert.equal((await long.ended).lastLines, 'end')
  })

  test('reports a job that exceeds its memory limit', async (t) => {
    const argv = shell('x=0123456789abcdef; while :; do x=$x$x; done')
    const job = await runJob(t, bench(), { argv, memoryMib: 32 })
    job.stdout.resume()
    const { exitCode, oomKilled } = await job.ended
    assert.deepEqual({ exitCode, oomKilled }, { exitCode: 137, oomKilled: true })
  })

  test('refuses a missing image or program with a message, and leaves nothing behind', async () => {
    const { engine } = bench()
    const run = (changes: object) => engine.runJob(jobOf(bench(), changes), never)
    await assert.rejects(
      run({ image: 'no-such-image:1' }),
      refused('missing', /^No such image: no-such-image:1, .*: ./),
    )
    await assert.rejects(run({ argv: ['no-such-program'] }), refused('rejected', /no-such-program.*not found/))
    await assert.rejects(run({ argv: [] }), refused('rejected', /no program/))
    const files = (path: string) => ({ files: [{ path, content: '', mode: 0o600 }] })
    for (const path of ['etc/x', '/etc/../x', '/etc/', `/${'x'.repeat(101)}`]) {
      await assert.rejects(run(files(path)), refused('rejected', /cannot have a file at/))
    }
    assert.deepEqual(await engine.listJobs(), [])
  })

  test('passes arguments, environment and files uninterpreted', async (t) => {
    const odd = `a'b"c $(id) \`id\` \\ ; & | ü \u0001 %s {{.Node.ID}} {{ $HOME\nsecond line\n`
    const env = { ODD: odd, EMPTY: '', 'SPACE D': 'x=y', PATH: process.env.PATH ?? '' }
    const printed = async (argv: string[], files = [{ path: '/etc/berth/a secret.cnf', content: odd, mode: 0o600 }]) =>
      text((await runJob(t, bench(), { argv, env, files })).stdout)
    assert.equal(await printed(['printf', '%s', odd]), odd)
    assert.equal(await printed(['printenv', 'ODD', 'EMPTY', 'SPACE D']), `${odd}\n\nx=y\n`)
    assert.equal(await printed(['cat', '/etc/berth/a secret.cnf']), odd)
    assert.equal(await printed(['stat', '-c', '%a %u', '/etc/berth/a secret.cnf']), '600 0\n')
    const sized = (at: number) => ({ path: `/run/f${at}`, content: 'x'.repeat(at * 512), mode: 0o444 })
    const many = [0, 1, 2].map(sized)
    assert.equal(
      await printed(['stat', '-c', '%s %a', '/run/f0', '/run/f1', '/run/f2'], many),
      '0 444\n512 444\n1024 444\n',
    )
  })
}

/** Reproducible bytes that do not compress. */
const key = '00112233445566778899aabbccddeeff'
const noise = (mebibytes: number) =>
  shell(`head -c ${mebibytes * mebibyte} /dev/zero | openssl enc -aes-128-ctr -nosalt -K ${key} -iv ${key}`)

function noiseHash(mebibytes: number): string {
  const cipher = createCipheriv('aes-128-ctr', Buffer.from(key, 'hex'), Buffer.from(key, 'hex'))
  const [hash, zeros] = [createHash('sha256'), Buffer.alloc(mebibyte)]
  for (let at = 0; at < mebibytes; at++) hash.update(cipher.update(zeros))
  return hash.digest('hex')
}

/** Reads to the end and returns the growth of memory meanwhile, in bytes. */
async function hashTo(hash: Hash, stdout: Readable, afterEach: () => Promise<void> = async () => {}): Promise<number> {
  const used = () => process.memoryUsage.rss()
  let highest = 0
  const before = used()
  for await (const part of stdout) {
    hash.update(part as Buffer)
    highest = Math.max(highest, used() - before)
    await afterEach()
  }
  return highest
}

function streamTests(bench: () => Bench): void {
  test('passes 200 MiB of output unchanged with constant memory', async (t) => {
    const job = await runJob(t, bench(), { argv: noise(200) })
    const hash = createHash('sha256')
    const growth = await hashTo(hash, job.stdout)
    assert.equal((await job.ended).exitCode, 0)
    assert.equal(hash.digest('hex'), noiseHash(200))
    assert.ok(growth < 64 * mebibyte, `grew by ${growth}`)
  })

  test('blocks the program while the reader is slow, and loses nothing', async (t) => {
    const job = await runJob(t, bench(), { argv: noise(64) })
    const [hash, spent] = [createHash('sha256'), createHash('sha512')]
    const ballast = Buffer.alloc(mebibyte / 4)
    const turn = async () => {
      spent.update(ballast)
      await new Promise((resolve) => {
        setImmediate(resolve)
      })
      assert.ok(job.stdout.readableLength <= mebibyte)
    }
    const growth = await hashTo(hash, job.stdout, turn)
    assert.equal((await job.ended).exitCode, 0)
    assert.equal(hash.digest('hex'), noiseHash(64))
    assert.ok(growth < 64 * mebibyte, `grew by ${growth}`)
  })
}

function inputTests(bench: () => Bench): void {
  test('passes 50 MiB of input, and its end as end of file', async (t) => {
    const job = await runJob(t, bench(), { argv: ['cat'], stdin: true })
    const block = Buffer.from(Array.from({ length: mebibyte }, (_, at) => (at * at) % 251))
    const [sent, heard] = [createHash('sha256'), createHash('sha256')]
    const blocks = function* () {
      for (let at = 0; at < 50; at++) {
        block.writeUInt32BE(at, 0)
        const one = Buffer.from(block)
        sent.update(one)
        yield one
      }
    }
    const [growth] = await Promise.all([hashTo(heard, job.stdout), pipeline(blocks, job.stdin!)])
    assert.equal((await job.ended).exitCode, 0)
    assert.equal(heard.digest('hex'), sent.digest('hex'))
    assert.ok(growth < 64 * mebibyte, `grew by ${growth}`)
  })

  test('reads empty input in a job without input, and in a job with empty input', async (t) => {
    const without = await runJob(t, bench(), { argv: ['cat'] })
    assert.equal(without.stdin, null)
    assert.equal(await text(without.stdout), '')
    const empty = await runJob(t, bench(), { argv: ['cat'], stdin: true })
    empty.stdin!.end()
    assert.deepEqual([await text(empty.stdout), (await empty.ended).exitCode], ['', 0])
  })

  test('fails the input of a program that ends early, and keeps its output and exit code', async (t) => {
    const program = 'head -c 5; printf " and out"; echo reason >&2; exit 3'
    const job = await runJob(t, bench(), { argv: shell(program), stdin: true })
    const zeros = function* () {
      for (;;) yield Buffer.alloc(65_536, 'z')
    }
    const sent = pipeline(Readable.from(zeros()), job.stdin!)
    const [sending, heard] = await Promise.allSettled([sent, buffer(job.stdout)])
    assert.ok(sending.status === 'rejected' && sending.reason instanceof InputClosed, JSON.stringify(sending))
    assert.equal(heard.status === 'fulfilled' && heard.value.toString(), 'zzzzz and out')
    assert.deepEqual(await job.ended, { exitCode: 3, oomKilled: false, lastLines: 'reason' })
  })

  test('stops the job when its input is destroyed', async (t) => {
    const job = await runJob(t, bench(), { argv: ['cat'], stdin: true })
    job.stdin!.write('half')
    job.stdin!.destroy(new Error('the storage is gone'))
    await assert.rejects(buffer(job.stdout), JobStopped)
    await assert.rejects(job.ended, stopped(/input was given up/, /storage is gone/))
    assert.deepEqual(await bench().engine.listJobs(), [])
  })
}

const endless = shell('while :; do echo on and on; done')

function stopTests(bench: () => Bench): void {
  test('fails and removes a stopped job', async (t) => {
    const job = await runJob(t, bench(), { argv: endless, stdin: true })
    await new Promise((resolve) => {
      job.stdout.once('readable', resolve)
    })
    await Promise.all([job.stop(), job.stop()])
    await assert.rejects(job.ended, stopped(/by request/))
    assert.ok(job.stdout.errored instanceof JobStopped)
    assert.ok(job.stdin?.errored instanceof JobStopped)
    assert.deepEqual(await bench().engine.listJobs(), [])
    await job.stop()
  })

  test('stops a job by its signal, and never starts one whose signal is already aborted', async (t) => {
    const calledOff = new AbortController()
    const job = await runJob(t, bench(), { argv: endless }, calledOff.signal)
    const reading = text(job.stdout)
    calledOff.abort(new Error('enough'))
    await assert.rejects(reading, JobStopped)
    await assert.rejects(job.ended, stopped(/called off/, /enough/))
    await assert.rejects(bench().engine.runJob(jobOf(bench()), calledOff.signal), JobStopped)
    assert.deepEqual(await bench().engine.listJobs(), [])
  })

  test('stops a job whose output is destroyed', async (t) => {
    const job = await runJob(t, bench(), { argv: endless })
    for await (const part of job.stdout) if (part) break
    await assert.rejects(job.ended, stopped(/output was dropped/))
    assert.deepEqual(await bench().engine.listJobs(), [])
  })

  test('ends with exit code 137 when someone else kills the job', async (t) => {
    const it = jobOf(bench(), { argv: shell('echo out; sleep 1000') })
    const job = await runJob(t, bench(), it)
    await new Promise((resolve) => {
      job.stdout.once('readable', resolve)
    })
    await bench().killContainer(it.name)
    assert.equal(await text(job.stdout), 'out\n')
    assert.deepEqual(await job.ended, { exitCode: 137, oomKilled: false, lastLines: '' })
  })
}

function nameTests(bench: () => Bench): void {
  test('refuses a second job of the same name while the first runs, and runs it afterwards', async (t) => {
    const { engine } = bench()
    const it = jobOf(bench(), { argv: ['cat'], stdin: true })
    const first = await runJob(t, bench(), it)
    await assert.rejects(engine.runJob(it, never), refused('conflict', /under way/))
    first.stdin!.end('first')
    assert.equal(await text(first.stdout), 'first')
    await first.ended
    const second = await runJob(t, bench(), it)
    second.stdin!.end('second')
    assert.equal(await text(second.stdout), 'second')
  })

  test('lists running jobs and removes them', async (t) => {
    const { engine, stranger } = bench()
    const it = jobOf(bench(), { argv: endless, recordId: 'run 7' })
    const job = await runJob(t, bench(), it)
    const [found] = await engine.listJobs()
    assert.deepEqual([found?.name, found?.recordId, found?.state, found?.attached], [it.name, 'run 7', 'running', true])
    assert.ok(Math.abs(Date.parse(found?.createdAt ?? '')) > 0)
    assert.deepEqual(await stranger.listJobs(), [])
    await engine.removeJob(it.name)
    await assert.rejects(job.ended, JobStopped)
    assert.deepEqual(await engine.listJobs(), [])
    await engine.removeJob(it.name)
    await (await runJob(t, bench(), it)).stop()
    await (await runJob(t, bench(), it)).stop()
  })

  test('lists a leftover container, and removes it by call or for the next job of its name', async (t) => {
    const { engine } = bench()
    const [one, other] = [jobOf(bench()), jobOf(bench(), { argv: ['echo', 'new'] })]
    await Promise.all([one, other].map((it) => bench().leaveJob(it.name, 'left')))
    const found = (await engine.listJobs()).map(({ name, recordId, attached }) => [name, recordId, attached])
    assert.deepEqual(
      found.sort(),
      [
        [one.name, 'left', false],
        [other.name, 'left', false],
      ].sort(),
    )
    await engine.removeJob(one.name)
    const job = await runJob(t, bench(), other)
    assert.equal(await text(job.stdout), 'new\n')
    assert.equal((await job.ended).exitCode, 0)
    assert.deepEqual(await engine.listJobs(), [])
  })

  test("neither removes nor replaces someone else's container", async (t) => {
    const { engine } = bench()
    const it = jobOf(bench())
    await bench().putContainer(t, it.name)
    await assert.rejects(engine.runJob(it, never), refused('conflict', /not a job of this installation/))
    await assert.rejects(engine.removeJob(it.name), refused('conflict', /not a job of this installation/))
    assert.deepEqual(await engine.listJobs(), [])
  })
}

function networkTests(bench: () => Bench): void {
  test('reaches a service by its name', async (t) => {
    const task = await createRunning(t, bench(), specOf(bench()))
    const job = await runJob(t, bench(), { argv: ['getent', 'hosts', task.serviceName] })
    assert.match(await text(job.stdout), new RegExp(`^${task.address?.replaceAll('.', '\\.')}\\s`))
    assert.equal((await job.ended).exitCode, 0)
  })
}
