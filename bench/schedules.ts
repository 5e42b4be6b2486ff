/**
 * Measures the cost of a thousand schedules that are not due: compares the processor time of a Berth with these schedules
 * and of a Berth without schedules, both idle in the same periods.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { type Berth, startBerth } from './berth.ts'
import { type Figure, type Section, tableOfFigures } from './figures.ts'
import { median, spread } from './table.ts'

const schedules = 1000
const atOnce = 50
const stretches = 5
const stretchMs = 20_000
const settleMs = 10_000

interface Stretch {
  none: number
  thousand: number
}

export async function benchSchedules(): Promise<Section> {
  const [none, thousand] = await Promise.all([startBerth(), startBerth()])
  try {
    await createSchedules(thousand)
    await pause(settleMs)
    const measured: Stretch[] = []
    for (let at = 0; at < stretches; at++) {
      measured.push(await stretch(none, thousand))
      const last = measured.at(-1)!
      process.stderr.write(`  none ${last.none.toFixed(1)} ms/s, a thousand ${last.thousand.toFixed(1)} ms/s\n`)
    }
    const title = `${schedules} schedules of which none is due, medians of ${stretches} times ${stretchMs / 1000} s`
    return tableOfFigures(title, figuresOf(measured))
  } finally {
    await Promise.all([none.close(), thousand.close()])
  }
}

/**
 * Creates schedules for one service that was never deployed. All are due on the day after tomorrow: each dump at its own
 * minute from midnight on, the drills in the last hour.
 */
async function createSchedules(berth: Berth): Promise<void> {
  const { projectId } = await berth.call('project.create', { name: 'bench' })
  const { postgresId } = await berth.call('postgres.create', {
    name: 'bench',
    appName: '',
    projectId,
    databaseName: 'shop',
    databaseUser: 'shop',
    databasePassword: '',
  })
  const { destinationId } = await berth.call('destination.create', {
    name: 'bench',
    endpoint: 'http://127.0.0.1:9',
    region: '',
    bucket: 'backups',
    accessKey: 'key',
    secretAccessKey: 'only-for-the-bench',
  })
  const day = (new Date().getUTCDay() + 2) % 7
  const create = (at: number) =>
    berth.call('backup.create', {
      schedule: `${at % 60} ${Math.floor(at / 60)} * * ${day}`,
      verifySchedule: `${at % 60} 23 * * ${day}`,
      prefix: `bench-${at}`,
      destinationId,
      database: 'shop',
      databaseType: 'postgres',
      postgresId,
    })
  for (let from = 0; from < schedules; from += atOnce) {
    await Promise.all(Array.from({ length: atOnce }, (_, at) => create(from + at)))
  }
}

async function stretch(none: Berth, thousand: Berth): Promise<Stretch> {
  const began = performance.now()
  const before = [processorMs(none), processorMs(thousand)] as const
  await pause(stretchMs)
  const seconds = (performance.now() - began) / 1000
  return { none: (processorMs(none) - before[0]) / seconds, thousand: (processorMs(thousand) - before[1]) / seconds }
}

/** Returns the processor time of all threads of the process in milliseconds, as the kernel counts it. */
function processorMs({ child }: Berth): number {
  const tasks = `/proc/${child.pid}/task`
  return readdirSync(tasks).reduce(
    (sum, id) => sum + Number(readFileSync(`${tasks}/${id}/schedstat`, 'utf8').split(' ')[0]) / 1e6,
    0,
  )
}

function figuresOf(measured: Stretch[]): Figure[] {
  const of = (pick: (it: Stretch) => number) => measured.map(pick)
  const ratios = of(({ none, thousand }) => thousand / none)
  const time = (what: string, values: number[]): Figure => ({
    what,
    value: median(values),
    limit: null,
    digits: 1,
    unit: 'ms/s',
    note: spread(values, 1),
  })
  return [
    time(
      'processor time without any',
      of(({ none }) => none),
    ),
    time(
      `with ${schedules} schedules and ${schedules} of drills`,
      of(({ thousand }) => thousand),
    ),
    { what: 'ratio', value: median(ratios), limit: 1.2, digits: 2, unit: '', note: spread(ratios, 2) },
  ]
}
