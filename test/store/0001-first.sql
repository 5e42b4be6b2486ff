-- A store of version 0001-first, created by test/store/generate.ts with Berth of commit 68d6d12,
-- and printed by `sqlite3 berth.db .dump`. The master key is the byte ab, 32 times.
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE IF NOT EXISTS "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
INSERT INTO kysely_migration VALUES('0001-first','2026-11-22T10:40:53.739Z');
CREATE TABLE IF NOT EXISTS "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
INSERT INTO kysely_migration_lock VALUES('migration_lock',0);
CREATE TABLE IF NOT EXISTS "meta" ("key" text primary key, "value" text not null);
INSERT INTO meta VALUES('installationId','01a202d8-35f1-7000-8291-ba416d8c4459');
INSERT INTO meta VALUES('masterKeyProof','v1.c60ee442.u4fb0Y9sOrR-VkMPW6-p-Tiq2yKbWDEpjpNou2_0uYuA');
CREATE TABLE IF NOT EXISTS "account" (
    "id" text primary key, "email" text not null, "emailKey" text not null unique, "passwordHash" text not null,
    "rol" text not null, "image" text not null, "is2FAEnabled" integer not null, "createdAt" text not null);
INSERT INTO account VALUES('01a202d8-372b-7000-966b-d7c79706d2a3','Ada@example.org','ada@example.org','$argon2id$v=19$m=19456,t=2,p=1$JdP8ZTqDgE7QDy8Sv0LM4w$zmabtKZlzsy8KtgReE7YLiLb/QKCJmG2SPVwtbXg8uY','admin','',0,'2026-11-22T10:40:54.059Z');
CREATE TABLE IF NOT EXISTS "token" (
    "id" text primary key, "hash" text not null unique, "kind" text not null,
    "accountId" text not null references "account" ("id") on delete cascade,
    "createdAt" text not null, "lastUsedAt" text not null, "expiresAt" text);
INSERT INTO token VALUES('01a202d8-372b-7001-b2eb-04c4169e5517','6bd42180b5b597abd01ea7962fb6f316b4739f7539f03ca08436996887931155','session','01a202d8-372b-7000-966b-d7c79706d2a3','2026-11-22T10:40:54.059Z','2026-11-22T10:40:54.059Z','2026-12-22T10:40:54.059Z');
INSERT INTO token VALUES('01a202d8-383d-7000-b2e5-0c0e00a2a933','18febdf197bb4d70fb5ba08a3f977773cb8f0ca0412b3ada94a64cb4d1d9555f','api','01a202d8-372b-7000-966b-d7c79706d2a3','2026-11-22T10:40:54.333Z','2026-11-22T10:40:54.333Z',NULL);
CREATE TABLE IF NOT EXISTS "attempt" (
    "key" text primary key, "failures" integer not null, "blockedUntil" text not null, "updatedAt" text not null);
CREATE TABLE IF NOT EXISTS "idempotency" (
    "key" text not null, "accountId" text not null, "operation" text not null, "bodyHash" text not null,
    "answer" text not null, "deploymentIds" text not null, "createdAt" text not null,
    primary key ("key", "accountId", "operation"));
CREATE TABLE IF NOT EXISTS "project" (
    "id" text primary key, "name" text not null, "description" text, "createdAt" text not null);
INSERT INTO project VALUES('01a202d8-3770-7000-a442-60025fc33702','shop','of then','2026-11-22T10:40:54.128Z');
CREATE TABLE IF NOT EXISTS "volume" (
    "id" text primary key, "name" text not null unique, "kind" text not null, "version" integer,
    "dataPath" text not null, "nodeId" text not null, "nodeName" text not null, "nodeAddress" text not null,
    "databaseId" text,
    "state" text not null, "appName" text not null, "dockerImage" text not null, "settings" text not null,
    "secrets" text not null, "createdAt" text not null, "keptAt" text, "deploymentId" text);
INSERT INTO volume VALUES('01a202d8-37b3-7000-b5f7-1d96c9364a07','berth-01a202d8-37b3-7000-b5f7-1d96c9364a07','postgres',15,'/var/lib/postgresql/data','node1','memory','192.0.2.10','01a202d8-3779-7000-8d1c-264aa8851bc9','attached','orders','postgres:15','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.eGCTB5VUiU0w2YHWdRPzczVtEMJsy2Oaw49dtTxXOcdIkG8S9LyTjRqm5OMGsidUkE2iUTqD6vUPc4w8yyFnEl04foFyNKs','2026-11-22T10:40:54.195Z',NULL,NULL);
INSERT INTO volume VALUES('01a202d8-3818-7000-8b37-ff2fc047fd95','berth-01a202d8-3818-7000-8b37-ff2fc047fd95','postgres',15,'/var/lib/postgresql/data','node1','memory','192.0.2.10',NULL,'kept','kept','postgres:15','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.9NjDMeEbRQBeyKcJqdhCiUgzhlVwdf2TzUPZoA68s1n4o7v2wLv6nFwR0VGZLjkpu9pVpDJjFEZs2VHjOxlpLlrLjjHD4sE','2026-11-22T10:40:54.296Z','2026-11-22T10:40:54.326Z',NULL);
CREATE TABLE IF NOT EXISTS "database" (
    "id" text primary key, "kind" text not null, "projectId" text references "project" ("id"),
    "name" text not null, "appName" text not null, "description" text, "dockerImage" text not null,
    "command" text, "env" text, "memoryReservation" double precision, "memoryLimit" double precision,
    "cpuReservation" double precision, "cpuLimit" double precision, "externalPort" integer unique,
    "applicationStatus" text not null, "statusReason" text, "createdAt" text not null,
    "settings" text not null, "secrets" text not null, "goal" text not null, "target" text, "lastGood" text,
    "pendingChanges" integer not null, "deploymentId" text, "volumeId" text references "volume" ("id"),
    "removeData" integer not null, "observed" text not null, "containerState" text, "downSince" text,
    "lastDeployedAt" text);
