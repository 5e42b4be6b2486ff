/**
 * Fake database content on volumes of the in-memory engine, for tests of moves. Jobs that dump, load or list use the
 * content of the volume that the service of their host mounts.
 */
import assert from 'node:assert/strict'
import type { Readable } from 'node:stream'
import type { Job } from '../../src/engine/job.ts'
import { completeMark } from '../../src/kinds/mysql/archive.ts'
import type { TestBerth } from '../fixtures/test-berth.ts'

export interface VolumeContent {
  dump: string
  list: string
}

export type JobKind = 'ask' | 'own' | 'list' | 'give' | 'take' | 'dump' | 'load'

export interface FakeVolumes {
  /** By the name of the volume on the engine. */
  contents: Map<string, VolumeContent>
  /** Called before a job works. If it returns an exit code, the job fails with this code and does nothing. */
  beforeJob: (jobKind: JobKind, host: string) => Promise<number | undefined> | Promise<void> | number | undefined
  /** The jobs that ran and the hosts of their servers, in order. */
  jobs: [JobKind, string][]
}

/** The dump of the database shop. */
export const shopDump = 'INSERT INTO `t` VALUES (1),(2);\n'
/** Returns the inventory of a server with the database shop, whose name is `73686f70` in hexadecimal. */
export const inventory = (...more: string[]) => ['database\t73686f70', "account\t'root'\t1", ...more, ''].join('\n')

/** @param appName the appName of the database that moves */
export function fakeVolumes(testBerth: TestBerth, appName: string): FakeVolumes {
  const volumes: FakeVolumes = { contents: new Map(), beforeJob: () => undefined, jobs: [] }
  testBerth.engine.onJob = async (job, { stdin, stdout, stderr }) => {
    const [jobKind, host] = [/^berth-([a-z]+)-/.exec(job.name)![1] as JobKind, job.env.BERTH_HOST!]
    checkNoSharedVolume(testBerth, [appName, ...['source', 'target'].map((side) => `berth-${side}-${job.recordId}`)])
    volumes.jobs.push([jobKind, host])
    const result = await volumes.beforeJob(jobKind, host)
    if (typeof result === 'number') {
      stderr.write('the job failed')
      return result
    }
    const content = contentOf(testBerth, volumes, host)
    if (jobKind === 'list') stdout.write(content.list)
    if (jobKind === 'dump') stdout.write(`${content.dump}${completeMark}\n`)
    if (jobKind === 'take') await stdin!.toArray()
    if (jobKind === 'load') await load(content, job, stdin!)
    return 0
  }
  return volumes
}

const volumeOf = (testBerth: TestBerth, name: string) =>
  testBerth.engine.specOf(name)?.mounts.find(({ type }) => type === 'volume')?.name

function contentOf(testBerth: TestBerth, volumes: FakeVolumes, host: string): VolumeContent {
  const name = volumeOf(testBerth, host) ?? assert.fail(`There is no server ${host}`)
  if (!volumes.contents.has(name)) volumes.contents.set(name, { dump: '', list: inventory() })
  return volumes.contents.get(name)!
}

async function load(content: VolumeContent, job: Job, stdin: Readable): Promise<void> {
  const text = Buffer.concat(await stdin.toArray()).toString()
  assert.ok(text.endsWith(`${completeMark}\n`), job.name)
  content.dump = text.slice(0, -completeMark.length - 1)
}

/** Asserts that no two running services share a volume. */
function checkNoSharedVolume(testBerth: TestBerth, names: string[]): void {
  const mounted = names
    .filter((name) => testBerth.engine.specOf(name)?.replicas === 1)
    .map((name) => volumeOf(testBerth, name))
  assert.deepEqual([...new Set(mounted)], mounted)
}
