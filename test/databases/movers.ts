/**
 * Servers on the in-memory engine whose data is on volumes, as far as moves need them: jobs that dump, load and list
 * find the volume by the name of its service, and loaded data is on the volume afterwards.
 */
import assert from 'node:assert/strict'
import type { Readable } from 'node:stream'
import type { Job } from '../../src/engine/job.ts'
import { completeMark } from '../../src/kinds/mysql/archive.ts'
import type { TestBerth } from '../fixtures/test-berth.ts'

export interface Disk {
  dump: string
  list: string
}

export type Part = 'ask' | 'list' | 'dump' | 'load'

export interface Disks {
  /** Keyed by the engine's name of the volume. */
  on: Map<string, Disk>
  /** Runs before a job does its work. An exit code returned here replaces the work. */
  before: (part: Part, host: string) => Promise<number | undefined> | Promise<void> | number | undefined
  /** The jobs and their servers, in order. */
  done: [Part, string][]
}

export const shop = 'INSERT INTO `t` VALUES (1),(2);\n'
/** `73686f70` is shop. */
export const listOf = (...more: string[]) => ['database\t73686f70', "account\t'root'\t1", ...more, ''].join('\n')

/** @param appName the name of the database that moves */
export function disksBehind(testBerth: TestBerth, appName: string): Disks {
  const disks: Disks = { on: new Map(), before: () => undefined, done: [] }
  testBerth.engine.onJob = async (job, { stdin, stdout, stderr }) => {
    const [part, host] = [/^berth-([a-z]+)-/.exec(job.name)![1] as Part, job.env.BERTH_HOST!]
    checkAlone(testBerth, [appName, ...['source', 'target'].map((side) => `berth-${side}-${job.recordId}`)])
    disks.done.push([part, host])
    const instead = await disks.before(part, host)
    if (typeof instead === 'number') {
      stderr.write('it broke')
      return instead
    }
    const disk = diskOf(testBerth, disks, host)
    if (part === 'list') stdout.write(disk.list)
    if (part === 'dump') stdout.write(`${disk.dump}${completeMark}\n`)
    if (part === 'load') await load(disk, job, stdin!)
    return 0
  }
  return disks
}

const volumeOf = (testBerth: TestBerth, name: string) =>
  testBerth.engine.specOf(name)?.mounts.find(({ type }) => type === 'volume')?.name

function diskOf(testBerth: TestBerth, disks: Disks, host: string): Disk {
  const name = volumeOf(testBerth, host) ?? assert.fail(`There is no server ${host}`)
  if (!disks.on.has(name)) disks.on.set(name, { dump: '', list: listOf() })
  return disks.on.get(name)!
}

async function load(disk: Disk, job: Job, stdin: Readable): Promise<void> {
  const text = Buffer.concat(await stdin.toArray()).toString()
  assert.ok(text.endsWith(`${completeMark}\n`), job.name)
  disk.dump = text.slice(0, -completeMark.length - 1)
}

/** Asserts that no two running services share a volume. */
function checkAlone(testBerth: TestBerth, names: string[]): void {
  const mounted = names
    .filter((name) => testBerth.engine.specOf(name)?.replicas === 1)
    .map((name) => volumeOf(testBerth, name))
  assert.deepEqual([...new Set(mounted)], mounted)
}
