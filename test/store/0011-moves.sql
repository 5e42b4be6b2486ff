-- A store of version 0011-moves, created by test/store/generate.ts with Berth of commit d3ccafc,
-- and printed by `sqlite3 berth.db .dump`. The master key is the byte ab, 32 times.
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE IF NOT EXISTS "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
INSERT INTO kysely_migration VALUES('0001-first','2026-11-22T11:12:27.049Z');
INSERT INTO kysely_migration VALUES('0002-kinds','2026-11-22T11:12:27.052Z');
INSERT INTO kysely_migration VALUES('0003-named-deployments','2026-11-22T11:12:27.053Z');
INSERT INTO kysely_migration VALUES('0004-accounts','2026-11-22T11:12:27.056Z');
INSERT INTO kysely_migration VALUES('0005-sealing','2026-11-22T11:12:27.057Z');
INSERT INTO kysely_migration VALUES('0006-destinations','2026-11-22T11:12:27.058Z');
INSERT INTO kysely_migration VALUES('0007-backups','2026-11-22T11:12:27.059Z');
INSERT INTO kysely_migration VALUES('0008-routing','2026-11-22T11:12:27.060Z');
INSERT INTO kysely_migration VALUES('0009-registries','2026-11-22T11:12:27.061Z');
INSERT INTO kysely_migration VALUES('0010-nodes','2026-11-22T11:12:27.062Z');
INSERT INTO kysely_migration VALUES('0011-moves','2026-11-22T11:12:27.063Z');
CREATE TABLE IF NOT EXISTS "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
INSERT INTO kysely_migration_lock VALUES('migration_lock',0);
CREATE TABLE IF NOT EXISTS "meta" ("key" text primary key, "value" text not null);
INSERT INTO meta VALUES('installationId','01a202f5-19b7-7000-bca1-ef177f1586fc');
INSERT INTO meta VALUES('masterKeyProof','v1.c60ee442.MauNk85IiM9vOY9uWMOFf2MiJQtcyrhsZic9BZs6jp6m');
INSERT INTO meta VALUES('fingerprintKey','v1.c60ee442.5UIGfGLKGiuMedlTwbbrnZ_8p90BLFP3ar75asOYjXSnRpfqjQG7SX0C7KtZdebA9zc4EA-yUoWdge2Yu6X8igNT_QYyvLNz');
CREATE TABLE IF NOT EXISTS "account" (
    "id" text primary key, "email" text not null, "emailKey" text not null unique, "passwordHash" text not null,
    "rol" text not null, "image" text not null, "is2FAEnabled" integer not null, "createdAt" text not null, "secret" text, "pinStep" integer not null default 0, "lastSeenAt" text);
INSERT INTO account VALUES('01a202f5-1cc4-7000-a950-fddae3acaf7b','Ada@example.org','ada@example.org','$argon2id$v=19$m=19456,t=2,p=1$jHestDHLm+GnmSz+C/b7Ug$Ypyf70Pxjv97wTUXLt78AnipDyDoG3wxJpSp5h8IUKE','admin','',0,'2026-11-22T11:12:27.844Z',NULL,0,'2026-11-22T11:12:27.845Z');
CREATE TABLE IF NOT EXISTS "token" (
    "id" text primary key, "hash" text not null unique, "kind" text not null,
    "accountId" text not null references "account" ("id") on delete cascade,
    "createdAt" text not null, "lastUsedAt" text not null, "expiresAt" text, "address" text not null default '', "name" text, "scope" text, "passed2FA" integer not null default 0, "tries" integer not null default 0);
INSERT INTO token VALUES('01a202f5-1cc5-7000-b019-058dd73781df','adde5f90d03db31a47e8560ad92393a272d4b5830b2ed152c0bb5bbd7d94a469','session','01a202f5-1cc4-7000-a950-fddae3acaf7b','2026-11-22T11:12:27.845Z','2026-11-22T11:12:27.845Z','2026-12-22T11:12:27.845Z','127.0.0.1',NULL,NULL,0,0);
INSERT INTO token VALUES('01a202f5-29e6-7000-8fc5-dea639b04769','dfb210ecd4044d93445c8ff0c380f63bd1033098b6c30a26378f3ae2619e934e','api','01a202f5-1cc4-7000-a950-fddae3acaf7b','2026-11-22T11:12:31.206Z','2026-11-22T11:12:31.206Z',NULL,'127.0.0.1',NULL,'admin',0,0);
CREATE TABLE IF NOT EXISTS "attempt" (
    "key" text primary key, "failures" integer not null, "blockedUntil" text not null, "updatedAt" text not null);
CREATE TABLE IF NOT EXISTS "idempotency" (
    "key" text not null, "accountId" text not null, "operation" text not null, "bodyHash" text not null,
    "answer" text not null, "deploymentIds" text not null, "createdAt" text not null,
    primary key ("key", "accountId", "operation"));
CREATE TABLE IF NOT EXISTS "project" (
    "id" text primary key, "name" text not null, "description" text, "createdAt" text not null);
INSERT INTO project VALUES('01a202f5-1dbb-7000-8c6e-3c62b26b4fc9','shop','of then','2026-11-22T11:12:28.091Z');
CREATE TABLE IF NOT EXISTS "volume" (
    "id" text primary key, "name" text not null unique, "kind" text not null, "dataPath" text not null, "nodeId" text not null, "nodeName" text not null, "nodeAddress" text not null,
    "databaseId" text,
    "state" text not null, "appName" text not null, "dockerImage" text not null, "settings" text not null,
    "secrets" text not null, "createdAt" text not null, "keptAt" text, "deploymentId" text, "serverVersion" text);
