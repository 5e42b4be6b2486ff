/** What a process holds of the machine, and whether that grows. Linux. */
import { readdirSync, readFileSync } from 'node:fs'

export interface Sample {
  atMs: number
  rssMiB: number
  openFiles: number
}

/** Of a process that runs; source: proc(5). */
export function sampleOf(pid: number): Sample {
  const rssKiB = Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1])
  return { atMs: performance.now(), rssMiB: rssKiB / 1024, openFiles: readdirSync(`/proc/${pid}/fd`).length }
}

/** By how much the straight line through the second half of them rises from its first to its last sample. */
export function growth(samples: Sample[], of: 'rssMiB' | 'openFiles'): number {
  const half = samples.slice(Math.floor(samples.length / 2))
  const mean = (values: number[]) => values.reduce((sum, it) => sum + it, 0) / values.length
  const [meanAt, meanValue] = [mean(half.map(({ atMs }) => atMs)), mean(half.map((it) => it[of]))]
  const spread = half.reduce((sum, { atMs }) => sum + (atMs - meanAt) ** 2, 0)
  if (spread === 0) throw new Error('A growth is told of two samples at least')
  const slope = half.reduce((sum, it) => sum + (it.atMs - meanAt) * (it[of] - meanValue), 0) / spread
  return slope * (half.at(-1)!.atMs - half[0]!.atMs)
}
