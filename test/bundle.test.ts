/** When the bundle is built, and which files it contains. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { bundled } from './fixtures/bundle.ts'
import { temporaryFolder } from './fixtures/folder.ts'

const root = fileURLToPath(new URL('../', import.meta.url))

/** Replaces the bundler: adds a line to a file at each build. */
const builder = `
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
mkdirSync('dist', { recursive: true })
writeFileSync('dist/.built', '')
appendFileSync('builds', 'built\\n')
`

test('builds the bundle only if it is missing or a source has changed', (t) => {
  const folder = temporaryFolder(t)
  const write = (path: string, text = '') => writeFileSync(join(folder, path), text)
  for (const path of ['src/lib', 'client', 'cli', 'console', 'shared', 'scripts'])
    mkdirSync(join(folder, path), { recursive: true })
  const bundlers = ['scripts/bundler.ts', 'scripts/console-bundler.ts']
  for (const path of ['src/main.ts', 'src/lib/old.ts', 'package-lock.json', ...bundlers]) write(path)
  write('package.json', '{"type":"module"}')
  write('scripts/bundle.js', builder)
  const cases: [change: string, act: () => void, builds: number][] = [
    ['missing', () => undefined, 1],
    ['nothing changed', () => undefined, 1],
    ['a source changed', () => write('src/main.ts', '1'), 2],
    ['a source got an old time, as from an archive', () => utimesSync(join(folder, 'src/main.ts'), 1, 1), 3],
    ['a source was removed', () => rmSync(join(folder, 'src/lib/old.ts')), 4],
    ['the packages changed', () => write('package-lock.json', '1'), 5],
    ['the client changed', () => write('client/client.ts', '1'), 6],
    ['the command line changed', () => write('cli/main.ts', '1'), 7],
    ['the console changed', () => write('console/main.tsx', '1'), 8],
    ['shared code changed', () => write('shared/words.ts', '1'), 9],
    ['nothing changed again', () => undefined, 9],
    ['the bundle was removed', () => rmSync(join(folder, 'dist'), { recursive: true }), 10],
  ]
  const timeOf = (path: string) => statSync(join(folder, path), { bigint: true }).mtimeNs
  for (const [change, act, builds] of cases) {
    act()
    execFileSync('sh', [join(root, 'scripts/bundle.sh'), process.execPath], { cwd: folder })
    assert.equal(readFileSync(join(folder, 'builds'), 'utf8'), 'built\n'.repeat(builds), change)
    // File times have a precision of some milliseconds.
    do write('probe')
    while (timeOf('probe') <= timeOf('dist/.built'))
  }
})

test('the bundle contains the files of other languages at the same paths as src/', () => {
  bundled('berth')
  const others = (folder: string) =>
    globSync('**/*.{sql,sh,js,cfg,conf,css}', { cwd: join(root, folder), exclude: ['console/**'] })
      .sort()
      .map((path) => [path, readFileSync(join(root, folder, path), 'utf8')])
  assert.deepEqual(others('dist'), others('src'))
})
