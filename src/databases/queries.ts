/** Statements on databases for other features. */
import { toJson } from '../lib/json.ts'
import type { Writer } from '../store/schema.ts'
import type { StatusReason } from './status.ts'

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

/** The tables with what is left of a removed database, and still finds its project by the id of the database. */
const leftovers = ['backup', 'backupRun', 'volume', 'deployment'] as const

/** Deletes the projects of removed databases of which nothing is left. */
export async function forgetProjectsOfRemovedDatabases(tx: Writer): Promise<void> {
  await tx
    .deleteFrom('projectOfDatabase')
    .where('databaseId', 'not in', (from) => from.selectFrom('database').select('id'))
    .where(({ not, and, exists, selectFrom }) =>
      and(
        leftovers.map((table) =>
          not(
            exists(selectFrom(table).select('id').whereRef(`${table}.databaseId`, '=', 'projectOfDatabase.databaseId')),
          ),
        ),
      ),
    )
    .execute()
}
