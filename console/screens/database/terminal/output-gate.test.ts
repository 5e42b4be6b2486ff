import assert from 'node:assert/strict'
import { test } from 'node:test'
import { droppedText, outputGate } from './output-gate.ts'

/** A screen that draws when the test says so. */
function slowScreen() {
  const waiting: { data: Uint8Array | string; done: () => void }[] = []
  const drawn: (number | string)[] = []
  return {
    drawn,
    write: (data: Uint8Array | string, done: () => void) => void waiting.push({ data, done }),
    drawAll() {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        drawn.push(typeof next.data === 'string' ? next.data : next.data.length)
        next.done()
      }
    },
  }
}

const megabyte = new Uint8Array(1_000_000)

test('output that the screen draws in time passes unchanged', () => {
  const { drawn, write, drawAll } = slowScreen()
  const pass = outputGate(write)
  for (let i = 0; i < 10; i++) {
    pass(megabyte)
    drawAll()
  }
  assert.deepEqual(drawn, Array(10).fill(megabyte.length))
})

test('output beyond the limit is left out and counted, and later output follows', () => {
  const { drawn, write, drawAll } = slowScreen()
  const pass = outputGate(write)
  for (let i = 0; i < 10; i++) pass(megabyte)
  drawAll()
  pass(new Uint8Array(7))
  drawAll()
  assert.deepEqual(drawn, [...Array(4).fill(megabyte.length), droppedText(6_000_000), 7])
})

test('while output is left out, no later output comes before the message', () => {
  const { drawn, write, drawAll } = slowScreen()
  const pass = outputGate(write)
  for (let i = 0; i < 5; i++) pass(megabyte)
  pass(new Uint8Array(5))
  drawAll()
  assert.deepEqual(drawn.slice(4), [droppedText(1_000_005)])
})
