/** Follows the logs of the containers of a service, also of containers that come later. */
import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import type { DockerClient } from '../transport/client.ts'
import { isMissing } from '../transport/errors.ts'
import type { ContainerLogs, LoggedContainer } from './container-logs.ts'

export interface LogService {
  client: DockerClient
  id: string
  containerLogs: ContainerLogs
}

/** How often Berth looks for new containers and for the end of the service. No line is lost in between. */
const pollMs = 1000

/**
 * Writes the lines of all containers into `lines`, those of one container in their order. Resolves when the service is
 * removed. Rejects if a log cannot be read or the signal is aborted.
 * @param since the time of the first line, ISO 8601 in UTC; null: from the beginning
 */
export async function copyNewLines(
  { client, id, containerLogs }: LogService,
  since: string | null,
  lines: Writable,
  outerSignal: AbortSignal,
): Promise<void> {
  const stop = new AbortController()
  const signal = AbortSignal.any([outerSignal, stop.signal])
  const failed = Promise.withResolvers<never>()
  // The first failure counts. Others may come when nobody waits any more.
  failed.promise.catch(() => undefined)
  const followed = new Set<string>()
  const copy = async (container: LoggedContainer) => {
    const live = containerLogs.read(container, { since, tail: 'all', follow: 1 }, signal)
    for await (const line of live) if (!lines.write(line)) await once(lines, 'drain', { signal })
  }
  const followNewContainers = async () => {
    for (const container of await containerLogs.containersOf(id)) {
      if (followed.has(container.id) || !(await containerLogs.hasStarted(container))) continue
      followed.add(container.id)
      copy(container).catch(failed.reject)
    }
  }
  try {
    while (await exists(client, id)) {
      await followNewContainers()
      await Promise.race([failed.promise, pause(pollMs, undefined, { signal })])
    }
  } finally {
    stop.abort()
  }
}

async function exists(client: DockerClient, serviceId: string): Promise<boolean> {
  try {
    await client.call({ path: `/services/${serviceId}` })
    return true
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}
