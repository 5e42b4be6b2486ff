/** Samples of the memory and the open files of a process, and their growth. Works on Linux only. */
import { readdirSync, readFileSync } from 'node:fs'

export interface Sample {
  atMs: number
  rssMiB: number
  openFiles: number
}

/** Takes a sample of a running process. Source: proc(5). */
export function sampleOf(pid: number): Sample {
  const rssKiB = Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1])
  return { atMs: performance.now(), rssMiB: rssKiB / 1024, openFiles: readdirSync(`/proc/${pid}/fd`).length }
}

/**
 * Fits a straight line to the second half of the samples. Returns the increase of the line from the first to the last
 * of these samples.
 */
export function growth(samples: Sample[], figure: 'rssMiB' | 'openFiles'): number {
  const half = samples.slice(Math.floor(samples.length / 2))
  const mean = (values: number[]) => values.reduce((sum, it) => sum + it, 0) / values.length
  const [meanAt, meanValue] = [mean(half.map(({ atMs }) => atMs)), mean(half.map((it) => it[figure]))]
  const spread = half.reduce((sum, { atMs }) => sum + (atMs - meanAt) ** 2, 0)
  if (spread === 0) throw new Error('The growth needs at least two samples')
  const slope = half.reduce((sum, it) => sum + (it.atMs - meanAt) * (it[figure] - meanValue), 0) / spread
  return slope * (half.at(-1)!.atMs - half[0]!.atMs)
}
