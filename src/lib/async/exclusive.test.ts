/** Work that runs one at a time for each key. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exclusive } from './exclusive.ts'

test('runs work with the same key in order, also after a failure, and other work at once', async () => {
  const run = exclusive()
  const order: string[] = []
  const gate = Promise.withResolvers<void>()
  const failing = run('a', async () => {
    await gate.promise
    order.push('first')
    throw new Error('failed')
  })
  const second = run('a', async () => order.push('second'))
  await run('b', async () => order.push('other'))
  gate.resolve()
  await assert.rejects(failing, /failed/)
  await second
  assert.deepEqual(order, ['other', 'first', 'second'])
  assert.equal(await run('a', async () => 3), 3)
})
