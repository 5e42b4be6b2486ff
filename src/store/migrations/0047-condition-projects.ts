/**
 * Events of conditions have the project of the record, so that Berth can tell when a condition has left the reach of a
 * reader.
 */
import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'
import { replaceEventTriggers, type Watched } from './0034-events.ts'

const watchedConditions: Watched = {
  table: 'condition',
  kind: 'condition',
  project: 'row."projectId"',
  adminOnly: 'row."adminOnly"',
  shown: ['name', 'severity', 'subjectKind', 'subjectId', 'subjectName', 'projectId', 'since', 'endedAt'],
}

export const conditionProjects: Migration = { up: (db: Kysely<unknown>) => replaceEventTriggers(db, watchedConditions) }
