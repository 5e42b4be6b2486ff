import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shellWord } from './shell-word.ts'

test('a word for the shell is quoted only if necessary', () => {
  assert.equal(shellWord('shop/orders'), 'shop/orders')
  assert.equal(shellWord('my shop/a'), `'my shop/a'`)
  assert.equal(shellWord(`it's`), `'it'\\''s'`)
  assert.equal(shellWord(''), "''")
})
