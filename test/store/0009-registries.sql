-- A store of version 0009-registries, created by test/store/generate.ts with Berth of commit 5eef199,
-- and printed by `sqlite3 berth.db .dump`. The master key is the byte ab, 32 times.
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE IF NOT EXISTS "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
INSERT INTO kysely_migration VALUES('0001-first','2026-11-22T10:41:15.724Z');
INSERT INTO kysely_migration VALUES('0002-kinds','2026-11-22T10:41:15.727Z');
INSERT INTO kysely_migration VALUES('0003-named-deployments','2026-11-22T10:41:15.728Z');
INSERT INTO kysely_migration VALUES('0004-accounts','2026-11-22T10:41:15.769Z');
INSERT INTO kysely_migration VALUES('0005-sealing','2026-11-22T10:41:15.776Z');
INSERT INTO kysely_migration VALUES('0006-destinations','2026-11-22T10:41:15.778Z');
INSERT INTO kysely_migration VALUES('0007-backups','2026-11-22T10:41:15.786Z');
INSERT INTO kysely_migration VALUES('0008-routing','2026-11-22T10:41:15.791Z');
INSERT INTO kysely_migration VALUES('0009-registries','2026-11-22T10:41:15.792Z');
CREATE TABLE IF NOT EXISTS "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
INSERT INTO kysely_migration_lock VALUES('migration_lock',0);
CREATE TABLE IF NOT EXISTS "meta" ("key" text primary key, "value" text not null);
INSERT INTO meta VALUES('installationId','01a202d8-8c2c-7000-aead-5d0d76037d73');
INSERT INTO meta VALUES('masterKeyProof','v1.c60ee442.5Ux1dJMWYzwFVl8ttBOO6_O5nAN5JoVo3CXBQ_ypPDc5');
INSERT INTO meta VALUES('fingerprintKey','v1.c60ee442.5y-RuBfnNRH-O-ERZ1GB_5uzkHQT7Ixhxws-zjfVWr2tho8HYotJoqCaweuU_tSRHwqTMSY0xFCk59DER_IlN7V8pE9GXqvR');
CREATE TABLE IF NOT EXISTS "account" (
    "id" text primary key, "email" text not null, "emailKey" text not null unique, "passwordHash" text not null,
    "rol" text not null, "image" text not null, "is2FAEnabled" integer not null, "createdAt" text not null, "secret" text, "pinStep" integer not null default 0, "lastSeenAt" text);
INSERT INTO account VALUES('01a202d8-8d76-7000-83ff-8266c3092ce3','Ada@example.org','ada@example.org','$argon2id$v=19$m=19456,t=2,p=1$vp7CAwe+55ceR5EOw2ludg$JKM8aeM/TLPyBXaARKZSp+kmBH9JZSUwxklfmRbcVrM','admin','',0,'2026-11-22T10:41:16.151Z',NULL,0,'2026-11-22T10:41:16.151Z');
CREATE TABLE IF NOT EXISTS "token" (
    "id" text primary key, "hash" text not null unique, "kind" text not null,
    "accountId" text not null references "account" ("id") on delete cascade,
    "createdAt" text not null, "lastUsedAt" text not null, "expiresAt" text, "address" text not null default '', "name" text, "scope" text, "passed2FA" integer not null default 0, "tries" integer not null default 0);
INSERT INTO token VALUES('01a202d8-8d77-7000-b481-eb83b6ccb9dd','e17cbbed0066257c11925f69e620f0cd7cd4217eb5871752924aa91392828601','session','01a202d8-8d76-7000-83ff-8266c3092ce3','2026-11-22T10:41:16.151Z','2026-11-22T10:41:16.151Z','2026-12-22T10:41:16.151Z','127.0.0.1',NULL,NULL,0,0);
INSERT INTO token VALUES('01a202d8-91ef-7000-8b5f-7c0afc9dc71d','dd1c12e6cb6b5eee572586e02b2be2a71346d683f12d1639670ccb75c09ba153','api','01a202d8-8d76-7000-83ff-8266c3092ce3','2026-11-22T10:41:17.295Z','2026-11-22T10:41:17.295Z',NULL,'127.0.0.1',NULL,'admin',0,0);
CREATE TABLE IF NOT EXISTS "attempt" (
    "key" text primary key, "failures" integer not null, "blockedUntil" text not null, "updatedAt" text not null);
CREATE TABLE IF NOT EXISTS "idempotency" (
    "key" text not null, "accountId" text not null, "operation" text not null, "bodyHash" text not null,
    "answer" text not null, "deploymentIds" text not null, "createdAt" text not null,
    primary key ("key", "accountId", "operation"));
CREATE TABLE IF NOT EXISTS "project" (
    "id" text primary key, "name" text not null, "description" text, "createdAt" text not null);
INSERT INTO project VALUES('01a202d8-8d9c-7000-bd45-df1c010e4f34','shop','of then','2026-11-22T10:41:16.189Z');
CREATE TABLE IF NOT EXISTS "volume" (
    "id" text primary key, "name" text not null unique, "kind" text not null, "dataPath" text not null, "nodeId" text not null, "nodeName" text not null, "nodeAddress" text not null,
    "databaseId" text,
    "state" text not null, "appName" text not null, "dockerImage" text not null, "settings" text not null,
    "secrets" text not null, "createdAt" text not null, "keptAt" text, "deploymentId" text, "serverVersion" text);
