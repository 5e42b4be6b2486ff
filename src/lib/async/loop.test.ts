import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Loop, loopRunner, type Turn } from './loop.ts'
import type { Log } from '../log.ts'

/** A turn that ends when the test says so. */
function gated() {
  const gates: PromiseWithResolvers<Turn>[] = []
  let onBegin: () => void = () => undefined
  const turn = () => {
    const gate = Promise.withResolvers<Turn>()
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
  return { gates, turn, begun }
}

function unexpected(): never {
  throw new Error('unexpected')
}

const silent: Log = { info: () => undefined, warn: () => undefined, error: unexpected, flush: () => undefined }

function run<Name extends string>(...loops: Loop<Name>[]) {
  const runner = loopRunner<Name>(silent, unexpected)
  runner.start(loops)
  return runner
}

/** Lets all pending callbacks run. */
const flushCallbacks = () => new Promise((resolve) => setImmediate(resolve))

const hour = 3600_000

test('a wake during a turn causes one more turn, never two at the same time', async () => {
  const { gates, turn, begun } = gated()
  const loops = run({ name: 'one', periodMs: hour, turn })
  await begun(1)
  loops.wake('one')
  loops.wake('one')
  await flushCallbacks()
  assert.equal(gates.length, 1)
  gates[0]!.resolve('idle')
  await begun(2)
  assert.equal(gates.length, 2)
  const stopped = loops.stop()
  gates[1]!.resolve('idle')
  await stopped
  assert.equal(gates.length, 2)
})

test('a wake ends the pause of the loop of that name only', async () => {
  const [one, other] = [gated(), gated()]
  const loops = run(
    { name: 'one', periodMs: hour, turn: one.turn },
    { name: 'other', periodMs: hour, turn: other.turn },
  )
  await Promise.all([one.begun(1), other.begun(1)])
  one.gates[0]!.resolve('idle')
  other.gates[0]!.resolve('idle')
  await flushCallbacks()
  loops.wake('one')
  await one.begun(2)
  await flushCallbacks()
  assert.equal(other.gates.length, 1)
  one.gates[1]!.resolve('idle')
  await loops.stop()
})

/** `ms` is the time from the end of the first turn to the start of the second. `wakes` are delays of requests. */
const gaps: [what: string, loop: Partial<Loop<'one'>>, first: Turn, wakes: number[], ms: number][] = [
  ['the period', { periodMs: 40 }, 'idle', [], 40],
  ['nothing after a wake without a gap', { minGapMs: 0 }, 'idle', [0], 0],
  ['the gap after a wake', { minGapMs: 40 }, 'idle', [0], 40],
  ['the delay that a wake requests', {}, 'idle', [40], 40],
  ['the earliest of several wakes', {}, 'idle', [hour, 40, 2 * hour], 40],
  ['the gap if a wake requests a shorter delay', { minGapMs: 40 }, 'idle', [10], 40],
  ['nothing after `again`', {}, 'again', [], 0],
  ['the gap after `again`', { minGapMs: 40 }, 'again', [], 40],
  ['againMs after `again`', { againMs: 40 }, 'again', [], 40],
  ['againMs after `again`, if it is shorter than the gap', { againMs: 40, minGapMs: hour }, 'again', [], 40],
  ['nothing after `again`, if a wake comes before againMs', { againMs: hour }, 'again', [0], 0],
  ['the delay of a wake after `again`, if the gap is shorter', { againMs: hour, minGapMs: 10 }, 'again', [40], 40],
]

for (const [what, times, first, wakes, ms] of gaps) {
  for (const when of ['during the turn', 'after the turn']) {
    test(`the time between two turns is ${what} (woken ${when})`, async () => {
      const { gates, turn, begun } = gated()
      const loops = run({ name: 'one', periodMs: hour, turn, ...times })
      await begun(1)
      const wake = () => wakes.forEach((inMs) => void loops.wake('one', inMs))
      if (when === 'during the turn') wake()
      gates[0]!.resolve(first)
      const ended = performance.now()
      await flushCallbacks()
      if (when === 'after the turn') wake()
      await begun(2)
      const took = performance.now() - ended
      // A timer can be one millisecond early, and late by any time on a busy machine.
      assert.ok(took >= ms - 2 && took < hour / 100, `${took} ms`)
      gates[1]!.resolve('idle')
      await loops.stop()
    })
  }
}

test('a period from the start of a turn contains the time that the turn took', async () => {
  const { gates, turn, begun } = gated()
  const periodMs = 300
  const loops = run({ name: 'one', periodMs, isPeriodFromStart: true, turn })
  await begun(1)
  const started = performance.now()
  gates[0]!.resolve('idle')
  await begun(2)
  assert.ok(performance.now() - started >= periodMs - 20)
  await new Promise((resolve) => setTimeout(resolve, periodMs))
  gates[1]!.resolve('idle')
  const ended = performance.now()
  await begun(3)
  assert.ok(performance.now() - ended < periodMs - 20)
  gates[2]!.resolve('idle')
  await loops.stop()
})

test('a wake for a later time causes a turn at that time, also after earlier turns', async () => {
  const { gates, turn, begun } = gated()
  const loops = run({ name: 'one', periodMs: hour, turn })
  await begun(1)
  const requestedAt = performance.now()
  loops.wake('one', 40)
  loops.wake('one')
  gates[0]!.resolve('idle')
  await begun(2)
  gates[1]!.resolve('idle')
  await begun(3)
  assert.ok(performance.now() - requestedAt >= 38)
  gates[2]!.resolve('idle')
  await loops.stop()
})

test('reads minGapMs after each turn', async () => {
  const { gates, turn, begun } = gated()
  let gapMs = hour
  const loop: Loop<'one'> = {
    name: 'one',
    periodMs: hour,
    turn,
    get minGapMs() {
      return gapMs
    },
  }
  const loops = run(loop)
  await begun(1)
  gapMs = 0
  loops.wake('one')
  gates[0]!.resolve('idle')
  await begun(2)
  gates[1]!.resolve('idle')
  await loops.stop()
})

test('repeats a failed turn, and counts the failures until a turn succeeds', async () => {
  const failureCounts: number[] = []
  const logged: unknown[] = []
  const { promise: succeeded, resolve } = Promise.withResolvers<void>()
  const log: Log = { ...silent, error: (event, _error, fields) => logged.push([event, fields]) }
  const loops = loopRunner<'one'>(log, () => failureCounts.push(loops.figures()[0]!.failures))
  loops.start([
    {
      name: 'one',
      periodMs: hour,
      turn: async () => {
        if (failureCounts.length < 3) throw new Error('not yet')
        resolve()
        return 'idle'
      },
    },
  ])
  await succeeded
  await flushCallbacks()
  assert.deepEqual(failureCounts, [1, 2, 3])
  // Failures are logged after 1, 2, 4, 8 … failures in a row.
  assert.deepEqual(
    logged,
    [1, 2].map((failures) => ['a loop failed', { loop: 'one', failures }]),
  )
  assert.equal(loops.figures()[0]!.failures, 0)
  await loops.stop()
})

test('a wake does not shorten the wait after a failure', async () => {
  const startedAt: number[] = []
  const { promise: succeeded, resolve } = Promise.withResolvers<void>()
  const loops = loopRunner<'one'>({ ...silent, error: () => loops.wake('one') })
  loops.start([
    {
      name: 'one',
      periodMs: hour,
      turn: async () => {
        startedAt.push(performance.now())
        if (startedAt.length < 2) throw new Error('not yet')
        resolve()
        return 'idle'
      },
    },
  ])
  await flushCallbacks()
  loops.wake('one')
  await succeeded
  assert.ok(startedAt[1]! - startedAt[0]! >= 198, `${startedAt}`)
  await loops.stop()
})

test('reports the last turn of each loop, and null during the first turn', async () => {
  const { gates, turn, begun } = gated()
  const loops = run(
    { name: 'idle', periodMs: hour, turn: async () => 'idle' as const },
    { name: 'busy', periodMs: hour, turn },
  )
  await begun(1)
  await flushCallbacks()
  const [idle, busy] = loops.figures()
  assert.deepEqual(busy, { name: 'busy', periodMs: hour, failures: 0, lastTurn: null })
  assert.deepEqual([idle!.name, idle!.failures], ['idle', 0])
  const { tookMs, agoMs } = idle!.lastTurn!
  assert.ok(tookMs >= 0 && agoMs >= 0 && tookMs + agoMs < 10_000)
  gates[0]!.resolve('idle')
  await loops.stop()
})

test('stop ends pauses, waits for running turns, and then calls stop of each loop', async () => {
  const steps: string[] = []
  const { gates, turn, begun } = gated()
  const end = (name: string) => async () => void steps.push(`${name} ended`)
  const until = (stopping: AbortSignal) =>
    new Promise<Turn>((resolve) => stopping.addEventListener('abort', () => resolve('again')))
  const loops = run(
    { name: 'resting', periodMs: hour, minGapMs: hour, turn: async () => 'idle', stop: end('resting') },
    { name: 'open', periodMs: hour, turn: until, stop: end('open') },
    { name: 'busy', periodMs: hour, turn, stop: end('busy') },
  )
  await begun(1)
  await flushCallbacks()
  const stopped = loops.stop()
  await flushCallbacks()
  assert.deepEqual(steps, [])
  loops.wake('busy')
  gates[0]!.resolve('again')
  await stopped
  assert.deepEqual(steps, ['resting ended', 'open ended', 'busy ended'])
  loops.wake('busy')
  await flushCallbacks()
  assert.equal(gates.length, 1)
})

test('throws the failure of a stop function', async () => {
  const stop = async () => {
    throw new Error('left')
  }
  const loops = run({ name: 'one', periodMs: hour, turn: async () => 'idle', stop })
  await assert.rejects(loops.stop(), /left/)
})
