/** The program that looks for files in a folder. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../../test/fixtures/folder.ts'
import { EngineFailure } from '../failures.ts'
import { findFileArgv, parseHasFiles } from './has-files.ts'

function hasFiles(folder: string): boolean {
  const [program, ...args] = findFileArgv(folder)
  return parseHasFiles(spawnSync(program!, args, { encoding: 'utf8' }))
}

test('folders are no files, and a file at any depth is one', (t) => {
  const folder = temporaryFolder(t)
  assert.equal(hasFiles(folder), false)
  mkdirSync(join(folder, 'a', 'b'), { recursive: true })
  assert.equal(hasFiles(folder), false)
  writeFileSync(join(folder, 'a', 'b', '.x'), '')
  assert.equal(hasFiles(folder), true)
})

test('a folder that cannot be read is an error', (t) => {
  assert.throws(() => hasFiles(join(temporaryFolder(t), 'missing')), EngineFailure)
})
