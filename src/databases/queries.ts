/** Statements on databases for other features. */
import { toJson } from '../lib/json.ts'
import type { DatabaseTable, Writer } from '../store/schema.ts'
import { noDrift, type StatusReason } from './status.ts'

/**
 * Marks a database as down because the outcome of its deployment is unknown. If the database should be running, the
 * watch loop marks it as up after a successful login.
 */
export async function failForUnknownOutcome(tx: Writer, id: string, status: StatusReason): Promise<void> {
  await tx
    .updateTable('database')
    .set({ deploymentId: null, applicationStatus: 'error', statusReason: toJson(status), observed: 'down' })
    .where('id', '=', id)
    .execute()
}

/** Marks the database as failed because its data is lost. Does not change a database that is being removed. */
export async function failForLostData(tx: Writer, id: string, status: StatusReason, now: Date): Promise<void> {
  await tx
    .updateTable('database')
    .set({
      applicationStatus: 'error',
      statusReason: toJson(status),
      observed: 'down',
      containerState: 'missing',
      downSince: now.toISOString(),
    })
    .where('id', '=', id)
    .where('goal', '!=', 'gone')
    .execute()
}

/** Inserts the record of a database that runs already. Call `takeWhatRuns` afterwards. */
export async function insertRunning(tx: Writer, row: DatabaseTable): Promise<void> {
  await tx.insertInto('database').values(row).execute()
}

/** Deletes the record of a database without a change of what runs. The caller decides about the volume. */
export async function forgetDatabase(tx: Writer, id: string): Promise<void> {
  await tx.deleteFrom('database').where('id', '=', id).execute()
}

type Taken = Pick<DatabaseTable, 'goal' | 'volumeId'> & Partial<Pick<DatabaseTable, 'target' | 'projectId'>>

/**
 * Records what runs as what should run. The watch loop then logs in, and reports the database as up or why it is not.
 */
export async function takeWhatRuns(tx: Writer, id: string, taken: Taken, status: StatusReason): Promise<void> {
  const unproven = { provenTask: null, removeData: 0, drift: noDrift } as const
  await tx
    .updateTable('database')
    .set({ ...taken, ...unproven })
    .where('id', '=', id)
    .execute()
  if (taken.goal === 'stopped') await recordAsStopped(tx, id)
  else await failForUnknownOutcome(tx, id, status)
}

/** Records that the database was stopped. Does not change what runs. */
export async function recordAsStopped(tx: Writer, id: string): Promise<void> {
  const stopped = {
    goal: 'stopped',
    observed: 'unknown',
    containerState: null,
    downSince: null,
    drift: noDrift,
  } as const
  await tx
    .updateTable('database')
    .set({ ...stopped, deploymentId: null, applicationStatus: 'idle', statusReason: null })
    .where('id', '=', id)
    .execute()
}

/** Replaces the id of a node in the databases that require this node. */
export async function requireOtherNode(tx: Writer, from: string, to: string): Promise<void> {
  await tx.updateTable('database').set({ node: to }).where('node', '=', from).execute()
}
