import assert from 'node:assert/strict'
import { test } from 'node:test'
import { latestOnly } from './latest-only.ts'

test('applies one value at a time, leaves out those in between, and ends with the latest', async () => {
  const begun: { value: number; end: PromiseWithResolvers<void> }[] = []
  const set = latestOnly((value: number) => {
    const end = Promise.withResolvers<void>()
    begun.push({ value, end })
    return end.promise
  })
  const all = [set(1), set(2), set(3)]
  assert.deepEqual(
    begun.map(({ value }) => value),
    [1],
  )
  begun[0]!.end.reject(new Error('refused'))
  await new Promise(setImmediate)
  assert.deepEqual(
    begun.map(({ value }) => value),
    [1, 3],
  )
  begun[1]!.end.resolve()
  await Promise.all(all)
  const next = set(4)
  assert.equal(begun.at(-1)!.value, 4)
  begun.at(-1)!.end.resolve()
  await next
})
