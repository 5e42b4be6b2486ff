import assert from 'node:assert/strict'
import { test } from 'node:test'
import { turnEnds } from './turns.ts'

test('all of one turn go on together at its end, those of the next at the end of that', async () => {
  const turnEnd = turnEnds()
  let went = ''
  const waiting = ['a', 'b'].map((name) =>
    turnEnd().then(() => {
      went += name
    }),
  )
  await Promise.resolve()
  assert.equal(went, '')
  await Promise.all(waiting)
  const next = turnEnd().then(() => {
    went += 'c'
  })
  assert.equal(went, 'ab')
  await next
  assert.equal(went, 'abc')
})
