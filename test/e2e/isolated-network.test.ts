/** The network without a way out, on which the servers of drills and moves run with the tools that use them. */
import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { dockerEngine } from '../../src/engine/docker/engine.ts'
import type { Engine } from '../../src/engine/engine.ts'
import { idle, jobOf, specOf, type EngineFixture } from '../engine/engine-fixture.ts'
import { until } from '../engine/until.ts'
import { dockerHost, removeAll } from './swarm.ts'

const installationId = `try-${process.pid}-isolated`
const names = ['server', 'open', 'job'].map((name) => `${name}-${process.pid}`)
const [server = '', open = '', job = ''] = names

/** Prints the destinations of all routes (00000000 is the way out), and the names that have an address. */
const program = `while read device destination rest; do echo "$destination"; done </proc/net/route
for name in ${names.join(' ')}; do getent hosts "$name" >/dev/null && echo "$name"; done; true`

let engine: Engine
let fixture: EngineFixture
before(async () => {
  engine = dockerEngine({ dockerHost, installationId, networkName: 'berth' })
  await engine.prepare()
  const local = (await engine.nodes()).find((node) => node.local)!
  fixture = { engine, image: 'postgres:15', nodeId: local.id } as EngineFixture
})
after(() => removeAll(installationId))

test('isolated servers and jobs reach only each other', async (t) => {
  await engine.createService(specOf(fixture, { name: server, args: idle, isIsolated: true }))
  await engine.createService(specOf(fixture, { name: open, args: idle }))
  const standing = await engine.runJob(
    jobOf(fixture, { name: job, argv: idle, isIsolated: true }),
    AbortSignal.timeout(60_000),
  )
  t.after(() => standing.stop())
  await until('both services to run', async () => {
    const tasks = await engine.tasks([server, open])
    return tasks.filter(({ state }) => state === 'running').length === 2
  })
  const outputOf = async (isIsolated: boolean) => {
    const asking = await engine.runJob(
      jobOf(fixture, { argv: ['sh', '-c', program], isIsolated }),
      AbortSignal.timeout(60_000),
    )
    return (await text(asking.stdout)).split('\n')
  }
  const [isolated, ordinary] = [await outputOf(true), await outputOf(false)]
  const reached = (lines: string[]) => names.filter((name) => lines.includes(name))
  assert.deepEqual([reached(isolated), isolated.includes('00000000')], [[server, job], false])
  assert.deepEqual([reached(ordinary), ordinary.includes('00000000')], [[open], true])
})
