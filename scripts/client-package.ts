/**
 * The package berth-client: JavaScript for Node and browsers in one file, the declarations, package.json and README.md.
 * `./berth client FOLDER` builds it.
 */
import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import { root } from './bundler.ts'

const compiler = join(root, 'node_modules/.bin/tsc')

/**
 * Builds the package, ready for `npm pack` or `npm publish`.
 * @param target the folder, which may be missing
 * @param version the version of the package; that of client/package.json by default
 * @throws if the TypeScript compiler, a development package, is not installed
 */
export async function buildClientPackage(target: string, version?: string): Promise<void> {
  if (!existsSync(compiler)) throw new Error('the development packages are missing. ./berth client installs them')
  mkdirSync(target, { recursive: true })
  // Readable, because Node prints the line of an uncaught error. The bundler of a page makes it small.
  await build({
    absWorkingDir: root,
    entryPoints: ['client/client.ts'],
    outfile: join(target, 'berth-client.js'),
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    logLevel: 'warning',
  })
  writeDeclarations(join(target, 'types'))
  const manifest = JSON.parse(readFileSync(join(root, 'client/package.json'), 'utf8')) as { version: string }
  const text = JSON.stringify({ ...manifest, version: version ?? manifest.version }, null, 2)
  writeFileSync(join(target, 'package.json'), `${text}\n`)
  copyFileSync(join(root, 'client/README.md'), join(target, 'README.md'))
}

function writeDeclarations(target: string): void {
  const options = '--ignoreConfig --noEmit false --declaration --emitDeclarationOnly --rewriteRelativeImportExtensions'
  const language = '--strict --target es2022 --module nodenext --types'
  const args = ['client/client.ts', '--outDir', target, ...options.split(' '), ...language.split(' '), '']
  execFileSync(compiler, args, { cwd: root, stdio: 'inherit' })
  // The compiler leaves .ts in the imports of declarations. Not every version of it finds them by that name.
  for (const name of readdirSync(target)) {
    const path = join(target, name)
    writeFileSync(path, readFileSync(path, 'utf8').replace(/(from '\.\/\w+)\.ts'/g, "$1.js'"))
  }
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2)
  if (folder === undefined || folder.startsWith('-')) {
    process.stderr.write('Usage: ./berth client FOLDER\n')
    process.exit(2)
  }
  await buildClientPackage(resolve(folder)).catch((error: Error) => {
    process.stderr.write(`berth: the client package could not be built: ${error.message}\n`)
    process.exitCode = 1
  })
}