INSERT INTO volume VALUES('01a202d8-8e13-7000-afeb-f5f6eefbc09d','berth-01a202d8-8e13-7000-afeb-f5f6eefbc09d','postgres','/var/lib/postgresql/data','node1','memory','192.0.2.10','01a202d8-8daa-7000-8522-e25dd7c52c1e','attached','orders','postgres:15','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.D7s4ki11CKgUH7yezURCeNAqaTSwoaTVu9Qa_JwWDfuviMV-JfobtdXGhS0JiFlWRzUcTJB7ZNT5Hnp0V_UuF_X2Wv-qm1U','2026-11-22T10:41:16.308Z',NULL,NULL,'15');
INSERT INTO volume VALUES('01a202d8-8ea5-7000-8af1-9d5a85efc249','berth-01a202d8-8ea5-7000-8af1-9d5a85efc249','postgres','/var/lib/postgresql/data','node1','memory','192.0.2.10',NULL,'kept','kept','postgres:15','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.V4W6Arcfb4gfp3VcF_JGIjOW7Xjj8KmBYS370NML1xl1plKt4EVIRdxNdFxb2iHYIiFmiFv-JjBIcx6LtkARrLSyUFDL1H4','2026-11-22T10:41:16.454Z','2026-11-22T10:41:16.573Z',NULL,'15');
INSERT INTO volume VALUES('01a202d8-8fad-7000-a6db-905360b9b261','berth-01a202d8-8fad-7000-a6db-905360b9b261','mysql','/var/lib/mysql','node1','memory','192.0.2.10','01a202d8-8f2b-7000-bfb3-5e2cc83c8d83','attached','the-mysql','mysql:8','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.haK5gSicjwovjf481MgDeQ4U-uJ1r1R6CvDetOr1a03dGZwYHxpHYOAPZYx6v0BKXJoXx__GNimAbl-8nBoijDxOxOn-GsaXwC8h7Sx2vMNohK20_xOk4n8SNKfnN-gk3Faeug7CqT5i2wiIcHnLb7UG3WJoPAdJlQM','2026-11-22T10:41:16.718Z',NULL,NULL,'8');
INSERT INTO volume VALUES('01a202d8-8ff1-7000-be04-bc411d7a6aec','berth-01a202d8-8ff1-7000-be04-bc411d7a6aec','mariadb','/var/lib/mysql','node1','memory','192.0.2.10','01a202d8-8fd3-7000-942d-45de15873d6e','attached','the-mariadb','mariadb:6','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.Y5Iobm7dL7QQM0qXQ6UN0vC3hOBsPqQustzzUtkOVJTvvr_igoyCV9D3pBd3uSBznpHOmRnUdv-mRHdEeBWf0sUZsGkV787biaeafjkq_fqHZkSeuuFjOzTArUzgMIOkLB26gjieBIc2YJV8biW_lAerFcxBh54GpWY','2026-11-22T10:41:16.785Z',NULL,NULL,'11');
INSERT INTO volume VALUES('01a202d8-904f-7000-ab29-2e878c027dba','berth-01a202d8-904f-7000-ab29-2e878c027dba','mongo','/data/db','node1','memory','192.0.2.10','01a202d8-9024-7000-96e9-7f25c6fac33d','attached','the-mongo','mongo:15','{"databaseUser":"shop"}','v1.c60ee442.ov4YmHmcX5neDygqheZD8YuF5nAxdClbhnvf0YvKoiNAF-C9T_dueyQKr5_UMHelUwKQLKXk9sNyd83OiPurmP5EjhGDnjM','2026-11-22T10:41:16.879Z',NULL,NULL,'8');
INSERT INTO volume VALUES('01a202d8-9090-7000-b5d8-d910af000ab5','berth-01a202d8-9090-7000-b5d8-d910af000ab5','redis','/data','node1','memory','192.0.2.10','01a202d8-9078-7000-b1c4-8c7e294147ca','attached','the-redis','redis:8','{}','v1.c60ee442.aiZr21iNl-iyvW3Uiqo2gDmgPUWmH0je6YO4rMR4w13tyxa1C-ILzCddqwque0PrUTclOeK4f8F-gm_lnT7Vo8aMo87HaBE','2026-11-22T10:41:16.944Z',NULL,NULL,'8');
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
INSERT INTO "database" VALUES('01a202d8-8daa-7000-8522-e25dd7c52c1e','postgres','01a202d8-8d9c-7000-bd45-df1c010e4f34','it','orders',NULL,'postgres:15','-c max_connections=50','v1.c60ee442.aS901dfNvxqGPThgNH-z11q_6vTQsT8UzuOZIQSNl6XlLd8Oq130',NULL,512.0,NULL,0.5,15432,'done',NULL,'2026-11-22T10:41:16.203Z','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442._OdP8AtaxdEP-OhCINUx7QVyU7BZq7COHAPdfSSZfn9RRlOVTr4Ou9MPtCs3WVZp0lUZ3w-47-hpQjIzNfOyShgvOxRDb6U','up','v1.c60ee442.jf7dKBLrOFflpSadohfVk9kb3KZMZlRy7D0MfhyiVIhZmu1oq34QysB2G1R4dSEm4ANC5bFS1v23gq6VdJKNmUW5QYUIEbD6iWUlIBXaqM0gnSIJGeTN3QAyZoNbcpEiS6N1pwR3-RiicVsoQu40TKlhKimrE-HO0iE-FjY4yIXZQi9TI00a_2S-vvTnYWEi6Q21Uo_lwRjL2TH1RnkdHjQb15tYV1mIYzW2PAnnEV6Gh1QJsxRoF9Ap_FqDmFAnvqGfx8-ToKnI6Y3rLnLAlNxkDBa_FpbAASnUK08MXValqK0tZ2T4qiIY85sLgabtl6_4ieufdjUktLByCFoWxQ0ykXsnefaN_KvH4GPZxtqnkFF9hBE2QahF1W6JbeJ4SOEcDxORqM3ntFhGJPx8ingbDYRXBGLZHMW5fe9pzMvoNVVn','v1.c60ee442.DFx8aBCT5pK0XJ6bw8aT25KP6k5RTCOtgZqNthuarsEHYdDOgTPvmnC3tfhUnacmT13nzPxAjlAM7Ng8KJNt4BV_qiRcDHggrmshXJ9Sf8J6iTbomQsLKJRkf14Oit_-0Ws1IzLqXc6IMpFOePjWayDSUNgWnxg0xDCsF3ZNTUhGyP65KP24WPPgpAQGi8ja9adYGaL-5iyOaBITH_FjopkaDtzuyTBL1WygQOjSs1SGn7rJ9xkLGywBXqqRaiYE2AGZy31DZGbJNQ994YpEQlCg_BHWbWgfgyIegd8zu_11E5z2rdr_eSQpJlG57s95yeKUk5VPn_bgqjaJ_NDmJ-pl_qRH9yQH087HBPuT-oTInB8lWxNvcdID1x0eeCxc0fXnPgNNHMN_NIFLEiRHFnIh2P4Co6iU4cPin6w55hHqw_L3',0,NULL,'01a202d8-8e13-7000-afeb-f5f6eefbc09d',0,'up','running',NULL,'2026-11-22T10:41:16.406Z','[]');
INSERT INTO "database" VALUES('01a202d8-8e81-7000-bc68-a38df35128e7','postgres','01a202d8-8d9c-7000-bd45-df1c010e4f34','it','never-deployed',NULL,'postgres:15',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'idle',NULL,'2026-11-22T10:41:16.417Z','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.sFTahRmPr-sf90Ie58g3WbpZtNcNuTA28pi9aHfAbfmehOpWavb3xUGjVUeUal9-O-VGFgmv1VR_cpxqTbVaiGaw3aifFwU','none',NULL,NULL,0,NULL,NULL,0,'unknown',NULL,NULL,NULL,'[]');
INSERT INTO "database" VALUES('01a202d8-8f2b-7000-bfb3-5e2cc83c8d83','mysql','01a202d8-8d9c-7000-bd45-df1c010e4f34','it','the-mysql',NULL,'mysql:8',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'done',NULL,'2026-11-22T10:41:16.588Z','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.0kNgcUnPclnH_YZSEO8T4f5bkKXx3G3EQCHutCoes6XoVg6UzxHIjDlB7HR7BchZUulDEFs6JGggW8JUHnpJlMT-I1Qs3hXhCBxoBqFZVvAfCMARQ0x4Suol2sYBb5gOeVkvBt-Kslhe1J_9Lf-h-DSnVBYMSY7YJ8g','up','v1.c60ee442.fsy7rtnbwPHgCRw73vCqjY1xP3HLc9lEjcV8eIgHEnLLmLUc5vrGl_x31OKisvn-zn5z9MWZtx1XBzkv0Gi8UVSYkyACot5s7ia1XxS6yAq-4s0dqwuTEmM1GxEnLZVtNvZQhoZKgsbqbdioRDyJfQLOd5SrORaF2cYm6tPHgy71e49CB_bXSDW8tPMurv4kM9KWohcHmyXC3k9uEqTzyYdV6sUMseFlH_Rybki4PMGN848scS-us1S32B5Sak3jVSwD0Vot0itZbvkm9_BxMSWP3KGBgPM1h8vvRWbqJxcZpQ_yxrPRZuy2kkW_YiR7dyQUyN29582gtYzLQyj6lki6XzbsETVHSwMcEdpLvEJ0NonFIhlrYU1L_teqf6xSgqPAJjbYvxGct0FncHyzkFZ-HP5_WEadKzJqRFY8BPAOiAHueLdPXmeQYVZDV4YCq6JH7JpigJ0','v1.c60ee442.oUQ5-vE0US7nmRtFgJsAYiy140q8mnWw1J47eoCdNYUYXDcvj6XjTEzT2MGovAwCmv1J9FcaWkvyR5D6pOfHxxq-G2oBitZjd6EXT1-L-1DD1UcV6L_vP30JFRgI-zvpP_qBHSf_GGGMtEH47g7SCfLq0_RuwI2QcsvoT4frGd3JbU9nMIr5VzffO9SgrKYv1NIBqFn9HftxL0CSSC3CY3xNz6L2oyiSTTB0AjcqPNgEKMwzLoMB-RnXoVBKdwZzLFBmzZQs2Be686-Sg1g7O33PXk6eWKOTy9b5mCVAmWgl3JxybDe6DBZDlZGtJmzKhx7xmPRkYHGaLSQcKApKKXMoiDoTMSXVD_ZmCqjuQ6KmhNvnkMCrtOCUUzW8Y9J0C1VeVfWzIXngke9M5rSY6riy0pLwj80dxx_xOthGjBc1baECt8cO1Znf4-0mZ59fJDp8K4C5tHE',0,NULL,'01a202d8-8fad-7000-a6db-905360b9b261',0,'up','running',NULL,'2026-11-22T10:41:16.751Z','[]');
INSERT INTO "database" VALUES('01a202d8-8fd3-7000-942d-45de15873d6e','mariadb','01a202d8-8d9c-7000-bd45-df1c010e4f34','it','the-mariadb',NULL,'mariadb:6',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'done',NULL,'2026-11-22T10:41:16.756Z','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.GgMnSEZQ_XW6KXuF3PTC3uS9_uLicqEyRZaOQBjjNOwvKP8g9FHLNc4xBcn9slaBPw_VBX8RxsvDPt2JXBFuDlaoG3G8q31DNfFuZ0lxGGiRd3Fk-zphi8yxRxNFbHdIiN9jxAFDo_6h8woAvW-NK4RhYpHvaIEmQ1E','up','v1.c60ee442.bjkuGSmqdZW9Wq7aC9ARj9O-rom41t-atCaDFrUMJwxkd-6o1hqdI19xtpNd4sCMHJuFbx8qr1jqnaWkRRFiblR7iixhRCCsfltkYJ7fV5H4VXMvub6vd6Hoy0VdVN-fyaEWIIA7TMpdbeiihVGridhQFK0l6EEzZsuWr6yTIl3HTPP8YNCYGJUia6Czcwr0dadr_iAW0uylXa9PllAEuFcyH9pZmoPtayX0AkuFjKLboFaJPHtWagzPUCCCoIxYLO9EHGM1exYIAyXz8MasEskQkqWLLfOMaZHAxLCNv8a24Giwg8ZiUqvgJIIyBCNHuJYVPU9tW6uP2jHCKJ-Aj43MSkYgX3lSIZwZWGl9unzf7-vGDZLwgAl86X0OGi81db4MTYmfmk8v1RXuRCvyaGyeRsauGi087qFcQ6IOF_4sIxnn42T_acIdCT_vev22qmmOdEULJqgmFA','v1.c60ee442.qZUJpB1_JIVYdO2GblfCugnOB6won-UOWQ3Te8W2swEL-DbXHIrtwYtj4ltb4jUWy4mTP79OP7aXROUuTwrd8lxBR_A_9JTm_Hon9UlUkmE3ChUG8Zsh3oZdW2hsTY95l5UU1Yyracp7Uru156V7moths2RVQhTxv7IiDUecYo0ROdth1yDAMwrNU-F1lXxZiJXv8phexG4E3gL5plK_PIk3fpicv8LerVHX7BQy7hjK-m-y92rB_uKVMo4HH3G2r5BJM_qGAyaTB81tubZWQQhK6cwlZjqIP82I3wCd5rf4zjqnP0E4BNTI2XVyHpqDsBWulEh7c4qF8wzk8TzIti9RqtxVlbIgSCpCGtdgdEZn0Xx5irKZvy12kHYHBOIlLJTBCIcnb8RkNhIdiVOFEf9w_NscMuxZ4HkBQhS3j_5Rs8kCGKLXS9w7TB3wXvfhxAIm7ZUntuBhgg',0,NULL,'01a202d8-8ff1-7000-be04-bc411d7a6aec',0,'up','running',NULL,'2026-11-22T10:41:16.828Z','[]');
INSERT INTO "database" VALUES('01a202d8-9024-7000-96e9-7f25c6fac33d','mongo','01a202d8-8d9c-7000-bd45-df1c010e4f34','it','the-mongo',NULL,'mongo:15',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'done',NULL,'2026-11-22T10:41:16.836Z','{"databaseUser":"shop"}','v1.c60ee442.f3V5NyrCj13CUfJn5VEHSbDb8w1K9pMk987M6udXYr1ACIBc0ADb8H-MaZ_pfSV6MLTK07fzydHclw4gcT6vp46dsaWqzt8','up','v1.c60ee442.oxUTZLakNjvaUXs7Yt-Ru_lIgTkv6O0K2ss9EloxU0lpE0FQkuMje71z7kKk7KroZiKpxgdhmC-TbxCNQLHU6LoRheHY6cMSskr5qWUYC3td_SGr2vAEjgQZwqCAvSgX4NFEczrYUoPzr3ZPvMcR2CnZPJyk78t_GSysfQl7FGF97lWRZ6N4bs6eR7DYiWnFTYKTdQgpf-mma7EklLqHlcc9ZPW5NWy2mMvxmL6VnM4dbG5LHyWTTV7ZwfXUBa5sV6AY1_mKCIUYnsAcaCkza-XQnrPjERm9r7-3PJSBMoizCcFXeNdHKWCE_6xP04cclvSruOSm9kGLttpMMzmKN2cCyJimzaUZ6Eu74LkU7AI','v1.c60ee442.J_vyuEoPfD3gdSowhRnH34k9vuh7UJt6gzxeiVSc9k67hMOfigXcWy4tF54RwM5_UMHHPkNH1SpIz5lIki6lynHh00RBGD6SQkYnHPN4TlpDghVXqUSwx2BvvQq2WIWkRq_mW7ta_M3Ri3rpIpij1vwTWgj8ZNAm6h_d-H8OCl2DBGmUxnvf4aJdiyu5Q0DF7pfL5kSeNG-nk_w6gRVlLbWQoQFHY7dMjoyIc1whOYsdkhzzsR2pBAGH35hgeizFeiLeDDwLshU0pPYZ1SNpYuwD2BF2_7M934JWoydcZtPGilctXdGWUC6TkT-UDTzW74weAOMX_JmTi3MYEnRiI2peQtVpZcjsWchrZKwmfts',0,NULL,'01a202d8-904f-7000-ab29-2e878c027dba',0,'up','running',NULL,'2026-11-22T10:41:16.916Z','[]');
INSERT INTO "database" VALUES('01a202d8-9078-7000-b1c4-8c7e294147ca','redis','01a202d8-8d9c-7000-bd45-df1c010e4f34','it','the-redis',NULL,'redis:8',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'done',NULL,'2026-11-22T10:41:16.921Z','{}','v1.c60ee442.0HZIFwOcMNywMcfx96dInBnjXLmjsDSTvjY_1ItZeqSdRmN6IByhs1Ypd_Zm7YUjrwjaS7VeGzx3yw23Ru9Zl6O6yrwPmOQ','up','v1.c60ee442.wpWH2hmLAUESiP74-52h-92Rx5EeP8ZR7K7UWY9M7MCTQZ0VtbqfCEwkNJUdSUF21g8lHorDJdL0VUBR3KNXpLDtKCuSntu2PnTS9MADBPHjM18ikEYknQk_zLEAQvxnXKPToAoeKplGfju_wSdqvQ4eee1KrSz7Upz2kFekjpW3fkKmcFyqFAWsQehYuOEozELM9XxlF4iJve6AH16_GfYATloGYlyQy8hY31gMjRYqeQmYHqtGbcszg_XTYeUeMPggfRUB14zGU2DZg6296-ZPUUyCGv8csY-xTVsj5YOHl1i_6RfDRFWkOb9nGnJFQ-YynLfrjcmW','v1.c60ee442.jYQgzfsmPvmo4jUjvlqnmE4vq7hKT2W5W8EtKGe6piQyy4MBB5o5ZG0F3RJNRKqPetedWS1l8zsZgfUBuWD8DyZcCWlK4jjTa02LUDyp4PutDx0r926cuZvWZti_BBRjaYt5etC5mb8xRnNltc7aXvxInzHZlbe4x2J5OJc4EP83kquunGBalggcXou7rKcZKlTrGInoFJRqdRrYZtgKTXCOT2yMRU-atsJpdMzkX0IBwRjwQZSuQ4oKxrzcSa4ly7R6pyJ-oEngZ7kBzR2RHd4wpXeWqbZ8AdKaSoyTfEIlWke1kvP0MVPJvDo2Fn__qxg-q1peFoEN',0,NULL,'01a202d8-9090-7000-b5d8-d910af000ab5',0,'up','running',NULL,'2026-11-22T10:41:16.977Z','[]');
CREATE TABLE IF NOT EXISTS "deployment" (
    "id" text primary key, "databaseId" text not null, "action" text not null, "state" text not null,
    "phase" text not null, "reason" text, "startedAt" text not null, "phaseAt" text not null, "finishedAt" text, "kind" text, "appName" text);
