/** The source files and their imports, for tests of the code's structure. They read text, not types. */
import { globSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'

export interface SourceFile {
  /** Relative to the root of the project, with `/`. */
  path: string
  text: string
  lines: string[]
}

export interface Import {
  /** A path relative to the root of the project, or the name of a package. */
  target: string
  isTypeOnly: boolean
}

const root = posix.join(import.meta.dirname, '..')

/** @param pattern a glob pattern, relative to the root of the project */
export const filesOf = (pattern: string): SourceFile[] =>
  globSync(pattern, { cwd: root })
    .sort()
    .map((path) => {
      const text = readFileSync(posix.join(root, path), 'utf8')
      return { path, text, lines: text.split('\n') }
    })

/** The files of src/ without tests. */
export const source = filesOf('src/**/*.ts').filter(({ path }) => !path.endsWith('.test.ts'))
export const tests = [...filesOf('{src,shared}/**/*.test.ts'), ...filesOf('test/**/*.ts')]
export const bench = filesOf('bench/**/*.ts')
/** The command line, the client and shared code, without the generated declarations and without tests. */
export const programs = filesOf('{cli,client,shared}/**/*.ts').filter(
  ({ path }) => path !== 'client/operations.ts' && !path.endsWith('.test.ts'),
)
/** The console in the browser. */
export const consoleFiles = filesOf('console/**/*.{ts,tsx}')
export const allFiles = [...source, ...tests, ...bench, ...programs, ...consoleFiles]

const importPattern = /^(?:import|export) (type )?[^'"`;]*?from '([^']+)'|\bimport\('([^']+)'\)|^import '([^']+)'/gm

export function importsOf({ path, text }: SourceFile): Import[] {
  return [...text.matchAll(importPattern)].map(([, type, from, dynamic, bare]) => {
    const target = (from ?? dynamic ?? bare)!
    return {
      target: target.startsWith('.') ? posix.join(posix.dirname(path), target) : target,
      isTypeOnly: type !== undefined,
    }
  })
}

/** The lines that match the pattern, as `path:line: text`. */
export function linesMatching(files: SourceFile[], pattern: RegExp): string[] {
  return files.flatMap(({ path, lines }) =>
    lines.flatMap((line, i) => (pattern.test(line) ? [`${path}:${i + 1}: ${line.trim().slice(0, 80)}`] : [])),
  )
}
