/** Reads a file of `berth apply`. All errors of the file are reported at once, with line and column. Pure. */
import {
  type Document,
  type ErrorCode,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
} from 'yaml'
import type { z } from 'zod'
import { CommandError } from '../exit.ts'
import { ApplyFile } from './format.ts'

/** Limits against files that are made to exhaust the memory. */
const maxBytes = 1_048_576
const maxAliasCount = 1000
const maxErrors = 50

/**
 * @param name the name of the file, for messages
 * @throws CommandError with all errors of the file. No error contains a value of the file
 */
export function parseApplyFile(text: string, name: string): ApplyFile {
  if (Buffer.byteLength(text) > maxBytes) throw new CommandError('usage', `${name} has more than 1 MiB`)
  const lines = new LineCounter()
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset)
    return `${name}:${line}:${col}`
  }
  const document = documentIn(text, name, lines)
  if (document.errors.length > 0) {
    throw refusalOf(
      document.errors.map(({ pos, code, message }) => `${at(pos[0])}: ${syntaxMessages[code] ?? message}`),
    )
  }
  const parsed = ApplyFile.safeParse(contentOf(document, name), { error: messageOf })
  if (parsed.success) return parsed.data
  const found = parsed.error.issues.flatMap((issue) => errorsOf(document, issue))
  throw refusalOf(
    found.sort((a, b) => a.offset - b.offset).map(({ offset, path, message }) => `${at(offset)}: ${path}${message}`),
  )
}

const syntaxMessages: Partial<Record<ErrorCode, string>> = {
  MULTIPLE_DOCS: 'a second document begins here. A file has one document',
}

function refusalOf(errors: string[]): CommandError {
  const more = errors.length > maxErrors ? [`… and ${errors.length - maxErrors} more errors`] : []
  return new CommandError('usage', [...errors.slice(0, maxErrors), ...more].join('\n'))
}

function documentIn(text: string, name: string, lineCounter: LineCounter): Document {
  try {
    // Pretty errors quote the line of the file, which may contain a secret.
    return parseDocument(text, { lineCounter, prettyErrors: false, merge: true, logLevel: 'error' })
  } catch {
    throw new CommandError('usage', `${name} is nested too deeply`)
  }
}

function contentOf(document: Document, name: string): unknown {
  try {
    return document.toJS({ maxAliasCount }) ?? {}
  } catch {
    throw new CommandError('usage', `${name} repeats its anchors too often, or an alias has no anchor`)
  }
}

const typeNames: Record<string, string> = {
  record: 'a mapping',
  object: 'a mapping',
  array: 'a list',
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
}

/** The sentence for an issue that has no message of its own. */
function messageOf(issue: z.core.$ZodRawIssue): string {
  if (issue.code === 'invalid_key') return issue.issues[0]?.message ?? 'is no name'
  if (issue.input === undefined) return 'is required'
  if (issue.code === 'invalid_type') return `must be ${typeNames[issue.expected] ?? issue.expected}`
  if (issue.code === 'invalid_value') return `must be ${issue.values.join(' or ')}`
  if (issue.code === 'too_big') return `must have at most ${issue.maximum} entries`
  return 'has a value of the wrong type'
}

interface FileError {
  offset: number
  path: string
  message: string
}

/** Unknown keys are one issue, with a line of the message for each key. */
function errorsOf(document: Document, issue: z.core.$ZodIssue): FileError[] {
  const path = issue.path as (string | number)[]
  if (issue.code !== 'unrecognized_keys') return [errorAt(document, path, issue.message)]
  const messages = issue.message.split('\n')
  return issue.keys.map((key, i) => errorAt(document, [...path, key], messages[i]!))
}

function errorAt(document: Document, path: (string | number)[], message: string): FileError {
  const shown = path.length === 0 ? '' : `${path.join('.')}: `
  return { offset: offsetOf(document, path), path: shown, message }
}

/** The place of the key, or of the nearest mapping around it. Aliases and merged mappings are followed. */
function offsetOf(document: Document, path: readonly (string | number)[]): number {
  let node = document.contents as Node | null
  let offset = node?.range?.[0] ?? 0
  for (const key of path) {
    const step = stepInto(resolved(document, node), String(key), document)
    if (step === null) return offset
    ;({ node, offset } = step)
  }
  return offset
}

interface Position {
  node: Node | null
  offset: number
}

function stepInto(node: Node | null, key: string, document: Document): Position | null {
  if (isSeq(node)) {
    const item = (node.items[Number(key)] ?? null) as Node | null
    return item === null ? null : { node: item, offset: item.range?.[0] ?? 0 }
  }
  if (!isMap(node)) return null
  for (const pair of node.items) {
    const name = isScalar(pair.key) ? pair.key : null
    if (name !== null && String(name.value) === key) {
      return { node: pair.value as Node | null, offset: name.range?.[0] ?? 0 }
    }
  }
  const merged = node.items.filter(({ key: each }) => isScalar(each) && each.source === '<<')
  const places = merged.map(({ value }) => stepInto(resolved(document, value as Node | null), key, document))
  return places.find((place) => place !== null) ?? null
}

const resolved = (document: Document, node: Node | null): Node | null =>
  isAlias(node) ? (node.resolve(document) ?? null) : node