INSERT INTO deployment VALUES('01a202d8-8e08-7000-886f-ae87043542f9','01a202d8-8daa-7000-8522-e25dd7c52c1e','deploy','done','apply',NULL,'2026-11-22T10:41:16.296Z','2026-11-22T10:41:16.296Z','2026-11-22T10:41:16.407Z','postgres','orders');
INSERT INTO deployment VALUES('01a202d8-8e8b-7000-9aa9-dd8d52120a7b','01a202d8-8e86-7000-a9de-aa0581f9b3b4','deploy','done','apply',NULL,'2026-11-22T10:41:16.427Z','2026-11-22T10:41:16.427Z','2026-11-22T10:41:16.497Z','postgres','kept');
INSERT INTO deployment VALUES('01a202d8-8ed9-7000-82cd-3484184883ce','01a202d8-8e86-7000-a9de-aa0581f9b3b4','remove','done','apply',NULL,'2026-11-22T10:41:16.504Z','2026-11-22T10:41:16.504Z','2026-11-22T10:41:16.570Z','postgres','kept');
INSERT INTO deployment VALUES('01a202d8-8f51-7000-b72d-bcb6d84030cd','01a202d8-8f2b-7000-bfb3-5e2cc83c8d83','deploy','done','apply',NULL,'2026-11-22T10:41:16.625Z','2026-11-22T10:41:16.625Z','2026-11-22T10:41:16.752Z','mysql','the-mysql');
INSERT INTO deployment VALUES('01a202d8-8fe0-7000-9fbd-fc5861f1c25e','01a202d8-8fd3-7000-942d-45de15873d6e','deploy','done','apply',NULL,'2026-11-22T10:41:16.768Z','2026-11-22T10:41:16.768Z','2026-11-22T10:41:16.829Z','mariadb','the-mariadb');
INSERT INTO deployment VALUES('01a202d8-9030-7000-b1e2-f4b262fa5719','01a202d8-9024-7000-96e9-7f25c6fac33d','deploy','done','apply',NULL,'2026-11-22T10:41:16.848Z','2026-11-22T10:41:16.848Z','2026-11-22T10:41:16.916Z','mongo','the-mongo');
INSERT INTO deployment VALUES('01a202d8-9084-7000-b2ae-0ca83b006bd5','01a202d8-9078-7000-b1c4-8c7e294147ca','deploy','done','apply',NULL,'2026-11-22T10:41:16.932Z','2026-11-22T10:41:16.932Z','2026-11-22T10:41:16.978Z','redis','the-redis');
CREATE TABLE IF NOT EXISTS "recoveryCode" (
        "accountId" text not null references "account" ("id") on delete cascade, "hash" text not null,
        primary key ("accountId", "hash"));
