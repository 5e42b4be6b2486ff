/** Prometheus metrics of backups, such as the age of each backup's last good dump. */
import { prometheusText } from '../lib/prometheus.ts'
import { shrinksOf } from './retention/shrink-marks.ts'
import type { Reader } from '../store/schema.ts'

/** Returns the metrics in Prometheus's text format. */
export async function metricsOf({ db, now }: { db: Reader; now(): Date }): Promise<string> {
  const backups = await backupTimes(db)
  const open = await db
    .selectFrom('backupRun')
    .where('finishedAt', 'is', null)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  const shrinks = await shrinksOf(db)
  const labelled = backups.map(({ id, kind, database, appName, enabled, lastGoodAt, verifiedAt }) => ({
    labels: { backup: id, kind, service: appName ?? '', database },
    enabled,
    lastGoodAt,
    verifiedAt,
  }))
  const ageOf = (at: string | null) => (at === null ? [] : [Math.max(0, now().getTime() - Date.parse(at)) / 1000])
  return prometheusText([
    {
      name: 'berth_backup_last_good_age_seconds',
      help: 'Seconds since the last good dump ended; absent without a good dump.',
      samples: labelled.flatMap(({ labels, lastGoodAt }) => ageOf(lastGoodAt).map((age) => [labels, age] as const)),
    },
    {
      name: 'berth_backup_last_verified_age_seconds',
      help: 'Seconds since a drill last verified a dump without a difference; absent without a verified dump.',
      samples: labelled.flatMap(({ labels, verifiedAt }) => ageOf(verifiedAt).map((age) => [labels, age] as const)),
    },
    {
      name: 'berth_backup_enabled',
      help: '1 if the schedules of the backup are active, otherwise 0.',
      samples: labelled.map(({ labels, enabled }) => [labels, enabled] as const),
    },
    {
      name: 'berth_backup_shrunk',
      help: '1 if dumps have less than half of the earlier content and nobody accepted this, otherwise 0.',
      samples: labelled.map(({ labels }) => [labels, shrinks.has(labels.backup) ? 1 : 0] as const),
    },
    {
      name: 'berth_backup_runs_open',
      help: 'Number of runs that wait or are under way.',
      samples: [[{}, Number(open.count)]],
    },
  ])
}

/** Reads each backup with the time of its last good dump and of the last successful drill. */
function backupTimes(db: Reader) {
  return db
    .selectFrom('backup')
    .leftJoin('database', 'database.id', 'backup.databaseId')
    .select(['backup.id', 'backup.kind', 'backup.database', 'backup.enabled', 'database.appName'])
    .select((from) => [
      from
        .selectFrom('backupRun')
        .select('finishedAt')
        .whereRef('backupId', '=', 'backup.id')
        .where('action', '=', 'dump')
        .where('status', '=', 'done')
        .orderBy('id', 'desc')
        .limit(1)
        .as('lastGoodAt'),
      from
        .selectFrom('backupRun')
        .select(({ fn }) => fn.max('verifiedAt').as('verifiedAt'))
        .whereRef('backupId', '=', 'backup.id')
        .as('verifiedAt'),
    ])
    .orderBy('backup.id')
    .execute()
}
