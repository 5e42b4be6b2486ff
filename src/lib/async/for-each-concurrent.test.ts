import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachConcurrent } from './for-each-concurrent.ts'

test('calls the function once for each item, within the limit of concurrency', async () => {
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

test('a failure does not stop other items and is thrown at the end', async () => {
  const seen: number[] = []
  const work = async (item: number) => {
    if (item === 1) throw new Error('first')
    seen.push(item)
  }
  await assert.rejects(forEachConcurrent([1, 2, 3], 1, work), /first/)
  assert.deepEqual(seen, [2, 3])
})

test('ends immediately without items', () => forEachConcurrent([], 4, async () => assert.fail('called')))

test('throws the failure of the first item that failed', async () => {
  const work = async (item: number) => {
    if (item > 1) throw new Error(`item ${item}`)
  }
  await assert.rejects(forEachConcurrent([1, 2, 3], 3, work), /item 2/)
})
