/** JSON from outside. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { readJson } from './json.ts'

test('text from outside that is not JSON, or has another shape, reads as null', () => {
  const schema = z.array(z.string())
  assert.deepEqual(readJson(schema, '["a=b"]'), ['a=b'])
  for (const text of ['', 'psql: warning\n["a=b"]', '["a=b"', '[1]', 'null', '{}']) {
    assert.equal(readJson(schema, text), null, text)
  }
})