INSERT INTO volume VALUES('01a202f5-2301-7000-96b9-bc6c5c259cc4','berth-01a202f5-2301-7000-96b9-bc6c5c259cc4','postgres','/var/lib/postgresql/data','node1','memory','192.0.2.10','01a202f5-214a-7000-8eed-6b3218efcf5a','attached','orders','postgres:15','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.ycdHWR-DtCrkKgBzzl7JnMmcWBiCMf-9hFg-vkBOmIA6f1gVSZbvVcYuZqwCMNpqlxDXei5aAjufufWmhKbQ8lI5INJc_9g','2026-11-22T11:12:29.441Z',NULL,NULL,'15');
INSERT INTO volume VALUES('01a202f5-23dc-7000-8882-86e51f3537cb','berth-01a202f5-23dc-7000-8882-86e51f3537cb','postgres','/var/lib/postgresql/data','node1','memory','192.0.2.10',NULL,'kept','kept','postgres:15','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.YJcZoHO22Xaxzu41tYkA81O4X1t2bNpAP04y4vGRjI3dlQiWkXQ_PL5AkjpZxXPG6Ei1dAXZG4s2fqsk6bFwVrprCzyA2dg','2026-11-22T11:12:29.660Z','2026-11-22T11:12:29.811Z',NULL,'15');
INSERT INTO volume VALUES('01a202f5-24b8-7000-a99c-ab11d6ef04c2','berth-01a202f5-24b8-7000-a99c-ab11d6ef04c2','mysql','/var/lib/mysql','node1','memory','192.0.2.10','01a202f5-2486-7000-999b-d33ed01e2f87','attached','the-mysql','mysql:8','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.gnqS6wkQopjaYZYFPRICXEAyseV76OhRIVX_E_JO9DkB_M8JyZCMblkUut7RmvtbaiaR_aIGXiOfU_TJA8rfrj4kYVSq8U-_wnbKu9telV9zeakAultiBQVa10PZQHPKw_A8OTMFF9889Y5UjchLSr7__05AQEIBpP0','2026-11-22T11:12:29.880Z',NULL,NULL,'8');
INSERT INTO volume VALUES('01a202f5-254f-7000-adcf-b91dd84a60e1','berth-01a202f5-254f-7000-adcf-b91dd84a60e1','mariadb','/var/lib/mysql','node1','memory','192.0.2.10','01a202f5-2539-7000-8451-f6fccb10047d','attached','the-mariadb','mariadb:6','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.dXnOgcjCqMF0n7OghLbzovKstlT6F0dM3sQCvGseDeB3eCwIJ_qWXklUQhY5ly9tc0uIz-3J6asBTqt9kZd5KSU2sRo_9yTNSpPxT5IFFEuL-LQHKbTaYs6ITshWpLhvEXaPOKLWECNT5IjKdfpzeKHVFpFC6sfzjS8','2026-11-22T11:12:30.031Z',NULL,NULL,'11');
INSERT INTO volume VALUES('01a202f5-25db-7000-8a75-3287438fc74a','berth-01a202f5-25db-7000-8a75-3287438fc74a','mongo','/data/db','node1','memory','192.0.2.10','01a202f5-259e-7000-99aa-865430c02b3a','attached','the-mongo','mongo:15','{"databaseUser":"shop"}','v1.c60ee442.1ibzKAUpr3jimEkHSLnaTD_WaP7Ot9Ow_3cqVTjOGZfS4gr1RLoZIQ0u4mA026Pi54_vtWI0FauA7YTNyNqrynxg_DIEEx8','2026-11-22T11:12:30.171Z',NULL,NULL,'8');
INSERT INTO volume VALUES('01a202f5-283e-7000-9a15-af93ca5eff6e','berth-01a202f5-283e-7000-9a15-af93ca5eff6e','redis','/data','node1','memory','192.0.2.10','01a202f5-271b-7000-9dd9-ba99d243836d','attached','the-redis','redis:8','{}','v1.c60ee442.SC02JB5bsVBsI4tch9IlnclgIUfliaEtIbRHe6-PU6CpBsR2Fa2M5Op8S13FeZ_Orc8muUXeVK27-UXte1_qFzs-eiQyTgA','2026-11-22T11:12:30.783Z',NULL,NULL,'8');
CREATE TABLE IF NOT EXISTS "database" (
    "id" text primary key, "kind" text not null, "projectId" text references "project" ("id"),
    "name" text not null, "appName" text not null, "description" text, "dockerImage" text not null,
    "command" text, "env" text, "memoryReservation" double precision, "memoryLimit" double precision,
    "cpuReservation" double precision, "cpuLimit" double precision, "externalPort" integer unique,
    "applicationStatus" text not null, "statusReason" text, "createdAt" text not null,
    "settings" text not null, "secrets" text not null, "goal" text not null, "target" text, "lastGood" text,
    "pendingChanges" integer not null, "deploymentId" text, "volumeId" text references "volume" ("id"),
    "removeData" integer not null, "observed" text not null, "containerState" text, "downSince" text,
    "lastDeployedAt" text, "drift" text not null default '[]', "node" text, "nodeLabel" text);
