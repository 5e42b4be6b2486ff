import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startLoop } from './loop.ts'

/** Work whose turns the test lets end one by one. */
function gated() {
  const gates: PromiseWithResolvers<void>[] = []
  let onBegin: () => void = () => undefined
  const work = () => {
    const gate = Promise.withResolvers<void>()
    gates.push(gate)
    onBegin()
    return gate.promise
  }
  const begun = async (turns: number) => {
    while (gates.length < turns)
      await new Promise<void>((resolve) => {
        onBegin = resolve
      })
  }
  return { gates, work, begun }
}

const unexpected = (error: unknown) => {
  throw error
}

test('a wake during a turn makes one more turn, never two at once', async () => {
  const { gates, work, begun } = gated()
  const loop = startLoop({ periodMs: 60_000, work, onError: unexpected })
  loop.wake()
  loop.wake()
  assert.equal(gates.length, 1)
  gates[0]!.resolve()
  await begun(2)
  assert.equal(gates.length, 2)
  const stopped = loop.stop()
  gates[1]!.resolve()
  await stopped
  assert.equal(gates.length, 2)
})

test('a wake ends the rest', async () => {
  const { gates, work, begun } = gated()
  const loop = startLoop({ periodMs: 60_000, work, onError: unexpected })
  gates[0]!.resolve()
  await new Promise(setImmediate)
  loop.wake()
  await begun(2)
  gates[1]!.resolve()
  await loop.stop()
})

test('a failed turn is tried again by itself, and the failures are counted until one succeeds', async () => {
  const seen: number[] = []
  const { promise: succeeded, resolve } = Promise.withResolvers<void>()
  const loop = startLoop({
    periodMs: 60_000,
    work: async () => {
      if (seen.length < 2) throw new Error('not yet')
      resolve()
    },
    onError: (_error, failures) => seen.push(failures),
  })
  await succeeded
  await new Promise(setImmediate)
  assert.deepEqual(seen, [1, 2])
  assert.equal(loop.failures(), 0)
  await loop.stop()
})
