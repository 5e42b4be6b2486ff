/** xterm as the console loads it: late, and without styles that the Content-Security-Policy refuses. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { bundleConsole, staticImportsOf } from '../../scripts/console-bundler.ts'
import { withoutInlineStyles } from '../../scripts/xterm-plugin.ts'
import { temporaryFolder } from '../fixtures/folder.ts'

const source = readFileSync(join(import.meta.dirname, '../../node_modules/@xterm/xterm/lib/xterm.mjs'), 'utf8')

test('xterm is a part of its own, of at most 100 kB, and sets no styles as text', async (t) => {
  const folder = join(temporaryFolder(t), 'console')
  const metafile = await bundleConsole(folder)
  const outputs = Object.entries(metafile.outputs)
  const entryOf = (name: string) => outputs.find(([, { entryPoint }]) => entryPoint === `console/${name}`)![0]
  const parts = outputs.filter(([, { inputs }]) => Object.keys(inputs).some((path) => path.includes('@xterm/')))
  const screen = entryOf('screens/database/terminal/screen.ts')
  assert.deepEqual(
    parts.map(([path]) => path),
    [screen],
  )
  assert.ok(!staticImportsOf(metafile, entryOf('screens/database/database.tsx')).includes(screen))
  const text = readFileSync(join(import.meta.dirname, '../..', screen), 'utf8')
  assert.ok(gzipSync(text).length < 100_000)
  assert.doesNotMatch(text, /createElement\("style"\)|setAttribute\("style"/)
})

test('a version of xterm that sets styles in another way ends the build', () => {
  const refused = [
    source.replace('createElement("style")', 'createElement("i")'),
    `${source};document.createElement("style")`,
    `${source};element.setAttribute("style", text)`,
    `${source};element.innerHTML = text`,
  ]
  for (const text of refused) assert.throws(() => withoutInlineStyles(text), /xterm (?:has|uses) /)
  assert.match(withoutInlineStyles(source), /^import \{ styleSheetElement \}/)
})
