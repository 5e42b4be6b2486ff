/**
 * A client for Berth's API, for Node and browsers:
 *
 *   const berth = createClient({ url: 'http://127.0.0.1:3000', token })
 *   await berth.postgres.deploy({ postgresId }, { wait: 120 })
 */
import { type Change, type EventsInput, followEvents, type Reset } from './events.ts'
import { linesOf } from './lines.ts'
import type { CallOptions } from './method.ts'
import { type Operations, reads } from './operations.ts'
import { type ClientOptions, senderOf } from './request.ts'

export { BerthError, type Issue } from './error.ts'
export type { Change, EventsInput, Reset } from './events.ts'
export type { CallOptions } from './method.ts'
export type * from './operations.ts'
export type { ClientOptions } from './request.ts'

export interface Client extends Operations {
  /** Calls an operation by its name, for programs that get the name as data. */
  call(name: string, input?: object, options?: CallOptions): Promise<unknown>
  /**
   * Follows the changes of records. After the connection broke it connects again and goes on where it stopped: no
   * change is missed, and a change may be repeated with the same id.
   */
  events(input?: EventsInput, options?: EventsOptions): AsyncGenerator<Change | Reset, void, undefined>
}

export interface EventsOptions extends Pick<CallOptions, 'signal'> {
  /** Called with true after each connection, and with false when it has ended. */
  onConnection?(isConnected: boolean): void
}

type Input = Record<string, unknown>

/** `group.operation` of all operations that are called with GET. */
const readNames = new Set(
  reads.split(' ').flatMap((entry) => {
    const [group, ...verbs] = entry.split('.')
    return verbs.map((verb) => `${group}.${verb}`)
  }),
)

export function createClient(options: ClientOptions): Client {
  const send = senderOf(options)

  async function answerOf(name: string, input: Input = {}, callOptions: CallOptions = {}): Promise<Response> {
    const response = await send(
      readNames.has(name)
        ? { method: 'GET', path: `api/${name}${queryOf(input)}`, options: callOptions }
        : { method: 'POST', path: `api/${name}`, body: JSON.stringify(input), options: callOptions },
    )
    callOptions.onHeaders?.(response.headers)
    return response
  }

  const call = async (name: string, input?: object, callOptions?: CallOptions) =>
    (await answerOf(name, input as Input, callOptions)).json() as Promise<unknown>

  async function* each(name: string, input: Input = {}, callOptions?: CallOptions) {
    for (let cursor = input.cursor; ; ) {
      const response = await answerOf(name, { limit: 100, ...input, cursor }, callOptions)
      yield* (await response.json()) as unknown[]
      cursor = response.headers.get('berth-next-cursor') ?? undefined
      if (cursor === undefined) return
    }
  }

  async function* follow(name: string, input: Input = {}, callOptions?: CallOptions) {
    const response = await answerOf(name, { ...input, follow: true }, callOptions)
    for await (const line of linesOf(response, callOptions?.signal)) if (line !== '') yield JSON.parse(line) as unknown
  }

  const methodOf = (name: string) =>
    Object.assign((input?: Input, callOptions?: CallOptions) => call(name, input, callOptions), {
      each: (input?: Input, callOptions?: CallOptions) => each(name, input, callOptions),
      follow: (input?: Input, callOptions?: CallOptions) => follow(name, input, callOptions),
    })

  const groupOf = (group: string) => membersOf((verb) => methodOf(`${group}.${verb}`))
  const events = (input: EventsInput = {}, eventsOptions: EventsOptions = {}) =>
    followEvents(send, input, eventsOptions)
  const own: Record<string, unknown> = { call, events }
  return membersOf((name) => own[name] ?? groupOf(name)) as unknown as Client
}

function queryOf(input: Input): string {
  const pairs = Object.entries(input).filter(([, value]) => value !== undefined && value !== null)
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs.map(([name, value]) => [name, String(value)]))}`
}

/** An object that makes its members at first use. It is no promise, so that `await` gives it back. */
function membersOf<T>(make: (name: string) => T): Record<string, T> {
  const members = new Map<string, T>()
  return new Proxy(Object.create(null), {
    get(_, name) {
      if (typeof name !== 'string' || name === 'then') return undefined
      if (!members.has(name)) members.set(name, make(name))
      return members.get(name)
    },
  })
}