INSERT INTO "database" VALUES('01a202f5-214a-7000-8eed-6b3218efcf5a','postgres','01a202f5-1dbb-7000-8c6e-3c62b26b4fc9','it','orders',NULL,'postgres:15','-c max_connections=50','v1.c60ee442.CS6FMiI3XHp7YUwpcYOBVwMncsMsUQL1iIFrvTjFm-3cfTlCQVfB',NULL,512.0,NULL,0.5,15432,'done',NULL,'2026-11-22T11:12:29.003Z','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.VPgLoAXdOipKNonek9IwWDaywvTSCvIJm-JPGkokL4kHTa7Qct4nA-EqJzpOcf-dr_0w8dIpRpVVt4vubVtQXnPd5IqgpMc','up','v1.c60ee442.PvwgkCC6wKZKylRuFXiOXTm7k7j7EvdLew5-dPvIH4ZITgZGs-ECYKNeSMmOj6Hha9cER5xUWAhyhx0LsV3leWNXG6R5-SNhj__yXgOcc0YWnIt8oCHVhPXR_ChWilHfSJka2swIokmooLYNnjokMbQo3Y4JYp0cwsUKie0fuvwj8M6sNpJ5tDec9jsoInHN2JnzhjmAUWzGBOEFQr_EFjJubmUeWYe6wWeWT4UAot41gfOVcHCUMa1eQ3HCtKpwQsvIzB5XyO4-Iu_l_eFw-HYBrYjLcajDkJxVp-g6WpcDDxz4h3k44kzJ0cMWfbn6MxFk-6Ho8IPcDDFcI_UeUW14MLnTBUoiZKTHAUnZfRwWem_I7pRrgNGG0RtIVaAGZsCoLb0p3imcfx3wqzuU0bSEHWa1Z_oa3RLFeppPS50DAnp1','v1.c60ee442.-QPwy4QYmScO52QDYAmYXEUsUNa9iJrxEkpwBLT2r17owe3VuXn2H2ud6a5GLrJUZdEaFytyS8DNNNDwIxZY6Q1lZw0WOf5nWj4Txet_fjn2Al4UHRZL-U2nxNQbhft4eHXDDAQqCyK3RdZCz8ns6l4o2Enl0MXstfzZMXfwW8iljD-e0g580Ga419Q4TpJG077ud1fbs-6Jj2fhfL78jPuxnRkAbyiFQoW3kuvv-fHy21AMuQmLaPm7pwxa-FjJF1sCWqQ3A4eafp1aAhJDZ2ws6kzR0LGN2zCuVf1kdvHmRPxaA4CTIdwHexhNdGkD5n7Ch-4xrFCMDyiII-1Zq04U00b32lOSfg0fScKOYKNWDbLNR8q9dBpxyse6BdZ1SSu2XIoVdHgGa40CAz99WkFH8mPdFVjPTRBdk3kxTpvPsp1f',0,NULL,'01a202f5-2301-7000-96b9-bc6c5c259cc4',0,'up','running',NULL,'2026-11-22T11:12:29.515Z','[]',NULL,NULL);
INSERT INTO "database" VALUES('01a202f5-2358-7000-b4cc-7af2e649d826','postgres','01a202f5-1dbb-7000-8c6e-3c62b26b4fc9','it','never-deployed',NULL,'postgres:15',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'idle',NULL,'2026-11-22T11:12:29.528Z','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.57Cw7AyuAlGGFQZh8-GNE8m1DBXIaKyKPDVFQ1WwWaP0fGbX7Hmd8q_CJ1IPzdf0EHQgH9suNJFYIItTAJEA7p7NkqKNezI','none',NULL,NULL,0,NULL,NULL,0,'unknown',NULL,NULL,NULL,'[]',NULL,NULL);
INSERT INTO "database" VALUES('01a202f5-2486-7000-999b-d33ed01e2f87','mysql','01a202f5-1dbb-7000-8c6e-3c62b26b4fc9','it','the-mysql',NULL,'mysql:8',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'done',NULL,'2026-11-22T11:12:29.830Z','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.GoWFTlFkv5Baqo_Ct8OUTpE71y6zdZIANO5siHznUpoMGzX42yYcyqIRYv-Yh_T9FiA-l9mxLDl9KIzA8VOMzAzBUOOnaWK5sYN6m3cP_MGyn5e6waKIw53HcaBR7rvEqDgOw32HOe47LeVDSU7PGG-eUSrkeXY390Y','up','v1.c60ee442.7yazYwMxBdxfrOsCGT1P7Op6WDuK8qMWbGVdWInRycVZkJYGlWETRkI9ARX4ncNu_wwMVVf_R2VlGvdww7HsBU9pxVN9eT6EAgkBZawC0chyyRWBUNgL1oXnliySDr-3G5Oi7ijGCUGX_ywc11IE0XH28V2PGgQ4dt4wnOwzhVY2DL6ouunC_XB48_VxdL0kCm5GDgrWYr3IizaAjVnJVIlAK7FoAlx5AJU2bqAfHly-xRwB2QSkvZmDvs1Bvu1x4u9TQpwxKzREF0o6oFhFrPuvwOLfseu-1JPlid1MIOAwWDrldsO9MMtBbuHcHfWKLVvARvMCk3yOowOfNIjHHlAGKu5qO7MCP_DZgC-fFJiNhhx04zU-pEQnc0IB41ogcbmCOk5Fpcx385ZmRAUwXEKfkmKLYSR1sN0xl1P8EISLw1viQ20iiPyIoyeumSbM993de3e2pH0','v1.c60ee442.wnPAYFaFIqTG9p26kpiA2IO9PZ9-K_sjq5VBMzXxXO1K8CnzqcF7P7G2D3oI792ZA8yoycwSIgs8ZU95MhTDS6FxTUD2VireDIJ4yKM_MrfNLVV-HYitAyAoT2gtL3KIVpX2mCObP4qqoJeGonvJxj0cqisLZkJOqw72jx2osTgAKk1FKJdcrf4sy2DFRbphwVeOe_kftzPnSsDLDjgtkk3Z8zzFlvsYdXCxZRET-fm9-hRwDdc5bSs9XdlHEaYL3BxiJsxCkwDyO0FaT1r-NV-SCtQZzxBUepVyncxjjWx3YJOtqvBC9x1g8LmJaYNZB1YayD5XGCmx1pKrpX5f3RJvd1qQppVcxpVW0iHu8izfGtPZOc1i0Wvmw5ORA0UQTiB772thgdFWuqvy59RnyqbpawqhVKu1c-IhMZqRWvhARWxbIygcZB4EzzjeJEJ3SCxKyHOb0IE',0,NULL,'01a202f5-24b8-7000-a99c-ab11d6ef04c2',0,'up','running',NULL,'2026-11-22T11:12:29.971Z','[]',NULL,NULL);
INSERT INTO "database" VALUES('01a202f5-2539-7000-8451-f6fccb10047d','mariadb','01a202f5-1dbb-7000-8c6e-3c62b26b4fc9','it','the-mariadb',NULL,'mariadb:6',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'done',NULL,'2026-11-22T11:12:30.009Z','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.V1AvumxJJjlCrWd_GcfspMxg-q4sSUmkj_LU8ogBTlV1mSlbjtaRxyRJf6-4aYHMhM_7IlzFVXhpRzdxL_fvcisGdBrgas_UlGZiBmrM-b5xFg0SJdD4DDu3KVmwERoomNEIgIjwaJBcJXpUmSYwbkkSyU2OyYyH89A','up','v1.c60ee442.VkCcqNfiPN4v23pXiX_1mYN9uVOcblFhSx5NeCIeY6FvwGRKF0S1j5CTy0pT8rLLKLI18MRaHXHC6Yb7BEOrH6ZhnX9yZvrsl0aYNctlgxyTOomc4r3-nvhv9ButG_KgXQoP0ITBYOgaKwXwWCwdeW51BBgp6Duvdc9NUv3zJYVri9WQ3_0f7EStiQ2mPOhC8czFPF0XM7hPooiZB6C8yAIVK6ZP3zgYOvkeEl95dzpHJjpbKqkHma1H6cgajroy_e8HcPjyPcWoczDiDVpMWjA5eCsb3ugu9Ce7cgL_GZLELGqJndZuXmAzgntCIvVlAsntlrFGMe4FMapjZQMhWOmtUv7M3uBmMAfhaMsq03bsa75_qGlvQlYEtRq_thT8vF97hXBSpbt2QcABmO2FhV5fDZZFJZitsBfEzNpY7rIMtgpRhM-zh6LtficFONxVQxoPAK12eamaJw','v1.c60ee442.j7MU4WaV0_xWTp_k9INOHWCMmhrsm9bTLK8VAcAvwl0FoSI4E4RfkqJ-5wEbd8Ytf7RJy8fC7GlGZbj3BEin-ecrt8LG2BqMeOvxfk0vACk2nlkrl9x3zfr8j4Gz5OI3bCxjzWq5n2cTk_wcDw-tVTqRtpnHRlVpeUvuponvrCfVrG22rfhhBhNEHzgNzuSaQT9-Ca3pd6pWa25C2y91HUQuB-OY_LFaHq17q7FBheiA72ESQ43U4L-iC_LJxNUataymDBlm-8MWmKmNTAfabnj3EVFB573MsFliSWBOeudLzwL1w34JKyB016oANQKep8DfAKz4y79qp5whBdBuEhixcNEArJudUtx8pEG2e387ApvghGLztKTCa0Vn7hjQuaOnUNXgSI4Nb0Y5yylX1-OXn0nZBwSMaex5DqZ66cjO9XwlmKQvwwIpyY3uoXGfqSdjGagU9epFGw',0,NULL,'01a202f5-254f-7000-adcf-b91dd84a60e1',0,'up','running',NULL,'2026-11-22T11:12:30.090Z','[]',NULL,NULL);
INSERT INTO "database" VALUES('01a202f5-259e-7000-99aa-865430c02b3a','mongo','01a202f5-1dbb-7000-8c6e-3c62b26b4fc9','it','the-mongo',NULL,'mongo:15',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'done',NULL,'2026-11-22T11:12:30.110Z','{"databaseUser":"shop"}','v1.c60ee442.dId_wATSdWIUb1WjUd7v5n5miZ_EARLUSCTKOR_GXCiEL21l0YvsG7xjl3P1Fsbl6RHTjm7ijYpk1qu4OmSnYLlRYKyE47g','up','v1.c60ee442.GNxOg0MxiBQE7_hDnGFehfZkdgfg4HNgIZWkJkoKkkLN16RimNtiqtVQQjqLyXfwIG1xZANzzYIyNZPZZnGNgGQku3krRYbA0FbirTGbJ375W5yLvAnLnWm8REsYIU_pTnCLj4c_lnUhsmmmvc6kYGY6tT-Njb0nPnKGSf8e1axQ0hCrkCYd52EuaLNLYKXXfBQNG_rPppmL7wIQcAFvKSvsyI9KSup0AgMy--TVL6Y37UNjgnjWASu4VBkiInFOtjJyKSf7rcf4i6PSM_VM3IqWKw5FY2QarF3ckD4LT9Zl3RA-wocdcZtQIialENzesfEu-Q9aJYLiylggX2jSdh7Qx3DuR_tunHOZ1CDosGA','v1.c60ee442.okImeS0nqGuiP108NoUL45oO2jD19JGENMhNJ5vNKgJs0Drfc9JCWRGJ5NYdIl8F0HQdINDlTAbZkSpn4JzY-8FqYiA15eJac9cmbAxBpnh6MMRaG1YobZNueBsQC7Sh_3IkV3EGFpvrsvbGKa7OhFhNJqBbyN0LunJPoG99XqUURLh2P2Pw39iavcx9pNom_rCtVlwsi7ynNLGotG94zURjVH4T9wJUlT7C0ouBoO5Ns4Eh0noDkfPXxAqtggAec6CGJC_JZgC46LQPf5dBjfGkecpw0O8raAYS0Ml0yt7LZYd1iflg8naDh31BUpndvnPOw0j2JC3-kDGZQ1UtcXg7SLLjiLOkMjkDO5kJvfg',0,NULL,'01a202f5-25db-7000-8a75-3287438fc74a',0,'up','running',NULL,'2026-11-22T11:12:30.341Z','[]',NULL,NULL);
INSERT INTO "database" VALUES('01a202f5-271b-7000-9dd9-ba99d243836d','redis','01a202f5-1dbb-7000-8c6e-3c62b26b4fc9','it','the-redis',NULL,'redis:8',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'done',NULL,'2026-11-22T11:12:30.491Z','{}','v1.c60ee442.r7oqXBwA1ALtvqZ-tz3jNBg6mFYBWIDtq0ab-qeURFhGIlOHaV8NH7Mg6RuGpm5mO-X8JIZGnbFoEUMjUp02OHaG0EB_z2Q','up','v1.c60ee442.ktTMhxkm02DpnY_xLWrKdInUn1SHZx2jtXGlgQOLMqcu9alPWmtleaFov9OML-T6n9vk6_nFz-NaBP7v2gQ62V1LMoyiF5yoW1hcK7azW7MM4sefvvPL58Lcm1qQUaR4mHArsrJ1Fa1Qiirl9ipZDzOElSke3_ZJs9MQGHvHyzW8ZNYNBYp4TfijITNQiMGSZ_VWTWMdJTkCv5nTOIjdA6FDg40_hgp8QYm2oo1x6BCeU9TVwxhLvta45kavEjX06hKCABphqOv9sN_pRjTxrMykyNQmxWf_5m5WsfPXLzr-Cf-t6IQO5oLRy8hwO2FCuhahrN_DnXQb','v1.c60ee442.jyAaOA_nJllbGzeY8FJVpRYSf8d_AqJKHZu-DlCwcv4xyo8bjrkBHII5jiigOrkzHVRocCQ41_nTLKdI9wg62oBZBh7OQeBWJ_c0qn2IpsW8BHReB8dbzdYwU6jg6BbMMK398dAQwYDzA3AFzOCBX6_QgaQBVQbMaBC9Xkr7fTKkfJEqcxSYoJvU1UgdQUFXi8_CvAp0Hha-qh1WAf7Kj8arfDEXUyJv9s3el_6LwAQMe1ShBoRTZQITpezXsklDvBGySkNbVOz45eBPb6NobsOon9tmbO7EOVi1BREZJgXQBGJf8GO76OHiEiT_SNqWORExHR919V3h',0,NULL,'01a202f5-283e-7000-9a15-af93ca5eff6e',0,'up','running',NULL,'2026-11-22T11:12:30.906Z','[]',NULL,NULL);
CREATE TABLE IF NOT EXISTS "deployment" (
    "id" text primary key, "databaseId" text not null, "action" text not null, "state" text not null,
    "phase" text not null, "reason" text, "startedAt" text not null, "phaseAt" text not null, "finishedAt" text, "kind" text, "appName" text);
