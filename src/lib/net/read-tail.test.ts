/** Tests reading the last lines of a file. A line is returned only if its beginning is within the limit. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../../test/fixtures/folder.ts'
import { readTail } from './read-tail.ts'

test('returns complete lines within the limit, all of a small file, and nothing for a missing file', async (t) => {
  const path = join(temporaryFolder(t), 'log')
  assert.equal(await readTail(path, 100), '')
  writeFileSync(path, 'first\nsecond\nthird\n')
  assert.equal(await readTail(path, 100), 'first\nsecond\nthird\n')
  assert.equal(await readTail(path, 8), 'third\n')
  assert.equal(await readTail(path, 14), 'second\nthird\n')
})
