/** Reads from the store what the conditions are derived from. Rows that are obviously well are not read. */
import { sql } from 'kysely'
import { failedSignIns } from '../accounts/failed-sign-ins.ts'
import { noDrift } from '../databases/status.ts'
import { kinds } from '../kinds/index.ts'
import { hasEnded } from '../kinds/series-ends.ts'
import { serverOf } from '../registries/queries.ts'
import { proxyFaultOf } from '../routing/queries.ts'
import { shrinksOf } from '../backups/retention/shrink-marks.ts'
import type { FindingSummary } from '../dumps/finding-summary.ts'
import type { Json } from '../lib/json.ts'
import type { RunAction } from '../backups/table.ts'
import { unconfirmedSince } from '../store/unconfirmed.ts'
import type { Reader } from '../store/schema.ts'
import type { BackupFact, RunFact } from './backups.ts'
import type { ReturnedFact } from './infrastructure.ts'
import { type AccessFact, type DatabaseFact, type Restart, restartMinutes, type VersionFact } from './databases.ts'

export type Facts = Awaited<ReturnType<typeof readFacts>>

export async function readFacts(db: Reader, now: Date) {
  const restarts = await readRestarts(db, now)
  return {
    restarts,
    databases: await readDatabases(
      db,
      restarts.map(({ databaseId }) => databaseId),
    ),
    backups: await readBackups(db),
    runs: [...(await runsAfterLastGood(db, 'dump')), ...(await runsAfterLastGood(db, 'verify'))],
    versions: await readVersions(db, now),
    accesses: await readAccesses(db),
    hasDatabases: (await deployedDatabase(db)) !== undefined,
    destinations: await db.selectFrom('destination').select(['id', 'name']).orderBy('id').execute(),
    nodes: await db.selectFrom('node').selectAll().orderBy('id').execute(),
    returnedNodes: await readReturnedNodes(db),
    certificates: await db
      .selectFrom('certificate')
      .select(['id', 'name', 'autoRenew', 'described'])
      .orderBy('id')
      .execute(),
    issuances: await db.selectFrom('issuance').selectAll().orderBy('name').execute(),
    proxyFault: await proxyFaultOf(db),
    registryServer: await serverOf(db),
    unconfirmedSince: await unconfirmedSince(db),
    failedSignIns: await failedSignIns(db, now),
  }
}

const deployedDatabase = (db: Reader) =>
  db.selectFrom('database').select('id').where('goal', '!=', 'none').limit(1).executeTakeFirst()

/** The restarts of the last minutes, oldest first, except those before planned work on the database. */
function readRestarts(db: Reader, now: Date): Promise<Restart[]> {
  const from = new Date(now.getTime() - restartMinutes * 60_000).toISOString()
  return (
    db
      .selectFrom('deployment')
      .select(['subjectId as databaseId', 'startedAt as at', 'reason'])
      // SQLite uses the partial index only if the query repeats its condition with literals.
      .where('action', '=', sql.lit('restart'))
      .where('subjectKind', '=', 'database')
      .where('startedAt', '>', from)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('deployment as planned')
              .select('planned.id')
              .whereRef('planned.subjectId', '=', 'deployment.subjectId')
              .whereRef('planned.id', '>', 'deployment.id')
              .where('planned.action', 'not in', ['restart', 'repair', 'halt', 'saveExternalPort']),
          ),
        ),
      )
      .orderBy('startedAt')
      .execute()
  )
}

/** @param restartedIds databases that are read in any case */
async function readDatabases(db: Reader, restartedIds: string[]): Promise<DatabaseFact[]> {
  const restored = await db
    .selectFrom('backupRun')
    .select('databaseId')
    .where('action', '=', 'restore')
    .where('step', 'in', ['safety', 'load'])
    .where('finishedAt', 'is', null)
    .execute()
  const restoredIds = new Set(restored.map(({ databaseId }) => databaseId))
  const rows = await db
    .selectFrom('database')
    .leftJoin('deployment', 'deployment.id', 'database.deploymentId')
    .select(['database.id', 'database.appName', 'projectId', 'goal', 'observed', 'applicationStatus', 'statusReason'])
    .select(['drift', 'downSince', 'deployment.action'])
    .where('goal', 'in', ['up', 'stopped'])
    .where((eb) =>
      eb.or([
        eb('database.deploymentId', 'is not', null),
        eb('observed', 'in', ['down', 'unproven']),
        eb('applicationStatus', '=', 'error'),
        eb('downSince', 'is not', null),
        eb('drift', '!=', noDrift),
        eb('database.id', 'in', restartedIds),
      ]),
    )
    .orderBy('database.id')
    .execute()
  return rows.map((row) => ({ ...row, isBeingRestored: restoredIds.has(row.id) }))
}

