/** What a caller sent, as the input of an operation: query parameters or a JSON body. Knows no field. */
import type { IncomingHttpHeaders } from 'node:http'
import { type Issue, refuse } from '../errors.ts'

type Input = Record<string, unknown>

/** Refuses a content type that is not JSON. None at all is taken as JSON, and so is any where there is no body. */
export function checkContentType(headers: IncomingHttpHeaders): void {
  const type = headers['content-type']
  if (type === undefined || isEmpty(headers) || /^\s*application\/json\s*(;|$)/i.test(type)) return
  refuse('UNSUPPORTED_MEDIA_TYPE', 'The body must be JSON. Send it with the header "Content-Type: application/json"')
}

function isEmpty(headers: IncomingHttpHeaders) {
  const length = headers['content-length']
  return headers['transfer-encoding'] === undefined && (length === undefined || length === '0')
}

/** An empty body is an empty input. Refuses what is not UTF-8, not JSON or not an object. */
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
    // Half a surrogate pair, written as an escape, is no text: it could not be stored as it was sent.
    return JSON.parse(text, /\\ud[89a-f]/i.test(text) ? refuseHalfPairs : undefined)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const place = /\(line \d+ column \d+\)/.exec(error.message)?.[0] ?? ''
    return refuse('BAD_REQUEST', `The body is not JSON${place === '' ? '' : ` ${place}`}. Send one JSON object`)
  }
}

function refuseHalfPairs(key: string, value: unknown) {
  if (key.isWellFormed() && (typeof value !== 'string' || value.isWellFormed())) return value
  return refuse('BAD_REQUEST', 'The body holds half of a UTF-16 surrogate pair, which is not valid text')
}

/** Refuses parameters that are given twice, each by its name. */
export function inputOfQuery(query: Readonly<Record<string, string | string[]>>): Input {
  let issues: Issue[] | undefined
  for (const name in query) {
    if (typeof query[name] === 'string') continue
    issues ??= []
    issues.push({ path: name, message: 'is given more than once' })
  }
  if (issues === undefined) return query
  return refuse('BAD_REQUEST', issues.map(({ path, message }) => `${path}: ${message}`).join('; '), { issues })
}
