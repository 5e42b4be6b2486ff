-- A store of version 0002-kinds, created by test/store/generate.ts with Berth of commit 2d78db5,
-- and printed by `sqlite3 berth.db .dump`. The master key is the byte ab, 32 times.
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE IF NOT EXISTS "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
INSERT INTO kysely_migration VALUES('0001-first','2026-11-22T10:40:56.382Z');
INSERT INTO kysely_migration VALUES('0002-kinds','2026-11-22T10:40:56.390Z');
CREATE TABLE IF NOT EXISTS "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
INSERT INTO kysely_migration_lock VALUES('migration_lock',0);
CREATE TABLE IF NOT EXISTS "meta" ("key" text primary key, "value" text not null);
INSERT INTO meta VALUES('installationId','01a202d8-404f-7000-90d5-cb5ce6c76b27');
INSERT INTO meta VALUES('masterKeyProof','v1.c60ee442.N5BLfNIh7NaPSwXg6gEUq9BPt_zTpKipuX1BidSHPUQu');
CREATE TABLE IF NOT EXISTS "account" (
    "id" text primary key, "email" text not null, "emailKey" text not null unique, "passwordHash" text not null,
    "rol" text not null, "image" text not null, "is2FAEnabled" integer not null, "createdAt" text not null);
INSERT INTO account VALUES('01a202d8-41a7-7000-951a-ba2f9535e374','Ada@example.org','ada@example.org','$argon2id$v=19$m=19456,t=2,p=1$6MXGdhaUNn/SIdatpm05hg$gNKhqO9CRYLzOMi/KAkGXpDzwZiocrByzQGoRe6oMEw','admin','',0,'2026-11-22T10:40:56.743Z');
CREATE TABLE IF NOT EXISTS "token" (
    "id" text primary key, "hash" text not null unique, "kind" text not null,
    "accountId" text not null references "account" ("id") on delete cascade,
    "createdAt" text not null, "lastUsedAt" text not null, "expiresAt" text);
INSERT INTO token VALUES('01a202d8-41a7-7001-bab2-03d74f269370','ad55c91ddb6c7534ac13a498875321f6d5b6478e1c42e7d49bce4474b4363688','session','01a202d8-41a7-7000-951a-ba2f9535e374','2026-11-22T10:40:56.743Z','2026-11-22T10:40:56.743Z','2026-12-22T10:40:56.743Z');
INSERT INTO token VALUES('01a202d8-4369-7000-89b4-4d91b8e4c805','ea419f171bf72c4ab2745637f8738161c68f5dea5e5660ced980f9c6ef6f42db','api','01a202d8-41a7-7000-951a-ba2f9535e374','2026-11-22T10:40:57.193Z','2026-11-22T10:40:57.193Z',NULL);
CREATE TABLE IF NOT EXISTS "attempt" (
    "key" text primary key, "failures" integer not null, "blockedUntil" text not null, "updatedAt" text not null);
CREATE TABLE IF NOT EXISTS "idempotency" (
    "key" text not null, "accountId" text not null, "operation" text not null, "bodyHash" text not null,
    "answer" text not null, "deploymentIds" text not null, "createdAt" text not null,
    primary key ("key", "accountId", "operation"));
CREATE TABLE IF NOT EXISTS "project" (
    "id" text primary key, "name" text not null, "description" text, "createdAt" text not null);
INSERT INTO project VALUES('01a202d8-41c7-7000-966b-0bf7fb399fae','shop','of then','2026-11-22T10:40:56.775Z');
CREATE TABLE IF NOT EXISTS "volume" (
    "id" text primary key, "name" text not null unique, "kind" text not null, "dataPath" text not null, "nodeId" text not null, "nodeName" text not null, "nodeAddress" text not null,
    "databaseId" text,
    "state" text not null, "appName" text not null, "dockerImage" text not null, "settings" text not null,
    "secrets" text not null, "createdAt" text not null, "keptAt" text, "deploymentId" text, "serverVersion" text);
INSERT INTO volume VALUES('01a202d8-42ab-7000-ad53-8fab69b0be99','berth-01a202d8-42ab-7000-ad53-8fab69b0be99','postgres','/var/lib/postgresql/data','node1','memory','192.0.2.10','01a202d8-4205-7000-a317-04ddef2c9a28','attached','orders','postgres:15','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.Rm5lqBq1O8YtL8px4K3OzzpQtFDbUDEa5HUstWXNk1Vp_8b5fiyqPMvAj2fNGZBOxeUxGBDfHYVws2GSkdQlTSlv3jEqmDg','2026-11-22T10:40:57.006Z',NULL,NULL,'15');
INSERT INTO volume VALUES('01a202d8-431e-7000-8c34-a91cfacec349','berth-01a202d8-431e-7000-8c34-a91cfacec349','postgres','/var/lib/postgresql/data','node1','memory','192.0.2.10',NULL,'kept','kept','postgres:15','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.AEi07WtQNNHWLdL6g_HNV6rVPNL7FnTXAO4Dx7MD9tsYhZFyVGUPTCmpjYGfKUtd9pvsYcbNlbTy3Tl35rmTzL92CCIE0IM','2026-11-22T10:40:57.119Z','2026-11-22T10:40:57.187Z',NULL,'15');
CREATE TABLE IF NOT EXISTS "database" (
    "id" text primary key, "kind" text not null, "projectId" text references "project" ("id"),
    "name" text not null, "appName" text not null, "description" text, "dockerImage" text not null,
    "command" text, "env" text, "memoryReservation" double precision, "memoryLimit" double precision,
    "cpuReservation" double precision, "cpuLimit" double precision, "externalPort" integer unique,
    "applicationStatus" text not null, "statusReason" text, "createdAt" text not null,
    "settings" text not null, "secrets" text not null, "goal" text not null, "target" text, "lastGood" text,
    "pendingChanges" integer not null, "deploymentId" text, "volumeId" text references "volume" ("id"),
    "removeData" integer not null, "observed" text not null, "containerState" text, "downSince" text,
    "lastDeployedAt" text, "drift" text not null default '[]');
