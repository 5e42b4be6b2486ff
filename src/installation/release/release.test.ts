import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isVersion, parseSums } from './release.ts'

const sum = 'a'.repeat(64)

test('lines of sha256sum become a path and a checksum each', () => {
  assert.deepEqual(
    [...parseSums(`${sum}  bin/berth\n${sum} *dist/a b.mjs\n`)],
    [
      ['bin/berth', sum],
      ['dist/a b.mjs', sum],
    ],
  )
  for (const text of ['x', `${sum}`, `${sum.slice(1)}  a`, `${sum.toUpperCase()}  a`]) {
    assert.throws(() => parseSums(text), /is no line of sha256sum/, text)
  }
})

test('a version has three numbers', () => {
  const names = { '0.1.0': true, '10.20.30': true, '1.2': false, 'v1.2.3': false, '1.2.3-rc1': false, current: false }
  for (const [name, expected] of Object.entries(names)) assert.equal(isVersion(name), expected, name)
})
