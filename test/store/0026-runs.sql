-- A store of version 0026-runs, created by test/store/generate.ts with Berth of commit 106e14f,
-- and printed by `sqlite3 berth.db .dump`. The master key is the byte ab, 32 times.
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE IF NOT EXISTS "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
INSERT INTO kysely_migration VALUES('0001-first','2026-11-24T09:49:36.434Z');
INSERT INTO kysely_migration VALUES('0002-kinds','2026-11-24T09:49:36.440Z');
INSERT INTO kysely_migration VALUES('0003-named-deployments','2026-11-24T09:49:36.441Z');
INSERT INTO kysely_migration VALUES('0004-accounts','2026-11-24T09:49:36.442Z');
INSERT INTO kysely_migration VALUES('0005-sealing','2026-11-24T09:49:36.448Z');
INSERT INTO kysely_migration VALUES('0006-destinations','2026-11-24T09:49:36.449Z');
INSERT INTO kysely_migration VALUES('0007-backups','2026-11-24T09:49:36.450Z');
INSERT INTO kysely_migration VALUES('0008-routing','2026-11-24T09:49:36.451Z');
INSERT INTO kysely_migration VALUES('0009-registries','2026-11-24T09:49:36.452Z');
INSERT INTO kysely_migration VALUES('0010-nodes','2026-11-24T09:49:36.453Z');
INSERT INTO kysely_migration VALUES('0011-moves','2026-11-24T09:49:36.454Z');
INSERT INTO kysely_migration VALUES('0012-tried','2026-11-24T09:49:36.455Z');
INSERT INTO kysely_migration VALUES('0013-lapsed','2026-11-24T09:49:36.456Z');
INSERT INTO kysely_migration VALUES('0018-accounts','2026-11-24T09:49:36.457Z');
INSERT INTO kysely_migration VALUES('0021-backup-identity','2026-11-24T09:49:36.458Z');
INSERT INTO kysely_migration VALUES('0022-data-identity','2026-11-24T09:49:36.459Z');
INSERT INTO kysely_migration VALUES('0023-restores','2026-11-24T09:49:36.460Z');
INSERT INTO kysely_migration VALUES('0024-safety-dumps','2026-11-24T09:49:36.461Z');
INSERT INTO kysely_migration VALUES('0026-runs','2026-11-24T09:49:36.462Z');
CREATE TABLE IF NOT EXISTS "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
INSERT INTO kysely_migration_lock VALUES('migration_lock',0);
CREATE TABLE IF NOT EXISTS "meta" ("key" text primary key, "value" text not null);
INSERT INTO meta VALUES('installationId','01a20cf5-f959-7000-8cac-474fd6e3c062');
INSERT INTO meta VALUES('masterKeyProof','v1.c60ee442.h7Iv20jamR7LGG4pygyCK2VAZhSrtminCP8g9sVSZjvn');
INSERT INTO meta VALUES('fingerprintKey','v1.c60ee442.2Xz7U0CAyUe7i9t2n29TdwrRFsEoum0R0xO6e60fa80IA9ESnlA3hPhIaZ8FVesoMpBKzr_5bIHMCN1v7YTyUQIImMdWbWh_');
CREATE TABLE IF NOT EXISTS "account" (
    "id" text primary key, "email" text not null, "emailKey" text not null unique, "passwordHash" text not null,
    "rol" text not null, "image" text not null, "is2FAEnabled" integer not null, "createdAt" text not null, "secret" text, "pinStep" integer not null default 0, "lastSeenAt" text);
INSERT INTO account VALUES('01a20cf5-f993-7000-a9b3-ca2665efb205','Ada@example.org','ada@example.org','$argon2id$v=19$m=8,t=1,p=1$Cmwxhv5l9JjjITKcF6DS/g$OZSE1HoqZqPPN8846OgF12lbDvj2+W4GYKE5x/3Vzkk','admin','',0,'2026-11-24T09:49:36.531Z',NULL,0,'2026-11-24T09:49:36.531Z');
CREATE TABLE IF NOT EXISTS "token" (
    "id" text primary key, "hash" text not null unique, "kind" text not null,
    "accountId" text not null references "account" ("id") on delete cascade,
    "createdAt" text not null, "lastUsedAt" text not null, "expiresAt" text, "address" text not null default '', "name" text, "scope" text, "passed2FA" integer not null default 0, "tries" integer not null default 0);
INSERT INTO token VALUES('01a20cf5-f993-7001-a8fe-7d022b230c0c','e331dc4149c22f96538ede037d6a32ec7295721683732c39e7c286999aa4a4ec','session','01a20cf5-f993-7000-a9b3-ca2665efb205','2026-11-24T09:49:36.531Z','2026-11-24T09:49:36.531Z','2026-12-24T09:49:36.531Z','127.0.0.1',NULL,NULL,0,0);
INSERT INTO token VALUES('01a20cf5-fccb-7000-b4e8-734725bcb946','d1d5d48b5bb6690ad61519626aa7cc10f6452e6a1f1c34a9aab32b180dc358da','api','01a20cf5-f993-7000-a9b3-ca2665efb205','2026-11-24T09:49:37.355Z','2026-11-24T09:49:37.355Z',NULL,'127.0.0.1',NULL,'admin',0,0);
CREATE TABLE IF NOT EXISTS "attempt" (
    "key" text primary key, "failures" integer not null, "blockedUntil" text not null, "updatedAt" text not null, "subject" text);
CREATE TABLE IF NOT EXISTS "idempotency" (
    "key" text not null, "accountId" text not null, "operation" text not null, "bodyHash" text not null,
    "answer" text not null, "deploymentIds" text not null, "createdAt" text not null,
    primary key ("key", "accountId", "operation"));
CREATE TABLE IF NOT EXISTS "project" (
    "id" text primary key, "name" text not null, "description" text, "createdAt" text not null);
INSERT INTO project VALUES('01a20cf5-f99d-7000-bac3-19be58e0ae68','shop','of then','2026-11-24T09:49:36.541Z');
CREATE TABLE IF NOT EXISTS "volume" (
    "id" text primary key, "name" text not null unique, "kind" text not null, "dataPath" text not null, "nodeId" text not null, "nodeName" text not null, "nodeAddress" text not null,
    "databaseId" text,
    "state" text not null, "appName" text not null, "dockerImage" text not null, "settings" text not null,
    "secrets" text not null, "createdAt" text not null, "keptAt" text, "deploymentId" text, "serverVersion" text, "tried" text, "identity" text, "fault" text);
