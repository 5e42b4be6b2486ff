import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachConcurrent } from './for-each-concurrent.ts'

test('calls the function once for each item, within the limit of concurrency', async () => {
  const processed: number[] = []
  let running = 0
  let maxRunning = 0
  await forEachConcurrent([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
    maxRunning = Math.max(maxRunning, ++running)
    await new Promise(setImmediate)
    processed.push(item)
    running--
  })
  assert.deepEqual([maxRunning, processed.sort()], [3, [1, 2, 3, 4, 5, 6, 7]])
})

test('a failure does not stop other items and is thrown at the end', async () => {
  const processed: number[] = []
  const work = async (item: number) => {
    if (item === 1) throw new Error('first')
    processed.push(item)
  }
  await assert.rejects(forEachConcurrent([1, 2, 3], 1, work), /first/)
  assert.deepEqual(processed, [2, 3])
})

test('ends immediately without items', () => forEachConcurrent([], 4, async () => assert.fail('called')))

test('throws the failure of the first item that failed', async () => {
  const work = async (item: number) => {
    if (item > 1) throw new Error(`item ${item}`)
  }
  await assert.rejects(forEachConcurrent([1, 2, 3], 3, work), /item 2/)
})
