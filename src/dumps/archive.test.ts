/**
 * The input of tools. A tool may exit before its input is closed. This is a failure only if the tool has not read all
 * bytes.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { parseConfig } from '../config.ts'
import { memoryEngine } from '../../test/engine/memory/engine.ts'
import type { Runtime } from '../runtime.ts'
import { feedTool, type Tool } from './archive.ts'
import type { Bytes } from './streams.ts'

const tool: Tool = {
  name: 'tool',
  recordId: 'r',
  image: 'postgres:15',
  program: { argv: ['tool'], env: {} },
  mask: (text) => text,
}

/** Runs a tool that reads three bytes and exits with `exitCode`. The rest of its input arrives after the exit. */
async function feedExitingTool(exitCode: number, rest: () => Bytes): Promise<void> {
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
  await feedTool(runtime, tool, input(), AbortSignal.timeout(5000))
}

async function* noBytes(): Bytes {}

async function* furtherByte(): Bytes {
  yield Buffer.from('d')
}

// biome-ignore lint/correctness/useYield: this input fails before its first byte.
async function* failingInput(): Bytes {
  throw new Error('not the checksum that was sent')
}

test('accepts a tool that exits after it read all input', () => feedExitingTool(0, noBytes))

test('reports an error at the end of the input, even if the tool succeeded', () =>
  assert.rejects(feedExitingTool(0, failingInput), /not the checksum/))

test('fails if the tool exits before it read all input', () =>
  assert.rejects(feedExitingTool(0, furtherByte), { name: 'InputClosed' }))

test('reports what needs a restart after a tool that succeeded', async () => {
  const engine = memoryEngine('mine')
  engine.onJob = async (_job, { stdin, stderr }) => {
    stdin!.resume()
    stderr.write('Berth: RestartNeeded pg_cron')
    return 0
  }
  const runtime = { engine, config: parseConfig({}) } as unknown as Runtime
  const found: string[] = []
  const program = { ...tool.program, restartNeededBy: (text: string) => text.split(' ').at(-1) ?? null }
  await feedTool(runtime, { ...tool, program }, noBytes(), AbortSignal.timeout(5000), (part) => found.push(part))
  assert.deepEqual(found, ['pg_cron'])
})

test('reports the exit code of a tool that failed', () =>
  assert.rejects(feedExitingTool(3, noBytes), /tool ended with exit code 3/))
