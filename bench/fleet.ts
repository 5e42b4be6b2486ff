/**
 * Measures the deployment of twenty databases of all kinds at once, alternating with the engine alone. Without Berth, the
 * same specifications are created by the engine's API until the first login. Meanwhile a reader sends requests at a
 * steady rate.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { parseConfig } from '../src/config.ts'
import { initialTarget } from '../src/databases/columns.ts'
import { dockerEngine } from '../src/engine/docker/engine.ts'
import type { Engine } from '../src/engine/engine.ts'
import type { ServiceSpec } from '../src/engine/spec.ts'
import { kinds } from '../src/kinds/index.ts'
import type { Kind } from '../src/kinds/kind.ts'
import type { Target } from '../src/databases/targets.ts'
import { databaseSpec } from '../src/databases/reconcile/specs.ts'
import { type Berth, startBerth } from './berth.ts'
import { type Figure, type Section, tableOfFigures } from './figures.ts'
import { startReader } from './processes.ts'
import { dockerHost } from './raw-engine.ts'
import { median, quantile, spread } from './table.ts'
import { alternate } from './turns.ts'

const networkName = 'berth-bench'
const rounds = 2
const ofEachKind = 4
/** One request at a time, 40 per second. */
const steady = { connections: 1, everyMs: 25 }

/** Images that `./berth images` can build, by the name of the kind. */
const images: Record<string, string> = {
  mariadb: 'mariadb:11',
  mysql: 'mysql:8',
  postgres: 'postgres:17',
  mongo: 'mongo:3.6',
  redis: 'redis:8',
}

interface Round {
  berth: number
  raw: number
  readsMs: number[]
}

export async function benchFleet(): Promise<Section> {
  const berth = await startBerth({ BERTH_NETWORK: networkName })
  const engine = dockerEngine({ dockerHost, installationId: `bench-${process.pid}`, networkName })
  const reader = startReader()
  try {
    await engine.prepare()
    const { projectId } = await berth.call('project.create', { name: 'bench' })
    const measured: Round[] = []
    // The first round does not count, because it loads images and programs into memory.
    for (let at = 0; at <= rounds; at++) {
      const [raw, withBerth] = await alternate(
        at,
        () => timeRaw(engine, at),
        () => timeBerth(berth, reader, projectId as string, at),
      )
      measured.push({ raw, ...withBerth })
      const last = measured.at(-1)!
      process.stderr.write(
        `  twenty ${last.berth.toFixed(1)} s, raw ${raw.toFixed(1)} s, ` +
          `reads p99 ${quantile(last.readsMs, 0.99).toFixed(1)} ms\n`,
      )
    }
    const title = `Twenty databases of all kinds at once, medians of ${rounds} rounds`
    return tableOfFigures(title, figuresOf(measured.slice(1)))
  } finally {
    await Promise.all([berth.close(), reader.close()])
  }
}

const all = kinds.flatMap((kind) => Array.from({ length: ofEachKind }, (_, at) => ({ kind, at })))

function settingsOf(kind: Kind): Record<string, string> {
  const names = Object.keys(kind.settings.shape)
  return Object.fromEntries(names.map((name) => [name, kind.secrets.includes(name) ? 'only-for-the-bench' : 'shop']))
}

type Reader = ReturnType<typeof startReader>

async function timeBerth(berth: Berth, reader: Reader, projectId: string, round: number): Promise<Omit<Round, 'raw'>> {
  const databases = await Promise.all(
    all.map(async ({ kind, at }) => {
      const { [kind.idField]: id } = await berth.call(`${kind.name}.create`, {
        name: 'bench',
        appName: `bench-${process.pid}-${round}-${kind.name}-${at}`,
        projectId,
        ...settingsOf(kind),
        dockerImage: images[kind.name],
      })
      return { kind, input: { [kind.idField]: id } }
    }),
  )
  const [first] = databases as [(typeof databases)[0] & object]
  const path = `/api/${first.kind.name}.one?${new URLSearchParams(first.input as Record<string, string>)}`
  const reading = { ...steady, url: berth.url + path, token: berth.token }
  const { acted: seconds, timesMs } = await reader.during(reading, async () => {
    const start = performance.now()
    await Promise.all(
      databases.map(async ({ kind, input }) => {
        const record = await berth.call(`${kind.name}.deploy`, input, { prefer: 'wait=300' })
        if (record.applicationStatus !== 'done') throw new Error(`A deploy ended as ${JSON.stringify(record)}`)
      }),
    )
    return (performance.now() - start) / 1000
  })
  await Promise.all(
    databases.map(({ kind, input }) =>
      berth.call(`${kind.name}.remove`, { ...input, removeData: true }, { prefer: 'wait=300' }),
    ),
  )
  return { berth: seconds, readsMs: timesMs }
}

