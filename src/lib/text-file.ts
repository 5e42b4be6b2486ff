/** Reads the files of Berth in other languages than TypeScript: programs, configuration, style sheets. */
import { readFileSync } from 'node:fs'

/**
 * The root of these files: `src/` when Berth runs from source. The bundler copies them to the folder of the bundle,
 * with the same paths.
 */
const isSource = import.meta.url.endsWith('/src/lib/text-file.ts')
const root = new URL(isSource ? '../' : './', import.meta.url)
const consoleRoot = new URL(isSource ? '../../console/' : './console/', import.meta.url)

/** The comments at the head of a file. They describe the file and are not part of the program. */
const heading = /^(?:(?:#|--|\/\/) .*\n)+/

/**
 * Returns the text of a file without the comments at its head. Call this when a module is loaded: while Berth runs,
 * the files of its bundle may be replaced.
 * @param path the path below `src/`, a literal
 * @param values the replacement of each `{{name}}`. Pass only text of Berth, such as a constant or a hash. Text of a
 * caller must never become part of a program: pass it by argument, environment or standard input.
 * @throws if the file does not exist, or if its names differ from those of `values`
 */
export function textFile(path: string, values: Record<string, string> = {}): string {
  return textTemplate(path)(values)
}

/**
 * Returns the text of a style sheet or a picture of the console, for a page that has the same style. Call this when a
 * module is loaded. The bundler copies these files to the folder of the built console.
 * @param path the path below `console/`, a literal
 * @throws if the file does not exist
 */
export const consoleFile = (path: string): string => readFileSync(new URL(path, consoleRoot), 'utf8')

/** Like `textFile`, for values that are known only after the module is loaded. */
export function textTemplate(path: string): (values: Record<string, string>) => string {
  const text = readFileSync(new URL(path, root), 'utf8').replace(heading, '')
  return (values) => {
    const unused = new Set(Object.keys(values))
    const filled = text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
      const value = values[name]
      if (value === undefined) throw new Error(`${path} needs a value for ${name}`)
      unused.delete(name)
      return value
    })
    if (unused.size > 0) throw new Error(`${path} does not use ${[...unused].join(', ')}`)
    return filled
  }
}