CREATE TABLE IF NOT EXISTS "invitation" (
        "id" text primary key, "hash" text not null unique, "email" text not null, "emailKey" text not null unique,
        "rol" text not null, "invitedBy" text not null references "account" ("id") on delete cascade,
        "createdAt" text not null, "expiresAt" text not null);
INSERT INTO invitation VALUES('01a202d8-90b6-7000-b1a4-5a28bd6df776','a879701f3032ffd2b1d8a2472693b69c1431f650ab92d85dd4a6bca5208ab264','eve@example.org','eve@example.org','user','01a202d8-8d76-7000-83ff-8266c3092ce3','2026-11-22T10:41:16.982Z','2026-11-29T10:41:16.982Z');
CREATE TABLE IF NOT EXISTS "audit" (
        "seq" integer primary key, "at" text not null, "kind" text not null, "accountId" text, "email" text,
        "tokenId" text, "address" text not null, "operation" text not null, "record" text, "result" text not null,
        "previousHash" text not null, "hash" text not null);
INSERT INTO audit VALUES(1,'2026-11-22T10:41:16.155Z','installation',NULL,NULL,'installation','127.0.0.1','auth.createAdmin','01a202d8-8d76-7000-83ff-8266c3092ce3','OK','','72b4b54ae9c04ba8b5c901c88133df81d3b84dc1efb12b5df29a97fd9fa19f6d');
INSERT INTO audit VALUES(2,'2026-11-22T10:41:16.191Z','session','01a202d8-8d76-7000-83ff-8266c3092ce3','Ada@example.org','01a202d8-8d77-7000-b481-eb83b6ccb9dd','127.0.0.1','project.create','01a202d8-8d9c-7000-bd45-df1c010e4f34','OK','72b4b54ae9c04ba8b5c901c88133df81d3b84dc1efb12b5df29a97fd9fa19f6d','8cdb7daf85a69698c6aaf00197d4590643b966323107fceb05d7ee1e4d735d7e');
INSERT INTO audit VALUES(3,'2026-11-22T10:41:16.210Z','session','01a202d8-8d76-7000-83ff-8266c3092ce3','Ada@example.org','01a202d8-8d77-7000-b481-eb83b6ccb9dd','127.0.0.1','postgres.create','01a202d8-8daa-7000-8522-e25dd7c52c1e','OK','8cdb7daf85a69698c6aaf00197d4590643b966323107fceb05d7ee1e4d735d7e','cc78e11896c2bc874bfeb016175ebb8a3a08be192793b80fc632c5f47c21e197');
INSERT INTO audit VALUES(4,'2026-11-22T10:41:16.225Z','session','01a202d8-8d76-7000-83ff-8266c3092ce3','Ada@example.org','01a202d8-8d77-7000-b481-eb83b6ccb9dd','127.0.0.1','postgres.update','01a202d8-8daa-7000-8522-e25dd7c52c1e','OK','cc78e11896c2bc874bfeb016175ebb8a3a08be192793b80fc632c5f47c21e197','f025f82d0ff0bc5dffabcd1daa28293a8b7a0b7baaa262cffb330d9299635254');
INSERT INTO audit VALUES(5,'2026-11-22T10:41:16.258Z','session','01a202d8-8d76-7000-83ff-8266c3092ce3','Ada@example.org','01a202d8-8d77-7000-b481-eb83b6ccb9dd','127.0.0.1','postgres.saveExternalPort','01a202d8-8daa-7000-8522-e25dd7c52c1e','OK','f025f82d0ff0bc5dffabcd1daa28293a8b7a0b7baaa262cffb330d9299635254','015c5195aa09f2020a4cfc4e82e0567ae292d0134c9245fea7578bac11c7690b');
INSERT INTO audit VALUES(6,'2026-11-22T10:41:16.285Z','session','01a202d8-8d76-7000-83ff-8266c3092ce3','Ada@example.org','01a202d8-8d77-7000-b481-eb83b6ccb9dd','127.0.0.1','postgres.saveEnvironment','01a202d8-8daa-7000-8522-e25dd7c52c1e','OK','015c5195aa09f2020a4cfc4e82e0567ae292d0134c9245fea7578bac11c7690b','9461cb86ebe44b67eb41418e1c8761f6ea4c88f631640d92da0f247a834aea72');
INSERT INTO audit VALUES(7,'2026-11-22T10:41:16.297Z','session','01a202d8-8d76-7000-83ff-8266c3092ce3','Ada@example.org','01a202d8-8d77-7000-b481-eb83b6ccb9dd','127.0.0.1','postgres.deploy','01a202d8-8daa-7000-8522-e25dd7c52c1e','OK','9461cb86ebe44b67eb41418e1c8761f6ea4c88f631640d92da0f247a834aea72','348c05ce03ce99b14bdbb39baccb5da9d86a66b42e206d5b45a6cd54067b789a');
INSERT INTO audit VALUES(8,'2026-11-22T10:41:16.417Z','session','01a202d8-8d76-7000-83ff-8266c3092ce3','Ada@example.org','01a202d8-8d77-7000-b481-eb83b6ccb9dd','127.0.0.1','postgres.create','01a202d8-8e81-7000-bc68-a38df35128e7','OK','348c05ce03ce99b14bdbb39baccb5da9d86a66b42e206d5b45a6cd54067b789a','d41ce18d1629427da67b8b20176d9e08cb3d586dfe9b32934e440fddf1388029');
INSERT INTO audit VALUES(9,'2026-11-22T10:41:16.422Z','session','01a202d8-8d76-7000-83ff-8266c3092ce3','Ada@example.org','01a202d8-8d77-7000-b481-eb83b6ccb9dd','127.0.0.1','postgres.create','01a202d8-8e86-7000-a9de-aa0581f9b3b4','OK','d41ce18d1629427da67b8b20176d9e08cb3d586dfe9b32934e440fddf1388029','47bcd10e58c34858ec7ad19d212bbf774d07659f6ab4cbda492da8e168af3abd');
INSERT INTO audit VALUES(10,'2026-11-22T10:41:16.429Z','session','01a202d8-8d76-7000-83ff-8266c3092ce3','Ada@example.org','01a202d8-8d77-7000-b481-eb83b6ccb9dd','127.0.0.1','postgres.deploy','01a202d8-8e86-7000-a9de-aa0581f9b3b4','OK','47bcd10e58c34858ec7ad19d212bbf774d07659f6ab4cbda492da8e168af3abd','043ec6ee51f424e164cb2a7c7089e434d1aa1e975b00decc3dca6e2e9ae338aa');
INSERT INTO audit VALUES(11,'2026-11-22T10:41:16.505Z','session','01a202d8-8d76-7000-83ff-8266c3092ce3','Ada@example.org','01a202d8-8d77-7000-b481-eb83b6ccb9dd','127.0.0.1','postgres.remove','01a202d8-8e86-7000-a9de-aa0581f9b3b4','OK','043ec6ee51f424e164cb2a7c7089e434d1aa1e975b00decc3dca6e2e9ae338aa','fa9f238d74c035192cab1de56899020b607caf9818c01ed9fcb8234540ebdbff');
INSERT INTO audit VALUES(12,'2026-11-22T10:41:16.609Z','session','01a202d8-8d76-7000-83ff-8266c3092ce3','Ada@example.org','01a202d8-8d77-7000-b481-eb83b6ccb9dd','127.0.0.1','mysql.create','01a202d8-8f2b-7000-bfb3-5e2cc83c8d83','OK','fa9f238d74c035192cab1de56899020b607caf9818c01ed9fcb8234540ebdbff','999bcbb9e45bbbed23c2af97f3a4d766c535b95464180affba24357a140608c5');
INSERT INTO audit VALUES(13,'2026-11-22T10:41:16.659Z','session','01a202d8-8d76-7000-83ff-8266c3092ce3','Ada@example.org','01a202d8-8d77-7000-b481-eb83b6ccb9dd','127.0.0.1','mysql.deploy','01a202d8-8f2b-7000-bfb3-5e2cc83c8d83','OK','999bcbb9e45bbbed23c2af97f3a4d766c535b95464180affba24357a140608c5','88784258d9bbc7f07c3e1b4a5b434d5791e7ab1ecee049e62c6f0ee704c17d6e');
INSERT INTO audit VALUES(14,'2026-11-22T10:41:16.760Z','session','01a202d8-8d76-7000-83ff-8266c3092ce3','Ada@example.org','01a202d8-8d77-7000-b481-eb83b6ccb9dd','127.0.0.1','mariadb.create','01a202d8-8fd3-7000-942d-45de15873d6e','OK','88784258d9bbc7f07c3e1b4a5b434d5791e7ab1ecee049e62c6f0ee704c17d6e','1c619d369d758e8a83793515bc354cf3b7a43823919ae17e8efb7b16b8d2ddfa');
INSERT INTO audit VALUES(15,'2026-11-22T10:41:16.769Z','session','01a202d8-8d76-7000-83ff-8266c3092ce3','Ada@example.org','01a202d8-8d77-7000-b481-eb83b6ccb9dd','127.0.0.1','mariadb.deploy','01a202d8-8fd3-7000-942d-45de15873d6e','OK','1c619d369d758e8a83793515bc354cf3b7a43823919ae17e8efb7b16b8d2ddfa','1fdca26d232d1339e151fe8d0e8625d3e50619805dd845224203ca304e837fa7');
INSERT INTO audit VALUES(16,'2026-11-22T10:41:16.842Z','session','01a202d8-8d76-7000-83ff-8266c3092ce3','Ada@example.org','01a202d8-8d77-7000-b481-eb83b6ccb9dd','127.0.0.1','mongo.create','01a202d8-9024-7000-96e9-7f25c6fac33d','OK','1fdca26d232d1339e151fe8d0e8625d3e50619805dd845224203ca304e837fa7','99c741fd897c1d765b2bc8effda46af8f4dd4199716836f5aed3049ce8befa29');
INSERT INTO audit VALUES(17,'2026-11-22T10:41:16.848Z','session','01a202d8-8d76-7000-83ff-8266c3092ce3','Ada@example.org','01a202d8-8d77-7000-b481-eb83b6ccb9dd','127.0.0.1','mongo.deploy','01a202d8-9024-7000-96e9-7f25c6fac33d','OK','99c741fd897c1d765b2bc8effda46af8f4dd4199716836f5aed3049ce8befa29','42e3cebbdb97436f7adfffde4c05250f65730025ebd8440590dd2e996cdd1c41');
INSERT INTO audit VALUES(18,'2026-11-22T10:41:16.925Z','session','01a202d8-8d76-7000-83ff-8266c3092ce3','Ada@example.org','01a202d8-8d77-7000-b481-eb83b6ccb9dd','127.0.0.1','redis.create','01a202d8-9078-7000-b1c4-8c7e294147ca','OK','42e3cebbdb97436f7adfffde4c05250f65730025ebd8440590dd2e996cdd1c41','972e181c81c40191a88b5c70ae4c82e0d1b8a60a912d9e8281d9602fe67cafe3');
INSERT INTO audit VALUES(19,'2026-11-22T10:41:16.932Z','session','01a202d8-8d76-7000-83ff-8266c3092ce3','Ada@example.org','01a202d8-8d77-7000-b481-eb83b6ccb9dd','127.0.0.1','redis.deploy','01a202d8-9078-7000-b1c4-8c7e294147ca','OK','972e181c81c40191a88b5c70ae4c82e0d1b8a60a912d9e8281d9602fe67cafe3','cf465017a4fff900ad9249392555b83dbbe2c564dfe5af319ce26f4dc4f3b8db');
INSERT INTO audit VALUES(20,'2026-11-22T10:41:16.984Z','session','01a202d8-8d76-7000-83ff-8266c3092ce3','Ada@example.org','01a202d8-8d77-7000-b481-eb83b6ccb9dd','127.0.0.1','user.invite','01a202d8-90b6-7000-b1a4-5a28bd6df776','OK','cf465017a4fff900ad9249392555b83dbbe2c564dfe5af319ce26f4dc4f3b8db','1e9bbc8f6786e17c4643b7ac744e1146cad93e9600c27ae9a8618ca74e9dc880');
INSERT INTO audit VALUES(21,'2026-11-22T10:41:16.993Z','session','01a202d8-8d76-7000-83ff-8266c3092ce3','Ada@example.org','01a202d8-8d77-7000-b481-eb83b6ccb9dd','127.0.0.1','destination.create','01a202d8-90bc-7000-922b-092339703c38','OK','1e9bbc8f6786e17c4643b7ac744e1146cad93e9600c27ae9a8618ca74e9dc880','c6453ea183f44a1671aed25a156e41bd606e348e4fe06baab45c7e98d5593c3f');
INSERT INTO audit VALUES(22,'2026-11-22T10:41:17.043Z','session','01a202d8-8d76-7000-83ff-8266c3092ce3','Ada@example.org','01a202d8-8d77-7000-b481-eb83b6ccb9dd','127.0.0.1','backup.create','01a202d8-90ee-7000-97db-87501e840f2e','OK','c6453ea183f44a1671aed25a156e41bd606e348e4fe06baab45c7e98d5593c3f','f4920b90c5e6957506405a85a27187df3a54f8cf0737247a3c0a9a62ca3a75b1');
INSERT INTO audit VALUES(23,'2026-11-22T10:41:17.079Z','session','01a202d8-8d76-7000-83ff-8266c3092ce3','Ada@example.org','01a202d8-8d77-7000-b481-eb83b6ccb9dd','127.0.0.1','redirects.create','01a202d8-90f8-7000-85f1-ce66ad398544','OK','f4920b90c5e6957506405a85a27187df3a54f8cf0737247a3c0a9a62ca3a75b1','9e5a17cb749a8257c7d7da5d345eb52b2311e7707730cf8607039d902931b41c');
INSERT INTO audit VALUES(24,'2026-11-22T10:41:17.257Z','session','01a202d8-8d76-7000-83ff-8266c3092ce3','Ada@example.org','01a202d8-8d77-7000-b481-eb83b6ccb9dd','127.0.0.1','security.create','01a202d8-911b-7000-800a-a5de1541d2d2','OK','9e5a17cb749a8257c7d7da5d345eb52b2311e7707730cf8607039d902931b41c','33a9b31bc4f6f15125a0c89c90d1b959095de7a6165cc04a7ef9de8984572403');
INSERT INTO audit VALUES(25,'2026-11-22T10:41:17.296Z','session','01a202d8-8d76-7000-83ff-8266c3092ce3','Ada@example.org','01a202d8-8d77-7000-b481-eb83b6ccb9dd','127.0.0.1','auth.generateToken',NULL,'OK','33a9b31bc4f6f15125a0c89c90d1b959095de7a6165cc04a7ef9de8984572403','cb33553202d69d2dd8d85ecf3c27a7357c46702d92efda421827db481aef1657');
CREATE TABLE IF NOT EXISTS "destination" (
      "id" text primary key, "name" text not null, "bucket" text not null, "region" text not null,
      "endpoint" text not null, "accessKey" text not null, "secrets" text not null, "createdAt" text not null);
