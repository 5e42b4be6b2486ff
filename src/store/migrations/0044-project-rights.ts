/**
 * Adds the rights by project: members of projects, accounts and tokens that do not reach all projects, and the project
 * of each database, which stays known after the database was removed. Existing accounts and tokens reach all projects.
 * The projects of databases that were removed before are unknown, so only callers that reach all projects see what is
 * left of them.
 */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { addEventTriggers, lastProject, replaceEventTriggers, type Watched, watchedRuns } from './0034-events.ts'

const statements = [
  `create table "projectMember" (
    "projectId" text not null references "project" ("id") on delete cascade,
    "accountId" text not null references "account" ("id") on delete cascade,
    "role" text not null check ("role" in ('viewer', 'developer', 'owner')), "createdAt" text not null,
    primary key ("projectId", "accountId")) without rowid`,
  `create index "projectMemberAccount" on "projectMember" ("accountId")`,
  `alter table "account" add column "allProjects" integer not null default 1 check ("allProjects" in (0, 1))`,
  `alter table "token" add column "projects" text`,
  `alter table "invitation" add column "projects" text`,
  `create table "projectOfDatabase" ("databaseId" text primary key,
    "projectId" text not null references "project" ("id") on delete cascade) without rowid`,
  `create index "projectOfDatabaseProject" on "projectOfDatabase" ("projectId")`,
  // The removal of a database clears its project before the row goes, so the last project is kept.
  `create trigger "projectOfDatabase-created" after insert on "database" when new."projectId" is not null
    begin insert or replace into "projectOfDatabase" values (new."id", new."projectId"); end`,
  `create trigger "projectOfDatabase-changed" after update of "projectId" on "database"
    when new."projectId" is not null and new."projectId" is not old."projectId"
    begin insert or replace into "projectOfDatabase" values (new."id", new."projectId"); end`,
  `insert into "projectOfDatabase" select "id", "projectId" from "database" where "projectId" is not null`,
  `alter table "volume" add column "databaseId" text`,
  `alter table "deployment" add column "databaseId" text`,
  `update "deployment" set "databaseId" = "subjectId" where "subjectKind" = 'database'`,
  `update "volume" set "databaseId" = "ownerId" where "ownerKind" = 'database'`,
]

/** The events of what is left of a database after the removal of its project name the last project, as long as events do. */
const projectOf = (id: string) =>
  `coalesce((select "projectId" from "projectOfDatabase" where "databaseId" = ${id}), ${lastProject(id)})`

/** Later migrations that add columns to the table make its triggers again. */
export const watchedVolumes: Watched = {
  table: 'volume',
  kind: 'volume',
  project: projectOf('row."databaseId"'),
  shown: ['kind', 'name', 'nodeName', 'state', 'ownerId', 'appName'],
}

/** Later migrations that add columns to the table make its triggers again. */
export const watchedDeployments: Watched = {
  table: 'deployment',
  kind: 'deployment',
  project: projectOf('row."databaseId"'),
  shown: ['subjectKind', 'subjectId', 'appName', 'action', 'state', 'phase'],
}

/** Later migrations that add columns to the table make its triggers again. */
export const watchedAccounts: Watched = {
  table: 'account',
  kind: 'account',
  adminOnly: '1',
  shown: ['email', 'rol', 'allProjects'],
  flags: ['allProjects'],
  ignored: ['lastSeenAt', 'pinStep'],
}

const watchedBackups: Watched = {
  table: 'backup',
  kind: 'backup',
  project: projectOf('row."databaseId"'),
  adminOnly: `row."subjectKind" = 'installation'`,
  shown: ['databaseId', 'destinationId', 'enabled', 'nextAt'],
  flags: ['enabled'],
}

export const projectRights: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db)
    await replaceEventTriggers(db, watchedVolumes)
    await replaceEventTriggers(db, watchedDeployments)
    await replaceEventTriggers(db, watchedBackups)
    await replaceEventTriggers(db, { ...watchedRuns, project: projectOf('row."databaseId"') })
    await replaceEventTriggers(db, watchedAccounts)
    await replaceEventTriggers(db, { table: 'invitation', kind: 'invitation', adminOnly: '1', shown: ['email', 'rol'] })
    await addEventTriggers(db, {
      table: 'projectMember',
      kind: 'member',
      id: 'accountId',
      project: 'row."projectId"',
      shown: ['accountId', 'role'],
    })
  },
}
