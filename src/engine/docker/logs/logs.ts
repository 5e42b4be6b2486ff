/**
 * What a service's containers print, on whatever node: the swarm collects it. It gives each container's lines after the
 * other's, cuts the tail of each by itself, and follows a service for ever: here they come in order, cut together, and
 * end with the service.
 */
import type http from 'node:http'
import type { DockerClient } from '../transport/client.ts'
import type { ContainerLogs } from './container-logs.ts'
import { isMissing, unavailable } from '../transport/errors.ts'
import { logReader, newestLines } from './lines.ts'
import { servicesNamed } from '../services/services.ts'
import { EngineFailure, EngineUnavailable } from '../../engine.ts'
import type { LogLine, LogsAsked } from '../../engine.ts'
import { isOurs } from '../../labels.ts'

interface Source {
  client: DockerClient
  id: string
  signal: AbortSignal
  ofContainers: ContainerLogs
}

/** `ofContainers` is asked where the swarm's own log is not whole. */
export async function serviceLogs(
  client: DockerClient,
  ofContainers: ContainerLogs,
  installationId: string,
  serviceName: string,
  asked: LogsAsked,
  signal: AbortSignal,
): Promise<AsyncIterable<LogLine>> {
  const from = Math.floor(Date.now() / 1000)
  const [service] = await servicesNamed(client, [serviceName])
  if (service === undefined || !isOurs(service.Spec.Labels ?? {}, installationId)) return each([])
  const source = { client, id: service.ID, signal, ofContainers }
  try {
    const past = await pastLines(source, asked)
    return asked.follow ? await follow(source, past, asked, from) : each(past)
  } catch (error) {
    if (isMissing(error)) return each([])
    throw error
  }
}

async function* each(lines: LogLine[]): AsyncGenerator<LogLine> {
  yield* lines
}

/**
 * Of a node that lost its connection to the swarm and has another one the swarm's log may say for as long as that lasts
 * that it is not available (moby issue 35011). What its containers printed is read from its own engine then.
 */
async function pastLines(source: Source, { since, tail }: LogsAsked): Promise<LogLine[]> {
  const { id, signal, ofContainers } = source
  try {
    return await newestOf(tail, (pieces) => open(source, { since, tail: pieces, follow: 0 }))
  } catch (error) {
    if (!(error instanceof NotWhole)) throw error
  }
  return newestOf(tail, async (pieces) => ofContainers(id, queryOf({ since, tail: pieces, follow: 0 }), signal))
}

type Reading = (pieces: string) => Promise<AsyncIterable<Buffer>>

/** The engine's tail counts the pieces of long lines: where it may have cut into one, all is read. */
async function newestOf(tail: number, log: Reading): Promise<LogLine[]> {
  const read = async (pieces: string) => {
    const newest = newestLines(tail)
    const count = { pieces: 0, lines: 0 }
    for await (const line of linesIn(await log(pieces), count)) newest.add(line)
    return { lines: newest.sorted(), isCut: count.lines < count.pieces && count.pieces > tail }
  }
  const { lines, isCut } = await read(String(tail + 1))
  return isCut ? (await read('all')).lines : lines
}

interface Extent {
  since: string | null
  tail: string
  follow: 0 | 1
}

async function open({ client, id, signal }: Source, asked: Extent): Promise<http.IncomingMessage> {
  return client.stream({ path: `/services/${id}/logs`, query: queryOf(asked) }, signal)
}

function queryOf({ since, ...rest }: Extent) {
  return { stdout: 1, stderr: 1, timestamps: 1, ...rest, ...(since === null ? {} : { since: unixTime(since) }) }
}

/** ISO 8601 in UTC as seconds with nine decimals. */
function unixTime(at: string): string {
  const seconds = Math.max(0, Math.floor(Date.parse(at) / 1000))
  return `${seconds}.${(/\.(\d+)/.exec(at)?.[1] ?? '').slice(0, 9).padEnd(9, '0')}`
}

