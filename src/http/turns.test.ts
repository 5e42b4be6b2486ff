import assert from 'node:assert/strict'
import { test } from 'node:test'
import { turnEnds } from './turns.ts'

test('all promises of a turn of the event loop resolve at the end of that turn', async () => {
  const turnEnd = turnEnds()
  let order = ''
  const waiting = ['a', 'b'].map((name) =>
    turnEnd().then(() => {
      order += name
    }),
  )
  await Promise.resolve()
  assert.equal(order, '')
  await Promise.all(waiting)
  const next = turnEnd().then(() => {
    order += 'c'
  })
  assert.equal(order, 'ab')
  await next
  assert.equal(order, 'abc')
})
