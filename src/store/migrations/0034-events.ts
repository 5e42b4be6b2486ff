/** Adds the events: one row for each change of a record that clients can follow, written by triggers of the store. */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** A table whose changes are events. */
export interface Watched {
  table: string
  /** The kind of record in the event. */
  kind: string
  /** The column with the id of the record; `id` by default. */
  id?: string
  /** An SQL expression for the id of the project, or null. `row` stands for the changed row. */
  project?: string
  /** An SQL condition: other rows cause no events. */
  only?: string
  /** An SQL condition: only administrators may read the event. */
  adminOnly?: string
  /** The columns whose values are part of the event. They contain no secrets. */
  shown: string[]
  /** Those of the shown columns that are 1 for true and 0 for false. */
  flags?: string[]
  /** The columns whose change alone is no event. */
  ignored?: string[]
}

/** A database that is being removed has no project any more: its events still name the last one. */
function lastProject(id: string): string {
  return `(select "projectId" from "event" where "kind" = 'database' and "recordId" = ${id} and "projectId" is not null
    order by "seq" desc limit 1)`
}

function projectOfDatabase(id: string): string {
  return `coalesce((select "projectId" from "database" where "id" = ${id}), ${lastProject(id)})`
}

const ofInstallation = `row."subjectKind" = 'installation'`

/** Later migrations that add a column to databases make the triggers again. */
export const watchedDatabase: Watched = {
  table: 'database',
  kind: 'database',
  project: `coalesce(row."projectId", ${lastProject('row."id"')})`,
  shown: [
    'kind',
    'name',
    'appName',
    'projectId',
    'applicationStatus',
    'containerState',
    'pendingChanges',
    'deploymentId',
  ],
  flags: ['pendingChanges'],
  ignored: ['provenTask'],
}

/** Later migrations that add a column to runs make the triggers again. */
export const watchedRun: Watched = {
  table: 'backupRun',
  kind: 'run',
  project: projectOfDatabase('row."databaseId"'),
  adminOnly: ofInstallation,
  shown: ['backupId', 'databaseId', 'destinationId', 'action', 'trigger', 'status', 'step', 'progressBytes'],
}

export const watchedApplication: Watched = {
  table: 'application',
  kind: 'application',
  only: 'row."isOwn" = 0',
  shown: ['name', 'replicas', 'running'],
}

export const watchedDestination: Watched = { table: 'destination', kind: 'destination', shown: ['name'] }

const watched: readonly Watched[] = [
  { table: 'project', kind: 'project', project: 'row."id"', shown: ['name'] },
  watchedDatabase,
  {
    table: 'deployment',
    kind: 'deployment',
    project: projectOfDatabase('row."subjectId"'),
    shown: ['subjectKind', 'subjectId', 'appName', 'action', 'state', 'phase'],
  },
  {
    table: 'backup',
    kind: 'backup',
    project: projectOfDatabase('row."databaseId"'),
    adminOnly: ofInstallation,
    shown: ['databaseId', 'destinationId', 'enabled', 'nextAt'],
    flags: ['enabled'],
  },
  watchedRun,
  watchedDestination,
  {
    table: 'volume',
    kind: 'volume',
    project: projectOfDatabase('row."ownerId"'),
    shown: ['kind', 'name', 'nodeName', 'state', 'ownerId', 'appName'],
  },
  { table: 'node', kind: 'node', adminOnly: '1', shown: ['hostname', 'state', 'deploymentId'] },
  watchedApplication,
  { table: 'redirect', kind: 'redirect', shown: ['applicationId'] },
  { table: 'security', kind: 'security', shown: ['applicationId', 'username'] },
  {
    table: 'port',
    kind: 'port',
    shown: ['applicationId', 'publishedPort', 'protocol', 'goal', 'applied'],
    flags: ['applied'],
  },
  { table: 'certificate', kind: 'certificate', shown: ['name', 'renewedAt'] },
  { table: 'issuance', kind: 'hostName', id: 'name', shown: ['notAfter', 'nextTryAt'] },
  { table: 'registry', kind: 'registry', shown: ['registryName', 'registryType'] },
  { table: 'registryServer', kind: 'registryServer', shown: ['registryId', 'status', 'goal'] },
  { table: 'account', kind: 'account', adminOnly: '1', shown: ['email', 'rol'], ignored: ['lastSeenAt', 'pinStep'] },
  { table: 'invitation', kind: 'invitation', adminOnly: '1', shown: ['email', 'rol'] },
]

