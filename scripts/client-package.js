// client-package.js FOLDER: builds the package berth-client in a new folder, ready for `npm pack` or `npm publish`:
// one file of JavaScript for Node and browsers, the declarations, package.json and README.md.
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'

const root = join(import.meta.dirname, '..')
const folder = process.argv[2]
if (folder === undefined) {
  process.stderr.write('Usage: node scripts/client-package.js FOLDER\n')
  process.exit(2)
}
const target = resolve(folder)
mkdirSync(target, { recursive: true })
await build({
  absWorkingDir: root,
  entryPoints: ['client/client.ts'],
  outfile: join(target, 'berth-client.js'),
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'neutral',
  target: 'es2022',
  logLevel: 'warning',
})
const options = '--ignoreConfig --noEmit false --declaration --emitDeclarationOnly --rewriteRelativeImportExtensions'
const language = '--strict --target es2022 --module nodenext --types'
execFileSync(
  join(root, 'node_modules/.bin/tsc'),
  ['client/client.ts', '--outDir', join(target, 'types'), ...options.split(' '), ...language.split(' '), ''],
  { cwd: root, stdio: 'inherit' },
)
// The compiler leaves .ts in the imports of declarations. Not every version of it finds them by that name.
for (const name of readdirSync(join(target, 'types'))) {
  const path = join(target, 'types', name)
  writeFileSync(path, readFileSync(path, 'utf8').replace(/(from '\.\/\w+)\.ts'/g, "$1.js'"))
}
for (const name of ['package.json', 'README.md']) copyFileSync(join(root, 'client', name), join(target, name))