INSERT INTO volume VALUES('01a20cf5-fa25-7000-adc0-cc2aca851ad8','berth-01a20cf5-fa25-7000-adc0-cc2aca851ad8','postgres','/var/lib/postgresql/data','node1','memory','192.0.2.10','01a20cf5-f9a2-7000-8446-82ef0763b36f','attached','orders','postgres:15','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442._OhZeKpr_s6hMQWU-WwOBD266QG4F_9MjDSZG7W0FBfrcCvlAnrkoYexI0CaHJ_Gzgzol5_yHfbbRaXYv-b8FLOG-Us3_Sc','2026-11-24T09:49:36.677Z',NULL,NULL,'15',NULL,'01a20cf5-fa50-7000-9ea4-d1c4c46e74ac',NULL);
INSERT INTO volume VALUES('01a20cf5-fa8f-7000-926a-6c6688d80526','berth-01a20cf5-fa8f-7000-926a-6c6688d80526','postgres','/var/lib/postgresql/data','node1','memory','192.0.2.10',NULL,'kept','kept','postgres:15','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.C43NkpOuG5OUXV7iuYXeOvlcaI0tP-YmpHAi44qZ09GL1HR4bpF7HP42EHED0t7Rva-hyl7McUvIx8tm_LXumshZA7pXaDQ','2026-11-24T09:49:36.783Z','2026-11-24T09:49:36.878Z',NULL,'15',NULL,'01a20cf5-faae-7000-9f7f-64ce30e3d15f',NULL);
INSERT INTO volume VALUES('01a20cf5-fb2c-7000-bc08-2a14653da38e','berth-01a20cf5-fb2c-7000-bc08-2a14653da38e','mysql','/var/lib/mysql','node1','memory','192.0.2.10','01a20cf5-faf1-7000-ab0a-90532a6e45c1','attached','the-mysql','mysql:8','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.dSJM1a2LX7E8nGDAMGpNPMMA4DFOCw0RpumoH24vUxb7gj3Flueofg9tzeoqSqkdKgsiTe7U3JPYA3R6iQlSxj27E1dJsnly_ng1dqWx_DoCmREBK2RwsoRUf8aXRc6n5E-DCsbI04n_5Ja8nsXv3EnHU5Vypumsv80','2026-11-24T09:49:36.940Z',NULL,NULL,'8',NULL,'01a20cf5-fb4b-7000-9ae2-29ad40cff737',NULL);
INSERT INTO volume VALUES('01a20cf5-fb88-7000-83b2-eec48bb53c12','berth-01a20cf5-fb88-7000-83b2-eec48bb53c12','mariadb','/var/lib/mysql','node1','memory','192.0.2.10','01a20cf5-fb4e-7000-b8cb-8c2370a82a21','attached','the-mariadb','mariadb:6','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.Bj6fiehIemq2QgcbPEyQ5PVUN5IfPI_0zpfdYAJj1qjA13RTfVOCY2nrWL7l-OyJM7Np0ock9b82yezFwYBrw7xxRtAn7-YQeQvWzsguhdOnnsPW6qKGPwAnCmXQspYQdIgF2iW1Hvitatuq8o7enm8rd0PzVWOZid8','2026-11-24T09:49:37.032Z',NULL,NULL,'11',NULL,'01a20cf5-fba8-7000-89d9-6d3e0cdbab29',NULL);
INSERT INTO volume VALUES('01a20cf5-fbe5-7000-91b9-e447d3e6e98b','berth-01a20cf5-fbe5-7000-91b9-e447d3e6e98b','mongo','/data/db','node1','memory','192.0.2.10','01a20cf5-fbac-7000-a999-017570853267','attached','the-mongo','mongo:15','{"databaseUser":"shop"}','v1.c60ee442.NMwE1TJrYl2stNPh0TMwdSt2qV_I1qTH-mkf3SxmEE0zZjDZC0X6S2ueixygFLpomvMF1sIV6x6bag-YyIvmm8ktxAG5F4o','2026-11-24T09:49:37.125Z',NULL,NULL,'8',NULL,'01a20cf5-fc05-7000-9147-9d1930039738',NULL);
INSERT INTO volume VALUES('01a20cf5-fc42-7000-95f5-6f40a1783736','berth-01a20cf5-fc42-7000-95f5-6f40a1783736','redis','/data','node1','memory','192.0.2.10','01a20cf5-fc09-7000-b159-3d25278ad09e','attached','the-redis','redis:8','{}','v1.c60ee442.Ky0D86GspeElY5OfPiuR8231tZ9MCtVBXQvcWIIbKcS2GxQCHF_deacYO4TMlTc3IEp8Q7fF0g4dFoY5CRqFxhg9i7r1AQg','2026-11-24T09:49:37.218Z',NULL,NULL,'8',NULL,'01a20cf5-fc62-7000-9b93-862bccb42e47',NULL);
CREATE TABLE IF NOT EXISTS "database" (
    "id" text primary key, "kind" text not null, "projectId" text references "project" ("id"),
    "name" text not null, "appName" text not null, "description" text, "dockerImage" text not null,
    "command" text, "env" text, "memoryReservation" double precision, "memoryLimit" double precision,
    "cpuReservation" double precision, "cpuLimit" double precision, "externalPort" integer unique,
    "applicationStatus" text not null, "statusReason" text, "createdAt" text not null,
    "settings" text not null, "secrets" text not null, "goal" text not null, "target" text, "lastGood" text,
    "pendingChanges" integer not null, "deploymentId" text, "volumeId" text references "volume" ("id"),
    "removeData" integer not null, "observed" text not null, "containerState" text, "downSince" text,
    "lastDeployedAt" text, "drift" text not null default '[]', "node" text, "nodeLabel" text, "provenTask" text);
