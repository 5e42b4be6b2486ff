/**
 * Backups of one database that stays: their runs come to a good end, but for loads that were killed, and what they made
 * lies in the bucket, alone.
 */
import assert from 'node:assert/strict'
import { openBucket } from '../../src/lib/s3/s3.ts'
import { sql } from '../e2e/swarm.ts'
import { until } from '../engine/until.ts'
import type { Fields } from './client.ts'
import { counter, type Group, type Runtime } from './group.ts'
import type { Random } from './random.ts'
import { type Known, listing, recordsOf } from './records.ts'
import { rowsOf } from './store.ts'

interface Run extends Fields {
  runId: string
  action: string
  trigger: string
  status: string
  reason: string | null
  key: string | null
  fault: { reason: string; safetyRunId: string | null } | null
}
interface Backup extends Fields {
  prefix: string
  schedule: string
  keepLatest: number | null
  recipient: string | null
}
type It = Known<Backup> & { id: string }

/** The database, and what it holds; `bucket` is the runs' alone. */
export interface Subject {
  postgresId: string
  appName: string
  url: string
  destinationId: string
  bucket: string
  /** By `sum`. */
  sums: Fields[]
}

const verbs = ['create', 'update', 'remove', 'run', 'run', 'run', 'run', 'verify', 'cancel', 'restore'] as const
const most = 3
/** All that a restore brings back. */
export const sum = "select count(*)::int as count, md5(string_agg(text, '' order by n)) as sum from big"

/** Berth reads both again, drills and restores them. */
const recipientOf = (random: Random) => (random.chance(50) ? null : 'installation')

