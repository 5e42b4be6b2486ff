/** The space that a restore needs. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Lack, lackOf } from './space.ts'

const cases: [what: string, kind: string, raw: number | null, used: number | null, free: number | null, Lack | null][] =
  [
    ['a new volume needs as much as the present one', 'mysql', 5, 20, 19, { neededBytes: 20, freeBytes: 19 }],
    ['the space suffices', 'mysql', 5, 20, 20, null],
    ['a larger dump needs more', 'mongo', 30, 20, 25, { neededBytes: 30, freeBytes: 25 }],
    ['a server that replaces a database itself needs the dump', 'postgres', 5, 20, 4, { neededBytes: 5, freeBytes: 4 }],
    ['the present data of such a server does not count', 'redis', 5, 20, 6, null],
    ['nothing is known', 'mysql', null, null, null, null],
    ['the free space is unknown', 'mysql', 5, 20, null, null],
  ]
for (const [what, kind, rawBytes, usedBytes, freeBytes, lack] of cases) {
  test(what, () => assert.deepEqual(lackOf({ kind, rawBytes }, { usedBytes, freeBytes }), lack))
}
