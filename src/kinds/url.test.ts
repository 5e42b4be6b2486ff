/** The parts of connection URLs. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authorityOf, encoded, encodedPath } from './url.ts'

test('encodes every character so that it decodes to itself, and does not encode a mask', () => {
  const text = ' é☃%41+&=!*()~\'"/?#[]@:$,;`\\{}|^<>'
  assert.equal(decodeURIComponent(encoded(text)), text)
  assert.doesNotMatch(encoded(text), /[^\w%.*~-]/)
  assert.equal(decodeURIComponent(encodedPath('a b%20"\'#?/@:')), 'a b%20"\'#?/@:')
  assert.equal(encoded('********'), '********')
})

test('puts an IPv6 address in brackets', () => {
  assert.equal(authorityOf({ host: 'fd00::1', port: 1 }), '[fd00::1]:1')
  assert.equal(authorityOf({ host: 'db', port: 1 }), 'db:1')
})