INSERT INTO deployment VALUES('01a202f5-22da-7000-8cbb-19cf3e2890be','01a202f5-214a-7000-8eed-6b3218efcf5a','deploy','done','apply',NULL,'2026-11-22T11:12:29.402Z','2026-11-22T11:12:29.402Z','2026-11-22T11:12:29.516Z','postgres','orders');
INSERT INTO deployment VALUES('01a202f5-2388-7000-8c7f-84f3aacb8a16','01a202f5-2361-7000-b9fb-d3c2f446f447','deploy','done','apply',NULL,'2026-11-22T11:12:29.576Z','2026-11-22T11:12:29.576Z','2026-11-22T11:12:29.747Z','postgres','kept');
INSERT INTO deployment VALUES('01a202f5-2437-7000-9b0f-9c7d2874b97c','01a202f5-2361-7000-b9fb-d3c2f446f447','remove','done','apply',NULL,'2026-11-22T11:12:29.751Z','2026-11-22T11:12:29.751Z','2026-11-22T11:12:29.811Z','postgres','kept');
INSERT INTO deployment VALUES('01a202f5-2498-7000-9093-1c91e9cd007b','01a202f5-2486-7000-999b-d33ed01e2f87','deploy','done','apply',NULL,'2026-11-22T11:12:29.848Z','2026-11-22T11:12:29.848Z','2026-11-22T11:12:29.971Z','mysql','the-mysql');
INSERT INTO deployment VALUES('01a202f5-2545-7000-8ea8-ccec2c7a5f52','01a202f5-2539-7000-8451-f6fccb10047d','deploy','done','apply',NULL,'2026-11-22T11:12:30.021Z','2026-11-22T11:12:30.021Z','2026-11-22T11:12:30.092Z','mariadb','the-mariadb');
INSERT INTO deployment VALUES('01a202f5-25b7-7000-93bb-041f6c25b5de','01a202f5-259e-7000-99aa-865430c02b3a','deploy','done','apply',NULL,'2026-11-22T11:12:30.135Z','2026-11-22T11:12:30.135Z','2026-11-22T11:12:30.358Z','mongo','the-mongo');
INSERT INTO deployment VALUES('01a202f5-2758-7000-932f-7c5a8fa2877f','01a202f5-271b-7000-9dd9-ba99d243836d','deploy','done','apply',NULL,'2026-11-22T11:12:30.552Z','2026-11-22T11:12:30.552Z','2026-11-22T11:12:30.907Z','redis','the-redis');
CREATE TABLE IF NOT EXISTS "recoveryCode" (
        "accountId" text not null references "account" ("id") on delete cascade, "hash" text not null,
        primary key ("accountId", "hash"));
