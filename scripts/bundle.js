// bundle.js: bundles src/ into dist/. dist/berth.mjs is the server, dist/machine.mjs runs the commands on the machine.
// Files in other languages are copied to the same paths below dist/.
import { cpSync, existsSync, globSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'

const root = join(import.meta.dirname, '..')
const target = process.argv[2] ?? join(root, 'dist')
const fresh = `${target}.${process.pid}`
const old = `${fresh}.old`

// Written before the first source is read, so that later changes are newer.
mkdirSync(fresh)
writeFileSync(join(fresh, '.built'), '')

// CommonJS packages load Node's own modules with `require`.
const requireForPackages =
  "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);"

/** Removes Zod's translated messages, which are an eighth of the bundle. */
const withoutTranslations = {
  name: 'without translations',
  setup: ({ onLoad }) => onLoad({ filter: /\bzod\/v4\/locales\/index\.js$/ }, () => ({ contents: 'export {}' })),
}

try {
  await build({
    absWorkingDir: root,
    entryPoints: { berth: 'src/main.ts', machine: 'src/machine.ts', cli: 'cli/main.ts' },
    outdir: fresh,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node26',
    banner: { js: requireForPackages },
    // Native modules, and a package that would take a third of the build time and is loaded at first use.
    external: ['@node-rs/argon2', '@node-rs/bcrypt', '@aws-sdk/client-s3'],
    // Saves memory. Short lines keep the positions in stack traces useful.
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
    // Another process has just built the same bundle.
    if (error.code !== 'ENOTEMPTY') throw error
  }
}
