/**
 * A client for Berth's API, for Node and browsers:
 *
 *   const berth = createClient({ url: 'http://127.0.0.1:3000', token })
 *   await berth.postgres.deploy({ postgresId }, { wait: 120 })
 */
import { type Change, type EventsInput, type EventsOptions, followEvents, type Reset } from './events.ts'
import { linesOf } from './lines.ts'
import type { CallOptions } from './method.ts'
import { names, type Operations } from './operations.ts'
import { type ClientOptions, jsonOf, pause, type Request, senderOf } from './request.ts'

export { BerthError, type Issue } from './error.ts'
export type { Change, EventsInput, EventsOptions, Reset } from './events.ts'
export type { CallOptions } from './method.ts'
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

/** @throws TypeError if `url` is no URL */
export function createClient(options: ClientOptions): Client {
  const send = senderOf(options)
  const marks = new Map<string, string>()

  function requestOf(name: string, input: Input, callOptions: CallOptions): Request {
    const common = { accept: 'application/json' as const, isRepeatable: marks.get(name) !== '!', options: callOptions }
    return marks.get(name) === '?'
      ? { ...common, method: 'GET', path: `api/${name}${queryOf(input)}` }
      : {
          ...common,
          method: 'POST',
          path: `api/${name}`,
          body: JSON.stringify(input),
          // The same for each attempt.
          options: { ...callOptions, idempotencyKey: callOptions.idempotencyKey ?? newKey() },
        }
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

  const call = async (name: string, input?: object, callOptions?: CallOptions) =>
    (await answerOf(name, input as Input, callOptions)).body

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

  const methodOf = (name: string) =>
    Object.assign((input?: Input, callOptions?: CallOptions) => call(name, input, callOptions), {
      each: (input?: Input, callOptions?: CallOptions) => each(name, input, callOptions),
      follow: (input?: Input, callOptions?: CallOptions) => follow(name, input, callOptions),
    })

  function groupOf(line: string) {
    const [group, ...words] = line.split(' ') as [string, ...string[]]
    const methods = words.map((word) => {
      const [, verb, mark] = /(\w+)(.?)/.exec(word)!
      marks.set(`${group}.${verb}`, mark!)
      return [verb, methodOf(`${group}.${verb}`)]
    })
    return [group, Object.fromEntries(methods)]
  }

  const client = {
    ...Object.fromEntries(names.map(groupOf)),
    call,
    events: (input: EventsInput = {}, eventsOptions: EventsOptions = {}) => followEvents(send, input, eventsOptions),
  }
  return client as unknown as Client
}

function queryOf(input: Input): string {
  const pairs = Object.entries(input).filter(([, value]) => value !== undefined && value !== null)
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs.map(([name, value]) => [name, String(value)]))}`
}

/** Unlike randomUUID, getRandomValues works on pages that were loaded without TLS. */
const newKey = () => Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('-')
