import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareVersions, isSameVersion } from './version.ts'

const pairs: [a: string, b: string, sign: number][] = [
  ['15', '15', 0],
  ['9', '10', -1],
  ['8.4', '8.4', 0],
  ['8', '8.4', 0],
  ['8.4', '8', 0],
  ['10.2', '10.11', -1],
  ['11.8', '10.11', 1],
  ['8.0', '9', -1],
  ['8.4.1', '8.4', 0],
]

test('compares the parts that both versions have', () => {
  for (const [a, b, sign] of pairs) {
    assert.equal(Math.sign(compareVersions(a, b)), sign, `${a} ${b}`)
    assert.equal(Math.sign(compareVersions(b, a)), sign === 0 ? 0 : -sign, `${b} ${a}`)
    assert.equal(isSameVersion(a, b), sign === 0)
  }
})
