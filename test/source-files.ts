/** The files of the code and what each imports, for the tests of the house's rules. They read text, not types. */
import { globSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'

export interface SourceFile {
  /** From the root of the project, with `/`. */
  path: string
  text: string
  lines: string[]
}

export interface Import {
  /** A path from the root of the project, or the name of a package. */
  target: string
  isTypeOnly: boolean
}

const root = posix.join(import.meta.dirname, '..')

/** The files that match a glob pattern, from the root of the project. */
export const filesOf = (pattern: string): SourceFile[] =>
  globSync(pattern, { cwd: root })
    .sort()
    .map((path) => {
      const text = readFileSync(posix.join(root, path), 'utf8')
      return { path, text, lines: text.split('\n') }
    })

/** Without the tests that lie beside modules. */
export const source = filesOf('src/**/*.ts').filter(({ path }) => !path.endsWith('.test.ts'))
export const tests = [...filesOf('src/**/*.test.ts'), ...filesOf('test/**/*.ts')]
export const bench = filesOf('bench/**/*.ts')
export const allFiles = [...source, ...tests, ...bench]

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

/** Each line that the pattern matches, as `path:line: text`. */
export function linesMatching(files: SourceFile[], pattern: RegExp): string[] {
  return files.flatMap(({ path, lines }) =>
    lines.flatMap((line, i) => (pattern.test(line) ? [`${path}:${i + 1}: ${line.trim().slice(0, 80)}`] : [])),
  )
}
