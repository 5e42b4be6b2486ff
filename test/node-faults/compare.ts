/** What must hold after the faults: nothing acknowledged is lost, and nothing is left over. */
import assert from 'node:assert/strict'
import { existsSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../engine/until.ts'
import { compareData } from '../fixtures/compare-data.ts'
import type { FaultCluster } from './cluster.ts'
import { runSql } from './session.ts'
import { type Acknowledged, endOf } from './work.ts'

const minuteMs = 60_000
const maxVerified = 3

export async function compare(cluster: FaultCluster, done: Acknowledged): Promise<void> {
  await untilSettled(cluster)
  await compareData('the rows', () => compareRows(cluster, done))
  await compareData('the dumps', () => compareDumps(cluster, done))
  await compareLeftovers(cluster)
}

/** Waits until no run and no deployment is in progress, and both databases run. */
async function untilSettled({ ok, databases }: FaultCluster): Promise<void> {
  await until(
    'the end of all runs',
    async () => (await ok<{ status: string }[]>('backup.runs')).every(({ status }) => status !== 'running'),
    5 * minuteMs,
  )
  for (const { postgresId, appName } of Object.values(databases)) {
    await until(
      `${appName} to run`,
      async () =>
        (await ok<{ applicationStatus: string }>('postgres.one', { postgresId })).applicationStatus === 'done',
      5 * minuteMs,
    )
  }
}

/** The client logs in with the password that Berth has stored, so this also compares the rotations. */
async function rowsIn(cluster: FaultCluster, databaseId: string): Promise<number[]> {
  const rows = () => runSql(cluster, databaseId, 'select row from sent order by row').catch(() => null)
  return (await until('the rows', rows, 2 * minuteMs)).map(Number)
}

async function compareRows(cluster: FaultCluster, done: Acknowledged): Promise<void> {
  const { orders, copy } = cluster.databases
  const rows = new Set(await rowsIn(cluster, orders.postgresId))
  assert.deepEqual([...done.rows.difference(rows)], [], 'rows that were acknowledged and are missing')
  assert.deepEqual([...rows.difference(done.sent)], [], 'rows that nobody sent')
  const restored = done.restores.at(-1)
  if (restored === undefined) return
  const copied = new Set(await rowsIn(cluster, copy.postgresId))
  assert.deepEqual(
    restored.dumpedRows.filter((row) => !copied.has(row)),
    [],
    'rows that a restore has lost',
  )
}

async function compareDumps(cluster: FaultCluster, { dumps }: Acknowledged): Promise<void> {
  const { ok, storage, backupId } = cluster
  const files = storage.filesOf('backups')
  for (const { key } of dumps) assert.ok(existsSync(join(files, key)), `the good dump ${key}`)
  for (const { runId } of dumps.slice(-maxVerified)) {
    const drill = await ok<{ runId: string }>('backup.verify', { backupId, runId })
    assert.equal((await endOf(cluster, drill.runId)).status, 'done', `the verification of ${runId}`)
  }
}

async function compareLeftovers({ nodes, ok, storage }: FaultCluster): Promise<void> {
  for (const node of nodes) {
    const jobs = () => node.docker('ps', '--all', '--filter', 'label=berth.job', '--format', '{{.Names}} {{.Status}}')
    // Berth removes the jobs of an engine that did not answer at its next turn, within five minutes.
    await until(`no job on ${node.name}`, async () => (await jobs()).length === 0, 6 * minuteMs)
    const anonymous = await node.docker('volume', 'ls', '--quiet', '--filter', 'dangling=true')
    assert.deepEqual(
      anonymous.filter((name) => !name.startsWith('berth-')),
      [],
      `volumes without a name on ${node.name}`,
    )
  }
  const services = await nodes[0]!.docker('service', 'ls', '--format', '{{.Name}}')
  const expected = /^(orders|copy|berth-engine-\w+)/
  assert.deepEqual(
    services.filter((name) => !expected.test(name)),
    [],
    'services',
  )
  await until(
    'no upload in progress',
    async () => globSync(join(storage.filesOf('backups'), '.sgwtmp/multipart/*/*')).length === 0,
    3 * minuteMs,
  )
  const conditions = () => ok<{ name: string; endedAt: string | null }[]>('condition.all')
  await until(
    'the end of all conditions about nodes',
    async () => (await conditions()).every(({ name, endedAt }) => endedAt !== null || !/^Node|^Database/.test(name)),
    3 * minuteMs,
  )
}
