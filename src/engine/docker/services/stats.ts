/** Calculates a container's resource usage from two samples of the engine, and reads its memory limit. */
import type { ApiContainerDetails, ApiStats } from '../transport/api.ts'
import type { DockerClient } from '../transport/client.ts'
import { EngineFailure } from '../../engine.ts'
import type { Usage, UsageCounters } from '../../engine.ts'

/**
 * Measures a container. Takes one to two seconds, because the engine answers after its second sample. Throws
 * EngineFailure `conflict` if the container does not run.
 */
export async function usageOf(client: DockerClient, containerId: string): Promise<Usage> {
  const path = `/containers/${containerId}`
  const [details, sample] = await Promise.all([
    client.call<ApiContainerDetails>({ path: `${path}/json` }),
    client.call<ApiStats>({ path: `${path}/stats`, query: { stream: 'false' } }),
  ])
  const usage = details.State.Running ? usageFrom(sample) : null
  if (usage === null) throw new EngineFailure('conflict', `Container ${containerId} is not running`)
  const { HostConfig, State } = details
  return { ...usage, memoryLimitBytes: HostConfig.Memory || null, startedAt: new Date(State.StartedAt).toISOString() }
}

/** Reads one sample. Throws EngineFailure `conflict` if the container does not run. */
export async function countersOf(client: DockerClient, containerId: string): Promise<UsageCounters> {
  const query = { stream: 'false', 'one-shot': 'true' }
  const sample = await client.call<ApiStats>({ path: `/containers/${containerId}/stats`, query })
  const { read, cpu_stats: cpu } = sample
  const memoryBytes = memoryOf(sample)
  if (memoryBytes === null) throw new EngineFailure('conflict', `Container ${containerId} is not running`)
  return { cpuNanoseconds: cpu.cpu_usage.total_usage, memoryBytes, atMs: Date.parse(read) }
}

/** The memory in use; null if the measurement is missing, as for an ended container. */
function memoryOf({ memory_stats: { usage, stats } }: ApiStats): number | null {
  // cgroup v1 has `total_inactive_file`, cgroup v2 has `inactive_file`.
  const cache = stats?.total_inactive_file ?? stats?.inactive_file ?? 0
  return usage === undefined ? null : Math.max(0, usage - cache)
}

/** Returns null if one of two samples or the measurement of memory is missing, as for an ended container. */
export function usageFrom(sample: ApiStats): Pick<Usage, 'cpuCores' | 'memoryBytes'> | null {
  const { read, preread, cpu_stats: now, precpu_stats: before } = sample
  const memoryBytes = memoryOf(sample)
  const elapsedMs = Date.parse(read) - Date.parse(preread)
  if (memoryBytes === null || !(Date.parse(preread) > 0) || !(elapsedMs > 0)) return null
  const usedMs = (now.cpu_usage.total_usage - before.cpu_usage.total_usage) / 1_000_000
  return { cpuCores: Math.round(Math.max(0, usedMs / elapsedMs) * 10_000) / 10_000, memoryBytes }
}
