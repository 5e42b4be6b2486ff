/** What clients do while the faults happen. Each records what Berth acknowledged. */
import { setTimeout as pause } from 'node:timers/promises'
import type { FaultCluster } from './cluster.ts'
import { runSql } from './session.ts'

export interface Acknowledged {
  /** Rows whose insertion was acknowledged. */
  rows: Set<number>
  /** Rows that were sent. A row that was not acknowledged may be there or not. */
  sent: Set<number>
  /** Good dumps, and the rows that were acknowledged before each. */
  dumps: { runId: string; key: string; rows: number[] }[]
  /** Good restores into `copy`. */
  restores: { runId: string; dumpedRows: number[] }[]
  /** Completed changes of the password. */
  rotations: number
}

interface Run {
  runId: string
  status: string
  key: string | null
}

export function startWork(cluster: FaultCluster) {
  const done: Acknowledged = { rows: new Set(), sent: new Set(), dumps: [], restores: [], rotations: 0 }
  let isEnding = false
  const clients = [insertRows, makeDumps, restoreDumps, rotatePasswords].map((client) => repeat(client))
  return {
    done,
    /** Resolves when the last call of each client has ended. */
    async end() {
      isEnding = true
      await Promise.all(clients)
    },
  }

  /** Calls are refused and connections break during faults. The client then tries again. */
  async function repeat(client: (c: FaultCluster, done: Acknowledged) => Promise<void>) {
    while (!isEnding) {
      await client(cluster, done).catch(() => undefined)
      await pause(300)
    }
  }
}

async function insertRows(cluster: FaultCluster, done: Acknowledged): Promise<void> {
  const row = done.sent.size + 1
  done.sent.add(row)
  await runSql(cluster, cluster.databases.orders.postgresId, `insert into sent (row) values (${row})`)
  done.rows.add(row)
}

async function makeDumps(cluster: FaultCluster, done: Acknowledged): Promise<void> {
  const rows = [...done.rows]
  const { runId } = await cluster.ok<Run>('backup.manualBackupPostgres', { backupId: cluster.backupId })
  const run = await endOf(cluster, runId)
  if (run.status === 'done') done.dumps.push({ runId, key: run.key!, rows })
}

async function restoreDumps(cluster: FaultCluster, done: Acknowledged): Promise<void> {
  const dump = done.dumps.at(-1)
  if (dump === undefined) return
  const { postgresId, appName } = cluster.databases.copy
  const { runId } = await cluster.ok<Run>('backup.restore', { runId: dump.runId, postgresId, confirm: appName })
  const run = await endOf(cluster, runId)
  if (run.status === 'done') done.restores.push({ runId, dumpedRows: dump.rows })
}

async function rotatePasswords({ ok, databases }: FaultCluster, done: Acknowledged): Promise<void> {
  const { postgresId } = databases.orders
  await pause(5000)
  await ok('postgres.update', { postgresId, databasePassword: `password-${done.rotations}-${Date.now()}` })
  await ok('postgres.deploy', { postgresId }, { prefer: 'wait=60' })
  done.rotations++
}

/** Waits for the end of a run, through restarts of Berth. */
export async function endOf({ ok }: Pick<FaultCluster, 'ok'>, runId: string): Promise<Run> {
  for (;;) {
    const runs = await ok<Run[]>('backup.runs', {}).catch(() => [])
    const run = runs.find((each) => each.runId === runId)
    if (run !== undefined && run.status !== 'running') return run
    await pause(300)
  }
}
