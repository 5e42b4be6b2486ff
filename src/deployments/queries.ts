/** The statements on deployments. No other file writes to this table. */
import { toJson } from '../lib/json.ts'
import type { Reader, Writer } from '../store/schema.ts'
import type { DeploymentReason } from './reason.ts'
import type { DeploymentAction, DeploymentPhase, DeploymentTable, SubjectKind } from './table.ts'

export interface Subject {
  kind: SubjectKind
  id: string
  /** See `kind` and `appName` of DeploymentTable. */
  type: string
  name: string
}

interface Named {
  id: string
  kind: string
  appName: string
}

/** A database or a volume as the subject of work. */
export const subjectOf = (kind: 'database' | 'volume', row: Named): Subject => ({
  kind,
  id: row.id,
  type: row.kind,
  name: row.appName,
})

/** A new deployment. `id` is the id that the caller follows. */
export interface Start {
  id: string
  action: DeploymentAction
  subject: Subject
  /** `apply` if absent. */
  phase?: DeploymentPhase
  reason?: DeploymentReason | null
}

/** Records that work has begun. */
export async function begin(tx: Writer, start: Start, now: Date): Promise<void> {
  await insert(tx, start, now, {})
}

/** Records work that is over already. `startedAt` is when the work began. */
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

/** Ends work because a later call overtook it. Work that has ended already stays as it ended. */
export async function supersede(tx: Writer, id: string, now: Date): Promise<void> {
  await update(tx, id, { state: 'superseded', finishedAt: now.toISOString() })
}

/** Ends work. `undefined` as the reason keeps the recorded one. Work that has ended already stays as it ended. */
export async function finish(
  tx: Writer,
  id: string,
  state: 'done' | 'error',
  reason: DeploymentReason | null | undefined,
  now: Date,
): Promise<void> {
  await update(tx, id, { state, reason: toColumn(reason), finishedAt: now.toISOString() })
}

/** Goes on with another phase, whose time begins now. `undefined` as the reason keeps the recorded one. */
export async function enterPhase(
  tx: Writer,
  id: string,
  phase: DeploymentPhase,
  reason: DeploymentReason | undefined,
  now: Date,
): Promise<void> {
  await update(tx, id, { phase, reason: toColumn(reason), phaseAt: now.toISOString() })
}

/** Gives the present phase its whole time again. `undefined` as the reason keeps the recorded one. */
export async function restartPhase(
  tx: Writer,
  id: string,
  reason: DeploymentReason | null | undefined,
  now: Date,
): Promise<void> {
  await update(tx, id, { reason: toColumn(reason), phaseAt: now.toISOString() })
}

/** Records how far the work has come or what delays it. */
export async function recordReason(tx: Writer, id: string, reason: DeploymentReason): Promise<void> {
  await update(tx, id, { reason: toJson(reason) })
}

type Changes = { [Column in keyof DeploymentTable]?: DeploymentTable[Column] | undefined }

/** Null and `undefined` stay what they are. */
const toColumn = (reason: DeploymentReason | null | undefined) =>
  reason === null || reason === undefined ? reason : toJson(reason)

/** Changes running work only; a column that is undefined stays as it is. */
async function update(tx: Writer, id: string, changes: Changes): Promise<void> {
  await tx.updateTable('deployment').set(changes).where('id', '=', id).where('state', '=', 'running').execute()
}

/**
 * Moves the start of running phases by `byMs`, because the machine's clock was set by so much. A phase that began after
 * the clock was set is not moved.
 */
export async function movePhases(tx: Writer, nowMs: number, byMs: number): Promise<void> {
  const rows = await tx.selectFrom('deployment').select(['id', 'phaseAt']).where('finishedAt', 'is', null).execute()
  for (const { id, phaseAt } of rows) {
    const atMs = Date.parse(phaseAt)
    if (byMs > 0 ? atMs > nowMs - byMs : atMs <= nowMs) continue
    await update(tx, id, { phaseAt: new Date(atMs + byMs).toISOString() })
  }
}

/** Deletes work that ended before the time. */
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

/** Throws if there is no such deployment. */
export async function get(db: Reader, id: string): Promise<DeploymentTable> {
  return db.selectFrom('deployment').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
}

export async function byId(db: Reader, ids: string[]): Promise<Map<string, DeploymentTable>> {
  const rows = await db.selectFrom('deployment').selectAll().where('id', 'in', ids).execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** The work on the subject that began last, if any. */
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
