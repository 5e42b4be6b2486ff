/** The queries on deployments. No other file writes to this table. */
import { reasonAnswer } from './reason-message.ts'
import type { EndedWork } from './waiters.ts'
import { toJson } from '../lib/json.ts'
import type { Reader, Writer } from '../store/schema.ts'
import type { DeploymentReason } from './reason.ts'
import type { DeploymentAction, DeploymentPhase, DeploymentTable, SubjectKind } from './table.ts'

/** The record that a deployment changes. */
export interface Subject {
  kind: SubjectKind
  id: string
  /** The value of the column `kind` of DeploymentTable. */
  type: string
  /** The value of the column `appName` of DeploymentTable. */
  name: string
}

interface Named {
  id: string
  kind: string
  appName: string
}

/** A database or a volume as the subject of a deployment. */
export const subjectOf = (kind: 'database' | 'volume', row: Named): Subject => ({
  kind,
  id: row.id,
  type: row.kind,
  name: row.appName,
})

/** A new deployment. */
export interface Start {
  id: string
  action: DeploymentAction
  subject: Subject
  /** Default: `apply`. */
  phase?: DeploymentPhase
  reason?: DeploymentReason | null
}

/** Records that a deployment has begun. */
export async function begin(tx: Writer, start: Start, now: Date): Promise<void> {
  await insert(tx, start, now, {})
}

/** Records a deployment that has already ended successfully. `startedAt` is when it began. */
export async function recordEnded(tx: Writer, start: Start, startedAt: Date, now: Date): Promise<void> {
  await insert(tx, start, startedAt, { state: 'done', finishedAt: now.toISOString() })
}

async function insert(tx: Writer, start: Start, startedAt: Date, ended: Partial<DeploymentTable>): Promise<void> {
  const { id, action, subject, phase = 'apply', reason = null } = start
  const at = startedAt.toISOString()
  await tx
    .insertInto('deployment')
    .values({
      id,
      subjectKind: subject.kind,
      subjectId: subject.id,
      kind: subject.type,
      appName: subject.name,
      action,
      state: 'running',
      phase,
      reason: toColumn(reason),
      startedAt: at,
      phaseAt: at,
      finishedAt: null,
      ...ended,
    })
    .execute()
}

/** Ends a deployment that a later call replaces. Does not change a deployment that has ended. */
export async function supersede(tx: Writer, id: string, now: Date): Promise<void> {
  await update(tx, id, { state: 'superseded', finishedAt: now.toISOString() })
}

/** Ends a deployment, unless it has already ended. If `reason` is undefined, the recorded reason stays. */
export async function finish(
  tx: Writer,
  id: string,
  state: 'done' | 'error',
  reason: DeploymentReason | null | undefined,
  now: Date,
): Promise<void> {
  await update(tx, id, { state, reason: toColumn(reason), finishedAt: now.toISOString() })
}

/** Enters another phase, whose timeout begins now. If `reason` is undefined, the recorded reason stays. */
export async function enterPhase(
  tx: Writer,
  id: string,
  phase: DeploymentPhase,
  reason: DeploymentReason | undefined,
  now: Date,
): Promise<void> {
  await update(tx, id, { phase, reason: toColumn(reason), phaseAt: now.toISOString() })
}

/** Restarts the timeout of the current phase. If `reason` is undefined, the recorded reason stays. */
export async function restartPhase(
  tx: Writer,
  id: string,
  reason: DeploymentReason | null | undefined,
  now: Date,
): Promise<void> {
  await update(tx, id, { reason: toColumn(reason), phaseAt: now.toISOString() })
}

/** Records the progress of a deployment, or what it waits for; null: it does not wait any more. */
export async function recordReason(tx: Writer, id: string, reason: DeploymentReason | null): Promise<void> {
  await update(tx, id, { reason: toColumn(reason) })
}

type Changes = { [Column in keyof DeploymentTable]?: DeploymentTable[Column] | undefined }

/** Null clears the column; undefined leaves it unchanged. */
const toColumn = (reason: DeploymentReason | null | undefined) =>
  reason === null || reason === undefined ? reason : toJson(reason)

/** Changes a running deployment. Columns that are undefined are not changed. */
async function update(tx: Writer, id: string, changes: Changes): Promise<void> {
  await tx.updateTable('deployment').set(changes).where('id', '=', id).where('state', '=', 'running').execute()
}

/**
 * Changes the start times of running phases after the machine's clock was set. If the clock was set forward, moves the
 * start of each phase that began before that. If the clock was set back, moves each start that is now in the future.
 * @param nowMs the present time, in milliseconds since the epoch
 * @param byMs the change of the clock, in milliseconds; negative if the clock was set back
 */
export async function movePhases(tx: Writer, nowMs: number, byMs: number): Promise<void> {
  const rows = await tx.selectFrom('deployment').select(['id', 'phaseAt']).where('finishedAt', 'is', null).execute()
  for (const { id, phaseAt } of rows) {
    const atMs = Date.parse(phaseAt)
    if (byMs > 0 ? atMs > nowMs - byMs : atMs <= nowMs) continue
    await update(tx, id, { phaseAt: new Date(atMs + byMs).toISOString() })
  }
}

/** Deletes deployments that ended before `time`. */
export async function deleteEndedBefore(tx: Writer, time: Date): Promise<void> {
  await tx
    .deleteFrom('deployment')
    .where('state', '!=', 'running')
    .where('finishedAt', '<', time.toISOString())
    .execute()
}

export async function find(db: Reader, id: string | null): Promise<DeploymentTable | null> {
  if (id === null) return null
  const row = await db.selectFrom('deployment').selectAll().where('id', '=', id).executeTakeFirst()
  return row ?? null
}

/** @throws if there is no deployment with this id */
export async function get(db: Reader, id: string): Promise<DeploymentTable> {
  return db.selectFrom('deployment').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
}

export async function byId(db: Reader, ids: string[]): Promise<Map<string, DeploymentTable>> {
  const rows = await db.selectFrom('deployment').selectAll().where('id', 'in', ids).execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** Returns the newest deployment of the subject, or null. */
export async function lastOf(db: Reader, kind: SubjectKind, id: string): Promise<DeploymentTable | null> {
  const row = await db
    .selectFrom('deployment')
    .selectAll()
    .where('subjectKind', '=', kind)
    .where('subjectId', '=', id)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row ?? null
}

/** Returns those of the deployments that have ended. */
export async function findEndedDeployments(db: Reader, ids: string[]): Promise<EndedWork[]> {
  const rows = await db
    .selectFrom('deployment')
    .select(['id', 'state', 'reason'])
    .where('id', 'in', ids)
    .where('state', '!=', 'running')
    .execute()
  return rows.map((row) => ({ ...row, ...reasonAnswer(row.reason) }))
}
