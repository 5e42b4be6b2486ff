/**
 * Parses text in `.env` format and reports faults by line. A text without faults has the meaning that Node documents.
 * Node's own parser silently ignores what it cannot parse, and reads a few valid texts incorrectly.
 */

export interface EnvFault {
  line: number
  message: string
}

export interface EnvFile {
  /** Has no prototype, because a variable can be named `__proto__`. */
  values: Record<string, string>
  faults: EnvFault[]
}

/** Sticky patterns: each is tried at one position only, and its time is linear in the length of the match. */
const restWithoutValue = /[ \t]*(?:#[^\n]*)?(?:\n|$)/y
const blank = /[ \t]*/y
const quotation = /(["'`])([\s\S]*?)\1/y
const restOfLine = /([^\n]*)(?:\n|$)/y

const namePattern = /^[A-Za-z_][A-Za-z0-9_.-]*$/
/** Characters that a person cannot see: they look like a correct name, or like a space. */
const invisible = /[\p{Cf}\p{Zs}\p{Zl}\p{Zp}]/u
/** Control characters except tabs and line feeds, and lone surrogates, which UTF-8 cannot encode. */
const unprintable = /[\0-\x08\x0b-\x1f\x7f\p{Cs}]/u

/** One line, or several lines if a quoted value spans them. `fault` is about the line in which the entry ends. */
interface Entry {
  end: number
  name?: string
  value?: string
  fault?: string
}

/**
 * Returns the variables and the faults of `text`. Source of the format: Node's documentation of `util.parseEnv` and of
 * env files (nodejs.org/api/environment_variables.html).
 */
export function parseEnvFile(text: string): EnvFile {
  // Editors on Windows write a byte order mark before the text.
  const source = text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n')
  const values: Record<string, string> = Object.create(null)
  const faults = unprintableLines(source)
  let line = 1
  for (let at = 0; at < source.length; ) {
    const { end, name, value = '', fault } = entryAt(source, at)
    const lastLine = line + linesIn(source.slice(at, end - 1))
    const message = fault ?? (name !== undefined && name in values ? `${name} is set twice: keep one of them` : null)
    if (message !== null) faults.push({ line: lastLine, message })
    else if (name !== undefined) values[name] = value
    line = lastLine + 1
    at = end
  }
  return { values, faults: faults.sort((a, b) => a.line - b.line) }
}

function entryAt(source: string, at: number): Entry {
  const empty = match(restWithoutValue, source, at)
  if (empty !== null) return { end: at + empty[0].length }
  const line = match(restOfLine, source, at)![1]!
  const equals = line.indexOf('=')
  if (equals === -1) return lineFault(source, at, 'has no =: write NAME=value, or begin a comment with #')
  const name = trimBlank(line.slice(0, equals)).replace(/^export +/, '')
  const entry = valueAt(source, at + equals + 1)
  if (namePattern.test(name)) return { name, ...entry }
  return { end: entry.end, fault: nameFault(name) }
}

function nameFault(name: string): string {
  const hidden = invisible.exec(name.replaceAll(' ', ''))?.[0]
  if (hidden === undefined) return 'the name before = must be letters, digits, _, . and -, and not begin with a digit'
  const code = hidden.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')
  return `the name before = contains an invisible character (U+${code}): remove it`
}

function valueAt(source: string, at: number): Entry {
  const firstAt = at + match(blank, source, at)![0].length
  return /["'`]/.test(source[firstAt] ?? '') ? quotedValue(source, firstAt) : plainValue(source, at)
}

function quotedValue(source: string, at: number): Entry {
  const quote = source[at]!
  const quoted = match(quotation, source, at)
  if (quoted === null) return lineFault(source, at, `the quote ${quote} has no end: close it with another ${quote}`)
  const closedAt = at + quoted[0].length
  const after = match(restWithoutValue, source, closedAt)
  if (after === null) {
    return lineFault(
      source,
      closedAt,
      `there is text after the closing ${quote}: use another kind of quote around the value`,
    )
  }
  const value = quote === '"' ? quoted[2]!.replaceAll('\\n', '\n') : quoted[2]!
  return { end: closedAt + after[0].length, value }
}

/** Refuses `#` inside a word: some parsers read a comment there, others a plain character. */
function plainValue(source: string, at: number): Entry {
  const [fullLine, text] = match(restOfLine, source, at)!
  const end = at + fullLine.length
  const comment = text!.search(/[ \t]#/)
  const value = trimBlank(comment === -1 ? text! : text!.slice(0, comment))
  if (!value.includes('#')) return { end, value }
  return { end, fault: 'there is a # in a value without quotes: put quotes around it, or a space before a comment' }
}

function lineFault(source: string, at: number, fault: string): Entry {
  return { end: at + match(restOfLine, source, at)![0].length, fault }
}

function match(pattern: RegExp, source: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(source)
}

/** Removes spaces and tabs at both ends. Unlike `trim`, keeps all other white space. */
function trimBlank(text: string): string {
  const isBlank = (at: number) => text[at] === ' ' || text[at] === '\t'
  let [from, to] = [0, text.length]
  while (from < to && isBlank(from)) from++
  while (from < to && isBlank(to - 1)) to--
  return text.slice(from, to)
}

function linesIn(text: string): number {
  return text.split('\n').length - 1
}

function unprintableLines(source: string): EnvFault[] {
  const message = 'has a control character or a lone surrogate (half a character): remove it'
  return source.split('\n').flatMap((text, index) => (unprintable.test(text) ? [{ line: index + 1, message }] : []))
}