INSERT INTO "database" VALUES('01a202d8-3779-7000-8d1c-264aa8851bc9','postgres','01a202d8-3770-7000-a442-60025fc33702','it','orders',NULL,'postgres:15','-c max_connections=50','KEY=of then',NULL,512.0,NULL,0.5,15432,'done',NULL,'2026-11-22T10:40:54.138Z','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.LZIOryx_ht1G6vvMy8IQTTELsgHheQVAgn_2t4NAKnV-fyfJ0JH-zciSMWg0IxQK5CRWUMExvYXdhCju0FgUUMfADNPZkd0','up','v1.c60ee442.xbuw7IlDj5VmuyYQxM7VepOIrq2i-9-8vlQGn25qF6gM-aClGExq2w6rU0g-lgETrKEt2EcVSbr1XkNgOlVdZFbyoOEgUnS7QXVCTq-ClkVYPLPq_t-c35-HzDYuk8EC6ZrUu7oaulsY-pPvW6de5Y-BWnmdBGWErLmjyyT_AkQ1aIPGAZ4e7TZ0WO0UfNvjreOoFfv9tHzMiTcoSrdfWdwn7GC0sKQB2i2ObBimnShPqkrB9M1KV8l3SxQ49CXKiYZFUaYtWi2CRckpLh4tsLT1SRHWNwakO9Vjy-Jos9rJYe5MteNo3j4zAT9d2RYqVaj5HR5vhkTSDK2EcrYgT_mecP5pMan-HM5YuV5NaxRTMXstjbzeQuaYmW_9VcRJMvMRJvfEt1_wkDSGJJ41U7JZJ9aU7Tdplkuq2b4DSy9yapRl','v1.c60ee442.KjBpnNAujixXdKrsFO9daZJAfWu1qy4qj9rjX05g6UZMVKPrvDFdWapA4hzKf2lIal--aWa28wZqJajcc8XaEt0IQG5FGfyQtZw4GdXdSj3WTFb2jda4XS4IwAB6f2doizxUqFX2VuTrnYNqnKVNVqGl4Ay7oMlYOWo7IDcJCbvzQCjjA3mzRymay0q094XfFUtoUjzzy0csQUFJpgffMsx0XgmP1Q00lRYPtcZQ7HRGrm0d-v3qOq_iaZAjNMdF2kSCkD4r1AqTQUO5nixutC9F0s6gtuF_WDwWigcYajRgNnQV6Ln6n4xsjUHUN5Gx2EjpviuQuwnQ5kWfFMg1Uia6Zu0S5J6RYsPr8Is57WQ915yLVuClHTqbx-JmzvoHmFrdOdvE6N5tn6URB9Q8CNqCaeMD18GCORetJuBCaJnkF87F',0,NULL,'01a202d8-37b3-7000-b5f7-1d96c9364a07',0,'up','running',NULL,'2026-11-22T10:40:54.267Z');
INSERT INTO "database" VALUES('01a202d8-3805-7000-8fd0-0140bbd91f90','postgres','01a202d8-3770-7000-a442-60025fc33702','it','never-deployed',NULL,'postgres:15',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'idle',NULL,'2026-11-22T10:40:54.277Z','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.fpsfXm5w57rwHjwX0KmMCKPuw8TaRRnM7EOoSTgv5L_MjW9hnWeQmkpMIkbA_hqE1YWwES2VSLJLvJHh62Z-BgEniYeHDzg','none',NULL,NULL,0,NULL,NULL,0,'unknown',NULL,NULL,NULL);
CREATE TABLE IF NOT EXISTS "deployment" (
    "id" text primary key, "databaseId" text not null, "action" text not null, "state" text not null,
    "phase" text not null, "reason" text, "startedAt" text not null, "phaseAt" text not null, "finishedAt" text);
INSERT INTO deployment VALUES('01a202d8-37aa-7000-b980-37bdc14e5e43','01a202d8-3779-7000-8d1c-264aa8851bc9','deploy','done','apply',NULL,'2026-11-22T10:40:54.186Z','2026-11-22T10:40:54.186Z','2026-11-22T10:40:54.269Z');
INSERT INTO deployment VALUES('01a202d8-3815-7000-9e7a-c6c12cc6bc0d','01a202d8-3810-7000-818a-05c24e2e7164','deploy','done','apply',NULL,'2026-11-22T10:40:54.293Z','2026-11-22T10:40:54.293Z','2026-11-22T10:40:54.311Z');
INSERT INTO deployment VALUES('01a202d8-3830-7000-96e5-f1adb7c0d294','01a202d8-3810-7000-818a-05c24e2e7164','remove','done','apply',NULL,'2026-11-22T10:40:54.320Z','2026-11-22T10:40:54.320Z','2026-11-22T10:40:54.324Z');
CREATE TABLE IF NOT EXISTS "foreignService" ("name" text primary key);
CREATE INDEX "tokenAccount" on "token" ("accountId");
CREATE INDEX "volumeState" on "volume" ("state");
CREATE UNIQUE INDEX "databaseAppName" on "database" (lower("appName"));
CREATE INDEX "databaseProject" on "database" ("projectId", "id");
CREATE INDEX "databaseWork" on "database" ("deploymentId") where "deploymentId" is not null;
CREATE INDEX "deploymentDatabase" on "deployment" ("databaseId");
COMMIT;
