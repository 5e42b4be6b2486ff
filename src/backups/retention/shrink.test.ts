/**
 * A dump is shrunk if it has less than half of the rows or bytes of the baseline, which is an earlier dump. A small
 * number of rows or bytes in the baseline is not compared.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isShrunk } from './shrink.ts'

const KiB = 1024
/** The counts are rows, then uncompressed bytes. */
type Counts = [rowCount: number | null, rawBytes: number | null]
type Case = [what: string, baseline: Counts, dump: Counts, expected: boolean]
const cases: Case[] = [
  ['a dump without rows is shrunk', [100, 10 * KiB], [0, 9 * KiB], true],
  ['a dump with exactly half of the rows is not shrunk', [100, 10 * KiB], [50, 9 * KiB], false],
  ['a dump with one row less than half is shrunk', [100, 10 * KiB], [49, 9 * KiB], true],
  ['a baseline with few rows is ignored', [99, 10 * KiB], [0, 9 * KiB], false],
  ['a dump with less than half of the bytes and all rows is shrunk', [100, 64 * KiB], [100, 32 * KiB - 1], true],
  ['a baseline with few bytes is ignored', [99, 64 * KiB - 1], [99, 1], false],
  ['a larger dump is not shrunk', [100, 64 * KiB], [1000, 640 * KiB], false],
  ['unknown counts of an old baseline are ignored', [null, null], [0, 0], false],
]
for (const [what, [rows, bytes], [newRows, newBytes], expected] of cases) {
  test(what, () =>
    assert.equal(isShrunk({ rowCount: rows, rawBytes: bytes }, { rowCount: newRows, rawBytes: newBytes }), expected),
  )
}