INSERT INTO destination VALUES('01a202d8-90bc-7000-922b-092339703c38','storage','backups','','http://127.0.0.1:9','key','v1.c60ee442.elJRPPc2UvmfAOcPnu5FVIUnde-qWDZu5A7vmELfvPDmOlOYx487v4vaSlpzmPwkBpq5uSmASBFfFqXpzs2f9QGq9Jg9uQ','2026-11-22T10:41:16.989Z');
CREATE TABLE IF NOT EXISTS "backup" (
        "id" text primary key, "kind" text not null, "databaseId" text not null, "destinationId" text not null,
        "schedule" text not null, "timezone" text not null, "enabled" integer not null, "prefix" text not null,
        "database" text not null, "verifySchedule" text, "keepLatest" integer, "keepDays" integer, "recipient" text,
        "signalUrl" text, "createdAt" text not null, "nextAt" text, "nextVerifyAt" text);
INSERT INTO backup VALUES('01a202d8-90ee-7000-97db-87501e840f2e','postgres','01a202d8-8daa-7000-8522-e25dd7c52c1e','01a202d8-90bc-7000-922b-092339703c38','0 3 1 1 *','UTC',1,'nightly','shop',NULL,3,NULL,NULL,NULL,'2026-11-22T10:41:17.038Z','2027-01-01T03:00:00.000Z',NULL);
CREATE TABLE IF NOT EXISTS "backupRun" (
        "id" text primary key, "backupId" text, "action" text not null, "trigger" text not null,
        "status" text not null, "step" text not null, "attempt" integer not null, "dueAt" text not null, "reason" text,
        "kind" text not null, "databaseId" text, "database" text not null, "destinationId" text not null, "key" text,
        "uploadId" text, "sizeBytes" bigint, "sha256" text, "progressBytes" bigint not null, "rawBytes" bigint,
        "manifest" text, "serverVersion" text, "recipient" text, "sourceRunId" text, "safetyRunId" text,
        "appName" text, "identity" text, "skipSafetyDump" integer not null, "cancelled" integer not null,
        "verifiedAt" text, "createdAt" text not null, "startedAt" text, "finishedAt" text);