INSERT INTO "database" VALUES('01a20cf5-f9a2-7000-8446-82ef0763b36f','postgres','01a20cf5-f99d-7000-bac3-19be58e0ae68','it','orders',NULL,'postgres:15','-c max_connections=50','v1.c60ee442.qw3g-_Yly2_CyHbbCfBgj0f8Ya4X2rr3tqhf1Y0auIteWn2Oz1lF',NULL,512.0,NULL,0.5,15432,'done',NULL,'2026-11-24T09:49:36.546Z','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.o7U84zANoNauxJa22pKCGNhtdbc-0q9DA617kkpR8c6L5aDdltEOZlHy6JAcADo1Jld1DKd7zgvTlqEpkUN-yzUynYw-0II','up','v1.c60ee442.4CUrV9vNaLCoeQqtYurLu21YkF2dnz8w2mk3m_CuqZrwjS3Bg5anOD2K5Hgm239wnJnv8rozd3-o6OGbAUDAwxUnLbYPaEeg41kmE0G1puZp2Yg3C2qgNwv_bFYi7DzPI-hXHe1RH_f6UpbV0q0UFKURoN8eaCV4zAnBnsHFBVxKNd3ku2KRKNEey2fwesvP5di-WGggpzaLhA82zuZN0zKiusZEXWuO5jJaDPVUKCDn0r9cLRJot4kwtSPrKaVjx-OdLopyi8sbXwX6pluACFG64iSGEk6i6iF35Ckob5LAN9q2PXTtF33lBDLLi7PKIEA_B8MsvuzcFvxXYhN5PDPVyay07Zr0ZNUXkhT3SNB6CqhRPg9D1uGA5rvDKjQA_CxOz05V76SEFp4plM1QDlMN5cD1nWYsqOh0p2Huh_kOIma268_boFJkwMR-W8YjP2olwzCefj_DPNDCBNeeqFofhKE4ri-hrlmhZNr53apdAeOIwvchwKx8Mvo9fO6Ojb5b76-lpcT1LGjUw5COhsui19rS8IvIVP7zcdONuPVwHqwuVaRa89qL-XR4rbrJM0RVY9ycKITzwGT6X4Kwdd13NmUhq7F-jdYGLrdLPBhuuG84','v1.c60ee442.-Kml28s2DrOl4g3ddsdJ-MeLFeTcDL0xhSxsVjVpglDvCNAjQu3UIHyGwmacPLucApTg76OM2eZGui9rg4sOMWpPmMLwdVTKar0aMTm2D7eWAeQLMYCfnNvjCT7nryLEXo4yCBXTnUfqGX9tpz_gthRGg4XxyzuCxT16vAxinSyn3_abKFho9jIEaopn2J7SlhVu40BHnLz2ME5kLOkh4Wsnc7cmAG6dbalF634ZSAs2GE8Ynd5pNfeNuAfaxvJdHA2AlQmiWYCfrU9cOIkmBE6GYgvHEP5n1wPEyn2XekpdUINMvr9f4jYkOLX0yTrDt57noyZJ22FnykvtfHhH55JXAX_UixOeCl6-Lj_16d22CN3ys02LY1KXl2Qf-kpWgMpHuztXH2hZFKKwHUejDGpC25MkCwcZyVTMMgGob79G5mpwxUBFTaDdVJM72bkTpbEyTAuX6wUYycWWATk0o7pArX9v_deyl_b4axvgP8eHSYWKyjPcjqZHTA5TZAWgoJVqAPjH-hzhHUkF5QjvFEWyW29kIOrvAu5SVeaF8CIti2-nvddYp4RYm4LUrGIDHBdhSUimQGdv84WbeBvssVavvJ1Ots9KhFrYO4XxoKBubcIg',0,NULL,'01a20cf5-fa25-7000-adc0-cc2aca851ad8',0,'up','running',NULL,'2026-11-24T09:49:36.722Z','[]',NULL,NULL,'task2');
INSERT INTO "database" VALUES('01a20cf5-fa55-7000-8d6b-b81dfd6beb62','postgres','01a20cf5-f99d-7000-bac3-19be58e0ae68','it','never-deployed',NULL,'postgres:15',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'idle',NULL,'2026-11-24T09:49:36.725Z','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.TRj-VveWtuZLxfrF3he_jxDjbJUycgl5gaQO9zj9JC2hIKeITu474uOO4i7cmilaFbDL3hDG__XbbuymfthvKM9uJUTm9vo','none',NULL,NULL,0,NULL,NULL,0,'unknown',NULL,NULL,NULL,'[]',NULL,NULL,NULL);
INSERT INTO "database" VALUES('01a20cf5-faf1-7000-ab0a-90532a6e45c1','mysql','01a20cf5-f99d-7000-bac3-19be58e0ae68','it','the-mysql',NULL,'mysql:8',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'done',NULL,'2026-11-24T09:49:36.882Z','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.RxcM8G68kyEoQJZfCrQdUVkCAQzsJmSIZO3JM8b9FCAKPs6vZ1fOM_qnxUifQNrfjmp9PpWCgwPhCYZ9AjFAOHr9gxVxv7NGZTuDZ9w8c0nCAsXBdv-L9sD8NfwtRV-NyHqhYDnRxVXUSNR-UaP-FIKTyXGhbyUP1w4','up','v1.c60ee442.0GI2IGxtv3RFWtQpTgA2DBMib71gLLg7i5SSzZd777w7gjsnSwGxPjuIFbCVA4k6OXXv2WGHZPp5ik_e65lj957i1XhHhGVvxNumcM13FX392Qknt_ThMNzoXThwiSAltNXQdaT6L5ZpLslJfjyUr0sKatGdqWYh18W4Q26Cc7pCv-kZoz-oG5XdnzwipIO6Yr_MTuGfk_wT0TMwHRX_1H6qHTaaadD4kE7WQ8Tw1vqtACocXz8sNo7l9G03AFier735Bu63R6vRuE6xffyHog0i0lP0-yQs4XNE1xbtTpbPa9CW_Fqv2iYsFUv2z1JH08LZ8kJkhCkFFNegPjjvApDDlyQJ_1WAh1-dc5g2Q0Wvpn6P-B70x3z4vyPvx79KzqG1hHMHLT7ZFEc5gg_qkHNowU5sbjCjOr3-BJtNI7GC3VO2is-W836BGBeqM_FJrR211l8etKiim_mKHs5s5j00roFUD0pZN1JF-graMSR7O_LvbtnP6fbU_Wlk283mvFUAHH4On_oDUq1U_D1JWp9DKvQe00szyKaMyyHzVj_HBzc_mXwHABC9XK4IfWCWUrHm0s8_OXI9w7Mnt0v7XBOb0nWw8wu_KmCWQdlpuV98yrfsBtTIy8P7P42MmK3IJpBT','v1.c60ee442.bf0bJy2tpgk8HngKaOBlF7-xExos2NfxqifsL7a0dvDP3c_SOP54jCiXEpjdpDZbbnI3BlBmjnDLcQPgT6003cOaVsRuDw-KFyxBWsNKVhaFqCgs1lPB2LdD9Rp_ns4CcxkX0jO2bxpvFv_FBvMERDoETtoDVZBSD8u44BLdQt2JomVyJLS5sBIKgDNJmFhq5DJRjZJ88-z4Hej3yuDlR_Z5LtHhk-wTrY4twgtubO4X0AoIWM42P5B7Bq6BpfpXgG060_BTotPw8XjY24FC8ZPCSNUKV7ytdb0v00O8u8isllYFvqwoDopEoGeYP0Uu4lOWW-hZoE79PbE1xyER8QZ5kf1z1Zr9Cf_lv3_6aD4CMsNkNGnZml-dxGf07Yljtww1qa4pyExA_PTUL20x5HPrOmllVF-G-EZfOfl29qVj9x6PWAA1U24kAlmWIVf1j5f0-KZ-S0ELtwqSBpfAy_ugmsv8txvqFuj58uw0t8VV1P6ctHh82XjmEmXBuAJ-DJFtNMFYvw5fXQmvIXCdtALE2ABx2T33WnFVAeqAEOe_2TkANNw6P6I0kO87HBj9YbdDv_W7f17mim_-oJ6camH93CtdLL4xeXbJJkS1XBqxp_J9fSe_s3vdIRckchVRP4k-',0,NULL,'01a20cf5-fb2c-7000-bc08-2a14653da38e',0,'up','running',NULL,'2026-11-24T09:49:36.972Z','[]',NULL,NULL,'task8');
INSERT INTO "database" VALUES('01a20cf5-fb4e-7000-b8cb-8c2370a82a21','mariadb','01a20cf5-f99d-7000-bac3-19be58e0ae68','it','the-mariadb',NULL,'mariadb:6',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'done',NULL,'2026-11-24T09:49:36.974Z','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.3Vk2chwszHbeEEKBrR48WIvKRiVxTJOgSi4x7UnK0E2EB3zFhQxlcgeXV14fyK54goIvyLvbjvFw8Gc-dhTx6f6g3F99Y-PkOT4lKOvjVxTmVCjwQ-EuERZIYVG0FWw2dplYc9TM5ktBZtCxIaYbkP-JsSJ0IGmNzco','up','v1.c60ee442.MlUwUr05VWozyJTVbIGJQgufOG2fB1EvinAGZE2uVhSJAuOkp6GDn4yyHRhaxjLO2QyNR_3FxO33FuDAGIsOaBnTM4weG1NXTiZ1YtIyiw7lryreMnSWRXOWePsgFNcWUnD7-GapshggGLlQGjy9ieZZkt9u7UNQAK4OxZsjUArZGHt_fkR0ypjtjVKd3Vj4NuMwzAfGiWJ-SXeBBlz2GegyxRtVstYV1Ykg8lTKVKT5On02KXDAg7TtQA-5sajlMOl4e0gW5nRgDfBDmzvhJEYGnL7n4AvYzwBpXBPUBV-5qYleex3d-dpPdw1p1B3yhw1-F-jj4gk6am-78LAwtpzedwThIrYzxeyElrMT1xJd-qqPhqPsZf4VWYXFEEJNLKw7f6iVbnnu6LpF-NS9kb0mC_SkdROvpg7rfsAsgwJuwLdVaoml8rQk6oehDe32vDh7hQT3V15p60v6gm0J0Q8P-K-x24Us_WlbDErg-lmhYWZYfVRCqQAuJmYvRYvyoggr5R51Pje03UrQwG6h8aHMfJWrmSabM-7m5C6fUNwH4hiGXcK7bvrAZqa7D0oVZmhy2OaNvjX3qE1E_8UAzVhDe3_3MBCgSQoymTa_xPEDgpMjIpaflz696yiDq9bvXN03DSWp0o5N','v1.c60ee442.OKNu_u96D5IJmB_ARC9kZ3X_Zrcpy4DmwJp3s7_gmnom8NFv-nAsYHeZBWAEupfhVmsaLvpKdprbCerN0praM55ggwKiKl_S44OopPsBTr7yE9qUCWHofqScP_ZPPWRXr7mqfM492ys4lrsRIh4XibeE-IQM3L_nPFaSmPvDA5uk2R_wsmtaexgvfmmjecBeSBWuKDQ0Oh7Ze7QCsuWIhzeW2SL6OYXscHPSy3z7bJXMVH6Rd8Lry3rCaJqXgrLEzm3LHmAMXAh6nyflZyBgrpT19Vyu9Qam9jWHdO56KyTcMPlqutALz6ibNWbo0VMtNckKZsj9Z7XGf1OZgkN7f54k-gse9MasBjXYwpX_XFKiT7HmBXPYGZCyiPAdkDG8JLhT0z-s1USY8lfRhnalPNr7QlxnOQw-zLg-uw4JYxwkkDyBQ7BhOzVb4eaPZ8TkT8-pH8P8uaXjGQVKO2_7muYv6nSvQ0-vhqWPE41pNVADMzQYxo0LvXvcjSv_im2FSomXJF_TsXDlci_z3hL0p8Ftb5JuEAsgcAxQOBb7f1MLbpj5KUaQdKPwN1-Pai6FBo2EYViP6nCOoZ8RRR4Lkj8wTiir7Qvc1SN0H_CmPVy2nvaFos-2tsI48nRmAvFVUYOa7mYXwdj3',0,NULL,'01a20cf5-fb88-7000-83b2-eec48bb53c12',0,'up','running',NULL,'2026-11-24T09:49:37.065Z','[]',NULL,NULL,'task10');
INSERT INTO "database" VALUES('01a20cf5-fbac-7000-a999-017570853267','mongo','01a20cf5-f99d-7000-bac3-19be58e0ae68','it','the-mongo',NULL,'mongo:15',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'done',NULL,'2026-11-24T09:49:37.068Z','{"databaseUser":"shop"}','v1.c60ee442.7ugWNOGbcVCEYz4kqRnlhIEQB4Rs-1GXrq24yPFWkIMSjpY4txonRblYTZ01v4IxOX0GiXMW366SMSmC4ZL06h7hiG0au80','up','v1.c60ee442.D4sObidxQZyviv2Z_8WmjuZLsc5wNAafE8CqLulwowFJ3f2BOWYEDulaSsWCOfzzYoTvTha0-mkXcK6ZbzgELvgvZbd4tvuk4JvosMVbEHAGTWKlRIsz18UPOOUBcVQdlnp_NfcCnMjAWO51HGAHgBN1RBahCROQ34q22KQnaeAyiS3ly3_by9tsiaN4gYNTDrrdwdk8ishlVytpjoWIEt3s-5I4nYkooU5W7vqF0fP-jLNErQSuGPc9PwxoezYhjtRPcx0VFIsfvFyUq6QJKUKsm5FhcF_lio2Bg7LN43qrudai2BzJlDjgqYMk0VEfJHCty9OZGjwGPvdtBYzcP03JH-hiUn0WVZYhNug1RaH2GTsqNZLeERIT0bCLTQsrobU5qA3KkpTiOpR8S8NxYOhC9ZpSQRd4eoS_s1sNMSUk1FFpYN3qZUOs2SNWUMuV80j3zhgM23bZ-yzY7dCucUnoT84fdjRLQDNycD8oCU9s32imHmXlVvRR7CMt2zFSdOzzgyviBuCnUDgoUVzF8PSOYWvBxM9U3X3y','v1.c60ee442.Sk35Yes-VOIPdeUlfgOVqEhAnAQ11THfczvLAcdB2AOQTFQzEuaV_f1svIc-YYJp-8yM7BICzRlazoXfNiaFTJoYgyI-BoygFSAeGMrT870vMHhYFzwcjjicVmyg7MWHrSIPQtrstCXVkgyH5J9vFp2FmSC1Vd7kxh4rVFXcrojHIHb6kM7yQM7NZYHYESMaWyk-jl7gZjNm0aK3WXeJvAG1zCISPWa6gHflmceTMrNGgN6Rx1-kP_w62TlntfErueHjVeKbWsTuUXba2BXxoOZtIxcevg37tWVskiHWOiSgxIeDMFLR6ndnRJG0qhHmidosXSc-34er7n-P9Dl2wxXs9Wy-aqXlOmiAC7yOX03qCOkpk5CwbmOMNPSxdL6v4WGySm8eb6vhFH7XfS-AUrrZjmA3GEGiMkAN-sIooV5C_cw0J-YaK8Gu9c3-pR-DHcnTqYxmyB4t2TTUND__KzV9g8whtaBXhdYh09QqOWk-mjn9GDsosfPUFj_eVysUmZtKS40gYz5xzpO6HYqgcu1huPbw9iwjHL06',0,NULL,'01a20cf5-fbe5-7000-91b9-e447d3e6e98b',0,'up','running',NULL,'2026-11-24T09:49:37.158Z','[]',NULL,NULL,'task12');
INSERT INTO "database" VALUES('01a20cf5-fc09-7000-b159-3d25278ad09e','redis','01a20cf5-f99d-7000-bac3-19be58e0ae68','it','the-redis',NULL,'redis:8',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'done',NULL,'2026-11-24T09:49:37.161Z','{}','v1.c60ee442.NKU0apfifQRzR6fhtVbnyZxyHQgB-vnh4lA06Vw-Ky-4HS07jdjBx5Eg4wv56rPj8ES0kR32WE75dQEZLH-U3tT-A1FxWhM','up','v1.c60ee442.jReWzYO80GvQAgnDRTuL9jUGo_x5iiqUfTVIvWC2P798PafA2I4u4yZOILEqAjv9_W3cDHOuzEY1hWIa8PlrKn4AgBjExzNcfNjDQB2TrJuVlVzC6sXhAjG9CRIK5s61ZD72zmzA-CJrbofivB90uglwT9HhPBSAvKw2dOdG2FQozJijTh5zpx5EqYOYcPCZbK55A3kBLxIpAFx0o0M29GhTMJ5yW1emQskiexPH3IQhUxA_gRGgZdxX32MBITVi7vXfrlHBtrxArTpzRjHNy6A8h04iDy9B-7iJk62cF2UmgbqPjHag0PyFJGXbgYFpWCWJsLNmSIg6GL56RrnKnZ4DeqbdUITmH1WoPd0CLNT-99zWD7JLvR0fvZN7C7et6p0DV43Mp28teWxFDKV4VR4NgqVYah0dq9m6YQrx_ghK1aepG1aiKDPRwu4qNAZ0HuDl14EggWlWNRcvLR3aBK3VXryhznJ0CTWJIqrzA7cOTKjLPNU8vRHDWxOZageuYpn58A','v1.c60ee442.bpv7TuuSJ9LOaAjELAP3Q5btuH3gl3j7U5QPwexVyWZI1slGs_sMsf0MuLNqyrOlD42KdDJztVmWMEdqzB8bq8A3QMrdRpW_mazK9iNhO7_mj6aL5CDsmlU3jErLTtO3RwjCeq6cjJ1xX2zyxnsxM_b1KhwnsaFT8ss8-sQeqlf6Lt-5QanITd_noOP0ak8OrLsabDN6o-b_C87gs2o9h2MttBxBlFRrSfNql0E_R3hIciO8SF0xenJAmXQ87M9rKQQ8MSOnIERECuLZBsFFl1o4r-8dU_aRWdkg2ZID29SZYtKEITixLodVyS-syba68gsv8rzgA9kkrDumZC6EDZYdZ5nMb4Ntv3vyRuhNkl5uprARmtaMqImHmvv8c_3mg_B8VaOWZSmYIkNTfnm1SLuCu1ebEnq9uh14TTJEM3w4UhKAF98UJ2TUD4pl_UNTRsyTLNfrRQu_ckNN-nrr3MxbAjzMvJ6OG59gsvO_vm01w3ajflsZ5eU6yZH1VSEuM02GMA',0,NULL,'01a20cf5-fc42-7000-95f5-6f40a1783736',0,'up','running',NULL,'2026-11-24T09:49:37.250Z','[]',NULL,NULL,'task14');
CREATE TABLE IF NOT EXISTS "deployment" (
    "id" text primary key, "databaseId" text not null, "action" text not null, "state" text not null,
    "phase" text not null, "reason" text, "startedAt" text not null, "phaseAt" text not null, "finishedAt" text, "kind" text, "appName" text);
