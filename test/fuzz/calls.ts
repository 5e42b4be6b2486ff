/** The calls of a run, in their order, from the events that schemathesis writes: one JSON value a line. */
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'

export interface Call {
  /** '' where it is none. */
  operation: string
  method: string
  /** Fields of the query or the body; {} where the body is no JSON object. */
  input: Record<string, unknown>
  status: number
  /** As it was sent. */
  body: string
  /** What repeats it. */
  curl: string
}

interface Bytes {
  $base64: string
}

interface Interaction {
  timestamp: number
  request: { method: string; uri: string; headers: Record<string, string[]>; body: Bytes | null }
  /** Missing where the request ended otherwise: schemathesis tells that as an error of the run. */
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
  const found: Interaction[] = []
  for await (const line of createInterface({ input: createReadStream(path) })) {
    const { recorder } = (JSON.parse(line) as Event).ScenarioFinished ?? {}
    found.push(...Object.values(recorder?.interactions ?? {}))
  }
  return found
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
    // Much of what is sent is meant to be no JSON.
    return {}
  }
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

function curlOf({ method, uri, headers }: Interaction['request'], body: string): string {
  const own = Object.entries(headers).filter(([name]) => !/^(accept|connection|content-length|user-agent)/i.test(name))
  const given = own.flatMap(([name, values]) => values.map((value) => `-H ${quoted(`${name}: ${value}`)}`))
  const data = body === '' ? [] : [`--data-raw ${quoted(body)}`]
  return ['curl', '-X', method, ...given, ...data, quoted(uri)].join(' ')
}
