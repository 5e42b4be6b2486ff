/** The licence texts in a release. */
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { packagesOf, writeLicences } from '../../../scripts/release/licences.ts'
import { temporaryFolder } from '../../fixtures/folder.ts'

/** A project with one package. @param files the names of the files of the package, besides package.json */
function project(t: TestContext, files: string[], list = '| left | 1.0.0 | MIT |\n') {
  const root = temporaryFolder(t)
  const folder = join(root, 'node_modules/left')
  for (const path of [folder, join(root, 'docs')]) mkdirSync(path, { recursive: true })
  writeFileSync(join(root, 'docs/licences.md'), list)
  writeFileSync(join(folder, 'package.json'), '{"name":"left","version":"1.0.0"}')
  for (const name of files) writeFileSync(join(folder, name), `The text of ${name}\n`)
  const packages = packagesOf(root, ['src/main.ts', 'node_modules/left/lib/a.js', 'node_modules/left/b.js'])
  return {
    packages,
    target: join(root, 'licences'),
    write: () => writeLicences(root, join(root, 'licences'), packages),
  }
}

test('a package is found by its files, and all its texts are written', (t) => {
  const { packages, target, write } = project(t, ['LICENSE.md', 'NOTICE', 'index.js'])
  assert.deepEqual(packages, [{ folder: 'node_modules/left', name: 'left', version: '1.0.0' }])
  write()
  assert.deepEqual(readdirSync(target), ['left-1.0.0.txt', 'packages.md'])
  const text = readFileSync(join(target, 'left-1.0.0.txt'), 'utf8')
  assert.equal(text, 'The text of LICENSE.md\n\nThe text of NOTICE\n')
})

test('a package without a text, and one that docs/licences.md does not list, are errors', (t) => {
  assert.throws(project(t, ['index.js']).write, /There is no licence text of left 1\.0\.0/)
  assert.throws(project(t, ['LICENCE'], '').write, /docs\/licences\.md does not list left 1\.0\.0/)
})
