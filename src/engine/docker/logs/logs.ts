/**
 * Reads a service's log from the swarm, which collects the lines of all nodes. The swarm returns the lines container by
 * container, limits the number of lines per container, and follows a removed service forever. This file sorts the
 * existing lines, limits their number in total, and ends a followed stream when the service is removed.
 */
import type http from 'node:http'
import type { ApiTask } from '../transport/api.ts'
import type { DockerClient } from '../transport/client.ts'
import type { ContainerLogs } from './container-logs.ts'
import { isMissing, unavailable } from '../transport/errors.ts'
import { logReader, newestLines } from './lines.ts'
import { servicesNamed } from '../services/services.ts'
import { EngineFailure, EngineUnavailable } from '../../engine.ts'
import type { LogLine, LogOptions } from '../../engine.ts'
import { isOwnObject } from '../../labels.ts'

/** The log of one service. */
interface Source {
  client: DockerClient
  id: string
  signal: AbortSignal
  readContainerLogs: ContainerLogs
}

/**
 * See `Engine.logs` in engine/engine.ts.
 * @param readContainerLogs used if the swarm's own log is incomplete
 */
export async function serviceLogs(
  client: DockerClient,
  readContainerLogs: ContainerLogs,
  installationId: string,
  serviceName: string,
  options: LogOptions,
  signal: AbortSignal,
): Promise<AsyncIterable<LogLine>> {
  const from = Math.floor(Date.now() / 1000)
  const [service] = await servicesNamed(client, [serviceName])
  if (service === undefined || !isOwnObject(service.Spec.Labels ?? {}, installationId)) return each([])
  const source = { client, id: service.ID, signal, readContainerLogs }
  try {
    const past = await pastLines(source, options)
    return options.follow ? await follow(source, past, options, from) : each(past)
  } catch (error) {
    if (isMissing(error)) return each([])
    throw error
  }
}

async function* each(lines: LogLine[]): AsyncGenerator<LogLine> {
  yield* lines
}

/**
 * Reads the existing lines. After a node reconnects to the swarm, the swarm's log may report that node as unavailable
 * for as long as the new connection lasts (moby issue 35011). In this case the lines are read from the engines of the
 * containers' nodes.
 */
async function pastLines(source: Source, options: LogOptions): Promise<LogLine[]> {
  const { id, signal, readContainerLogs } = source
  const { since, tail } = options
  try {
    const starting = await startingLines(source, options)
    const lines = await newestOf(tail, (pieces) => open(source, { since, tail: pieces, follow: 0 }))
    return starting.length === 0 ? lines : merged(lines, starting, tail)
  } catch (error) {
    if (!(error instanceof IncompleteLog)) throw error
  }
  return newestOf(tail, async (pieces) => readContainerLogs(id, queryOf({ since, tail: pieces, follow: 0 }), signal))
}

/**
 * Reads the existing lines of tasks that are starting. Without `follow`, the swarm leaves these tasks out of the log of
 * a service, but not out of the log of a task (source: `match` in SwarmKit's log broker).
 */
async function startingLines({ client, id, signal }: Source, { since, tail }: LogOptions): Promise<LogLine[]> {
  const filters = { service: [id], 'desired-state': ['running'] }
  const tasks = await client.call<ApiTask[]>({ path: '/tasks', query: { filters } })
  const starting = tasks.filter(({ Status }) => Status.State === 'starting')
  const linesOf = ({ ID }: ApiTask) =>
    newestOf(tail, (pieces) =>
      client.stream({ path: `/tasks/${ID}/logs`, query: queryOf({ since, tail: pieces, follow: 0 }) }, signal),
    ).catch((error: unknown) => {
      if (isMissing(error)) return []
      throw error
    })
  return (await Promise.all(starting.map(linesOf))).flat()
}

const keyOf = ({ at, stream, line }: LogLine) => `${at} ${stream} ${line}`

/** The newest of both lists of lines. A task that becomes ready meanwhile has its lines in both. */
function merged(lines: LogLine[], starting: LogLine[], tail: number): LogLine[] {
  const newest = newestLines(tail)
  const known = new Set(lines.map(keyOf))
  for (const line of lines) newest.add(line)
  for (const line of starting) if (!known.has(keyOf(line))) newest.add(line)
  return newest.sorted()
}

/** @param pieces the number of newest pieces, or `all` */
type ReadLog = (pieces: string) => Promise<AsyncIterable<Buffer>>

/**
 * Returns the newest `tail` lines. The engine counts pieces of lines, not lines. If its answer may begin within a line,
 * this function reads the complete log.
 */
async function newestOf(tail: number, readLog: ReadLog): Promise<LogLine[]> {
  const read = async (pieces: string) => {
    const newest = newestLines(tail)
    const count = { pieces: 0, lines: 0 }
    for await (const line of linesIn(await readLog(pieces), count)) newest.add(line)
    return { lines: newest.sorted(), isCut: count.lines < count.pieces && count.pieces > tail }
  }
  const { lines, isCut } = await read(String(tail + 1))
  return isCut ? (await read('all')).lines : lines
}