CREATE TABLE IF NOT EXISTS "invitation" (
        "id" text primary key, "hash" text not null unique, "email" text not null, "emailKey" text not null unique,
        "rol" text not null, "invitedBy" text not null references "account" ("id") on delete cascade,
        "createdAt" text not null, "expiresAt" text not null);
INSERT INTO invitation VALUES('01a202f5-28bf-7000-8544-04544f3abb18','1d2171b24497bb3bd4d0375530cf4dd026129fd33452dc06f859ef1b56a4adba','eve@example.org','eve@example.org','user','01a202f5-1cc4-7000-a950-fddae3acaf7b','2026-11-22T11:12:30.911Z','2026-11-29T11:12:30.911Z');
CREATE TABLE IF NOT EXISTS "audit" (
        "seq" integer primary key, "at" text not null, "kind" text not null, "accountId" text, "email" text,
        "tokenId" text, "address" text not null, "operation" text not null, "record" text, "result" text not null,
        "previousHash" text not null, "hash" text not null);
INSERT INTO audit VALUES(1,'2026-11-22T11:12:27.853Z','installation',NULL,NULL,'installation','127.0.0.1','auth.createAdmin','01a202f5-1cc4-7000-a950-fddae3acaf7b','OK','','1d1113cd264477598e23855215b83460503bfd2f531c6398a4ee620748eaf30b');
INSERT INTO audit VALUES(2,'2026-11-22T11:12:28.093Z','session','01a202f5-1cc4-7000-a950-fddae3acaf7b','Ada@example.org','01a202f5-1cc5-7000-b019-058dd73781df','127.0.0.1','project.create','01a202f5-1dbb-7000-8c6e-3c62b26b4fc9','OK','1d1113cd264477598e23855215b83460503bfd2f531c6398a4ee620748eaf30b','6932ff00d343b1cd2b41622af098134d1f05553d83c52127e96199e760c86c24');
INSERT INTO audit VALUES(3,'2026-11-22T11:12:29.053Z','session','01a202f5-1cc4-7000-a950-fddae3acaf7b','Ada@example.org','01a202f5-1cc5-7000-b019-058dd73781df','127.0.0.1','postgres.create','01a202f5-214a-7000-8eed-6b3218efcf5a','OK','6932ff00d343b1cd2b41622af098134d1f05553d83c52127e96199e760c86c24','2aeeb2fa9707eb05026071f9605569c21f42a9d51e9818b1c671c6c60e8aae83');
INSERT INTO audit VALUES(4,'2026-11-22T11:12:29.134Z','session','01a202f5-1cc4-7000-a950-fddae3acaf7b','Ada@example.org','01a202f5-1cc5-7000-b019-058dd73781df','127.0.0.1','postgres.update','01a202f5-214a-7000-8eed-6b3218efcf5a','OK','2aeeb2fa9707eb05026071f9605569c21f42a9d51e9818b1c671c6c60e8aae83','098d0742ff81132cda5e1e22b2668ac72278c675a1143c882cc48c0635ae1314');
INSERT INTO audit VALUES(5,'2026-11-22T11:12:29.294Z','session','01a202f5-1cc4-7000-a950-fddae3acaf7b','Ada@example.org','01a202f5-1cc5-7000-b019-058dd73781df','127.0.0.1','postgres.saveExternalPort','01a202f5-214a-7000-8eed-6b3218efcf5a','OK','098d0742ff81132cda5e1e22b2668ac72278c675a1143c882cc48c0635ae1314','2c3aaf2e97498d5044f5b2d9af8f0150537ef0cfd2296d18d92b9d2624201fa8');
INSERT INTO audit VALUES(6,'2026-11-22T11:12:29.355Z','session','01a202f5-1cc4-7000-a950-fddae3acaf7b','Ada@example.org','01a202f5-1cc5-7000-b019-058dd73781df','127.0.0.1','postgres.saveEnvironment','01a202f5-214a-7000-8eed-6b3218efcf5a','OK','2c3aaf2e97498d5044f5b2d9af8f0150537ef0cfd2296d18d92b9d2624201fa8','37a0d0d5d5800d74704b211d959c1fa873f7ab9d08967f2e1c98755b932ce873');
INSERT INTO audit VALUES(7,'2026-11-22T11:12:29.407Z','session','01a202f5-1cc4-7000-a950-fddae3acaf7b','Ada@example.org','01a202f5-1cc5-7000-b019-058dd73781df','127.0.0.1','postgres.deploy','01a202f5-214a-7000-8eed-6b3218efcf5a','OK','37a0d0d5d5800d74704b211d959c1fa873f7ab9d08967f2e1c98755b932ce873','b827ace31acec4d89d2867edde17a3d0779599e13cd941c1a6894518aecbcf9b');
INSERT INTO audit VALUES(8,'2026-11-22T11:12:29.529Z','session','01a202f5-1cc4-7000-a950-fddae3acaf7b','Ada@example.org','01a202f5-1cc5-7000-b019-058dd73781df','127.0.0.1','postgres.create','01a202f5-2358-7000-b4cc-7af2e649d826','OK','b827ace31acec4d89d2867edde17a3d0779599e13cd941c1a6894518aecbcf9b','46085bf444e696f796e98f196731f36557b09760d02ee94a940c51f64df5f351');
INSERT INTO audit VALUES(9,'2026-11-22T11:12:29.538Z','session','01a202f5-1cc4-7000-a950-fddae3acaf7b','Ada@example.org','01a202f5-1cc5-7000-b019-058dd73781df','127.0.0.1','postgres.create','01a202f5-2361-7000-b9fb-d3c2f446f447','OK','46085bf444e696f796e98f196731f36557b09760d02ee94a940c51f64df5f351','84b7673e37b047760660420d7fc014cf0d5add6e9f510534132b9c960a9ddfbc');
INSERT INTO audit VALUES(10,'2026-11-22T11:12:29.579Z','session','01a202f5-1cc4-7000-a950-fddae3acaf7b','Ada@example.org','01a202f5-1cc5-7000-b019-058dd73781df','127.0.0.1','postgres.deploy','01a202f5-2361-7000-b9fb-d3c2f446f447','OK','84b7673e37b047760660420d7fc014cf0d5add6e9f510534132b9c960a9ddfbc','1d1d7f404f4aa6b0cfb1cebf64c10e8a2ffa5c13b431b6330f1e348c25554238');
INSERT INTO audit VALUES(11,'2026-11-22T11:12:29.752Z','session','01a202f5-1cc4-7000-a950-fddae3acaf7b','Ada@example.org','01a202f5-1cc5-7000-b019-058dd73781df','127.0.0.1','postgres.remove','01a202f5-2361-7000-b9fb-d3c2f446f447','OK','1d1d7f404f4aa6b0cfb1cebf64c10e8a2ffa5c13b431b6330f1e348c25554238','89aad1365b7a673eaaa937769e69ae08525fec57105054e40dd281aa123d9e79');
INSERT INTO audit VALUES(12,'2026-11-22T11:12:29.833Z','session','01a202f5-1cc4-7000-a950-fddae3acaf7b','Ada@example.org','01a202f5-1cc5-7000-b019-058dd73781df','127.0.0.1','mysql.create','01a202f5-2486-7000-999b-d33ed01e2f87','OK','89aad1365b7a673eaaa937769e69ae08525fec57105054e40dd281aa123d9e79','d2c313bde8f3e4da88e8f7ea6bf7dc6e9e9095fb11aae0d0efebbeedc835b82e');
INSERT INTO audit VALUES(13,'2026-11-22T11:12:29.848Z','session','01a202f5-1cc4-7000-a950-fddae3acaf7b','Ada@example.org','01a202f5-1cc5-7000-b019-058dd73781df','127.0.0.1','mysql.deploy','01a202f5-2486-7000-999b-d33ed01e2f87','OK','d2c313bde8f3e4da88e8f7ea6bf7dc6e9e9095fb11aae0d0efebbeedc835b82e','12e81bfe4859e2c4298a4d2e644452a43e1de0888f2ef5d4c1be0c8a4e82d75e');
INSERT INTO audit VALUES(14,'2026-11-22T11:12:30.013Z','session','01a202f5-1cc4-7000-a950-fddae3acaf7b','Ada@example.org','01a202f5-1cc5-7000-b019-058dd73781df','127.0.0.1','mariadb.create','01a202f5-2539-7000-8451-f6fccb10047d','OK','12e81bfe4859e2c4298a4d2e644452a43e1de0888f2ef5d4c1be0c8a4e82d75e','1baca88dea8e69544fae98a7abaf8b831532fe17f169371398a5085ddaf9061f');
INSERT INTO audit VALUES(15,'2026-11-22T11:12:30.021Z','session','01a202f5-1cc4-7000-a950-fddae3acaf7b','Ada@example.org','01a202f5-1cc5-7000-b019-058dd73781df','127.0.0.1','mariadb.deploy','01a202f5-2539-7000-8451-f6fccb10047d','OK','1baca88dea8e69544fae98a7abaf8b831532fe17f169371398a5085ddaf9061f','1841470c0f71c365dae1c1ca67cc2106233c95ed4f3af00580dcaf06d00258f6');
INSERT INTO audit VALUES(16,'2026-11-22T11:12:30.115Z','session','01a202f5-1cc4-7000-a950-fddae3acaf7b','Ada@example.org','01a202f5-1cc5-7000-b019-058dd73781df','127.0.0.1','mongo.create','01a202f5-259e-7000-99aa-865430c02b3a','OK','1841470c0f71c365dae1c1ca67cc2106233c95ed4f3af00580dcaf06d00258f6','4c8f39fa9c763dc7a31661f5cd6216c410899a667fdd49261fdfb31b7d547588');
INSERT INTO audit VALUES(17,'2026-11-22T11:12:30.135Z','session','01a202f5-1cc4-7000-a950-fddae3acaf7b','Ada@example.org','01a202f5-1cc5-7000-b019-058dd73781df','127.0.0.1','mongo.deploy','01a202f5-259e-7000-99aa-865430c02b3a','OK','4c8f39fa9c763dc7a31661f5cd6216c410899a667fdd49261fdfb31b7d547588','b6f68d1636640a4c89fd6cfebd8a2aafa43351c2250704044b008c1e50397d92');
INSERT INTO audit VALUES(18,'2026-11-22T11:12:30.512Z','session','01a202f5-1cc4-7000-a950-fddae3acaf7b','Ada@example.org','01a202f5-1cc5-7000-b019-058dd73781df','127.0.0.1','redis.create','01a202f5-271b-7000-9dd9-ba99d243836d','OK','b6f68d1636640a4c89fd6cfebd8a2aafa43351c2250704044b008c1e50397d92','3e4be36a82b0fbde22bc6aca222031b75a4d596df015d3fd5cd873a50680d405');
INSERT INTO audit VALUES(19,'2026-11-22T11:12:30.552Z','session','01a202f5-1cc4-7000-a950-fddae3acaf7b','Ada@example.org','01a202f5-1cc5-7000-b019-058dd73781df','127.0.0.1','redis.deploy','01a202f5-271b-7000-9dd9-ba99d243836d','OK','3e4be36a82b0fbde22bc6aca222031b75a4d596df015d3fd5cd873a50680d405','6ff057c0b08a0566975c7594bf13b702a472bf5bef7e22c1a3d453cf03e9af11');
INSERT INTO audit VALUES(20,'2026-11-22T11:12:30.913Z','session','01a202f5-1cc4-7000-a950-fddae3acaf7b','Ada@example.org','01a202f5-1cc5-7000-b019-058dd73781df','127.0.0.1','user.invite','01a202f5-28bf-7000-8544-04544f3abb18','OK','6ff057c0b08a0566975c7594bf13b702a472bf5bef7e22c1a3d453cf03e9af11','0cfdaaae0a0a69651d5b5b43eef0d49c292d2341746c1c51d24b5cd7090d0e37');
INSERT INTO audit VALUES(21,'2026-11-22T11:12:30.921Z','session','01a202f5-1cc4-7000-a950-fddae3acaf7b','Ada@example.org','01a202f5-1cc5-7000-b019-058dd73781df','127.0.0.1','destination.create','01a202f5-28c6-7000-9949-6e50b7ef16a1','OK','0cfdaaae0a0a69651d5b5b43eef0d49c292d2341746c1c51d24b5cd7090d0e37','0122f0b0775bf6a0f3e8c4583b76c19d5b8b3efd12c757fd8d26f23feb4c5f24');
INSERT INTO audit VALUES(22,'2026-11-22T11:12:30.955Z','session','01a202f5-1cc4-7000-a950-fddae3acaf7b','Ada@example.org','01a202f5-1cc5-7000-b019-058dd73781df','127.0.0.1','backup.create','01a202f5-28e7-7000-b669-f0dc81fc4693','OK','0122f0b0775bf6a0f3e8c4583b76c19d5b8b3efd12c757fd8d26f23feb4c5f24','7ac9e89e6b5c32d82cfc1709f3d35e968e27bab5c4e34520623780404da78639');
INSERT INTO audit VALUES(23,'2026-11-22T11:12:30.996Z','session','01a202f5-1cc4-7000-a950-fddae3acaf7b','Ada@example.org','01a202f5-1cc5-7000-b019-058dd73781df','127.0.0.1','redirects.create','01a202f5-28f3-7000-aa4f-7104e4fd9b3f','OK','7ac9e89e6b5c32d82cfc1709f3d35e968e27bab5c4e34520623780404da78639','9c6f252f40b789750db6f8ff4499036ae64e4515fff9925092701f2f63fe50f7');
INSERT INTO audit VALUES(24,'2026-11-22T11:12:31.140Z','session','01a202f5-1cc4-7000-a950-fddae3acaf7b','Ada@example.org','01a202f5-1cc5-7000-b019-058dd73781df','127.0.0.1','security.create','01a202f5-291a-7000-8966-2199894d960f','OK','9c6f252f40b789750db6f8ff4499036ae64e4515fff9925092701f2f63fe50f7','6fb9f4e145ac7abac797d47b57738c7742d107d36f34ca0291174d71702d2731');
INSERT INTO audit VALUES(25,'2026-11-22T11:12:31.207Z','session','01a202f5-1cc4-7000-a950-fddae3acaf7b','Ada@example.org','01a202f5-1cc5-7000-b019-058dd73781df','127.0.0.1','auth.generateToken',NULL,'OK','6fb9f4e145ac7abac797d47b57738c7742d107d36f34ca0291174d71702d2731','80ab7af00b9e1562d76f65d1b21c415cefa1890e7375a25a2beaf875fa52c24f');
CREATE TABLE IF NOT EXISTS "destination" (
      "id" text primary key, "name" text not null, "bucket" text not null, "region" text not null,
      "endpoint" text not null, "accessKey" text not null, "secrets" text not null, "createdAt" text not null);
