/**
 * Measures what the samples of databases cost: the processor time of the whole machine, with the engine and the servers,
 * while Berth samples twenty databases of all kinds, alternating with the same time without samples.
 */
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { kinds } from '../src/kinds/index.ts'
import { onSwarm, uniqueName } from '../test/e2e/swarm.ts'
import { images, settingsOf } from './databases.ts'
import { type Figure, type Section, tableOfFigures } from './figures.ts'
import { median, spread } from './table.ts'
import { alternate } from './turns.ts'

const ofEachKind = 4
const pairs = 8
/** Each turn stands for a minute, so a window has each step of ten minutes once: volumes and MongoDB. */
const turnsInWindow = 10
const turnMs = 1500
const minuteMs = 60_000

export async function benchSamples(): Promise<Section> {
  let aheadMs = 0
  await using berth = await onSwarm({ now: () => new Date(Date.now() + aheadMs) })
  await Promise.all(kinds.flatMap((kind) => Array.from({ length: ofEachKind }, () => deploy(kind))))
  // The clients connect, and the servers come to rest.
  await window(true)
  await pause(20_000)
  const costs: number[] = []
  for (let at = 0; at < pairs; at++) {
    const [sampled, idle] = await alternate(
      at,
      () => window(true),
      () => window(false),
    )
    costs.push(sampled - idle)
    process.stderr.write(`  sampled ${sampled.toFixed(2)} s, idle ${idle.toFixed(2)} s\n`)
  }
  const count = kinds.length * ofEachKind
  return tableOfFigures(`Samples of ${count} databases of all kinds, ${pairs} pairs`, figuresOf(costs, count))

  async function deploy(kind: (typeof kinds)[number]) {
    const input = { name: 'bench', appName: uniqueName(kind.name), projectId: berth.projectId }
    const settings = { ...settingsOf(kind), dockerImage: images[kind.name] }
    const created = await berth.call<Record<string, string>>(`${kind.name}.create`, { ...input, ...settings })
    const id = { [kind.idField]: created.body[kind.idField] }
    const { body } = await berth.call<{ applicationStatus: string }>(`${kind.name}.deploy`, id, undefined, {
      prefer: 'wait=300',
    })
    if (body.applicationStatus !== 'done') throw new Error(`A deploy ended as ${JSON.stringify(body)}`)
  }

  /** The processor time of the machine in a window of fixed length, in seconds. */
  async function window(isSampled: boolean): Promise<number> {
    const before = busySeconds()
    for (let turn = 0; turn < turnsInWindow; turn++) {
      if (isSampled) {
        aheadMs += minuteMs
        berth.app.wake('samples')
      }
      await pause(turnMs)
    }
    return busySeconds() - before
  }
}

/** The processor time of all programs since the machine started, in seconds. See proc_stat(5). */
function busySeconds(): number {
  const [, user, nice, system, , , irq, softirq] = readFileSync('/proc/stat', 'utf8').split('\n')[0]!.split(/ +/)
  return [user, nice, system, irq, softirq].map(Number).reduce((sum, each) => sum + each, 0) / ticksPerSecond
}

/** USER_HZ, which is the same on all architectures that Berth runs on. */
const ticksPerSecond = 100

function figuresOf(costs: number[], count: number): Figure[] {
  const share = (seconds: number) => (100 * seconds * (100 / count)) / (turnsInWindow * 60)
  return [
    {
      what: 'samples of 100 databases, part of one core',
      value: share(median(costs)),
      limit: 3,
      digits: 2,
      unit: '%',
      note: `${spread(costs.map(share), 2)}, from ${count} databases; with the engine and the servers`,
    },
  ]
}
