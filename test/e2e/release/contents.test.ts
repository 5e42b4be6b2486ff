/** What is in a release beside the program: the documentation and the client. All users can read it. */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { temporaryFolder } from '../../fixtures/folder.ts'
import { buildRelease, unpack } from './archives.ts'

const folder = temporaryFolder({ after })
const umask = process.umask(0o077)
const archive = buildRelease(folder, '1.2.3')
process.umask(umask)

test('a release has the same modes whatever the umask of its build is', () => {
  const lines = execFileSync('tar', ['--list', '--verbose', `--file=${archive}`], { encoding: 'utf8' })
    .trim()
    .split('\n')
  const isProgram = (line: string) => /\/(?:bin\/berth|lib\/node)$/.test(line)
  const modeOf = (line: string) => (line.startsWith('d') ? 'drwxr-xr-x' : isProgram(line) ? '-rwxr-xr-x' : '-rw-r--r--')
  assert.ok(lines.length > 50)
  assert.deepEqual(
    lines.filter((line) => !line.startsWith(`${modeOf(line)} 0/0 `)),
    [],
  )
})

test('a release has the documentation and the client, and names what only the source tree has', () => {
  const release = unpack(archive, folder)
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