INSERT INTO destination VALUES('01a202f5-28c6-7000-9949-6e50b7ef16a1','storage','backups','','http://127.0.0.1:9','key','v1.c60ee442.PDyhwtE5HvbTIwWUgGSvN-pvrz8all-daIKtjDeZhOOMPHrI9KHUKynzNcoJ53_W8fUDDajtBd2zC1ldp_65LebMKtW5Yw','2026-11-22T11:12:30.918Z');
CREATE TABLE IF NOT EXISTS "backup" (
        "id" text primary key, "kind" text not null, "databaseId" text not null, "destinationId" text not null,
        "schedule" text not null, "timezone" text not null, "enabled" integer not null, "prefix" text not null,
        "database" text not null, "verifySchedule" text, "keepLatest" integer, "keepDays" integer, "recipient" text,
        "signalUrl" text, "createdAt" text not null, "nextAt" text, "nextVerifyAt" text);
INSERT INTO backup VALUES('01a202f5-28e7-7000-b669-f0dc81fc4693','postgres','01a202f5-214a-7000-8eed-6b3218efcf5a','01a202f5-28c6-7000-9949-6e50b7ef16a1','0 3 1 1 *','UTC',1,'nightly','shop',NULL,3,NULL,NULL,NULL,'2026-11-22T11:12:30.951Z','2027-01-01T03:00:00.000Z',NULL);
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
INSERT INTO application VALUES('service3','berth-gateway-01a202f5-214a-7000-8eed-6b3218efcf5a',1,NULL,'[]',80,NULL,1,'[{"port":15432,"protocol":"tcp"}]','[]',1,1,'[]','2026-01-01T00:00:00.004Z');
INSERT INTO application VALUES('service7','the-mysql',1,NULL,'[]',80,NULL,1,'[]','[]',1,1,'[]','2026-01-01T00:00:00.010Z');
INSERT INTO application VALUES('service9','the-mariadb',1,NULL,'[]',80,NULL,1,'[]','[]',1,1,'[]','2026-01-01T00:00:00.013Z');
INSERT INTO application VALUES('service11','the-mongo',1,NULL,'[]',80,NULL,1,'[]','[]',1,1,'[]','2026-01-01T00:00:00.016Z');
CREATE TABLE IF NOT EXISTS "redirect" (
        "id" text primary key, "applicationId" text not null, "regex" text not null, "replacement" text not null,
        "permanent" integer not null, "createdAt" text not null);
