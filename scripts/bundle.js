// bundle.js: bundles src/ into dist/. dist/berth.mjs serves, dist/machine.mjs runs the commands on the machine. Files of
// other languages are copied beside them, with the paths that they have below src/.
import { cpSync, existsSync, globSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'

const root = join(import.meta.dirname, '..')
const target = process.argv[2] ?? join(root, 'dist')
const fresh = `${target}.${process.pid}`
const old = `${fresh}.old`

// Before the first source is read: what changes from now on is newer.
mkdirSync(fresh)
writeFileSync(join(fresh, '.built'), '')

// Packages in CommonJS ask for Node's own modules by `require`.
const requireForPackages =
  "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);"

/** Zod's messages in other languages than English: an eighth of the bundle. */
const withoutTranslations = {
  name: 'without translations',
  setup: ({ onLoad }) => onLoad({ filter: /\bzod\/v4\/locales\/index\.js$/ }, () => ({ contents: 'export {}' })),
}

try {
  await build({
    absWorkingDir: root,
    entryPoints: { berth: 'src/main.ts', machine: 'src/machine.ts' },
    outdir: fresh,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node26',
    banner: { js: requireForPackages },
    // Native code, and a package that is loaded at the first use of a storage: it is a third of the time to bundle.
    external: ['@node-rs/argon2', '@node-rs/bcrypt', '@aws-sdk/client-s3'],
    // Less text in memory. Lines stay short, so that a stack trace still names a place that can be found.
    minifyWhitespace: true,
    lineLimit: 120,
    plugins: [withoutTranslations],
    logLevel: 'warning',
  })
  for (const path of globSync('**/*.*', { cwd: join(root, 'src'), exclude: ['**/*.ts'] })) {
    mkdirSync(dirname(join(fresh, path)), { recursive: true })
    cpSync(join(root, 'src', path), join(fresh, path))
  }
  replaceTarget()
} finally {
  for (const path of [fresh, old]) rmSync(path, { recursive: true, force: true })
}

function replaceTarget() {
  if (existsSync(target)) renameSync(target, old)
  try {
    renameSync(fresh, target)
  } catch (error) {
    // Another process has just built the same.
    if (error.code !== 'ENOTEMPTY') throw error
  }
}
