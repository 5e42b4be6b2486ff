/** When a dump counts as shrunk: below half of the baseline in rows or bytes, unless the baseline was small. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isShrunk } from './shrink.ts'

const KiB = 1024
type Case = [what: string, before: [number | null, number | null], now: [number | null, number | null], is: boolean]
const cases: Case[] = [
  ['empty where there were rows', [100, 10 * KiB], [0, 9 * KiB], true],
  ['exactly half of the rows', [100, 10 * KiB], [50, 9 * KiB], false],
  ['a row less than half', [100, 10 * KiB], [49, 9 * KiB], true],
  ['few rows before', [99, 10 * KiB], [0, 9 * KiB], false],
  ['half of the bytes, all of the rows', [100, 64 * KiB], [100, 32 * KiB - 1], true],
  ['few bytes before', [99, 64 * KiB - 1], [99, 1], false],
  ['grown', [100, 64 * KiB], [1000, 640 * KiB], false],
  ['what is not known of an old dump does not count', [null, null], [0, 0], false],
]
for (const [what, [rows, bytes], [newRows, newBytes], is] of cases) {
  test(what, () =>
    assert.equal(isShrunk({ rowCount: rows, rawBytes: bytes }, { rowCount: newRows, rawBytes: newBytes }), is),
  )
}
