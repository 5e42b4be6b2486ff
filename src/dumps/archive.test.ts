/** Input of tools: a program that ends before its input does has failed only where it missed some of it. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { parseConfig } from '../config.ts'
import { memoryEngine } from '../../test/engine/memory/engine.ts'
import type { Runtime } from '../runtime.ts'
import { consumed, type Tool } from './archive.ts'
import type { Bytes } from './streams.ts'

const tool: Tool = {
  name: 'tool',
  recordId: 'r',
  image: 'postgres:15',
  program: { argv: ['tool'], env: {} },
  mask: (text) => text,
}

/** Feeds a program that reads three bytes, then ends with that code; the rest of the input comes only after that. */
async function fed(exitCode: number, rest: () => Bytes): Promise<void> {
  const engine = memoryEngine('mine')
  const ended = Promise.withResolvers<void>()
  engine.onJob = async (_job, { stdin, signal }) => {
    await once(stdin!, 'readable')
    assert.equal(String(stdin!.read(3)), 'abc')
    signal.addEventListener('abort', () => ended.resolve())
    return exitCode
  }
  async function* input(): Bytes {
    yield Buffer.from('abc')
    await ended.promise
    yield* rest()
  }
  const runtime = { engine, config: parseConfig({}) } as unknown as Runtime
  await consumed(runtime, tool, input(), AbortSignal.timeout(5000))
}

async function* nothing(): Bytes {}

async function* more(): Bytes {
  yield Buffer.from('d')
}

// biome-ignore lint/correctness/useYield: an input that breaks before its first byte.
async function* wrong(): Bytes {
  throw new Error('not the checksum that was sent')
}

test('it has read all of it: that is well, and the end of the input is waited for', async () => {
  await fed(0, nothing)
  await assert.rejects(fed(0, wrong), /not the checksum/)
})

test('it has missed some of it', () => assert.rejects(fed(0, more), { name: 'InputClosed' }))

test('it failed: its own reason is told', () => assert.rejects(fed(3, nothing), /tool ended with exit code 3/))
