/**
 * Backups of one database that always exists. All runs succeed, except those whose load was killed. The bucket has the
 * dumps of these runs and nothing else.
 */
import assert from 'node:assert/strict'
import { openBucket } from '../../src/lib/s3/s3.ts'
import { sql } from '../e2e/swarm.ts'
import { until } from '../engine/until.ts'
import { restingSchedule } from '../fixtures/resting-schedule.ts'
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
type KnownBackup = Known<Backup> & { id: string }

/** The database of the backups. Only the runs write to `bucket`. */
export interface Source {
  postgresId: string
  appName: string
  url: string
  destinationId: string
  bucket: string
  /** The result of `contentQuery`. */
  content: Fields[]
}

const verbs = ['create', 'update', 'remove', 'run', 'run', 'run', 'run', 'verify', 'cancel', 'restore'] as const
const maxBackups = 3
/** A query whose result identifies the content of the database. */
export const contentQuery = "select count(*)::int as count, md5(string_agg(text, '' order by n)) as sum from big"

/** Berth can verify and restore dumps without encryption and those for the recipient `installation`. */
const recipientOf = (random: Random) => (random.chance(50) ? null : 'installation')

export function backupsOf(runtime: Runtime, source: Source): Group {
  const { client, prefix, storage, folder } = runtime
  const next = counter()
  const toListed = listing('backupId', 'prefix', ['prefix', 'schedule', 'keepLatest', 'recipient'])
  const records = recordsOf<Backup>(client, 'backup', async () =>
    (await client.read<Fields[]>('backup.all'))!.map(toListed),
  )
  /** The ids of acknowledged runs by backup, and the ids of runs that may be cancelled. */
  const runs = new Map<string, Set<string>>()
  const cancelled = new Set<string>()
  /** The keys of dumps whose backup was removed, or may be removed. Removing a backup keeps its dumps. */
  const [keptKeys, maybeKeptKeys] = [new Set<string>(), new Set<string>()]
  return { name: 'backups', calls, compare, compareExternal }

  async function calls(random: Random): Promise<void> {
    const present = records.present()
    const verb = random.pick(verbs)
    if (present.length === 0 || (verb === 'create' && present.length < maxBackups)) return create(random)
    const record = random.pick(present)
    if (verb === 'update') return update(record, random)
    // Berth may be killed during these queries. Then there is nothing to do.
    const all = await Promise.all(present.map(runsOf)).catch((error: unknown) => {
      if (client.isUp()) throw error
      return null
    })
    if (all === null) return
    const open = all.flat().filter(({ status }) => status === 'running')
    const own = all[present.indexOf(record)]!
    if (verb === 'remove') return present.length < 2 ? undefined : remove(record, own)
    if (verb === 'cancel') return cancel(open)
    if (verb === 'restore') return restore(record, own)
    await begin(record, verb === 'run' ? 'manualBackupPostgres' : 'verify', { backupId: record.id })
  }

  async function runsOf({ id }: { id: string }): Promise<Run[]> {
    return (await client.read<Run[]>('backup.runs', { backupId: id })) ?? []
  }

  async function create(random: Random): Promise<void> {
    const { postgresId, destinationId } = source
    const fields: Backup = {
      prefix: `${prefix}-${next()}`,
      schedule: restingSchedule,
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

  async function update(record: KnownBackup, random: Random): Promise<void> {
    const fields = {
      schedule: `${random.below(60)} 3 1 1 *`,
      keepLatest: random.chance(50) ? null : 2,
      recipient: recipientOf(random),
    }
    const { destinationId } = source
    const input = { backupId: record.id, prefix: record.name, destinationId, database: 'shop', ...fields }
    await records.change(record, { operation: 'backup.update', input, apply: (before) => ({ ...before, ...fields }) })
  }

  /** Does nothing while a run of the backup is running, because the run could change the keys. */
  async function remove(record: KnownBackup, all: Run[]): Promise<void> {
    if (all.some(({ status }) => status === 'running')) return
    const outcome = await records.change(record, {
      operation: 'backup.remove',
      input: { backupId: record.id },
      apply: () => null,
      refusals: [409],
    })
    if (outcome.result === 'refused') return
    const keys = outcome.result === 'done' ? keptKeys : maybeKeptKeys
    // Berth deletes the objects of failed runs, whether or not the backup exists.
    for (const { key, status } of all) if (key !== null && status === 'done') keys.add(key)
  }

  async function begin(record: KnownBackup, verb: string, input: Fields): Promise<void> {
    const outcome = await client.call<Run>(`backup.${verb}`, input)
    if (outcome.result === 'refused') assert.ok([409, 412].includes(outcome.status), `${verb}: ${outcome.message}`)
    if (outcome.result !== 'done') return
    runs.set(record.id, (runs.get(record.id) ?? new Set()).add(outcome.body.runId))
  }

  async function cancel(open: Run[]): Promise<void> {
    const run = open.find(({ action }) => action !== 'restore')
    if (run === undefined) return
    const { result } = await client.call('backup.cancel', { runId: run.runId })
    if (result !== 'refused') cancelled.add(run.runId)
  }

  async function restore(record: KnownBackup, all: Run[]): Promise<void> {
    const dump = all.findLast(({ action, status, key }) => action === 'dump' && status === 'done' && key !== null)
    if (dump === undefined) return
    const { postgresId, appName: confirm } = source
    await begin(record, 'restore', { backupId: record.id, runId: dump.runId, postgresId, confirm })
  }

  async function compare(): Promise<void> {
    await records.compare()
    for (const record of records.present()) {
      const ids = (await runsOf(record)).map(({ runId }) => runId)
      assert.deepEqual(
        [...(runs.get(record.id) ?? [])].filter((id) => !ids.includes(id)),
        [],
        'acknowledged runs that are not listed',
      )
    }
  }

  async function compareExternal(): Promise<void> {
    for (const record of records.present()) {
      for (const run of await runsOf(record)) {
        const { runId, action, status, reason, fault } = run
        // Berth gives up a run after several interruptions.
        const isKnown =
          cancelled.has(runId) ||
          fault?.reason === 'InterruptedTooOften' ||
          (fault?.reason === 'LoadInterrupted' && fault.safetyRunId !== null)
        const isGood = status === 'done' || (status === 'error' && isKnown)
        assert.ok(isGood, `the ${action} ${runId} is ${status}: ${reason}`)
        if (status === 'done' && action === 'dump' && run.key !== null) await compareManifest(runId)
      }
    }
    assert.deepEqual(await sql(source.url, contentQuery), source.content, 'the content of the restored database')
    await compareBucket()
  }

  async function compareManifest(runId: string): Promise<void> {
    const manifest = (await client.read('backup.manifest', { runId }))!
    assert.equal(manifest.rowCount, source.content[0]!.count, `the rows in the manifest of ${runId}`)
  }

  /** The bucket has the successful dumps with their manifests, no other objects and no unfinished uploads. */
  async function compareBucket(): Promise<void> {
    const unclean = () =>
      rowsOf(
        folder,
        `select id from backupRun where action = 'dump' and status = 'error'
      and key is not null`,
      )
    await until('the objects of failed runs to be deleted', async () => unclean().length === 0, 120_000)
    using bucket = openBucket(storage.settings(source.bucket))
    const { objects } = await bucket.list('', 1000, null, AbortSignal.timeout(10_000))
    const keys = objects.map(({ key }) => key)
    const dumps = rowsOf<{ key: string | null }>(folder, "select key from backupRun where action = 'dump'")
    const expected = [...keptKeys, ...dumps.flatMap(({ key }) => key ?? [])].flatMap((key) => [key, `${key}.json`])
    const known = [...expected, ...[...maybeKeptKeys].flatMap((key) => [key, `${key}.json`])]
    assert.deepEqual(
      expected.filter((key) => !keys.includes(key)),
      [],
      'dumps that are not in the bucket',
    )
    assert.deepEqual(
      keys.filter((key) => !known.includes(key)),
      [],
      'objects that belong to no run',
    )
    assert.deepEqual(await bucket.listUploads('', AbortSignal.timeout(10_000)), [])
  }
}
