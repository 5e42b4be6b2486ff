/**
 * Processes that load the processor and the disk while tests run: each computes for 50 ms, then writes 4 MiB to disk.
 * They end with the process that started them.
 */
import { fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'

/** @returns a function that ends the processes */
export function startLoad(processes: number): () => void {
  const children = Array.from({ length: processes }, () => fork(import.meta.filename))
  return () => {
    for (const child of children) child.kill('SIGKILL')
  }
}

async function load(): Promise<void> {
  process.once('disconnect', () => process.exit())
  const block = Buffer.alloc(4 * 2 ** 20, 'berth')
  const path = join(tmpdir(), `berth-load-${process.pid}`)
  const file = await open(path, 'w')
  await rm(path) // the disk frees the open file at the end of the process, however it ends
  for (;;) {
    for (const end = performance.now() + 50; performance.now() < end; ) createHash('sha256').update(block).digest()
    await file.write(block, 0, block.length, 0)
    await file.datasync()
    await setImmediate()
  }
}

if (import.meta.main) await load()