INSERT INTO deployment VALUES('01a20cf5-f9b1-7000-9472-c8d2b91e096d','01a20cf5-f9a2-7000-8446-82ef0763b36f','deploy','done','apply',NULL,'2026-11-24T09:49:36.561Z','2026-11-24T09:49:36.574Z','2026-11-24T09:49:36.722Z','postgres','orders');
INSERT INTO deployment VALUES('01a20cf5-fa5b-7000-b103-62f2082dfab9','01a20cf5-fa57-7000-99bd-fe239e5e37b9','deploy','done','apply',NULL,'2026-11-24T09:49:36.731Z','2026-11-24T09:49:36.750Z','2026-11-24T09:49:36.815Z','postgres','kept');
INSERT INTO deployment VALUES('01a20cf5-fab2-7000-91bc-71c8ba0990bd','01a20cf5-fa57-7000-99bd-fe239e5e37b9','remove','done','apply',NULL,'2026-11-24T09:49:36.818Z','2026-11-24T09:49:36.818Z','2026-11-24T09:49:36.878Z','postgres','kept');
INSERT INTO deployment VALUES('01a20cf5-faf5-7000-87fe-f31fcd09a568','01a20cf5-faf1-7000-ab0a-90532a6e45c1','deploy','done','apply',NULL,'2026-11-24T09:49:36.885Z','2026-11-24T09:49:36.909Z','2026-11-24T09:49:36.972Z','mysql','the-mysql');
INSERT INTO deployment VALUES('01a20cf5-fb53-7000-b3b4-fb4c526fb0c7','01a20cf5-fb4e-7000-b8cb-8c2370a82a21','deploy','done','apply',NULL,'2026-11-24T09:49:36.979Z','2026-11-24T09:49:37.002Z','2026-11-24T09:49:37.065Z','mariadb','the-mariadb');
INSERT INTO deployment VALUES('01a20cf5-fbb0-7000-ae05-0aa2f484c964','01a20cf5-fbac-7000-a999-017570853267','deploy','done','apply',NULL,'2026-11-24T09:49:37.072Z','2026-11-24T09:49:37.096Z','2026-11-24T09:49:37.158Z','mongo','the-mongo');
INSERT INTO deployment VALUES('01a20cf5-fc0c-7000-a6e8-a7b177e899cd','01a20cf5-fc09-7000-b159-3d25278ad09e','deploy','done','apply',NULL,'2026-11-24T09:49:37.164Z','2026-11-24T09:49:37.192Z','2026-11-24T09:49:37.251Z','redis','the-redis');
CREATE TABLE IF NOT EXISTS "recoveryCode" (
        "accountId" text not null references "account" ("id") on delete cascade, "hash" text not null,
        primary key ("accountId", "hash"));