async function timeRaw(engine: Engine, round: number): Promise<number> {
  const [node] = await engine.nodes()
  const nameOf = (kind: Kind, at: number) => `raw-${process.pid}-${round}-${kind.name}-${at}`
  const wanted = all.map(({ kind, at }) => ({ kind, spec: specOf(kind, nameOf(kind, at), node!.id) }))
  const start = performance.now()
  await Promise.all(wanted.map(({ spec }) => engine.createService(spec)))
  await logInToAll(engine, wanted)
  const seconds = (performance.now() - start) / 1000
  await Promise.all(wanted.map(({ spec }) => engine.removeService(spec.name)))
  for (const { spec } of wanted) {
    while ((await engine.liveContainers(spec.name)).length > 0) await pause(200)
    await freed(() => engine.removeVolume(spec.mounts[0]!.name, node!.id))
  }
  return seconds
}

async function freed(remove: () => Promise<void>): Promise<void> {
  for (let left = 100; ; left--) {
    try {
      return await remove()
    } catch (error) {
      if (left === 0) throw error
      await pause(100)
    }
  }
}

interface Wanted {
  kind: Kind
  spec: ServiceSpec
}

async function logInToAll(engine: Engine, wanted: Wanted[]): Promise<void> {
  const left = new Map(wanted.map((it) => [it.spec.name, it]))
  while (left.size > 0) {
    const tasks = await engine.tasks([...left.keys()])
    const running = tasks.filter(({ state, address }) => state === 'running' && address !== null)
    await Promise.all(
      running.map(async (task) => {
        const { kind } = left.get(task.serviceName)!
        const program = kind.ready(settingsOf(kind), { host: task.address!, port: kind.port })
        if ((await engine.run(task, program, 10_000)).exitCode === 0) left.delete(task.serviceName)
      }),
    )
    await pause(100)
  }
}

function specOf(kind: Kind, name: string, nodeId: string): ServiceSpec {
  const target: Target = { dockerImage: images[kind.name]!, ...initialTarget, settings: settingsOf(kind), restarts: 0 }
  const version = kind.versionOf(images[kind.name]!.split(':')[1]!)
  const { imageAliases } = parseConfig({})
  return databaseSpec(
    { id: name, kind: kind.name, appName: name },
    target,
    { name, dataPath: kind.dataPath(version), nodeId, generation: 1 },
    kind,
    imageAliases,
    1,
  )
}

function figuresOf(measured: Round[]): Figure[] {
  const ratios = measured.map(({ berth, raw }) => berth / raw)
  const p99s = measured.map(({ readsMs }) => quantile(readsMs, 0.99))
  const seconds = { limit: null, digits: 1, unit: 's' }
  const [berths, raws] = [measured.map(({ berth }) => berth), measured.map(({ raw }) => raw)]
  return [
    { ...seconds, what: 'all deployed, Berth', value: median(berths), note: spread(berths, 1) },
    { ...seconds, what: 'all ready, the engine alone', value: median(raws), note: spread(raws, 1) },
    { what: 'ratio', value: median(ratios), limit: 1.3, digits: 2, unit: '', note: spread(ratios, 2) },
    { what: 'reads meanwhile, p99', value: median(p99s), limit: 25, digits: 1, unit: 'ms', note: spread(p99s, 1) },
  ]
}