CREATE TABLE IF NOT EXISTS "application" (
        "id" text primary key, "name" text not null, "isOwn" integer not null, "alias" text,
        "hosts" text not null, "port" integer not null, "tls" text,
        "onNetwork" integer not null, "published" text not null, "faults" text not null,
        "replicas" integer not null, "running" integer not null, "addresses" text not null,
        "createdAt" text not null);
INSERT INTO application VALUES('service1','orders',1,NULL,'[]',80,NULL,1,'[]','[]',1,1,'[]','2026-01-01T00:00:00.001Z');
INSERT INTO application VALUES('service3','berth-gateway-01a202d8-8daa-7000-8522-e25dd7c52c1e',1,NULL,'[]',80,NULL,1,'[{"port":15432,"protocol":"tcp"}]','[]',1,1,'[]','2026-01-01T00:00:00.004Z');
INSERT INTO application VALUES('service7','the-mysql',1,NULL,'[]',80,NULL,1,'[]','[]',1,1,'[]','2026-01-01T00:00:00.010Z');
INSERT INTO application VALUES('service9','the-mariadb',1,NULL,'[]',80,NULL,1,'[]','[]',1,1,'[]','2026-01-01T00:00:00.013Z');
INSERT INTO application VALUES('service11','the-mongo',1,NULL,'[]',80,NULL,1,'[]','[]',1,1,'[]','2026-01-01T00:00:00.016Z');
INSERT INTO application VALUES('service13','the-redis',1,NULL,'[]',80,NULL,1,'[]','[]',1,1,'[]','2026-01-01T00:00:00.019Z');
CREATE TABLE IF NOT EXISTS "redirect" (
        "id" text primary key, "applicationId" text not null, "regex" text not null, "replacement" text not null,
        "permanent" integer not null, "createdAt" text not null);