/** `count`: becomes what has come so far. */
async function* linesIn(stream: AsyncIterable<Buffer>, count = { pieces: 0, lines: 0 }): AsyncGenerator<LogLine> {
  let ready: LogLine[] = []
  const reader = logReader((line) => void ready.push(line), refuseTrouble)
  const take = () => {
    const taken = ready
    ready = []
    Object.assign(count, { pieces: reader.count(), lines: count.lines + taken.length })
    return taken
  }
  try {
    for await (const chunk of stream) {
      reader.take(chunk)
      yield* take()
    }
  } catch (error) {
    throw error instanceof EngineFailure ? error : unavailable(error)
  }
  reader.end()
  yield* take()
}

class NotWhole extends EngineUnavailable {}

/** What is not complete is not given for complete. A task without a node has printed nothing that could be missing. */
function refuseTrouble(words: string) {
  const reasons = words.replace(/^.*for the following reasons: /s, '').split(', ')
  if (reasons.every((it) => /has not been scheduled$/.test(it))) return
  throw new NotWhole(`The engine cannot give the whole log: ${words}`)
}

/** Between the two readings a line may be written a moment late: so much is read again, and what is known left out. */
const overlapMs = 1000

function beforeLast(past: LogLine[]): string {
  const last = past.at(-1)
  return last === undefined ? '' : new Date(Date.parse(last.at) - overlapMs).toISOString().replace('Z', '000000Z')
}

/** How a stream without end came to one: its service was removed, or something broke. */
interface End {
  isRemoved: boolean
  fault: unknown
}

async function follow(source: Source, past: LogLine[], { since, tail }: LogsAsked, from: number) {
  const stop = new AbortController()
  const streams = { ...source, signal: AbortSignal.any([source.signal, stop.signal]) }
  const again = [beforeLast(past), since ?? ''].sort().at(-1) || null
  const live = await open(streams, { since: again, tail: 'all', follow: 1 })
  // It may break off before anybody reads it.
  live.on('error', () => undefined)
  const end: End = { isRemoved: false, fault: undefined }
  untilRemoved(streams, from)
    .then(
      () => {
        end.isRemoved = true
      },
      (error: unknown) => {
        end.fault = error
      },
    )
    .finally(() => stop.abort())
  return following(source.signal, past, linesIn(live), newAfter(past, tail), end, stop)
}

async function* following(
  signal: AbortSignal,
  past: LogLine[],
  live: AsyncIterable<LogLine>,
  isNew: (line: LogLine) => boolean,
  end: End,
  stop: AbortController,
): AsyncGenerator<LogLine> {
  try {
    yield* past
    for await (const line of live) if (isNew(line)) yield line
    if (!signal.aborted && !end.isRemoved) throw new EngineUnavailable('The engine ended its stream of logs')
  } catch (error) {
    if (!signal.aborted && !end.isRemoved) throw unavailable(end.fault ?? error)
  } finally {
    stop.abort()
  }
}

/** Tells a line from those already given, and from those that the tail left out. */
function newAfter(past: LogLine[], tail: number): (line: LogLine) => boolean {
  const keyOf = ({ at, stream, line }: LogLine) => `${at} ${stream} ${line}`
  const first = past.length === tail ? past[0]!.at : ''
  const again = past.filter(({ at }) => at >= beforeLast(past))
  const given = new Map<string, number>()
  for (const key of again.map(keyOf)) given.set(key, (given.get(key) ?? 0) + 1)
  return (line) => {
    const key = given.size === 0 ? '' : keyOf(line)
    const count = given.get(key) ?? 0
    if (count > 1) given.set(key, count - 1)
    else given.delete(key)
    return line.at >= first && count === 0
  }
}

/** `from`: in seconds since 1970, before the service was found. */
async function untilRemoved({ client, id, signal }: Source, from: number): Promise<void> {
  const query = { filters: { type: ['service'], event: ['remove'], service: [id] }, since: from }
  const events = await client.stream({ path: '/events', query }, signal)
  for await (const event of events) if (event) return
  throw new EngineUnavailable('The engine ended its stream of events')
}
