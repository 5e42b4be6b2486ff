/** Reads the calls of a run, in order of time, from the events that schemathesis writes: one JSON value per line. */
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { quotedWord } from '../../shared/shell-word.ts'

export interface Call {
  /** '' if the path is not that of an operation. */
  operation: string
  method: string
  /** Fields of the query or the body; {} if the body is not a JSON object. */
  input: Record<string, unknown>
  status: number
  /** The body of the answer. */
  body: string
  /** A command that repeats the call. */
  curl: string
}

interface Bytes {
  $base64: string
}

interface Interaction {
  timestamp: number
  request: { method: string; uri: string; headers: Record<string, string[]>; body: Bytes | null }
  /** Missing if the request got no answer. schemathesis reports this as an error of the run. */
  response?: Response | null
}

interface Response {
  status_code: number
  content: Bytes | null
}

interface Event {
  ScenarioFinished?: { recorder?: { interactions: Record<string, Interaction> } }
}

export async function callsOf(path: string): Promise<Call[]> {
  const interactions: Interaction[] = []
  for await (const line of createInterface({ input: createReadStream(path) })) {
    const { recorder } = (JSON.parse(line) as Event).ScenarioFinished ?? {}
    interactions.push(...Object.values(recorder?.interactions ?? {}))
  }
  return interactions
    .sort((a, b) => a.timestamp - b.timestamp)
    .flatMap(({ request, response }) => (response ? [toCall(request, response)] : []))
}

const textOf = (bytes: Bytes | null) => Buffer.from(bytes?.$base64 ?? '', 'base64').toString()

function toCall(request: Interaction['request'], response: Response): Call {
  const { pathname, searchParams } = new URL(request.uri)
  const sent = textOf(request.body)
  return {
    operation: /^\/api\/([\w.]+)$/.exec(pathname)?.[1] ?? '',
    method: request.method,
    input: request.method === 'GET' ? Object.fromEntries(searchParams) : objectIn(sent),
    status: response.status_code,
    body: textOf(response.content),
    curl: curlOf(request, sent),
  }
}

function objectIn(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
  } catch {
    // Many requests are invalid JSON on purpose.
    return {}
  }
}

function curlOf({ method, uri, headers }: Interaction['request'], body: string): string {
  const relevant = Object.entries(headers).filter(
    ([name]) => !/^(accept|connection|content-length|user-agent)/i.test(name),
  )
  const headerArguments = relevant.flatMap(([name, values]) =>
    values.map((value) => `-H ${quotedWord(`${name}: ${value}`)}`),
  )
  const data = body === '' ? [] : [`--data-raw ${quotedWord(body)}`]
  return ['curl', '-X', method, ...headerArguments, ...data, quotedWord(uri)].join(' ')
}
