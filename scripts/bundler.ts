/**
 * Bundles src/, cli/ and console/ into a folder: berth.mjs is the server, machine.mjs runs the commands on the machine,
 * cli.mjs is the command line. `console/` has the console. Files in other languages are copied to the same paths below the folder.
 */
import { cpSync, globSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { bundleConsole, type ConsoleBundleOptions } from './console-bundler.ts'

export const root = join(import.meta.dirname, '..')

// CommonJS packages load Node's own modules with `require`.
const requireForPackages =
  "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);"

/** Removes Zod's translated messages, which are an eighth of the bundle. */
const withoutTranslations: Plugin = {
  name: 'without translations',
  setup: ({ onLoad }) => onLoad({ filter: /\bzod\/v4\/locales\/index\.js$/ }, () => ({ contents: 'export {}' })),
}

/** ssh2 goes without these native parts, which are not installed. */
const withoutNativeParts: Plugin = {
  name: 'without native parts of ssh2',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^cpu-features$|\/sshcrypto\.node$/ }, ({ path }) => ({ path, namespace: 'absent' }))
    onLoad({ filter: /./, namespace: 'absent' }, () => ({ contents: "throw new Error('Not installed')" }))
  },
}

/** Replaces the version in package.json, which the bundle contains. */
const withVersion = (version: string): Plugin => ({
  name: 'with a version',
  setup({ onLoad }) {
    const manifest = join(root, 'package.json')
    onLoad({ filter: /\bpackage\.json$/ }, ({ path }) =>
      path === manifest
        ? { contents: JSON.stringify({ ...JSON.parse(readFileSync(manifest, 'utf8')), version }), loader: 'json' }
        : undefined,
    )
  },
})

export interface BundleOptions extends ConsoleBundleOptions {
  /** The packages that stay outside the bundle. */
  external: string[]
  /** The version of Berth; that of package.json by default. */
  version?: string
}

/**
 * @param target an existing folder
 * @returns the files that the bundle was made of, relative to the root of the project
 */
export async function bundle(target: string, { external, version, ...options }: BundleOptions): Promise<string[]> {
  const consoleMetafile = bundleConsole(join(target, 'console'), options)
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { berth: 'src/main.ts', machine: 'src/machine.ts', cli: 'cli/main.ts' },
    outdir: target,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node26',
    banner: { js: requireForPackages },
    define: { __dirname: 'import.meta.dirname' },
    external,
    // Saves memory. Short lines keep the positions in stack traces useful.
    minifyWhitespace: true,
    lineLimit: 120,
    metafile: true,
    plugins: [withoutTranslations, withoutNativeParts, ...(version === undefined ? [] : [withVersion(version)])],
    logLevel: 'warning',
  })
  for (const path of globSync('**/*.*', { cwd: join(root, 'src'), exclude: ['**/*.ts'] })) {
    mkdirSync(dirname(join(target, path)), { recursive: true })
    cpSync(join(root, 'src', path), join(target, path))
  }
  return [metafile, await consoleMetafile].flatMap(({ inputs }) => Object.keys(inputs))
}
