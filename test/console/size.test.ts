/** How much a browser loads before it shows the first page of the console. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { Metafile } from 'esbuild'
import { bundleConsole, staticImportsOf } from '../../scripts/console-bundler.ts'
import { temporaryFolder } from '../fixtures/folder.ts'

const maxBytes = 150_000

/** Parts that the first page loads by `import()`, by the path of their source. */
const firstScreens = /^console\/(?:screens\/)?overview\b/

const entryOf = ({ outputs }: Metafile, source: string | RegExp) =>
  Object.keys(outputs).filter((path) => {
    const { entryPoint } = outputs[path]!
    return entryPoint !== undefined && (typeof source === 'string' ? entryPoint === source : source.test(entryPoint))
  })

test('the first load of the console has at most 150 kB, compressed with gzip', async (t) => {
  const folder = join(temporaryFolder(t), 'console')
  const metafile = await bundleConsole(folder)
  const html = readFileSync(join(folder, 'index.html'), 'utf8')
  const named = [...html.matchAll(/"\/assets\/([^"]+)"/g)].map(([, name]) => name!)
  const worker = entryOf(metafile, 'console/events-worker.ts')
  const screens = entryOf(metafile, firstScreens)
  const scripts = [...entryOf(metafile, 'console/main.tsx'), ...worker, ...screens]
  const imported = scripts.flatMap((path) => [path, ...staticImportsOf(metafile, path)]).map((path) => basename(path))
  const names = [...new Set([...named, ...imported])]
  for (const kind of ['main-', 'events-worker-', 'icon-'])
    assert.ok(
      names.some((name) => name.startsWith(kind)),
      kind,
    )
  const sizes = [html, ...names.map((name) => readFileSync(join(folder, 'assets', name)))].map(
    (content) => gzipSync(content).length,
  )
  const total = sizes.reduce((sum, size) => sum + size)
  assert.ok(total <= maxBytes, `${total} bytes: ${names.map((name, i) => `${name} ${sizes[i + 1]}`).join(', ')}`)
})

test('index.html preloads the scripts that its script imports, and has no code of its own', async (t) => {
  const folder = join(temporaryFolder(t), 'console')
  const metafile = await bundleConsole(folder)
  const html = readFileSync(join(folder, 'index.html'), 'utf8')
  const [main] = entryOf(metafile, 'console/main.tsx')
  const preloaded = [...html.matchAll(/<link rel="modulepreload" href="\/assets\/([^"]+)">/g)].map(([, name]) => name)
  assert.deepEqual(
    preloaded,
    staticImportsOf(metafile, main!).map((path) => basename(path)),
  )
  assert.deepEqual(html.match(/<style|\sstyle=|\son\w+=|<script(?![^>]* src=)/gi), null)
})

test('the styles are one file, which index.html names', async (t) => {
  const folder = join(temporaryFolder(t), 'console')
  const { outputs } = await bundleConsole(folder)
  const styles = Object.keys(outputs).filter((path) => path.endsWith('.css'))
  assert.equal(styles.length, 1, `import styles in console/main.tsx only: ${styles.join(', ')}`)
  assert.ok(readFileSync(join(folder, 'index.html'), 'utf8').includes(basename(styles[0]!)))
})

test('builds are equal, and the page of components is only in development', async (t) => {
  const contentOf = async (name: string) => {
    const folder = join(temporaryFolder(t), name)
    const { outputs } = await bundleConsole(folder)
    return [
      readFileSync(join(folder, 'index.html'), 'utf8'),
      Object.keys(outputs)
        .map((path) => basename(path))
        .sort(),
    ]
  }
  const [first, second] = [await contentOf('a'), await contentOf('b')]
  assert.deepEqual(first, second)
  assert.doesNotMatch(JSON.stringify(first), /components/)
})