INSERT INTO redirect VALUES('01a202f5-28f3-7000-aa4f-7104e4fd9b3f','web','/old/(.*)','/new/$1',1,'2026-11-22T11:12:30.963Z');
CREATE TABLE IF NOT EXISTS "security" (
        "id" text primary key, "applicationId" text not null, "username" text not null, "passwordHash" text not null,
        "createdAt" text not null, unique ("applicationId", "username"));
INSERT INTO security VALUES('01a202f5-291a-7000-8966-2199894d960f','web','ann','v1.c60ee442.Cl_qxh2imRHs49pSfx5W0joH6jNRGiYeXndIdAPtJaDLqrPSydRwF1RenJqBaZKgbh4p2Y0lOQ1gtvNyebWNCu9VBcJF53KSxUx921C5llkXJEUKhM32Bg','2026-11-22T11:12:31.137Z');
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
CREATE TABLE IF NOT EXISTS "node" (
        "id" text primary key, "hostname" text not null, "state" text not null, "since" text not null,
        "deploymentId" text, "force" integer not null, "availability" text not null);
INSERT INTO node VALUES('node1','memory','ready','2026-11-22T11:12:27.472Z',NULL,0,'');
CREATE TABLE IF NOT EXISTS "move" (
      "databaseId" text primary key, "deploymentId" text not null, "nodeId" text not null, "nodeName" text not null,
      "nodeAddress" text not null, "volumeId" text, "step" text not null);
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
CREATE INDEX "volumeNode" on "volume" ("nodeId");
COMMIT;