INSERT INTO "database" VALUES('01a202d8-4205-7000-a317-04ddef2c9a28','postgres','01a202d8-41c7-7000-966b-0bf7fb399fae','it','orders',NULL,'postgres:15','-c max_connections=50','KEY=of then',NULL,512.0,NULL,0.5,15432,'done',NULL,'2026-11-22T10:40:56.838Z','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.3TSuC17yo45YW2Ri9mm1T-Q6jFjad2zUPxJiI7uOO3efAnVbrP2EH911i733n-iRRFsYiRhbNw1hsaCCc9GtcBzQgxoFchw','up','v1.c60ee442.tLLkGPIVYFisBwGouEElpCRUD65NqGAGJXOvWUImWKkRO12K56DUf0xHenVafmo-f6TM9FImVcXnj1FQwu0jreVPQIinQ14zLngsjdu9MrJ2GuQ0XIycFMHnrpr4mVW56ouV1CRV_qS6ttllkNounuxDiTuh-HSftAg66jveP-n_lQHt5-hRLpLLTEJWdsMkjvSaH5MF2OCrdmnFJ3MrAfqjQsfffF9Lv9T0MCMd07osuutXIAv_xNH4j28y4L3uWO9hloW_8IsYJU2AeArsQlgpXJidjtOUmYmX4rIne579j4KS-mnQ2p6rVt6sXMpwqBKc-SgjJ9oZAQo2kwxGXnyBq8dgRHZGvotfG5fJDSRfb94Sfyf4Ig-6Tp6gU8dJVNoRpEadGW7nfUPMqahGyemTth5JicdB5rqjyZYHRfAwhnrJ','v1.c60ee442.RDHDRbq05ywH7qfiXU6H1coMce4869rZb3QIEapuFvoNgbYnnd5cMetIlFm_Uxc03rpL6ICQVPDZmJ0UxRsowxJrTZNF06s_O9U2bJYz9XTNMPzvnXaB14JN6nZrCAcIWQkiZlMB82GauVyu82zdQ3-o8rFnBCKjQgf8QPLiBk8R3L30aLbaiclgFpkX_IWyXjj5VSSPN9mnuWsQPKMR8dLwPQG4CHpNPJnfSP6C4lhIVrX7J8XI7crKvOmJSuzF7YvAVTKa07Qn9_a1r7s54U7zXIK8iDP0GIZrmbIK6wdFvxsdSmVHr2QaI1WLe2iHmuulBKFl9CVoak6nF9Ns792lmWzG5yLg6CjBE_1A8IbPnW0XhyTCqN6f27IPGLWat25FHJqjgP1xgtgCGyd4KJViwqovmfOry9K8gfCXj0qshhOG',0,NULL,'01a202d8-42ab-7000-ad53-8fab69b0be99',0,'up','running',NULL,'2026-11-22T10:40:57.063Z','[]');
INSERT INTO "database" VALUES('01a202d8-42f8-7000-9d33-286946da7d25','postgres','01a202d8-41c7-7000-966b-0bf7fb399fae','it','never-deployed',NULL,'postgres:15',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'idle',NULL,'2026-11-22T10:40:57.081Z','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.ZZyaESDWTDYRqvLXziustXKifCLpHqfuL8Ww2Zu1LZO4lcULHqxf2smt0p6aTR7xEYWxFb2Ivpa_EEPU5p520Yq5OlxLeFE','none',NULL,NULL,0,NULL,NULL,0,'unknown',NULL,NULL,NULL,'[]');
CREATE TABLE IF NOT EXISTS "deployment" (
    "id" text primary key, "databaseId" text not null, "action" text not null, "state" text not null,
    "phase" text not null, "reason" text, "startedAt" text not null, "phaseAt" text not null, "finishedAt" text);
INSERT INTO deployment VALUES('01a202d8-42a1-7000-8c82-6a7bd13454d0','01a202d8-4205-7000-a317-04ddef2c9a28','deploy','done','apply',NULL,'2026-11-22T10:40:56.993Z','2026-11-22T10:40:56.993Z','2026-11-22T10:40:57.064Z');
INSERT INTO deployment VALUES('01a202d8-4315-7000-afb7-28f92f588134','01a202d8-4309-7000-8881-4ff6baf247be','deploy','done','apply',NULL,'2026-11-22T10:40:57.109Z','2026-11-22T10:40:57.109Z','2026-11-22T10:40:57.157Z');
INSERT INTO deployment VALUES('01a202d8-434e-7000-a6c9-be13f7017b5e','01a202d8-4309-7000-8881-4ff6baf247be','remove','done','apply',NULL,'2026-11-22T10:40:57.166Z','2026-11-22T10:40:57.166Z','2026-11-22T10:40:57.187Z');
CREATE TABLE IF NOT EXISTS "foreignService" ("name" text primary key);
CREATE INDEX "tokenAccount" on "token" ("accountId");
CREATE INDEX "volumeState" on "volume" ("state");
CREATE UNIQUE INDEX "databaseAppName" on "database" (lower("appName"));
CREATE INDEX "databaseProject" on "database" ("projectId", "id");
CREATE INDEX "databaseWork" on "database" ("deploymentId") where "deploymentId" is not null;
CREATE INDEX "deploymentDatabase" on "deployment" ("databaseId");
COMMIT;
