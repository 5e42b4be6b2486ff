import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachConcurrent } from './for-each-concurrent.ts'

test('never more at once than the bound, and each once', async () => {
  const seen: number[] = []
  let now = 0
  let most = 0
  await forEachConcurrent([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
    most = Math.max(most, ++now)
    await new Promise(setImmediate)
    seen.push(item)
    now--
  })
  assert.deepEqual([most, seen.sort()], [3, [1, 2, 3, 4, 5, 6, 7]])
})

test('a failure keeps no other from being worked on, and is thrown in the end', async () => {
  const seen: number[] = []
  const work = async (item: number) => {
    if (item === 1) throw new Error('first')
    seen.push(item)
  }
  await assert.rejects(forEachConcurrent([1, 2, 3], 1, work), /first/)
  assert.deepEqual(seen, [2, 3])
})

test('nothing to do ends at once', () => forEachConcurrent([], 4, async () => assert.fail('called')))

test('of several failures that of the first item is thrown', async () => {
  const work = async (item: number) => {
    if (item > 1) throw new Error(`item ${item}`)
  }
  await assert.rejects(forEachConcurrent([1, 2, 3], 3, work), /item 2/)
})
