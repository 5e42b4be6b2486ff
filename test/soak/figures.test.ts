/** The growth of samples, and the samples of a process. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { growth, type Sample, sampleOf } from './figures.ts'

const samples = (...values: number[]): Sample[] =>
  values.map((rssMiB, index) => ({ atMs: index * 1000, rssMiB, openFiles: 7 }))

test('calculates the growth of the second half', () => {
  assert.equal(growth(samples(0, 50, 100, 100, 100, 100), 'rssMiB'), 0)
  assert.equal(growth(samples(9, 9, 9, 10, 11, 12), 'rssMiB'), 2)
  assert.equal(growth(samples(1, 1, 1, 1, 30, 1), 'openFiles'), 0)
  // Variation without a trend is not growth.
  assert.ok(Math.abs(growth(samples(0, 0, 0, 0, 5, 1, 5, 1), 'rssMiB')) < 3)
  assert.throws(() => growth(samples(1), 'rssMiB'), /two samples/)
})

test('measures the memory and the open files of this process', () => {
  const { rssMiB, openFiles } = sampleOf(process.pid)
  assert.ok(rssMiB > 10 && openFiles > 2)
})