export const events: Migration = {
  async up(db: Kysely<unknown>) {
    await sql
      .raw(`create table "event" (
        "seq" integer primary key autoincrement, "at" text not null, "kind" text not null, "recordId" text not null,
        "change" text not null, "projectId" text, "adminOnly" integer not null, "data" text not null)`)
      .execute(db)
    // The only index, because each index is one more page in every commit.
    await sql
      .raw(`create index "eventDatabase" on "event" ("recordId", "seq")
        where "kind" = 'database' and "projectId" is not null`)
      .execute(db)
    for (const each of watched) await addEventTriggers(db, each)
  },
}

/** Removes the triggers of a table, so that `addEventTriggers` can make them again with another list of columns. */
export async function dropEventTriggers(db: Kysely<unknown>, { table }: Watched): Promise<void> {
  for (const name of ['created', 'changed', 'removed', 'left'])
    await sql`drop trigger if exists ${sql.id(`${table}-${name}`)}`.execute(db)
}

/** Makes the changes of a table events. Later migrations call this for their tables. */
export async function addEventTriggers(db: Kysely<unknown>, watched: Watched): Promise<void> {
  const columns = await columnsOf(db, watched.table)
  for (const statement of triggersOf(watched, columns)) await sql.raw(statement).execute(db)
}

async function columnsOf(db: Kysely<unknown>, table: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select "name" from pragma_table_info(${table})`.execute(db)
  return rows.map(({ name }) => name)
}

/** The statement that makes each change. */
const statementOf = { created: 'insert', changed: 'update', removed: 'delete' } as const
type Change = keyof typeof statementOf

function triggersOf({ table, ignored = [], only = '1', ...what }: Watched, columns: string[]): string[] {
  const compared = columns.filter((name) => !ignored.includes(name))
  const isChanged = compared.map((name) => `old."${name}" is not new."${name}"`).join(' or ')
  const trigger = (change: Change, row: 'old' | 'new', when: string) =>
    `create trigger "${table}-${change}" after ${statementOf[change]} on "${table}"
      when (${when}) and ${ofRow(only, row)} begin ${insertInto(what, change, row)}; end`
  const triggers = [
    trigger('created', 'new', '1'),
    trigger('changed', 'new', isChanged),
    trigger('removed', 'old', '1'),
  ]
  return columns.includes('projectId') ? [...triggers, leavingTrigger({ table, ...what })] : triggers
}

/** A record that moves to another project is an event of the former project, too. */
const leavingTrigger = ({ table, ...what }: Omit<Watched, 'ignored' | 'only'>) =>
  `create trigger "${table}-left" after update of "projectId" on "${table}"
    when old."projectId" is not null and new."projectId" is not null and old."projectId" <> new."projectId"
    begin ${insertInto({ ...what, project: 'old."projectId"' }, 'changed', 'new')}; end`

const ofRow = (expression: string, row: string) => expression.replaceAll('row.', `${row}.`)

function insertInto(
  {
    kind,
    id = 'id',
    project = 'null',
    adminOnly = '0',
    shown,
    flags = [],
  }: Omit<Watched, 'table' | 'ignored' | 'only'>,
  change: string,
  row: string,
) {
  const shownValue = (name: string) =>
    flags.includes(name) ? `json(iif(${row}."${name}", 'true', 'false'))` : `${row}."${name}"`
  const pairs = shown.map((name) => `'${name}', ${shownValue(name)}`).join(', ')
  return `insert into "event" ("at", "kind", "recordId", "change", "projectId", "adminOnly", "data")
    values (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), '${kind}', ${row}."${id}", '${change}', ${ofRow(project, row)},
      coalesce(${ofRow(adminOnly, row)}, 0), json_object(${pairs}))`
}
