import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mergePages } from './merge-pages.ts'

const cases: [string, string, boolean, string][] = [
  ['', 'dc', false, 'dc'],
  ['dcba', 'dc', false, 'dcba'],
  ['dcba', 'ed', false, 'edcba'],
  ['dcba', 'db', false, 'dba'],
  ['dcba', 'd', true, 'd'],
  ['dcba', '', true, ''],
]

for (const [before, fresh, isLast, expected] of cases) {
  test(`the pages "${before}" with the first page "${fresh}"${isLast ? ', the last one,' : ''} are "${expected}"`, () => {
    assert.equal(mergePages([...before], [...fresh], isLast, (row) => row).join(''), expected)
  })
}
