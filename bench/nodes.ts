/** Measures logins, as the proof of a deployment makes them, on another node and on Berth's own node, alternating. */
import { startMultiNodeBerth } from '../test/e2e/multi-node-berth.ts'
import type { FoundTask } from '../src/engine/engine.ts'
import { kindNamed } from '../src/kinds/index.ts'
import { type Figure, type Section, tableOfFigures } from './figures.ts'
import { median, quantile, spread } from './table.ts'
import { alternate } from './turns.ts'

const logins = 50
const kind = kindNamed('postgres')

export async function benchNodes(): Promise<Section> {
  await using cluster = await startMultiNodeBerth(2)
  const { berth, engine } = cluster
  await Promise.all([cluster.own, ...cluster.workers].map((node) => cluster.deployOn(node, 'postgres')))
  const records = await berth.call<Record<string, string>[]>('database.all')
  const servers = await Promise.all(
    records.body.map(async ({ databaseId, appName }) => {
      const one = await berth.call<Record<string, string>>('postgres.one', { postgresId: databaseId })
      const [task] = await engine.tasks([appName!])
      return { task: task!, settings: one.body }
    }),
  )
  const local = (await engine.nodes()).find((node) => node.local)!.id
  const own = servers.find(({ task }) => task.nodeId === local)!
  const other = servers.find(({ task }) => task.nodeId !== local)!
  const login = async ({ task, settings }: { task: FoundTask; settings: Record<string, string> }) => {
    const start = performance.now()
    const { exitCode, stderr } = await engine.run(
      task,
      kind.ready(settings, { host: task.address!, port: kind.port }),
      10_000,
    )
    if (exitCode !== 0) throw new Error(`The login failed: ${stderr}`)
    return performance.now() - start
  }
  const [otherTimes, ownTimes]: [number[], number[]] = [[], []]
  for (let at = 0; at < logins; at++) {
    const [otherMs, ownMs] = await alternate(
      at,
      () => login(other),
      () => login(own),
    )
    otherTimes.push(otherMs)
    ownTimes.push(ownMs)
  }
  return tableOfFigures(
    `${logins} logins on each of two nodes of one machine, alternating`,
    figuresOf(otherTimes, ownTimes),
  )
}

function figuresOf(other: number[], own: number[]): Figure[] {
  const figure = (what: string, value: number, limit: number | null, note: string): Figure => ({
    what,
    value,
    limit,
    digits: 0,
    unit: 'ms',
    note,
  })
  return [
    figure('login on another node, median', median(other), 200, spread(other, 0)),
    figure('login on another node, 95th percentile', quantile(other, 0.95), null, ''),
    figure("login on Berth's own node, median", median(own), null, spread(own, 0)),
  ]
}
