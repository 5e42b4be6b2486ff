/** Keeps figures over time. bench/history.jsonl has a line for each section that was run with --keep. */
import { execFileSync } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Kept } from './figures.ts'

const path = fileURLToPath(new URL('history.jsonl', import.meta.url))

/** Figures with their commit and machine. Between two machines, only ratios can be compared. */
interface Line {
  at: string
  section: string
  /** The commit, with `+` if files were changed since. */
  commit: string
  cpu: string
  cores: number
  memoryGiB: number
  /** The load average of the last minute at the end. It includes other programs. */
  load: number
  node: string
  figures: Kept[]
}

export function keep(section: string, figures: Kept[]): void {
  const line: Line = {
    at: new Date().toISOString(),
    section,
    commit: commit(),
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 1024 ** 3),
    load: Number(loadavg()[0]!.toFixed(1)),
    node: process.version,
    figures,
  }
  appendFileSync(path, `${JSON.stringify(line)}\n`)
}

function commit(): string {
  const git = (...argv: string[]) => execFileSync('git', argv, { cwd: fileURLToPath(new URL('..', import.meta.url)) })
  const isChanged = git('status', '--porcelain', '--untracked-files=no', '--', ':!bench/history.jsonl').length > 0
  return `${git('rev-parse', '--short', 'HEAD').toString().trim()}${isChanged ? '+' : ''}`
}