CREATE TABLE IF NOT EXISTS "invitation" (
        "id" text primary key, "hash" text not null unique, "email" text not null, "emailKey" text not null unique,
        "rol" text not null, "invitedBy" text not null references "account" ("id") on delete cascade,
        "createdAt" text not null, "expiresAt" text not null);
INSERT INTO invitation VALUES('01a20cf5-fc64-7000-9194-b134a219d4b2','cbab26ebab595066d4f492def3d7611e7d94e5c39ff3a48467457d0921dcc57d','eve@example.org','eve@example.org','user','01a20cf5-f993-7000-a9b3-ca2665efb205','2026-11-24T09:49:37.253Z','2026-12-01T09:49:37.253Z');
CREATE TABLE IF NOT EXISTS "audit" (
        "seq" integer primary key, "at" text not null, "kind" text not null, "accountId" text, "email" text,
        "tokenId" text, "address" text not null, "operation" text not null, "record" text, "result" text not null,
        "previousHash" text not null, "hash" text not null);
INSERT INTO audit VALUES(1,'2026-11-24T09:49:36.534Z','installation',NULL,NULL,'installation','127.0.0.1','auth.createAdmin','01a20cf5-f993-7000-a9b3-ca2665efb205','OK','','9a9c821a9f442e1ca5d8fc08b5a6d847840afa61de8be301e5edd825609ac441');
INSERT INTO audit VALUES(2,'2026-11-24T09:49:36.542Z','session','01a20cf5-f993-7000-a9b3-ca2665efb205','Ada@example.org','01a20cf5-f993-7001-a8fe-7d022b230c0c','127.0.0.1','project.create','01a20cf5-f99d-7000-bac3-19be58e0ae68','OK','9a9c821a9f442e1ca5d8fc08b5a6d847840afa61de8be301e5edd825609ac441','9b3644f92eecd0af3b2ff3d90ab13f55858b9e60ee3e427a3d343d7411577bd3');
INSERT INTO audit VALUES(3,'2026-11-24T09:49:36.549Z','session','01a20cf5-f993-7000-a9b3-ca2665efb205','Ada@example.org','01a20cf5-f993-7001-a8fe-7d022b230c0c','127.0.0.1','postgres.create','01a20cf5-f9a2-7000-8446-82ef0763b36f','OK','9b3644f92eecd0af3b2ff3d90ab13f55858b9e60ee3e427a3d343d7411577bd3','d903953d7df82af471e93f30fe310b7825281d5029bde0ccfb68c4c3d12824d3');
INSERT INTO audit VALUES(4,'2026-11-24T09:49:36.554Z','session','01a20cf5-f993-7000-a9b3-ca2665efb205','Ada@example.org','01a20cf5-f993-7001-a8fe-7d022b230c0c','127.0.0.1','postgres.update','01a20cf5-f9a2-7000-8446-82ef0763b36f','OK','d903953d7df82af471e93f30fe310b7825281d5029bde0ccfb68c4c3d12824d3','7721049b9666e25d9894e68182cd812368074b9ae6d080e91fca60c523f1d1ca');
INSERT INTO audit VALUES(5,'2026-11-24T09:49:36.556Z','session','01a20cf5-f993-7000-a9b3-ca2665efb205','Ada@example.org','01a20cf5-f993-7001-a8fe-7d022b230c0c','127.0.0.1','postgres.saveExternalPort','01a20cf5-f9a2-7000-8446-82ef0763b36f','OK','7721049b9666e25d9894e68182cd812368074b9ae6d080e91fca60c523f1d1ca','f9c8f287ccd3f43e359c3dcf36c4f8e7748f35d6f940e2d3bed8de4c9d03b4d5');
INSERT INTO audit VALUES(6,'2026-11-24T09:49:36.559Z','session','01a20cf5-f993-7000-a9b3-ca2665efb205','Ada@example.org','01a20cf5-f993-7001-a8fe-7d022b230c0c','127.0.0.1','postgres.saveEnvironment','01a20cf5-f9a2-7000-8446-82ef0763b36f','OK','f9c8f287ccd3f43e359c3dcf36c4f8e7748f35d6f940e2d3bed8de4c9d03b4d5','6b077e58282f9da0375aca5927f0f8cd63068d2ca6dba5847f5395d4b8cbe766');
INSERT INTO audit VALUES(7,'2026-11-24T09:49:36.561Z','session','01a20cf5-f993-7000-a9b3-ca2665efb205','Ada@example.org','01a20cf5-f993-7001-a8fe-7d022b230c0c','127.0.0.1','postgres.deploy','01a20cf5-f9a2-7000-8446-82ef0763b36f','OK','6b077e58282f9da0375aca5927f0f8cd63068d2ca6dba5847f5395d4b8cbe766','527cdbc975d9071ff9e4cfb1f0e913dea1f6cfbc00170e90250701fee4380f7f');
INSERT INTO audit VALUES(8,'2026-11-24T09:49:36.725Z','session','01a20cf5-f993-7000-a9b3-ca2665efb205','Ada@example.org','01a20cf5-f993-7001-a8fe-7d022b230c0c','127.0.0.1','postgres.create','01a20cf5-fa55-7000-8d6b-b81dfd6beb62','OK','527cdbc975d9071ff9e4cfb1f0e913dea1f6cfbc00170e90250701fee4380f7f','0b1f17b427aca5b9a0d3c2aa533b8d3d3587e4f3d1b5121713271fd083430a0f');
INSERT INTO audit VALUES(9,'2026-11-24T09:49:36.728Z','session','01a20cf5-f993-7000-a9b3-ca2665efb205','Ada@example.org','01a20cf5-f993-7001-a8fe-7d022b230c0c','127.0.0.1','postgres.create','01a20cf5-fa57-7000-99bd-fe239e5e37b9','OK','0b1f17b427aca5b9a0d3c2aa533b8d3d3587e4f3d1b5121713271fd083430a0f','da2457fce5b327906c23a01a5b7479fec4259a9b777460e1f001231c5b53b724');
INSERT INTO audit VALUES(10,'2026-11-24T09:49:36.732Z','session','01a20cf5-f993-7000-a9b3-ca2665efb205','Ada@example.org','01a20cf5-f993-7001-a8fe-7d022b230c0c','127.0.0.1','postgres.deploy','01a20cf5-fa57-7000-99bd-fe239e5e37b9','OK','da2457fce5b327906c23a01a5b7479fec4259a9b777460e1f001231c5b53b724','cdcb3dbfcef11b25417a4fca2ebaeacbac4d69e61db5718ddde69f293fa395df');
INSERT INTO audit VALUES(11,'2026-11-24T09:49:36.819Z','session','01a20cf5-f993-7000-a9b3-ca2665efb205','Ada@example.org','01a20cf5-f993-7001-a8fe-7d022b230c0c','127.0.0.1','postgres.remove','01a20cf5-fa57-7000-99bd-fe239e5e37b9','OK','cdcb3dbfcef11b25417a4fca2ebaeacbac4d69e61db5718ddde69f293fa395df','db665eca092553f8741d24127055c08c8cbdfa1079cdbd998491c6dd0c63db7c');
INSERT INTO audit VALUES(12,'2026-11-24T09:49:36.883Z','session','01a20cf5-f993-7000-a9b3-ca2665efb205','Ada@example.org','01a20cf5-f993-7001-a8fe-7d022b230c0c','127.0.0.1','mysql.create','01a20cf5-faf1-7000-ab0a-90532a6e45c1','OK','db665eca092553f8741d24127055c08c8cbdfa1079cdbd998491c6dd0c63db7c','d031fabfc7d74348cd1345c5e96388b6d47a6bb888ee82b4c4c4a510459b787c');
INSERT INTO audit VALUES(13,'2026-11-24T09:49:36.886Z','session','01a20cf5-f993-7000-a9b3-ca2665efb205','Ada@example.org','01a20cf5-f993-7001-a8fe-7d022b230c0c','127.0.0.1','mysql.deploy','01a20cf5-faf1-7000-ab0a-90532a6e45c1','OK','d031fabfc7d74348cd1345c5e96388b6d47a6bb888ee82b4c4c4a510459b787c','d907da9d53464c96cf604cbdeebc101c5af47adf528e2c01bf1c41fec5344eb0');
INSERT INTO audit VALUES(14,'2026-11-24T09:49:36.976Z','session','01a20cf5-f993-7000-a9b3-ca2665efb205','Ada@example.org','01a20cf5-f993-7001-a8fe-7d022b230c0c','127.0.0.1','mariadb.create','01a20cf5-fb4e-7000-b8cb-8c2370a82a21','OK','d907da9d53464c96cf604cbdeebc101c5af47adf528e2c01bf1c41fec5344eb0','52b221e48b3d58f8520ef647543d4e0273a1be5ba4027837e4f9cb4298180fe5');
INSERT INTO audit VALUES(15,'2026-11-24T09:49:36.979Z','session','01a20cf5-f993-7000-a9b3-ca2665efb205','Ada@example.org','01a20cf5-f993-7001-a8fe-7d022b230c0c','127.0.0.1','mariadb.deploy','01a20cf5-fb4e-7000-b8cb-8c2370a82a21','OK','52b221e48b3d58f8520ef647543d4e0273a1be5ba4027837e4f9cb4298180fe5','2c453edd54e0c93a6708f82ad0354799b7108d242dc89455098e47b682ff9a76');
INSERT INTO audit VALUES(16,'2026-11-24T09:49:37.069Z','session','01a20cf5-f993-7000-a9b3-ca2665efb205','Ada@example.org','01a20cf5-f993-7001-a8fe-7d022b230c0c','127.0.0.1','mongo.create','01a20cf5-fbac-7000-a999-017570853267','OK','2c453edd54e0c93a6708f82ad0354799b7108d242dc89455098e47b682ff9a76','8d0a485c45ec9156d4f3699e35143213b3fbd322d54cb301d399fa859c036c56');
INSERT INTO audit VALUES(17,'2026-11-24T09:49:37.072Z','session','01a20cf5-f993-7000-a9b3-ca2665efb205','Ada@example.org','01a20cf5-f993-7001-a8fe-7d022b230c0c','127.0.0.1','mongo.deploy','01a20cf5-fbac-7000-a999-017570853267','OK','8d0a485c45ec9156d4f3699e35143213b3fbd322d54cb301d399fa859c036c56','b6132be981b1edda7405c1fe4c86f2027eba641649238ee66ad576c7ad592058');
INSERT INTO audit VALUES(18,'2026-11-24T09:49:37.162Z','session','01a20cf5-f993-7000-a9b3-ca2665efb205','Ada@example.org','01a20cf5-f993-7001-a8fe-7d022b230c0c','127.0.0.1','redis.create','01a20cf5-fc09-7000-b159-3d25278ad09e','OK','b6132be981b1edda7405c1fe4c86f2027eba641649238ee66ad576c7ad592058','0402c542170007c442c698f01dcecb724b841f7b37251ae8c79872f919c07545');
INSERT INTO audit VALUES(19,'2026-11-24T09:49:37.165Z','session','01a20cf5-f993-7000-a9b3-ca2665efb205','Ada@example.org','01a20cf5-f993-7001-a8fe-7d022b230c0c','127.0.0.1','redis.deploy','01a20cf5-fc09-7000-b159-3d25278ad09e','OK','0402c542170007c442c698f01dcecb724b841f7b37251ae8c79872f919c07545','f81c1cb1d86184985ccd21f8c79d3cd87fc5ede24f58a5effa356c75ac370852');
INSERT INTO audit VALUES(20,'2026-11-24T09:49:37.253Z','session','01a20cf5-f993-7000-a9b3-ca2665efb205','Ada@example.org','01a20cf5-f993-7001-a8fe-7d022b230c0c','127.0.0.1','user.invite','01a20cf5-fc64-7000-9194-b134a219d4b2','OK','f81c1cb1d86184985ccd21f8c79d3cd87fc5ede24f58a5effa356c75ac370852','b4dac3e69c67aa0bcd60222dcda9c9fcc394349032656e5eae9139be49151859');
INSERT INTO audit VALUES(21,'2026-11-24T09:49:37.256Z','session','01a20cf5-f993-7000-a9b3-ca2665efb205','Ada@example.org','01a20cf5-f993-7001-a8fe-7d022b230c0c','127.0.0.1','destination.create','01a20cf5-fc67-7000-b7c1-dfbc63fd2da4','OK','b4dac3e69c67aa0bcd60222dcda9c9fcc394349032656e5eae9139be49151859','683a6089ece4d6169ed0a11435bb9f90cdd744d82a868cf6410ae38da1e45acb');
INSERT INTO audit VALUES(22,'2026-11-24T09:49:37.273Z','session','01a20cf5-f993-7000-a9b3-ca2665efb205','Ada@example.org','01a20cf5-f993-7001-a8fe-7d022b230c0c','127.0.0.1','backup.create','01a20cf5-fc77-7000-816d-e285babae43b','OK','683a6089ece4d6169ed0a11435bb9f90cdd744d82a868cf6410ae38da1e45acb','2db31a0a27f442a562485e066224f9e19108d77759fd0867ec7c877697a47ed7');
INSERT INTO audit VALUES(23,'2026-11-24T09:49:37.288Z','session','01a20cf5-f993-7000-a9b3-ca2665efb205','Ada@example.org','01a20cf5-f993-7001-a8fe-7d022b230c0c','127.0.0.1','redirects.create','01a20cf5-fc7e-7000-bdb8-9b0ad9ecd6f3','OK','2db31a0a27f442a562485e066224f9e19108d77759fd0867ec7c877697a47ed7','09878e57e3977307ad4b7c6f586b4fc8224d6c7ebfb01286c73bb478abdacdf1');
INSERT INTO audit VALUES(24,'2026-11-24T09:49:37.353Z','session','01a20cf5-f993-7000-a9b3-ca2665efb205','Ada@example.org','01a20cf5-f993-7001-a8fe-7d022b230c0c','127.0.0.1','security.create','01a20cf5-fc8b-7000-ae8c-73e434f7f120','OK','09878e57e3977307ad4b7c6f586b4fc8224d6c7ebfb01286c73bb478abdacdf1','e60554da25640a0251d3166cfa8feba87e3b9aa76ae271b748fd59d7f76e946f');
INSERT INTO audit VALUES(25,'2026-11-24T09:49:37.356Z','session','01a20cf5-f993-7000-a9b3-ca2665efb205','Ada@example.org','01a20cf5-f993-7001-a8fe-7d022b230c0c','127.0.0.1','auth.generateToken',NULL,'OK','e60554da25640a0251d3166cfa8feba87e3b9aa76ae271b748fd59d7f76e946f','90b148f4c3d8e25a1efe7596d0a285b92b7daf8ff2d0a7e97eea16385e514651');
CREATE TABLE IF NOT EXISTS "destination" (
      "id" text primary key, "name" text not null, "bucket" text not null, "region" text not null,
      "endpoint" text not null, "accessKey" text not null, "secrets" text not null, "createdAt" text not null);
