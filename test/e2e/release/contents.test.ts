/** What is in a release beside the program: the documentation and the client. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../fixtures/folder.ts'
import { buildRelease, unpack } from './archives.ts'

test('a release has the documentation and the client, and names what only the source tree has', (t) => {
  const folder = temporaryFolder(t)
  const release = unpack(buildRelease(folder, '1.2.3'), folder)
  const pages = ['README.md', 'CHANGELOG.md', ...globSync('{docs,client}/**/*.md', { cwd: release })]
  const links = pages.flatMap((page) =>
    [...readFileSync(join(release, page), 'utf8').matchAll(/\]\(([^)\s#]+)[^)]*\)/g)]
      .map(([, link]) => link!)
      .filter((link) => !/^[a-z]+:/.test(link))
      .map((link) => ({ page, link, target: join(release, dirname(page), link) })),
  )
  assert.ok(links.length > 50, 'the pages have links')
  assert.deepEqual(
    links.filter(({ target }) => !existsSync(target)),
    [],
  )
  assert.deepEqual(readdirSync(join(release, 'client')).sort(), [
    'README.md',
    'berth-client.js',
    'package.json',
    'types',
  ])
  assert.match(readFileSync(join(release, 'client/package.json'), 'utf8'), /"version": "1\.2\.3"/)
  for (const command of ['test', 'client', 'release']) {
    const { status, stderr } = spawnSync(join(release, 'bin/berth'), [command], { encoding: 'utf8' })
    assert.deepEqual([status, stderr], [1, `berth: ${command} is only in the source tree\n`])
  }
})
