/**
 * Reads the log of a service: the log of each of its containers. Sorts the existing lines and limits their number in
 * total. A followed log goes on with the containers that come later, and ends when the service is removed.
 */
import { PassThrough } from 'node:stream'
import type { DockerClient } from '../transport/client.ts'
import type { ContainerLogs, LogCount } from './container-logs.ts'
import { copyNewLines, type LogService } from './follow.ts'
import { newestLines } from './lines.ts'
import { servicesNamed } from '../services/services.ts'
import type { LogLine, LogOptions } from '../../engine.ts'
import { isOwnObject } from '../../labels.ts'

/** See `Engine.logs` in engine/engine.ts. */
export async function serviceLogs(
  client: DockerClient,
  containerLogs: ContainerLogs,
  installationId: string,
  serviceName: string,
  options: LogOptions,
  signal: AbortSignal,
): Promise<AsyncIterable<LogLine>> {
  const [service] = await servicesNamed(client, [serviceName])
  if (service === undefined || !isOwnObject(service.Spec.Labels ?? {}, installationId)) return each([])
  const source = { client, id: service.ID, containerLogs }
  const past = await pastLines(source, options, signal)
  return options.follow ? follow(source, past, options, signal) : each(past)
}

async function* each(lines: LogLine[]): AsyncGenerator<LogLine> {
  yield* lines
}

/**
 * Reads the newest `tail` lines. The engine counts pieces of lines, not lines. If its answer may begin within a line,
 * this function reads the complete logs.
 */
async function pastLines(
  { id, containerLogs }: LogService,
  { since, tail }: LogOptions,
  signal: AbortSignal,
): Promise<LogLine[]> {
  const read = async (pieces: string) => {
    const newest = newestLines(tail)
    const count: LogCount = { pieces: 0, lines: 0 }
    for (const container of await containerLogs.containersOf(id)) {
      const lines = containerLogs.read(container, { since, tail: pieces, follow: 0 }, signal, count)
      for await (const line of lines) newest.add(line)
    }
    return { lines: newest.sorted(), isCut: count.lines < count.pieces && count.pieces > tail }
  }
  const { lines, isCut } = await read(String(tail + 1))
  return isCut ? (await read('all')).lines : lines
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

async function* follow(
  source: LogService,
  past: LogLine[],
  { since, tail }: LogOptions,
  signal: AbortSignal,
): AsyncGenerator<LogLine> {
  const stop = new AbortController()
  const lines = new PassThrough({ objectMode: true })
  // Copying may fail before anybody reads from it.
  lines.on('error', () => undefined)
  const liveSince = [followFrom(past), since ?? ''].sort().at(-1) || null
  copyNewLines(source, liveSince, lines, AbortSignal.any([signal, stop.signal])).then(
    () => lines.end(),
    (error: unknown) => lines.destroy(error as Error),
  )
  const isNew = newLineFilter(past, tail)
  try {
    yield* past
    for await (const line of lines as AsyncIterable<LogLine>) if (isNew(line)) yield line
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    stop.abort()
  }
}

/**
 * Returns a filter that drops lines which were already returned. If `tail` lines were returned, the filter also drops
 * lines that are older than the first of them.
 */
function newLineFilter(past: LogLine[], tail: number): (line: LogLine) => boolean {
  const keyOf = ({ at, stream, line }: LogLine) => `${at} ${stream} ${line}`
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