INSERT INTO destination VALUES('01a20cf5-fc67-7000-b7c1-dfbc63fd2da4','storage','backups','','http://127.0.0.1:9','key','v1.c60ee442._bBpCxwqK_j7Bsu255k1x07BQFQQNW6mrQF-QiYcx6Ro52fwvhck8wJc8r27ip1MO0v9WnpCJvsbnJzrQBvXK6b1_smctw','2026-11-24T09:49:37.255Z');
CREATE TABLE IF NOT EXISTS "backup" (
        "id" text primary key, "kind" text not null, "databaseId" text not null, "destinationId" text not null,
        "schedule" text not null, "timezone" text not null, "enabled" integer not null, "prefix" text not null,
        "database" text not null, "verifySchedule" text, "keepLatest" integer, "keepDays" integer, "recipient" text,
        "signalUrl" text, "createdAt" text not null, "nextAt" text, "nextVerifyAt" text);
INSERT INTO backup VALUES('01a20cf5-fc77-7000-816d-e285babae43b','postgres','01a20cf5-f9a2-7000-8446-82ef0763b36f','01a20cf5-fc67-7000-b7c1-dfbc63fd2da4','0 3 1 1 *','UTC',1,'nightly','shop',NULL,3,NULL,NULL,NULL,'2026-11-24T09:49:37.271Z','2027-01-01T03:00:00.000Z',NULL);
CREATE TABLE IF NOT EXISTS "backupRun" (
        "id" text primary key, "backupId" text, "action" text not null, "trigger" text not null,
        "status" text not null, "step" text not null, "attempt" integer not null, "dueAt" text not null, "reason" text,
        "kind" text not null, "databaseId" text, "database" text not null, "destinationId" text not null, "key" text,
        "uploadId" text, "sizeBytes" bigint, "sha256" text, "progressBytes" bigint not null, "rawBytes" bigint,
        "manifest" text, "serverVersion" text, "recipient" text, "sourceRunId" text, "safetyRunId" text,
        "appName" text, "identity" text, "cancelled" integer not null,
        "verifiedAt" text, "createdAt" text not null, "startedAt" text, "finishedAt" text, "safety" text, "fault" text, "interrupted" integer not null default 0, "expiresAt" text, "unfinishedStarts" integer not null default 0, "rowCount" bigint, "shrunkFrom" text, "holdsOlder" integer not null default 0);
