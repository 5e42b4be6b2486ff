/**
 * A client for Berth's API, for Node and browsers:
 *
 *   const berth = createClient({ url: 'http://127.0.0.1:3000', token })
 *   await berth.postgres.deploy({ postgresId }, { wait: 120 })
 */
import { type Change, type EventsInput, type EventsOptions, followEvents, type Reset } from './events.ts'
import { fileOf } from './file.ts'
import { linesOf } from './lines.ts'
import type { CallOptions } from './method.ts'
import { names, type Operations } from './operations.ts'
import { type ClientOptions, jsonOf, pause, type Request, type Send, senderOf } from './request.ts'

export { BerthError, type Issue } from './error.ts'
export type { Change, EventsInput, EventsOptions, Reset } from './events.ts'
export type { CallOptions, FileDownload } from './method.ts'
export type * from './operations.ts'
export type { Answer, ClientOptions, Fetch } from './request.ts'

/** The name of an operation, such as `postgres.deploy`. */
export type OperationName = {
  [Group in keyof Operations]: `${Group}.${keyof Operations[Group] & string}`
}[keyof Operations]

/** The method of an operation. Of a name that is known only when the program runs, any input is accepted. */
type MethodNamed<Name> =
  IsOneName<Name> extends true
    ? Name extends `${infer Group extends keyof Operations}.${infer Verb}`
      ? Verb extends keyof Operations[Group]
        ? Extract<Operations[Group][Verb], AnyMethod>
        : never
      : never
    : (input?: object, options?: CallOptions) => Promise<unknown>

type AnyMethod = (...args: never) => Promise<unknown>

type IsOneName<Name, Each = Name> = Name extends OperationName ? ([Each] extends [Name] ? true : false) : false

export interface Client extends Operations {
  /** Calls an operation by its name. The name may be data: then the input is not checked. */
  call<Name extends OperationName | (string & {})>(
    name: Name,
    ...args: Parameters<MethodNamed<Name>>
  ): ReturnType<MethodNamed<Name>>
  /**
   * Follows the changes of records. After the connection broke it connects again and goes on where it stopped: no
   * change is missed, and a change may be repeated with the same id.
   */
  events(input?: EventsInput, options?: EventsOptions): AsyncGenerator<Change | Reset, void, undefined>
}

type Input = Record<string, unknown>

/** A longer wait is divided, because proxies end a request after a minute, and Node after five. */
const maxWaitSeconds = 50
const pieceDelayMs = 200

/** The operations by name, each with its mark: GET for `?`, GET of a file for `>`; `!` must not be repeated. */
const marks = new Map(
  names.flatMap((line) => {
    const [group, ...words] = line.split(' ')
    return words.map((word): [string, string] => [`${group}.${word.replace(/\W/, '')}`, /\W?$/.exec(word)![0]])
  }),
)

/** @throws TypeError if `url` is no URL */
export function createClient(options: ClientOptions): Client {
  const send = senderOf(options)
  const calls = callsOn(send)
  const groups: Record<string, Record<string, unknown>> = {}
  for (const name of marks.keys()) {
    const [group, verb] = name.split('.') as [string, string]
    groups[group] ??= {}
    groups[group][verb] = methodOf(name, calls)
  }
  const events = (input: EventsInput = {}, eventsOptions: EventsOptions = {}) =>
    followEvents(send, input, eventsOptions)
  return { ...groups, call: calls.call, events } as unknown as Client
}

type Calls = ReturnType<typeof callsOn>

const methodOf = (name: string, { call, each, follow }: Calls) =>
  Object.assign((input?: Input, callOptions?: CallOptions) => call(name, input, callOptions), {
    each: (input?: Input, callOptions?: CallOptions) => each(name, input, callOptions),
    follow: (input?: Input, callOptions?: CallOptions) => follow(name, input, callOptions),
  })

/** The three ways to call an operation by its name. */
function callsOn(send: Send) {
  return { call, each, follow }

  async function call(name: string, input?: Input, callOptions?: CallOptions) {
    if (marks.get(name) === '>') return fileCall(send, name, input, callOptions)
    return (await answerOf(name, input, callOptions)).body
  }

  /** Repeats the request while the work goes on. Thanks to its key it is carried out once. */
  async function answerOf(name: string, input: Input = {}, callOptions: CallOptions = {}) {
    const request = requestOf(name, input, callOptions)
    const endMs = Date.now() + (callOptions.wait ?? 0) * 1000
    for (;;) {
      const waitSeconds = Math.min(maxWaitSeconds, Math.ceil((endMs - Date.now()) / 1000))
      const headers: Record<string, string> = waitSeconds > 0 ? { prefer: `wait=${waitSeconds}` } : {}
      const answer = await send({ ...request, headers }, jsonOf)
      if (answer.headers.get('berth-pending') === null || Date.now() + pieceDelayMs >= endMs) {
        callOptions.onHeaders?.(answer.headers)
        return answer
      }
      await pause(pieceDelayMs, callOptions.signal)
    }
  }

  async function* each(name: string, input: Input = {}, callOptions?: CallOptions) {
    for (let { cursor } = input; ; ) {
      const { body, headers } = await answerOf(name, { limit: 100, ...input, cursor }, callOptions)
      for (const record of body as unknown[]) {
        callOptions?.signal?.throwIfAborted()
        yield record
      }
      const next = headers.get('berth-next-cursor')
      if (next === null) return
      cursor = decodeURIComponent(next)
    }
  }

  async function* follow(name: string, input: Input = {}, callOptions: CallOptions = {}) {
    const request = requestOf(name, { ...input, follow: true }, callOptions)
    const lines = await send({ ...request, accept: 'application/x-ndjson' }, async (response, lost) => {
      callOptions.onHeaders?.(response.headers)
      return linesOf(response, lost, callOptions.signal)
    })
    for await (const line of lines) if (line !== '') yield JSON.parse(line) as unknown
  }
}

function fileCall(send: Send, name: string, input: Input = {}, callOptions: CallOptions = {}) {
  const request: Request = { ...requestOf(name, input, callOptions), accept: 'application/octet-stream' }
  return send(request, async (response, lost) => {
    callOptions.onHeaders?.(response.headers)
    return fileOf(response, lost, callOptions.signal)
  })
}

function requestOf(name: string, input: Input, options: CallOptions): Request {
  const mark = marks.get(name)
  const common = { accept: 'application/json' as const, isRepeatable: mark !== '!' }
  if (mark === '?' || mark === '>') return { ...common, method: 'GET', path: `api/${name}${queryOf(input)}`, options }
  // The key is the same for each attempt.
  const idempotencyKey = options.idempotencyKey ?? newKey()
  const body = JSON.stringify(input)
  return { ...common, method: 'POST', path: `api/${name}`, body, options: { ...options, idempotencyKey } }
}

function queryOf(input: Input): string {
  const pairs = Object.entries(input).filter(([, value]) => value !== undefined && value !== null)
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs.map(([name, value]) => [name, String(value)]))}`
}

/** Unlike randomUUID, getRandomValues works on pages that were loaded without TLS. */
const newKey = () => Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('-')
