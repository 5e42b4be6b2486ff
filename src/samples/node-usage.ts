/** Measures a node: its disk, memory and load, and how far its clock is from Berth's. */
import { statfs } from 'node:fs/promises'
import { freemem, loadavg, totalmem } from 'node:os'
import type { Exec } from '../engine/exec.ts'
import { textFile } from '../lib/text-file.ts'
import type { NodeValues } from './sample.ts'

/** Prints what `nodeUsageFrom` reads. `df` of the container's root measures the disk with the data of the engine. */
export const nodeProgram: Exec = { argv: ['sh', '-c', textFile('samples/node-usage.sh')], env: {} }

/**
 * Reads the output of `nodeProgram`. A part that cannot be read is absent.
 *
 * @param atMs Berth's time in the middle of the call, in milliseconds since the epoch
 */
export function nodeUsageFrom(output: string, atMs: number): NodeValues {
  const seconds = /^(\d{9,11})$/m.exec(output)?.[1]
  const disk = /^\S+ +\d+ +(\d+) +(\d+) +\d+% \/$/m.exec(output)
  const memory = (name: string) => new RegExp(`^${name}: +(\\d+) kB$`, 'm').exec(output)?.[1]
  const [total, available] = [memory('MemTotal'), memory('MemAvailable')]
  const load = /^(\d+\.\d+) \d+\.\d+ \d+\.\d+ \d+\/\d+ \d+$/m.exec(output)?.[1]
  return {
    ...(disk === null ? {} : diskOf(Number(disk[1]) * 1024, Number(disk[2]) * 1024)),
    ...(total === undefined || available === undefined
      ? {}
      : { memoryBytes: Number(total) * 1024, memoryUsedBytes: (Number(total) - Number(available)) * 1024 }),
    ...(load === undefined ? {} : { load1: Number(load) }),
    // The node's time is a whole second, which began up to a second before.
    ...(seconds === undefined
      ? {}
      : { clockOffsetSeconds: Math.round((Number(seconds) + 0.5) * 10 - atMs / 100) / 10 }),
  }
}

/** Space that nobody can use counts neither as used nor as available, as in the percentage of `df`. */
const diskOf = (diskUsedBytes: number, availableBytes: number) => ({
  diskBytes: diskUsedBytes + availableBytes,
  diskUsedBytes,
})

/**
 * Measures the machine of Berth, without the disk if its process cannot see the folder.
 *
 * @param folder the folder with the data of the engine
 */
export async function ownUsage(folder: string): Promise<NodeValues> {
  const disk = await statfs(folder).catch(() => null)
  return {
    ...(disk === null ? {} : diskOf((disk.blocks - disk.bfree) * disk.bsize, disk.bavail * disk.bsize)),
    memoryBytes: totalmem(),
    memoryUsedBytes: totalmem() - freemem(),
    load1: loadavg()[0]!,
  }
}