CREATE TABLE IF NOT EXISTS "application" (
        "id" text primary key, "name" text not null, "isOwn" integer not null, "alias" text,
        "hosts" text not null, "port" integer not null, "tls" text,
        "onNetwork" integer not null, "published" text not null, "faults" text not null,
        "replicas" integer not null, "running" integer not null, "addresses" text not null,
        "createdAt" text not null);
CREATE TABLE IF NOT EXISTS "redirect" (
        "id" text primary key, "applicationId" text not null, "regex" text not null, "replacement" text not null,
        "permanent" integer not null, "createdAt" text not null);
INSERT INTO redirect VALUES('01a20cf5-fc7e-7000-bdb8-9b0ad9ecd6f3','web','/old/(.*)','/new/$1',1,'2026-11-24T09:49:37.278Z');
CREATE TABLE IF NOT EXISTS "security" (
        "id" text primary key, "applicationId" text not null, "username" text not null, "passwordHash" text not null,
        "createdAt" text not null, unique ("applicationId", "username"));
INSERT INTO security VALUES('01a20cf5-fc8b-7000-ae8c-73e434f7f120','web','ann','v1.c60ee442.YD_oKAexxAn5gyPXOM6slS6eheCTMrnQYbcNqU7hu2BLUwfvH048pQTc4iKLeGrpjNG8SvMDLahY7FoWna0ZCnQlPcntVd9PUw1rHRellEr-Q2V6Y9y6Yw','2026-11-24T09:49:37.350Z');
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
INSERT INTO node VALUES('node1','memory','ready','2026-11-24T09:49:36.505Z',NULL,0,'');
CREATE TABLE IF NOT EXISTS "move" (
      "databaseId" text primary key, "deploymentId" text not null, "nodeId" text not null, "nodeName" text not null,
      "nodeAddress" text not null, "volumeId" text, "step" text not null);