/** The databases that run in a series that has ended. Series of several products can have the same name. */
function readVersions(db: Reader, now: Date): Promise<VersionFact[]> {
  const ended = kinds.flatMap(({ name, seriesEnds }) =>
    seriesEnds.filter((end) => hasEnded(end, now)).map(({ series }) => `${name} ${series}`),
  )
  return db
    .selectFrom('database')
    .innerJoin('volume', 'volume.id', 'database.volumeId')
    .select(['database.id', 'database.appName', 'database.projectId', 'database.kind'])
    .select(['volume.serverVersion', 'volume.dockerImage'])
    .where('database.goal', '=', 'up')
    .where(sql<string>`"database"."kind" || ' ' || "volume"."serverVersion"`, 'in', ended)
    .orderBy('database.id')
    .execute()
}

/** The running databases on whose servers Berth has lost rights. */
async function readAccesses(db: Reader): Promise<AccessFact[]> {
  const rows = await db
    .selectFrom('volume')
    .innerJoin('database', 'database.volumeId', 'volume.id')
    .select(['database.id', 'database.appName', 'database.projectId', 'volume.access'])
    .where('volume.access', 'in', ['withoutRoot', 'withoutOwn'])
    .where('database.goal', '=', 'up')
    .orderBy('database.id')
    .execute()
  return rows.flatMap(({ access, ...row }) => (access === null || access === 'complete' ? [] : [{ ...row, access }]))
}

/** The nodes whose volumes were found on another node. */
async function readReturnedNodes(db: Reader): Promise<ReturnedFact[]> {
  const rows = await db
    .selectFrom('volume')
    .leftJoin('node', 'node.id', 'volume.nodeId')
    .select(['volume.nodeId', 'volume.nodeName as hostname', 'node.state'])
    .select(({ fn }) => [fn.min<string | null>('volume.foundNodeName').as('foundOn'), fn.countAll().as('volumes')])
    .where('volume.foundNodeId', 'is not', null)
    .groupBy(['volume.nodeId', 'volume.nodeName', 'node.state'])
    .orderBy('volume.nodeId')
    .execute()
  return rows.map(({ foundOn, volumes, ...row }) => ({ ...row, foundOn: foundOn ?? '', volumes: Number(volumes) }))
}

/** The enabled backups. */
async function readBackups(db: Reader): Promise<BackupFact[]> {
  const shrinks = await shrinksOf(db)
  const rows = await db
    .selectFrom('backup')
    .leftJoin('database', 'database.id', 'backup.databaseId')
    .select(['backup.id', 'backup.subjectKind', 'backup.database', 'backup.destinationId', 'backup.nextAt'])
    .select(['backup.nextVerifyAt', 'backup.verifySchedule'])
    .select(['database.appName', 'database.projectId', 'database.goal'])
    .select([lastGood('finishedAt', 'dump').as('lastGoodAt'), lastGood('finishedAt', 'verify').as('lastDrillAt')])
    .select(lastGood<Json<FindingSummary>>('findings', 'dump').as('findings'))
    .where('backup.enabled', '=', 1)
    .orderBy('backup.id')
    .execute()
  return rows.map((row) => ({ ...row, shrink: shrinks.get(row.id) ?? null }))
}

/** The runs of enabled backups after the last good run of the same action, oldest first. */
async function runsAfterLastGood(db: Reader, action: RunAction): Promise<RunFact[]> {
  const rows = await db
    .selectFrom('backup')
    // SQLite does not reorder a cross join: it finds the few runs of each backup by an index. With an order it would
    // read all runs.
    .crossJoin('backupRun as run')
    .select(['run.id', 'run.backupId', 'run.action', 'run.trigger', 'run.status', 'run.attempt', 'run.reason'])
    .select(['run.destinationId', 'run.createdAt', 'run.dueAt', 'run.finishedAt'])
    .where('backup.enabled', '=', 1)
    .whereRef('run.backupId', '=', 'backup.id')
    .where('run.action', '=', action)
    .$if(action === 'verify', (query) => query.where('backup.verifySchedule', 'is not', null))
    .where('run.id', '>', sql<string>`coalesce(${lastGood('id', action)}, '')`)
    .execute()
  return rows.sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** A column of the last good run of the row in "backup". Uses the index "backupRunGood". */
const lastGood = <T extends string = string>(column: 'id' | 'finishedAt' | 'findings', action: RunAction) =>
  sql<T | null>`(select "good".${sql.ref(column)} from "backupRun" as "good"
    where "good"."backupId" = "backup"."id" and "good"."action" = ${action} and "good"."status" = 'done'
    order by "good"."id" desc limit 1)`