INSERT INTO redirect VALUES('01a202d8-90f8-7000-85f1-ce66ad398544','web','/old/(.*)','/new/$1',1,'2026-11-22T10:41:17.049Z');
CREATE TABLE IF NOT EXISTS "security" (
        "id" text primary key, "applicationId" text not null, "username" text not null, "passwordHash" text not null,
        "createdAt" text not null, unique ("applicationId", "username"));
INSERT INTO security VALUES('01a202d8-911b-7000-800a-a5de1541d2d2','web','ann','v1.c60ee442.u_i0H8ivdmK8LGBJfqjfw97R_b3aC-ggTYHINJNPgmRI4rhc6-3lP2Jea_eQUGeFAVYvwenl7WAifHnIy1HcXhpS5cKh5y5tYgRjts3G7bC7SmiTjUO5dA','2026-11-22T10:41:17.251Z');
CREATE TABLE IF NOT EXISTS "port" (
        "id" text primary key, "applicationId" text not null, "publishedPort" integer not null,
        "targetPort" integer not null, "protocol" text not null, "goal" text not null, "applied" integer not null,
        "reason" text, "deploymentId" text, "createdAt" text not null, unique ("publishedPort", "protocol"));
CREATE TABLE IF NOT EXISTS "certificate" (
        "id" text primary key, "name" text not null, "path" text, "autoRenew" integer not null,
        "described" text not null, "pairs" text not null, "createdAt" text not null, "renewedAt" text);