CREATE TABLE IF NOT EXISTS "lapsed" (
      "key" text not null, "destinationId" text not null, "backupId" text not null, "since" text not null,
      "dueAt" text not null, primary key ("destinationId", "key"));
CREATE TABLE IF NOT EXISTS "knownNetwork" (
        "accountId" text not null references "account" ("id") on delete cascade, "network" text not null,
        "seenAt" text not null, primary key ("accountId", "network"));
INSERT INTO knownNetwork VALUES('01a20cf5-f993-7000-a9b3-ca2665efb205','127.0.0.1','2026-11-24T09:49:36.531Z');
CREATE TABLE IF NOT EXISTS "backupIdentity" (
      "id" text primary key, "recipient" text not null, "identity" text not null, "createdAt" text not null,
      "exportedAt" text);
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
CREATE INDEX "backupRunLeft" on "backupRun" ("dueAt")
        where "status" = 'error' and "action" = 'dump' and "key" is not null;
CREATE INDEX "applicationName" on "application" (lower("name"));
CREATE INDEX "redirectApplication" on "redirect" ("applicationId");
CREATE INDEX "volumeNode" on "volume" ("nodeId");
CREATE INDEX "attemptSubject" on "attempt" ("subject");
CREATE INDEX "knownNetworkOfAll" on "knownNetwork" ("network");
CREATE INDEX "backupRunDatabase" on "backupRun" ("databaseId") where "finishedAt" is null;
CREATE INDEX "backupRunExpires" on "backupRun" ("expiresAt") where "expiresAt" is not null;
CREATE INDEX "backupRunShrunk" on "backupRun" ("backupId", "id") where "holdsOlder" = 1;
CREATE INDEX "backupRunOpen" on "backupRun" ("dueAt", "id") where "finishedAt" is null;
CREATE INDEX "backupRunOpenOf" on "backupRun" ("backupId", "id") where "finishedAt" is null;
CREATE INDEX "backupRunGood" on "backupRun" ("backupId", "action", "status", "id");
CREATE INDEX "backupRunVerified" on "backupRun" ("backupId", "verifiedAt");
CREATE INDEX "backupRunEnded" on "backupRun" ("finishedAt");
CREATE INDEX "backupRunDestination" on "backupRun" ("destinationId");
COMMIT;
