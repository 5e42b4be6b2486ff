/** Adds the channels of alerts, what each was notified of, the queue of messages, and the mutes. */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { addEventTriggers } from './0034-events.ts'

export const alerts: Migration = {
  async up(db: Kysely<unknown>) {
    const statements = [
      `create table "channel" (
        "id" text primary key not null, "name" text not null, "type" text not null, "settings" text not null,
        "minSeverity" text not null, "projectIds" text, "conditions" text, "repeatHours" integer,
        "enabled" integer not null, "lastSuccessAt" text, "lastErrorAt" text, "lastError" text,
        "createdAt" text not null)`,
      `create table "notification" (
        "channelId" text not null references "channel" ("id") on delete cascade, "key" text not null,
        "state" text not null, "severity" text not null, "conditionIds" text not null, "firstRaisedAt" text not null,
        "lastSentAt" text not null, "nextChangeAt" text not null, primary key ("channelId", "key"))`,
      `create table "delivery" (
        "id" text primary key not null, "channelId" text not null references "channel" ("id") on delete cascade,
        "message" text not null, "state" text not null, "createdAt" text not null, "nextAttemptAt" text not null,
        "attempts" integer not null, "fault" text, "endedAt" text)`,
      `create index "deliveryChannel" on "delivery" ("channelId", "state")`,
      `create index "deliveryWaiting" on "delivery" ("id") where "state" = 'waiting'`,
      `create index "deliveryEnded" on "delivery" ("endedAt") where "endedAt" is not null`,
      `create table "mute" (
        "id" text primary key not null, "subjectKind" text not null, "subjectId" text not null, "condition" text,
        "until" text not null, "createdAt" text not null)`,
    ]
    for (const statement of statements) await sql.raw(statement).execute(db)
    await addEventTriggers(db, {
      table: 'channel',
      kind: 'channel',
      adminOnly: '1',
      shown: ['name', 'type', 'enabled', 'lastSuccessAt', 'lastErrorAt'],
      flags: ['enabled'],
    })
    await addEventTriggers(db, {
      table: 'mute',
      kind: 'mute',
      adminOnly: '1',
      shown: ['subjectKind', 'subjectId', 'condition', 'until'],
    })
  },
}
