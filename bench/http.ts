/** Measures rates and latencies over HTTP. Berth and the bare server alternate, so that other load affects both. */
import type { Answers } from './bare.ts'
import { type Berth, startBerth } from './berth.ts'
import { type Cell, seedCells } from './cells.ts'
import type { Kept, Section } from './figures.ts'
import type { Load, Measured } from './load.ts'
import { startBare, startLoader } from './processes.ts'
import { median, spread, tableOf, resultText, integerText } from './table.ts'
import { alternate } from './turns.ts'

const rounds = 3
const roundSeconds = 3
const warmSeconds = 1

interface Sides {
  berth: Measured[]
  bare: Measured[]
}
type Run = (url: string, seconds: number) => Promise<Measured>

export async function benchHttp(only: string[]): Promise<Section> {
  const berth = await startBerth()
  const loader = startLoader()
  const cells = (await seedCells(berth)).filter(({ name }) => only.length === 0 || only.includes(name))
  const answers = await answersOf(berth, cells)
  const bare = await startBare(answers)
  const rows: string[][] = []
  const kept: Kept[] = []
  for (const cell of cells) {
    for (const connections of [1, 16]) {
      const run: Run = (url, seconds) => loader.run({ ...loadOf(cell, berth.token), url, connections, seconds })
      const sides = await measure(run, berth.url, bare.url)
      const compared = compare(cell, connections, sides)
      rows.push(rowOf(cell, connections, sides, compared, Buffer.byteLength(answers[keyOf(cell)]!)))
      kept.push(...keptOf(cell, connections, compared))
      process.stderr.write(`  ${rows.at(-1)!.join('  ')}\n`)
    }
  }
  await Promise.all([berth.close(), bare.close(), loader.close()])
  const title = `Over HTTP, medians of ${rounds} rounds of ${roundSeconds} s in turn with a bare node:http server`
  return { text: tableOf(title, head, rows), kept }
}

const keyOf = ({ method, path }: Cell) => `${method} ${path}`

const loadOf = ({ method, path, body }: Cell, token: string): Omit<Load, 'url' | 'connections' | 'seconds'> => ({
  method,
  path,
  body,
  token,
})

/** Gets one answer of Berth to each request. The bare server returns these answers. */
async function answersOf(berth: Berth, cells: Cell[]): Promise<Answers> {
  const entries = await Promise.all(
    cells.map(async (cell) => {
      const headers = { authorization: `Bearer ${berth.token}`, 'content-type': 'application/json' }
      const body = cell.body === '' ? {} : { body: cell.body.replace('#', 'sample') }
      const response = await fetch(berth.url + cell.path, { method: cell.method, headers, ...body })
      if (!response.ok) throw new Error(`${cell.name} answered ${response.status}: ${await response.text()}`)
      return [keyOf(cell), await response.text()] as const
    }),
  )
  return Object.fromEntries(entries)
}

async function measure(run: Run, berthUrl: string, bareUrl: string): Promise<Sides> {
  const sides: Sides = { berth: [], bare: [] }
  for (const url of [berthUrl, bareUrl]) await run(url, warmSeconds)
  for (let round = 0; round < rounds; round++) {
    const [berth, bare] = await alternate(
      round,
      () => run(berthUrl, roundSeconds),
      () => run(bareUrl, roundSeconds),
    )
    sides.berth.push(berth)
    sides.bare.push(bare)
  }
  const failures = [...sides.berth, ...sides.bare].reduce((sum, it) => sum + it.failures, 0)
  if (failures > 0) throw new Error(`${failures} requests were not answered with 200`)
  return sides
}

const head = [
  'operation',
  'conns',
  'Berth/s',
  'p50 ms',
  'p99 ms',
  'bare/s',
  'p50 ms',
  'p99 ms',
  'ratio',
  'rounds',
  'bytes',
  'limit',
  '',
  'goal/s',
  '',
]

/** `ratioHolds` and `p99Holds`: whether the value is within its limit; null: no limit. */
interface Compared {
  ratios: number[]
  ratio: number
  rate: number
  p99Ms: number
  ratioHolds: boolean | null
  p99Holds: boolean | null
}

function compare({ minRatio, maxP99Ms }: Cell, connections: number, { berth, bare }: Sides): Compared {
  const ratios = berth.map((it, round) => it.perSecond / bare[round]!.perSecond)
  const ratio = median(ratios)
  const [rate, p99Ms] = [median(berth.map((it) => it.perSecond)), median(berth.map((it) => it.p99Ms))]
  const isLimited = connections > 1
  return {
    ratios,
    ratio,
    rate,
    p99Ms,
    ratioHolds: isLimited && minRatio !== null ? ratio >= minRatio : null,
    p99Holds: isLimited && maxP99Ms !== null ? p99Ms <= maxP99Ms : null,
  }
}

function rowOf(cell: Cell, connections: number, { berth, bare }: Sides, it: Compared, bytes: number): string[] {
  const { ratios, ratio, rate, ratioHolds, p99Holds } = it
  const holds = ratioHolds === null ? p99Holds : ratioHolds && p99Holds !== false
  const figures = [...figuresOf(berth), ...figuresOf(bare), ratio.toFixed(2), spread(ratios, 2), String(bytes)]
  const start = [cell.name, String(connections), ...figures]
  if (connections === 1) return [...start, '', '', '', '']
  return [...start, limitsOf(cell), resultText(holds), integerText(cell.goal), rate >= cell.goal ? 'met' : 'not yet']
}

function keptOf({ name, minRatio, maxP99Ms }: Cell, connections: number, it: Compared): Kept[] {
  const what = `${name}, ${connections} connections`
  const limitOf = (limit: number | null) => (connections === 1 ? null : limit)
  return [
    {
      what: `${what}, of the bare server's rate`,
      value: Number(it.ratio.toFixed(2)),
      unit: '',
      limit: limitOf(minRatio),
      holds: it.ratioHolds,
    },
    {
      what: `${what}, p99`,
      value: Number(it.p99Ms.toFixed(2)),
      unit: 'ms',
      limit: limitOf(maxP99Ms),
      holds: it.p99Holds,
    },
  ]
}

function limitsOf({ minRatio, maxP99Ms }: Cell) {
  return [minRatio, maxP99Ms === null ? null : `${maxP99Ms} ms`].filter((limit) => limit !== null).join(', ')
}

const figuresOf = (side: Measured[]) => [
  integerText(median(side.map((it) => it.perSecond))),
  median(side.map((it) => it.p50Ms)).toFixed(2),
  median(side.map((it) => it.p99Ms)).toFixed(2),
]
