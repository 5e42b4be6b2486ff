/**
 * Bundles console/ into a folder: index.html and `assets/`, whose names contain a hash of their content, so that browsers
 * keep them forever. `style/` and icon.svg are copied as they are for the reference page.
 */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { build, type Metafile } from 'esbuild'
import { xtermPlugin } from './xterm-plugin.ts'

const root = join(import.meta.dirname, '..')

export interface ConsoleBundleOptions {
  /** Whether to add the page /components, which shows each component in all its states. */
  development?: boolean
}

/** @param target the folder, which may not exist yet */
export async function bundleConsole(
  target: string,
  { development = false }: ConsoleBundleOptions = {},
): Promise<Metafile> {
  const entries = { main: 'console/main.tsx', 'events-worker': 'console/events-worker.ts', icon: 'console/icon.svg' }
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: development ? { ...entries, components: 'console/components-page/main.tsx' } : entries,
    outdir: join(target, 'assets'),
    entryNames: '[name]-[hash]',
    chunkNames: 'part-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: ['chrome120', 'firefox121', 'safari17'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    loader: { '.svg': 'copy' },
    plugins: [xtermPlugin],
    charset: 'utf8',
    minify: true,
    metafile: true,
    logLevel: 'warning',
  })
  for (const path of ['style', 'icon.svg']) {
    cpSync(join(root, 'console', path), join(target, path), { recursive: true })
  }
  writePage(target, 'index', 'main', metafile)
  if (development) writePage(target, 'components', 'components', metafile)
  return metafile
}

/** Writes a page: console/index.html with the names of the built files, and with the scripts that its script imports. */
function writePage(target: string, name: string, entry: string, metafile: Metafile): void {
  const files = builtFiles(metafile)
  const nameOf = (source: string) => {
    const file = files.get(source)
    if (file === undefined) throw new Error(`console/index.html names ${source}, which is not built`)
    return `/assets/${basename(file)}`
  }
  const preloads = staticImportsOf(metafile, files.get(`${entry}.js`)!)
    .map((path) => `    <link rel="modulepreload" href="/assets/${basename(path)}">\n`)
    .join('')
  const html = readFileSync(join(root, 'console/index.html'), 'utf8')
    .replace(/\/assets\/([\w.-]+)/g, (_, source: string) => nameOf(source.replace(/^main\./, `${entry}.`)))
    .replace(/^ *<\/head>/m, (end) => preloads + end)
  mkdirSync(target, { recursive: true })
  writeFileSync(join(target, `${name}.html`), html)
}

/** The paths of the built entries by their names without hash, such as `main.js` and `main.css`. */
function builtFiles({ outputs }: Metafile): Map<string, string> {
  const paths = Object.keys(outputs).filter((path) => !basename(path).startsWith('part-'))
  return new Map(paths.map((path) => [basename(path).replace(/-[0-9A-Z]{8}(?=\.)/, ''), path]))
}

/** The files that a built file imports with `import … from`, and those that these import. */
export function staticImportsOf({ outputs }: Metafile, path: string): string[] {
  const found = new Set<string>()
  const visit = (from: string) => {
    for (const { path: to, kind } of outputs[from]!.imports) {
      if (kind !== 'import-statement' || found.has(to)) continue
      found.add(to)
      visit(to)
    }
  }
  visit(path)
  return [...found]
}
