/**
 * Kills Berth, containers, HAProxy and nodes, and cuts the network, at random instants, while clients make dumps,
 * restores and rotations, and insert rows. After each fault Berth reaches the engine of the node and a client the server
 * again. At the end nothing that was acknowledged is lost, and nothing is left over.
 * BERTH_NODE_FAULTS: the number of faults, by default 200. BERTH_NODE_SEED repeats the faults of a run.
 */
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { until } from '../engine/until.ts'
import { randomFrom } from '../crash/random.ts'
import { startFaultCluster } from './cluster.ts'
import { compare } from './compare.ts'
import { faults, weightedFaults } from './faults.ts'
import { runSql } from './session.ts'
import { startWork } from './work.ts'

const count = Number(process.env.BERTH_NODE_FAULTS ?? 200)
const seed = Number(process.env.BERTH_NODE_SEED ?? Date.now() % 100_000)

test(`${count} faults of nodes lose nothing and leave nothing (seed ${seed})`, async (t) => {
  await using cluster = await startFaultCluster()
  const { orders } = cluster.databases
  const rows = 'select repeat(md5(n::text), 40) it from generate_series(1, 40000) n'
  const filler = `create table sent (row int); create table big as ${rows}`
  await runSql(cluster, orders.postgresId, filler)
  const random = randomFrom(seed, 'faults')
  const work = startWork(cluster)
  const counts: Record<string, number> = {}
  for (let at = 1; at <= count; at++) {
    await pause(random.below(4000))
    const name = random.pick(weightedFaults)
    counts[name] = (counts[name] ?? 0) + 1
    await faults[name]!.inject(cluster, random)
    const acknowledged = work.done.rows.size
    await until(`a row after fault ${at}, a ${name}`, async () => work.done.rows.size > acknowledged, 180_000)
    if (at % 10 === 0) t.diagnostic(`${at} faults: ${progressText(work.done)}`)
  }
  await work.end()
  t.diagnostic(`${JSON.stringify(counts)}; ${progressText(work.done)}`)
  await compare(cluster, work.done)
})

const progressText = ({ rows, dumps, restores, rotations }: ReturnType<typeof startWork>['done']) =>
  `${rows.size} rows, ${dumps.length} dumps, ${restores.length} restores and ${rotations} rotations acknowledged`
