/**
 * Measures postgres.deploy until `done`, alternating with the same service created by the engine's API until its first
 * login.
 */
import { type Berth, startBerth } from './berth.ts'
import { type Figure, type Section, tableOfFigures } from './figures.ts'
import { image, rawEngine, type RawEngine } from './raw-engine.ts'
import { median, spread } from './table.ts'
import { alternate } from './turns.ts'

const pairs = 5
const networkName = 'berth-bench'

interface Pair {
  berth: number
  raw: number
}

export async function benchDeploy(): Promise<Section> {
  const berth = await startBerth({ BERTH_NETWORK: networkName })
  const raw = rawEngine(networkName)
  try {
    const measured = await measure(berth, raw)
    return tableOfFigures(`A new database of ${image}, medians of ${pairs} alternating pairs`, figuresOf(measured))
  } finally {
    await berth.close()
    await raw.removeNetwork()
  }
}

/** The first pair does not count, because it creates the network. */
async function measure(berth: Berth, raw: RawEngine): Promise<Pair[]> {
  const { projectId } = await berth.call('project.create', { name: 'bench' })
  const measured: Pair[] = []
  for (let at = 0; at <= pairs; at++) {
    const [withBerth, alone] = await alternate(
      at,
      () => timeBerth(berth, projectId as string, at),
      () => timeRaw(raw, at),
    )
    const pair = { berth: withBerth, raw: alone }
    process.stderr.write(`  deploy ${pair.berth.toFixed(2)} s, raw ${pair.raw.toFixed(2)} s\n`)
    measured.push(pair)
  }
  return measured.slice(1)
}

async function timeBerth(berth: Berth, projectId: string, at: number): Promise<number> {
  const { postgresId } = await berth.call('postgres.create', {
    name: `bench ${at}`,
    appName: `berth-bench-${process.pid}-${at}`,
    projectId,
    databaseName: 'shop',
    databaseUser: 'shop',
    databasePassword: 'only-for-the-bench',
    dockerImage: image,
  })
  const start = performance.now()
  try {
    const record = await berth.call('postgres.deploy', { postgresId }, { prefer: 'wait=120' })
    if (record.applicationStatus !== 'done') throw new Error(`The deploy ended as ${JSON.stringify(record)}`)
    return (performance.now() - start) / 1000
  } finally {
    await berth.call('postgres.remove', { postgresId, removeData: true }, { prefer: 'wait=120' })
  }
}

async function timeRaw(raw: RawEngine, at: number): Promise<number> {
  const name = `raw-bench-${process.pid}-${at}`
  const start = performance.now()
  try {
    await raw.deploy(name)
    return (performance.now() - start) / 1000
  } finally {
    await raw.remove(name)
  }
}

/** The limit is 0.3 s or a tenth of the engine's time, whichever is more. */
function figuresOf(measured: Pair[]): Figure[] {
  const [berth, raw] = [measured.map((it) => it.berth), measured.map((it) => it.raw)]
  const more = measured.map((it) => it.berth - it.raw)
  const limit = Math.max(0.3, median(raw) / 10)
  const figure = { digits: 2, unit: 's', limit: null }
  return [
    { ...figure, what: 'postgres.deploy to done', value: median(berth), note: spread(berth, 2) },
    { ...figure, what: 'docker service create to a login', value: median(raw), note: spread(raw, 2) },
    {
      ...figure,
      what: 'more than the raw engine',
      value: median(more),
      limit: Number(limit.toFixed(2)),
      note: spread(more, 2),
    },
  ]
}
