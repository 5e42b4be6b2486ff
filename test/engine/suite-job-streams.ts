/** The part of the engine suite about the standard streams of jobs. */
import assert from 'node:assert/strict'
import { createCipheriv, createHash, type Hash } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { InputClosed, JobStopped } from '../../src/engine/job.ts'
import { jobStopped } from './engine-failure.ts'
import { runJob } from './engine-fixture.ts'
import type { EngineFixture } from './engine-fixture.ts'

const mebibyte = 1024 * 1024

const shell = (program: string) => ['sh', '-c', program]

export function jobStreamTests(fixture: () => EngineFixture): void {
  outputTests(fixture)
  inputTests(fixture)
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

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** The bytes that are still referenced. */
function referencedBytes(): number {
  collectGarbage()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

/** Reads to the end and returns the largest growth of the referenced bytes during this time. */
async function hashTo(hash: Hash, stdout: Readable, afterEach: () => Promise<void> = async () => {}): Promise<number> {
  let [highest, unmeasuredBytes] = [0, 0]
  const before = referencedBytes()
  for await (const part of stdout as AsyncIterable<Buffer>) {
    hash.update(part)
    unmeasuredBytes += part.length
    if (unmeasuredBytes > 8 * mebibyte) {
      unmeasuredBytes = 0
      highest = Math.max(highest, referencedBytes() - before)
    }
    await afterEach()
  }
  return highest
}

function outputTests(fixture: () => EngineFixture): void {
  test('passes 128 MiB of output unchanged with constant memory', async (t) => {
    const job = await runJob(t, fixture(), { argv: noise(128) })
    const hash = createHash('sha256')
    const growth = await hashTo(hash, job.stdout)
    assert.equal((await job.ended).exitCode, 0)
    assert.equal(hash.digest('hex'), noiseHash(128))
    assert.ok(growth < 32 * mebibyte, `grew by ${growth}`)
  })

  test('blocks the program while the reader is slow, and loses no output', async (t) => {
    const job = await runJob(t, fixture(), { argv: noise(64) })
    const [hash, ballastHash] = [createHash('sha256'), createHash('sha512')]
    const ballast = Buffer.alloc(mebibyte / 4)
    const readSlowly = async () => {
      ballastHash.update(ballast)
      await new Promise((resolve) => {
        setImmediate(resolve)
      })
      assert.ok(job.stdout.readableLength <= mebibyte)
    }
    const growth = await hashTo(hash, job.stdout, readSlowly)
    assert.equal((await job.ended).exitCode, 0)
    assert.equal(hash.digest('hex'), noiseHash(64))
    assert.ok(growth < 32 * mebibyte, `grew by ${growth}`)
  })
}

function inputTests(fixture: () => EngineFixture): void {
  test('passes 50 MiB of input unchanged, and its end as end of file', async (t) => {
    const job = await runJob(t, fixture(), { argv: ['cat'], stdin: true })
    const block = Buffer.from(Array.from({ length: mebibyte }, (_, at) => (at * at) % 251))
    const [sent, received] = [createHash('sha256'), createHash('sha256')]
    const blocks = function* () {
      for (let at = 0; at < 50; at++) {
        block.writeUInt32BE(at, 0)
        const copy = Buffer.from(block)
        sent.update(copy)
        yield copy
      }
    }
    const [growth] = await Promise.all([hashTo(received, job.stdout), pipeline(blocks, job.stdin!)])
    assert.equal((await job.ended).exitCode, 0)
    assert.equal(received.digest('hex'), sent.digest('hex'))
    assert.ok(growth < 32 * mebibyte, `grew by ${growth}`)
  })

  test('reads empty input in a job without input, and in a job with empty input', async (t) => {
    const without = await runJob(t, fixture(), { argv: ['cat'] })
    assert.equal(without.stdin, null)
    assert.equal(await text(without.stdout), '')
    const empty = await runJob(t, fixture(), { argv: ['cat'], stdin: true })
    empty.stdin!.end()
    assert.deepEqual([await text(empty.stdout), (await empty.ended).exitCode], ['', 0])
  })

  test('fails the input of a program that ends early, and keeps its output and exit code', async (t) => {
    const program = 'head -c 5; printf " and out"; echo reason >&2; exit 3'
    const job = await runJob(t, fixture(), { argv: shell(program), stdin: true })
    const zeros = function* () {
      for (;;) yield Buffer.alloc(65_536, 'z')
    }
    const sent = pipeline(Readable.from(zeros()), job.stdin!)
    const [sending, receiving] = await Promise.allSettled([sent, buffer(job.stdout)])
    assert.ok(sending.status === 'rejected' && sending.reason instanceof InputClosed, JSON.stringify(sending))
    assert.equal(receiving.status === 'fulfilled' && receiving.value.toString(), 'zzzzz and out')
    assert.deepEqual(await job.ended, { exitCode: 3, outOfMemory: false, lastLines: 'reason' })
  })

  test('stops the job when its input is destroyed', async (t) => {
    const job = await runJob(t, fixture(), { argv: ['cat'], stdin: true })
    job.stdin!.write('part')
    job.stdin!.destroy(new Error('storage unavailable'))
    await assert.rejects(buffer(job.stdout), JobStopped)
    await assert.rejects(job.ended, jobStopped(/input stream was destroyed/, /storage unavailable/))
    assert.deepEqual(await fixture().engine.listJobs(), [])
  })
}