interface LogExtent {
  since: string | null
  tail: string
  follow: 0 | 1
}

async function open({ client, id, signal }: Source, extent: LogExtent): Promise<http.IncomingMessage> {
  return client.stream({ path: `/services/${id}/logs`, query: queryOf(extent) }, signal)
}

function queryOf({ since, ...rest }: LogExtent) {
  return { stdout: 1, stderr: 1, timestamps: 1, ...rest, ...(since === null ? {} : { since: unixTime(since) }) }
}

/** Converts ISO 8601 in UTC to seconds since 1970 with nine decimals. */
function unixTime(at: string): string {
  const seconds = Math.max(0, Math.floor(Date.parse(at) / 1000))
  return `${seconds}.${(/\.(\d+)/.exec(at)?.[1] ?? '').slice(0, 9).padEnd(9, '0')}`
}

/** @param count updated with the number of pieces and lines read so far */
async function* linesIn(stream: AsyncIterable<Buffer>, count = { pieces: 0, lines: 0 }): AsyncGenerator<LogLine> {
  let ready: LogLine[] = []
  const reader = logReader((line) => void ready.push(line), throwIfIncomplete)
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

class IncompleteLog extends EngineUnavailable {}

/** Throws IncompleteLog, unless the only reason is a task that has no node yet: such a task has printed nothing. */
function throwIfIncomplete(message: string) {
  const reasons = message.replace(/^.*for the following reasons: /s, '').split(', ')
  if (reasons.every((reason) => /has not been scheduled$/.test(reason))) return
  throw new IncompleteLog(`The log of the service is incomplete: ${message}`)
}

/**
 * A container may print a line after the existing lines were read and before the follow request begins. Therefore the
 * follow request begins this long before the last existing line, and lines that were already returned are dropped.
 */
const overlapMs = 1000

/** The time at which the follow request begins; '' if there are no existing lines. */
function followFrom(past: LogLine[]): string {
  const last = past.at(-1)
  return last === undefined ? '' : new Date(Date.parse(last.at) - overlapMs).toISOString().replace('Z', '000000Z')
}

/** Why a followed stream ended: the service was removed, or the stream of events that reports the removal failed. */
interface StreamEnd {
  isRemoved: boolean
  failure: unknown
}

async function follow(source: Source, past: LogLine[], { since, tail }: LogOptions, from: number) {
  const stop = new AbortController()
  const streams = { ...source, signal: AbortSignal.any([source.signal, stop.signal]) }
  const liveSince = [followFrom(past), since ?? ''].sort().at(-1) || null
  const live = await open(streams, { since: liveSince, tail: 'all', follow: 1 })
  // The stream may fail before anybody reads it.
  live.on('error', () => undefined)
  const end: StreamEnd = { isRemoved: false, failure: undefined }
  untilRemoved(streams, from)
    .then(
      () => {
        end.isRemoved = true
      },
      (error: unknown) => {
        end.failure = error
      },
    )
    .finally(() => stop.abort())
  return following(source.signal, past, linesIn(live), newLineFilter(past, tail), end, stop)
}

async function* following(
  signal: AbortSignal,
  past: LogLine[],
  live: AsyncIterable<LogLine>,
  isNew: (line: LogLine) => boolean,
  end: StreamEnd,
  stop: AbortController,
): AsyncGenerator<LogLine> {
  try {
    yield* past
    for await (const line of live) if (isNew(line)) yield line
    if (!signal.aborted && !end.isRemoved) throw new EngineUnavailable('The engine closed its stream of logs')
  } catch (error) {
    if (!signal.aborted && !end.isRemoved) throw unavailable(end.failure ?? error)
  } finally {
    stop.abort()
  }
}

/**
 * Returns a filter that drops lines which were already returned. If `tail` lines were returned, the filter also drops
 * lines that are older than the first of them.
 */
function newLineFilter(past: LogLine[], tail: number): (line: LogLine) => boolean {
  const first = past.length === tail ? past[0]!.at : ''
  const repeated = past.filter(({ at }) => at >= followFrom(past))
  const counts = new Map<string, number>()
  for (const key of repeated.map(keyOf)) counts.set(key, (counts.get(key) ?? 0) + 1)
  return (line) => {
    const key = counts.size === 0 ? '' : keyOf(line)
    const count = counts.get(key) ?? 0
    if (count > 1) counts.set(key, count - 1)
    else counts.delete(key)
    return line.at >= first && count === 0
  }
}

/**
 * Resolves when the service is removed. Throws EngineUnavailable if the stream of events breaks.
 * @param from a time before the service was read, in seconds since 1970
 */
async function untilRemoved({ client, id, signal }: Source, from: number): Promise<void> {
  const query = { filters: { type: ['service'], event: ['remove'], service: [id] }, since: from }
  const events = await client.stream({ path: '/events', query }, signal)
  for await (const event of events) if (event) return
  throw new EngineUnavailable('The engine closed its stream of events')
}
