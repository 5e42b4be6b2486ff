/**
 * Finds the containers of a service, and reads the log of each from the engine of its node. Throws EngineFailure
 * `nodeMissing` or `nodeUnreachable` if the node cannot be used. Nothing reads the log of a service from the swarm: that
 * can end the engine of the manager, and with it all servers on its node (moby issue 47322, decision 0063).
 */
import type { ApiContainerDetails, ApiTask } from '../transport/api.ts'
import type { DockerClient } from '../transport/client.ts'
import { isMissing, unavailable } from '../transport/errors.ts'
import type { NodeClients } from '../nodes/node-clients.ts'
import { EngineFailure, type LogLine } from '../../engine.ts'
import { logReader } from './lines.ts'

export interface LoggedContainer {
  nodeId: string
  id: string
}

/** Which part of a log to read. */
export interface LogExtent {
  /** ISO 8601 in UTC; null: from the beginning. */
  since: string | null
  /** The number of newest pieces of lines, or `all`. */
  tail: string
  follow: 0 | 1
}

export interface LogCount {
  pieces: number
  lines: number
}

export type ContainerLogs = ReturnType<typeof containerLogs>

export function containerLogs(client: DockerClient, nodes: NodeClients) {
  return {
    /** The containers of the service's tasks, also of tasks that have ended. None if the service is removed. */
    async containersOf(serviceId: string): Promise<LoggedContainer[]> {
      const request = { path: '/tasks', query: { filters: { service: [serviceId] } } }
      const tasks = await client.call<ApiTask[]>(request).catch((error: unknown): ApiTask[] => {
        if (isMissing(error)) return []
        throw error
      })
      return tasks.flatMap(({ NodeID, Status: { ContainerStatus } }) =>
        NodeID && ContainerStatus?.ContainerID ? [{ nodeId: NodeID, id: ContainerStatus.ContainerID }] : [],
      )
    },

    /** Whether the container was started or is removed. The engine does not follow the log of any other container. */
    async hasStarted({ nodeId, id }: LoggedContainer): Promise<boolean> {
      try {
        const engine = await nodes.of(nodeId)
        const { State } = await engine.call<ApiContainerDetails>({ path: `/containers/${id}/json` })
        return State.Status !== 'created'
      } catch (error) {
        if (isMissing(error)) return true
        throw error
      }
    },

    /**
     * Yields the lines of one container, and nothing if it is removed.
     * @param count updated with the number of pieces and lines read so far
     */
    async *read(
      { nodeId, id }: LoggedContainer,
      extent: LogExtent,
      signal: AbortSignal,
      count: LogCount = { pieces: 0, lines: 0 },
    ): AsyncGenerator<LogLine> {
      const engine = await nodes.of(nodeId)
      const query = queryOf(extent)
      const opening = engine.stream({ path: `/containers/${id}/logs`, query }, signal)
      const stream = await opening.catch((error: unknown) => {
        if (isMissing(error)) return null
        throw error
      })
      if (stream === null) return
      try {
        yield* linesIn(stream, count)
      } catch (error) {
        if (error instanceof EngineFailure) throw error
        await engine.following(Promise.reject(unavailable(error)))
      }
    },
  }
}

function queryOf({ since, ...rest }: LogExtent) {
  return { stdout: 1, stderr: 1, timestamps: 1, ...rest, ...(since === null ? {} : { since: unixTime(since) }) }
}

/** Converts ISO 8601 in UTC to seconds since 1970 with nine decimals. */
function unixTime(at: string): string {
  const seconds = Math.max(0, Math.floor(Date.parse(at) / 1000))
  return `${seconds}.${(/\.(\d+)/.exec(at)?.[1] ?? '').slice(0, 9).padEnd(9, '0')}`
}

async function* linesIn(stream: AsyncIterable<Buffer>, count: LogCount): AsyncGenerator<LogLine> {
  const before = count.pieces
  let ready: LogLine[] = []
  const reader = logReader((line) => void ready.push(line), throwIncomplete)
  const take = () => {
    const taken = ready
    ready = []
    count.pieces = before + reader.count()
    count.lines += taken.length
    return taken
  }
  for await (const chunk of stream) {
    reader.take(chunk)
    yield* take()
  }
  reader.end()
  yield* take()
}

/** @param reason what the engine wrote into the log */
function throwIncomplete(reason: string): never {
  throw new EngineFailure('failed', `The log of the service is incomplete: ${reason}`)
}