export function backupsOf(runtime: Runtime, subject: Subject): Group {
  const { client, prefix, storage, folder } = runtime
  const next = counter()
  const toListed = listing('backupId', 'prefix', ['prefix', 'schedule', 'keepLatest', 'recipient'])
  const records = recordsOf<Backup>(client, 'backup', async () =>
    (await client.read<Fields[]>('backup.all'))!.map(toListed),
  )
  /** Ids of runs that were acknowledged, by backup; of those that may have been called off. */
  const runs = new Map<string, Set<string>>()
  const cancelled = new Set<string>()
  /** Keys of dumps whose backup was removed: they stay. And of those of which that may be. */
  const [left, maybeLeft] = [new Set<string>(), new Set<string>()]
  return { name: 'backups', calls, compare, compareWorld }

  async function calls(random: Random): Promise<void> {
    const present = records.present()
    const verb = random.pick(verbs)
    if (present.length === 0 || (verb === 'create' && present.length < most)) return create(random)
    const it = random.pick(present)
    if (verb === 'update') return update(it, random)
    // Berth may be gone before it answers: then there is nothing to be done.
    const all = await Promise.all(present.map(runsOf)).catch((error: unknown) => {
      if (client.isUp()) throw error
      return null
    })
    if (all === null) return
    const open = all.flat().filter(({ status }) => status === 'running')
    const own = all[present.indexOf(it)]!
    if (verb === 'remove') return present.length < 2 ? undefined : remove(it, own)
    if (verb === 'cancel') return cancel(open)
    if (verb === 'restore') return restore(it, own)
    await begin(it, verb === 'run' ? 'manualBackupPostgres' : 'verify', { backupId: it.id })
  }

  async function runsOf({ id }: { id: string }): Promise<Run[]> {
    return (await client.read<Run[]>('backup.runs', { backupId: id })) ?? []
  }

  async function create(random: Random): Promise<void> {
    const { postgresId, destinationId } = subject
    const fields: Backup = {
      prefix: `${prefix}-${next()}`,
      schedule: '0 3 1 1 *',
      keepLatest: null,
      recipient: recipientOf(random),
    }
    await records.create<{ backupId: string }>(
      'backup.create',
      { ...fields, destinationId, database: 'shop', databaseType: 'postgres', postgresId },
      fields.prefix,
      fields,
      ({ backupId }) => backupId,
    )
  }

  async function update(it: It, random: Random): Promise<void> {
    const fields = {
      schedule: `${random.below(60)} 3 1 1 *`,
      keepLatest: random.chance(50) ? null : 2,
      recipient: recipientOf(random),
    }
    const { destinationId } = subject
    const input = { backupId: it.id, prefix: it.name, destinationId, database: 'shop', ...fields }
    await records.change(it, { operation: 'backup.update', input, makes: (before) => ({ ...before, ...fields }) })
  }

  /** While nothing of it runs, so that its keys stay as they are. */
  async function remove(it: It, all: Run[]): Promise<void> {
    if (all.some(({ status }) => status === 'running')) return
    const outcome = await records.change(it, {
      operation: 'backup.remove',
      input: { backupId: it.id },
      makes: () => null,
      refusals: [409],
    })
    if (outcome.is === 'refused') return
    const keys = outcome.is === 'done' ? left : maybeLeft
    // What a failed run has sent is deleted, whether its backup is there or not.
    for (const { key, status } of all) if (key !== null && status === 'done') keys.add(key)
  }

  async function begin(it: It, verb: string, input: Fields): Promise<void> {
    const outcome = await client.call<Run>(`backup.${verb}`, input)
    if (outcome.is === 'refused') assert.ok([409, 412].includes(outcome.status), `${verb}: ${outcome.message}`)
    if (outcome.is !== 'done') return
    runs.set(it.id, (runs.get(it.id) ?? new Set()).add(outcome.body.runId))
  }

  async function cancel(open: Run[]): Promise<void> {
    const run = open.find(({ action }) => action !== 'restore')
    if (run === undefined) return
    const { is } = await client.call('backup.cancel', { runId: run.runId })
    if (is !== 'refused') cancelled.add(run.runId)
  }

  async function restore(it: It, all: Run[]): Promise<void> {
    const good = all.findLast(({ action, status, key }) => action === 'dump' && status === 'done' && key !== null)
    if (good === undefined) return
    const { postgresId, appName: confirm } = subject
    await begin(it, 'restore', { backupId: it.id, runId: good.runId, postgresId, confirm })
  }

  async function compare(): Promise<void> {
    await records.compare()
    for (const it of records.present()) {
      const ids = (await runsOf(it)).map(({ runId }) => runId)
      assert.deepEqual(
        [...(runs.get(it.id) ?? [])].filter((id) => !ids.includes(id)),
        [],
        'runs that were acknowledged',
      )
    }
  }

  async function compareWorld(): Promise<void> {
    for (const it of records.present()) {
      for (const { runId, action, status, reason, fault } of await runsOf(it)) {
        // Killed again and again, a run is given up in the end.
        const isKnown =
          cancelled.has(runId) ||
          fault?.reason === 'InterruptedTooOften' ||
          (fault?.reason === 'LoadInterrupted' && fault.safetyRunId !== null)
        const isGood = status === 'done' || (status === 'error' && isKnown)
        assert.ok(isGood, `the ${action} ${runId} is ${status}: ${reason}`)
      }
    }
    assert.deepEqual(await sql(subject.url, sum), subject.sums, 'what the restored database holds')
    await compareBucket()
  }

  /** Each good dump with its manifest, and nothing else: no half of an upload either. */
  async function compareBucket(): Promise<void> {
    const unclean = () =>
      rowsOf(
        folder,
        `select id from backupRun where action = 'dump' and status = 'error'
      and key is not null`,
      )
    await until('what failed runs have sent to be deleted', async () => unclean().length === 0, 120_000)
    using bucket = openBucket(storage.settings(subject.bucket))
    const { objects } = await bucket.list('', 1000, null, AbortSignal.timeout(10_000))
    const found = objects.map(({ key }) => key)
    const dumps = rowsOf<{ key: string | null }>(folder, "select key from backupRun where action = 'dump'")
    const wanted = [...left, ...dumps.flatMap(({ key }) => key ?? [])].flatMap((key) => [key, `${key}.json`])
    const known = [...wanted, ...[...maybeLeft].flatMap((key) => [key, `${key}.json`])]
    assert.deepEqual(
      wanted.filter((key) => !found.includes(key)),
      [],
      'dumps that are not in the bucket',
    )
    assert.deepEqual(
      found.filter((key) => !known.includes(key)),
      [],
      'objects that belong to no run',
    )
    assert.deepEqual(await bucket.listUploads('', AbortSignal.timeout(10_000)), [])
  }
}