CREATE TABLE IF NOT EXISTS "issuance" (
        "name" text primary key, "error" text, "nextTryAt" text, "notAfter" text);
CREATE TABLE IF NOT EXISTS "registry" (
        "id" text primary key, "registryName" text not null, "registryType" text not null, "registryUrl" text not null,
        "username" text not null, "secrets" text not null, "imagePrefix" text, "insecure" integer not null,
        "adminId" text not null, "createdAt" text not null);
CREATE TABLE IF NOT EXISTS "registryServer" (
        "id" text primary key, "registryId" text, "goal" text not null, "htpasswd" text not null, "host" text,
        "port" integer, "volumeId" text, "collecting" integer not null, "untagged" integer not null,
        "collections" integer not null, "status" text not null, "reason" text, "deploymentId" text);
CREATE TABLE IF NOT EXISTS "changedCredentials" ("host" text primary key, "changeId" text not null);
CREATE INDEX "tokenAccount" on "token" ("accountId");
CREATE INDEX "volumeState" on "volume" ("state");
CREATE UNIQUE INDEX "databaseAppName" on "database" (lower("appName"));
CREATE INDEX "databaseProject" on "database" ("projectId", "id");
CREATE INDEX "databaseWork" on "database" ("deploymentId") where "deploymentId" is not null;
CREATE INDEX "deploymentDatabase" on "deployment" ("databaseId");
CREATE INDEX "auditRecord" on "audit" ("record", "seq");
CREATE INDEX "auditAccount" on "audit" ("accountId", "seq");
CREATE INDEX "backupDatabase" on "backup" ("databaseId");
CREATE INDEX "backupDestination" on "backup" ("destinationId");
CREATE INDEX "backupDue" on "backup" ("nextAt") where "nextAt" is not null;
CREATE INDEX "backupVerifyDue" on "backup" ("nextVerifyAt") where "nextVerifyAt" is not null;
CREATE INDEX "backupRunBackup" on "backupRun" ("backupId", "id");
CREATE INDEX "backupRunWork" on "backupRun" ("dueAt") where "status" in ('waiting', 'running');
CREATE INDEX "backupRunLeft" on "backupRun" ("dueAt")
        where "status" = 'error' and "action" = 'dump' and "key" is not null;
CREATE INDEX "applicationName" on "application" (lower("name"));
CREATE INDEX "redirectApplication" on "redirect" ("applicationId");
COMMIT;
