/** Parses query parameters and JSON bodies into the input of an operation. */
import type { IncomingHttpHeaders } from 'node:http'
import { type Issue, refuse } from '../errors.ts'

type Input = Record<string, unknown>

/** Refuses a content type other than JSON, unless the body is empty. A missing content type is accepted. */
export function checkContentType(headers: IncomingHttpHeaders): void {
  const type = headers['content-type']
  if (type === undefined || isEmpty(headers) || /^\s*application\/json\s*(;|$)/i.test(type)) return
  refuse('UNSUPPORTED_MEDIA_TYPE', 'The body must be JSON. Send it with the header "Content-Type: application/json"')
}

function isEmpty(headers: IncomingHttpHeaders) {
  const length = headers['content-length']
  return headers['transfer-encoding'] === undefined && (length === undefined || length === '0')
}

/** Parses a body; an empty body is an empty input. Refuses a body that is not UTF-8, not JSON or not an object. */
export function parseBody(bytes: Buffer): Input {
  if (bytes.length === 0) return {}
  const value = parseJson(decode(bytes))
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    refuse('BAD_REQUEST', 'The body must be one JSON object, like {"name": "value"}')
  }
  return value as Input
}

function decode(bytes: Buffer) {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return refuse('BAD_REQUEST', 'The body is not valid UTF-8')
  }
}

function parseJson(text: string): unknown {
  try {
    // An escaped half of a surrogate pair is not valid text and could not be stored unchanged.
    return JSON.parse(text, /\\ud[89a-f]/i.test(text) ? refuseLoneSurrogates : undefined)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const place = /\(line \d+ column \d+\)/.exec(error.message)?.[0] ?? ''
    return refuse('BAD_REQUEST', `The body is not JSON${place === '' ? '' : ` ${place}`}. Send one JSON object`)
  }
}

function refuseLoneSurrogates(key: string, value: unknown) {
  if (key.isWellFormed() && (typeof value !== 'string' || value.isWellFormed())) return value
  return refuse('BAD_REQUEST', 'The body contains half of a UTF-16 surrogate pair, which is not valid text')
}

/**
 * The input from query parameters. Refuses parameters that occur more than once.
 *
 * @param lists the parameters that may occur more than once. Each is a list, also if it occurs once
 */
export function inputOfQuery(query: Readonly<Record<string, string | string[]>>, lists: readonly string[] = []): Input {
  let issues: Issue[] | undefined
  for (const name in query) {
    if (typeof query[name] === 'string' || lists.includes(name)) continue
    issues ??= []
    issues.push({ path: name, message: 'must be sent only once' })
  }
  if (issues === undefined) {
    const asLists = lists.filter((name) => query[name] !== undefined).map((name) => [name, [query[name]!].flat()])
    return asLists.length === 0 ? query : { ...query, ...Object.fromEntries(asLists) }
  }
  return refuse('BAD_REQUEST', issues.map(({ path, message }) => `${path}: ${message}`).join('; '), { issues })
}
