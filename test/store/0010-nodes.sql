-- A store of version 0010-nodes, created by test/store/generate.ts with Berth of commit f59bfd2,
-- and printed by `sqlite3 berth.db .dump`. The master key is the byte ab, 32 times.
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE IF NOT EXISTS "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
INSERT INTO kysely_migration VALUES('0001-first','2026-11-22T10:41:20.279Z');
INSERT INTO kysely_migration VALUES('0002-kinds','2026-11-22T10:41:20.282Z');
INSERT INTO kysely_migration VALUES('0003-named-deployments','2026-11-22T10:41:20.286Z');
INSERT INTO kysely_migration VALUES('0004-accounts','2026-11-22T10:41:20.289Z');
INSERT INTO kysely_migration VALUES('0005-sealing','2026-11-22T10:41:20.290Z');
INSERT INTO kysely_migration VALUES('0006-destinations','2026-11-22T10:41:20.291Z');
INSERT INTO kysely_migration VALUES('0007-backups','2026-11-22T10:41:20.294Z');
INSERT INTO kysely_migration VALUES('0008-routing','2026-11-22T10:41:20.296Z');
INSERT INTO kysely_migration VALUES('0009-registries','2026-11-22T10:41:20.297Z');
INSERT INTO kysely_migration VALUES('0010-nodes','2026-11-22T10:41:20.298Z');
CREATE TABLE IF NOT EXISTS "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
INSERT INTO kysely_migration_lock VALUES('migration_lock',0);
CREATE TABLE IF NOT EXISTS "meta" ("key" text primary key, "value" text not null);
INSERT INTO meta VALUES('installationId','01a202d8-9dad-7000-9f8a-9ebef3d5ad79');
INSERT INTO meta VALUES('masterKeyProof','v1.c60ee442.OLKdrMhTq4Uqg97XA3tXCpIGSUdMB6XElEaFJLWeH2YX');
INSERT INTO meta VALUES('fingerprintKey','v1.c60ee442.qDXuEyB7RSnfJlGNeRSTpBPiPI1bRHZnIuE9NEBm84q38NSgnaPuOyFup6eXoSQ5ZaAXN_txiwfnAP4DVbMNtdYH_NLwS4dU');
CREATE TABLE IF NOT EXISTS "account" (
    "id" text primary key, "email" text not null, "emailKey" text not null unique, "passwordHash" text not null,
    "rol" text not null, "image" text not null, "is2FAEnabled" integer not null, "createdAt" text not null, "secret" text, "pinStep" integer not null default 0, "lastSeenAt" text);
INSERT INTO account VALUES('01a202d8-9f0d-7000-b403-ea751443aaae','Ada@example.org','ada@example.org','$argon2id$v=19$m=19456,t=2,p=1$AbCxG3WKp7bXlgwXtFsaHA$rhjiIGfygsBL2r78CITW1e7YGvxHAAXavsbmEBfa4eo','admin','',0,'2026-11-22T10:41:20.653Z',NULL,0,'2026-11-22T10:41:20.653Z');
CREATE TABLE IF NOT EXISTS "token" (
    "id" text primary key, "hash" text not null unique, "kind" text not null,
    "accountId" text not null references "account" ("id") on delete cascade,
    "createdAt" text not null, "lastUsedAt" text not null, "expiresAt" text, "address" text not null default '', "name" text, "scope" text, "passed2FA" integer not null default 0, "tries" integer not null default 0);
INSERT INTO token VALUES('01a202d8-9f0d-7001-8eef-edac30584c53','c681adf3396e48c9d46781db85d89c58282dea4fdcad83eebf74d6cccc0dbfe0','session','01a202d8-9f0d-7000-b403-ea751443aaae','2026-11-22T10:41:20.653Z','2026-11-22T10:41:20.653Z','2026-12-22T10:41:20.653Z','127.0.0.1',NULL,NULL,0,0);
INSERT INTO token VALUES('01a202d8-a3ed-7000-b9d7-a80d489038ef','b2637b1a7227dba0269a1ad58a64ed75cca1fd6f6cb77654ec511255d585e909','api','01a202d8-9f0d-7000-b403-ea751443aaae','2026-11-22T10:41:21.901Z','2026-11-22T10:41:21.901Z',NULL,'127.0.0.1',NULL,'admin',0,0);
CREATE TABLE IF NOT EXISTS "attempt" (
    "key" text primary key, "failures" integer not null, "blockedUntil" text not null, "updatedAt" text not null);
CREATE TABLE IF NOT EXISTS "idempotency" (
    "key" text not null, "accountId" text not null, "operation" text not null, "bodyHash" text not null,
    "answer" text not null, "deploymentIds" text not null, "createdAt" text not null,
    primary key ("key", "accountId", "operation"));
CREATE TABLE IF NOT EXISTS "project" (
    "id" text primary key, "name" text not null, "description" text, "createdAt" text not null);
INSERT INTO project VALUES('01a202d8-9f68-7000-ac30-59bb18707f5d','shop','of then','2026-11-22T10:41:20.744Z');
CREATE TABLE IF NOT EXISTS "volume" (
    "id" text primary key, "name" text not null unique, "kind" text not null, "dataPath" text not null, "nodeId" text not null, "nodeName" text not null, "nodeAddress" text not null,
    "databaseId" text,
    "state" text not null, "appName" text not null, "dockerImage" text not null, "settings" text not null,
    "secrets" text not null, "createdAt" text not null, "keptAt" text, "deploymentId" text, "serverVersion" text);
INSERT INTO volume VALUES('01a202d8-9fa5-7000-8cef-6fb0d054d2f3','berth-01a202d8-9fa5-7000-8cef-6fb0d054d2f3','postgres','/var/lib/postgresql/data','node1','memory','192.0.2.10','01a202d8-9f74-7000-ae52-623b2e809d05','attached','orders','postgres:15','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.q8BtlPVW_GU1RW7hbgz3ZTN0oiwbqO7Map0deCdbVDWqkCCjNBeG5btzepeGNeTwlOkjiAHZ8Xv6rpwiBG8Edp2nTX0MYBI','2026-11-22T10:41:20.805Z',NULL,NULL,'15');
INSERT INTO volume VALUES('01a202d8-a043-7000-ba1b-d5085c4b9b35','berth-01a202d8-a043-7000-ba1b-d5085c4b9b35','postgres','/var/lib/postgresql/data','node1','memory','192.0.2.10',NULL,'kept','kept','postgres:15','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.O7aygrdcJltbBbXqKlReholBH3vSexUR3PYaVf8QGJuS6u9Ybxvqm4tBWA20daCYO2t0ynBnWgPuctrVHCPBe_mW9JZFgno','2026-11-22T10:41:20.963Z','2026-11-22T10:41:21.097Z',NULL,'15');
INSERT INTO volume VALUES('01a202d8-a145-7000-963f-7cd1eb8955ee','berth-01a202d8-a145-7000-963f-7cd1eb8955ee','mysql','/var/lib/mysql','node1','memory','192.0.2.10','01a202d8-a110-7000-a55e-48bccf52960f','attached','the-mysql','mysql:8','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.zJb2rtVXiL89F-fxDVHhr9inZIyPYl5xFxjOCPOYlxPdlvAcwrdld0-FrqhtYeJEAC_te7Ytjfv9DVxt0DaD4TY6GEZKNOK_bzqpUQTBWMsSiUepTXMtJoJK45YL9EHZlX1ibyjyvKPHkJOuckymUjWE1FLmoqSZyWw','2026-11-22T10:41:21.231Z',NULL,NULL,'8');
INSERT INTO volume VALUES('01a202d8-a18a-7000-9fe9-9b49e7790b2d','berth-01a202d8-a18a-7000-9fe9-9b49e7790b2d','mariadb','/var/lib/mysql','node1','memory','192.0.2.10','01a202d8-a178-7000-9d4f-4b80107f4700','attached','the-mariadb','mariadb:6','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.a7uMqlDDcl0o91md1SLzeVPZcKxHKpRKuWz-8m1EAZC7H6AJJoq34ezqq0i5g62U07LvMfyeMCFR0aGmlcKNAxECfgPHC34ETnfGULPE89uZZ4GzUn81BksG4CHYknC4XHbJXdRKc1NzlRo_Pbd0xtlibrevGiQYfb8','2026-11-22T10:41:21.290Z',NULL,NULL,'11');
INSERT INTO volume VALUES('01a202d8-a1e6-7000-88e0-95b3fac343c6','berth-01a202d8-a1e6-7000-88e0-95b3fac343c6','mongo','/data/db','node1','memory','192.0.2.10','01a202d8-a1b1-7000-9d61-38b1d5862796','attached','the-mongo','mongo:15','{"databaseUser":"shop"}','v1.c60ee442.rRxC5QirDZ01AUupIKCEsUBC-3T95wubAmLJMb30Lnj6WaGfk6h0Oc4n-5sHgaC081llvX4NroHVj0oHKHqSkrOoAbXQEQ4','2026-11-22T10:41:21.383Z',NULL,NULL,'8');
INSERT INTO volume VALUES('01a202d8-a272-7000-9210-abcf8656a73f','berth-01a202d8-a272-7000-9210-abcf8656a73f','redis','/data','node1','memory','192.0.2.10','01a202d8-a228-7000-870b-b99d6f7f335c','attached','the-redis','redis:8','{}','v1.c60ee442.-yWUxNFo-8oyo0EKSdCl1aTiYC6I3ePhWqCpOJ2JpJYM5iBpRYeq9d4JO4Ndt7jYiYxZXFIBc-KSslfQA5t030TLAoLSE1g','2026-11-22T10:41:21.522Z',NULL,NULL,'8');
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
INSERT INTO "database" VALUES('01a202d8-9f74-7000-ae52-623b2e809d05','postgres','01a202d8-9f68-7000-ac30-59bb18707f5d','it','orders',NULL,'postgres:15','-c max_connections=50','v1.c60ee442.9rIpKdu9XK_qJS23bO32uvPbAD5qqXXY-nBMnmlvLtJ66OyJYtDc',NULL,512.0,NULL,0.5,15432,'done',NULL,'2026-11-22T10:41:20.756Z','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.oofvIMtwI7NFzebMUVx_tMJ3soZ9jpBVSTzzgUTP6cOEBVKb3pp4FtoOza4XhiA8VNf14X0t1nADDFgQ9shkMPU7Z8jFsns','up','v1.c60ee442.hmkQEN2pUSbhEubwl2yq0VkGKnpFGx9X2BTXrYX_UFb8cXOdqZs1pkHvq15Ka4ouo4U0QGYAV6_D6tHFEX2MT6bRQN8r9nKIw3Fu_2oUs3v0kAYuHrAsGMAl114Jh-GzdKcpepi6c7g0h7Ktr9Xd4u71M-23NACb2_JcoegYeXzGkaAOFjH8COypDuMu4V7yRfNsaqm0RfugZbDG_ZstNZvMM2kR6iKUb0Zx0IV2Jn18rp9ifi5z082q9UEPwjeFl1JtWXeXkDW1YWxxI3vziIVSWSNxdEBqKijn4rXiAgfF4SC-sCSeXOvOjHex57oCVgYcxNK3Zkpb9BQtmIk3R0CuOe7Tkmt4LsY7pmAxsUTyCPtsEKL0XXmpz2TklndXpblfPNbmt6oiYX_BU6u4gzxAionng8Q3GirEZeBgd5SGqb28','v1.c60ee442.E5MFcIutEQ3CuM344mJsFavrRB9-745_27T4bvxDDkPMz6EF0CWmNoMGkaryu2ualHsOjoBHFB0V0PmTCnM61-1jbXraMrnUlE6MfR8Hde8obcGrIHxHNH450mrvTKFDvxWSgtQEVJZnO5z-hGBY3i36r9vUVwatAni6rQXlVTH2f6Qe4jyvdKxv_wMxsI9CiovEUe5z6z4vc60A-QwJIH8c1XkkqXWPkE3OJoA6IA8FiP4Yt6R9kpsFHNCq-PuOH49VDDh9DNGbWBxp1lRl6eLvrkTHyumhpE-YaIac_rf39pPLhSbMKwZAIKTu9WEMfl3GD15yWJfJpnpCmJHxwGKH7XMRDUmXuk2Ql0X2P4dbKaInzWZI_xIfZLGIIQ_8xzDy1s7kZKoIXHJYsyPYVWr2OvkcfbkJ9ry-8a_DgUkAuRO8',0,NULL,'01a202d8-9fa5-7000-8cef-6fb0d054d2f3',0,'up','running',NULL,'2026-11-22T10:41:20.912Z','[]',NULL,NULL);
INSERT INTO "database" VALUES('01a202d8-a01e-7000-bdfa-1feaebdde81f','postgres','01a202d8-9f68-7000-ac30-59bb18707f5d','it','never-deployed',NULL,'postgres:15',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'idle',NULL,'2026-11-22T10:41:20.926Z','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.jj3lHeGDBtqceNhUloJ9EJ54MD9SdAjTMR0Zroz7F84TLwnLcuJn8Eb34UDeLcPCmJl4qOFHXOrTT1-aDnE5krGkQjhUajQ','none',NULL,NULL,0,NULL,NULL,0,'unknown',NULL,NULL,NULL,'[]',NULL,NULL);
INSERT INTO "database" VALUES('01a202d8-a110-7000-a55e-48bccf52960f','mysql','01a202d8-9f68-7000-ac30-59bb18707f5d','it','the-mysql',NULL,'mysql:8',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'done',NULL,'2026-11-22T10:41:21.168Z','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.R9TXpl5_aSsoM3i09rNjuQj95p5ZDwdEBjUhttfOcQl1Qf4Nr681QB72_zxU8Sr6LWhSltVGhod85fupbap7MY7nkGawc3pJpnbZp2wXizSYkXRxyeREojLOS7Q3591Zb9JJsh7htn0OqZoSO7SHXCJCzHmqraBNSsQ','up','v1.c60ee442._SOa-FK8ePOs6R-8Utur5Rk8CNO38KhS_zjhJdaP44Ig_xdXv3kw29ZjmdiLVOjbcyR5Oudhs_t-BCNLmYZEieLWjR_rsAPzVCs0m7uCKAfsLvsb6yQGBZo6WX2-dYJjC1dGc9LeYE3O2N8GSnDAjQ4tT4uvegt87flpOnxCufvpWvkisf0cKvT3HyJDUinTWsD2UE9jrzzIxhjxgrkOAWQlfUNod775pVXI0KMXI-iE75fStyS5YyccJ1IT58iqhqwHLxjkS0jXsiDfBg411oboHQXP5cqAkC8tJfoEt9wRImE0TaUmGfTOfsYSXSBO-_YtGCn-5ERAlFEIm4FNsGA7tkSMlF3HhE4mzV0uEh5xAgNAbJGIgK7XeT0GNQ-iJn_AVr8WQVtz19VjeflZ_B0Bcdu40ZeaScyqQpvvF3yDbDi8FnbQJj-mjWAc6oYUocphjLN0Ta4','v1.c60ee442.580AxjltYuZGy6t5uc-P3uh8k3-rtHGEgPqpN6ToYQ0aaw55DNkD-GNHahL8TgbUIEZScvBls2IbuvZ9WAI17X5C_qQW946BdZjeihKddosPc8QlgTX3MlvXe4x6IYb8EKnimFfHCTHF40SPgyhV3Gh9KXVBBPaEdtNYy6DXA7aBW_gkQh3zAdx7951L-_oWRoXJ0jJXxIuTzmAvvjs_BCeq5xUFaj5YUpCnsKhyvslvbuhFlcD30qLlg0CWAPl7sNsZ2CA3fDKg0gfCS4OzixtWPZ2gV8kl3ES8i5iIeRnmSXvXyxoP4N2_XNiAkWqApjdBnGr5NZ9RrCtr6Uf8lxT0qUw7Y1BuwCX_RXPQQs2cfqCrIK0P63LD2PpbJzYczp_OHkiHFwJwVzcCcPLbfw1-A_uKXSRL58ynctzAbK_aF157_R8ZuUO39ClMBMxvq8OBa6MW8Mo',0,NULL,'01a202d8-a145-7000-963f-7cd1eb8955ee',0,'up','running',NULL,'2026-11-22T10:41:21.261Z','[]',NULL,NULL);
INSERT INTO "database" VALUES('01a202d8-a178-7000-9d4f-4b80107f4700','mariadb','01a202d8-9f68-7000-ac30-59bb18707f5d','it','the-mariadb',NULL,'mariadb:6',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'done',NULL,'2026-11-22T10:41:21.272Z','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.b9sonjknmo_4o8sfV_magRXFn8xxAkzZqAHur5KXdxWEf_NKGVRRSz_EILcnpKunqtMC-Y9ymohs_h6iHYPYSleu27VU6g5NgN1tWA2Ui9c9QyVgTOE8k6KmiYmISkUHdnnGNHbCo7Jugvn6VLgt5zjNIPrs19labBQ','up','v1.c60ee442.XNbnyz-j2N7Y5nJ5dyItj0oQ4IeTzyZu7hQ6ZrEV9u00FkaWr7IgEfV1wkVqIUlwf0LIvRjjzLAlx8tZ_bQJBlYQAouWAjJ4UA01Rx9AFBHnwtofVGTgo9EEhAOX65EmnCzXXFwIvmZRT2CBMLIN4zKJxKX6sDM6LWLSot31aY_IPAHZnYOmZkXwGNPipTLtAPIKK7i9z4viEx_4zXX_ZHl5840uzXQgaiz4LpZckriwjEFtJmYLDDLee4II2LPJnMMwXu7uSVbLNtkUyuTKHyru8poI1Xxr61CUFx0VSMZZznYj8TnzP3SA7105HsG1OKtR-chlQQ3ceQHKddkfNHo1IOPeOzwS1D07xjFznF7sHL2W8YKIOE4o1NOGQxlvLpjXC5GLF3z4xGMlW9Hg6nemfvxoA0qXXHsasQM46DzvPU8GHstnTV-EIcpMqbY4CQUPLvtKbPVXWg','v1.c60ee442.mASUtgZyHsKgF-okFahghAfhowbVXVIWbRFLU-Nl83NUQChwS0gVLxFt3w7S-scutxJrXRq5rkrsqHOtoUQsvd8GVTlKELC2V5Axo1yGUVCb7dsMYYm8mD2dNyxbYT_rW9_MqwtmHdW1bgVqLTmdSWMHNcModqygJsuhtzl72G0AIgjCyI56KfBCK604kFftAPvpsf-plgqjCmldrxxajb3h0TbGvKGh6CdK9nKxvnm9eTwU1WNCWGTzDWqDaUJXNfj0PKvbe80taZNNNeExb4VA5SwcuECLHSdW7jud5MlRymyyD-0bj7t-wlVzZUnpMq9zJs9DfxjPwkEJQyq2Xw9-H1ej3r0R-ZnI0iVwXweu_MBlShGQ_VIECjQuwhJArKKGJf1CP6pPChtaUQ_f1O3s7lfbPe2K--Lf4PYXuMd6pRosUUWUv1QcgkPXcnLUH2bqRtp_-AH7yQ',0,NULL,'01a202d8-a18a-7000-9fe9-9b49e7790b2d',0,'up','running',NULL,'2026-11-22T10:41:21.324Z','[]',NULL,NULL);
INSERT INTO "database" VALUES('01a202d8-a1b1-7000-9d61-38b1d5862796','mongo','01a202d8-9f68-7000-ac30-59bb18707f5d','it','the-mongo',NULL,'mongo:15',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'done',NULL,'2026-11-22T10:41:21.329Z','{"databaseUser":"shop"}','v1.c60ee442.m-1Z9jFk-8vXVmi6VNrvfMX_o4Z-0bSVzm7Iqw_PvnrWe3TNlO1W5A0z7U9f_9Rg1dEElEwuoaTLJOJOp_ymoMUrGdYVkdw','up','v1.c60ee442.5bW_Y_cjrlhODa7RSW8cP4bz9pTxTHmGiv8RbAO9nGVojj6Mmk_Et55qpn4PnVyhErUB9cVx9ohpptxJA6vgZ0VPCezRm90gH5ZgvWocsf7ki0XKnwun7A8EiLZXkBaZPqWT7gzl1FQHB7_nxV66utmvnp0ghgz3t2eVn0-wxHU_TwMamMMu9AAC1kCjUeiu4EMHpqiZ1XlrgmQ4pAm_GC8rTgtmEFuCV1-vmzUpDseYAmu88w5EOB0-IrFZ9ewoYVTeFnh0wHHxwJoIrNQYdExgItKw2anRrWeYLN48KG05oSQtqu3Wcr2la-fjDXmHl1RBC-6qY3SWaKeSUb-hS22lck1-Vz4ivqjNMhdlzAQ','v1.c60ee442.Z1pFSr1qEKaSfoYi7iDM4yhqpVU49kivrrKCXZ8DqIZFLf7g7WGkJzHAGaLSsT7z0AU2V4J5UhNJjR9_L8z5x5te7K9O0qEuqY1Dx2TEy0KLNaLCd2524ykzdSaoap_PXmeV9UahlXyghfzYkRYvf7zxY4mOK4PBx90FLdUlCRMdTmcy1G65tYNBL-hZBLimWuOgma4_SMxX6u7lFyM4F0uJo9Ybul1zwMqYaYSyG__xz62JcXzfb-WLiu8xjwFmcfqHdwPpjqQcKwV3zfr9us-oKKGUX-H188dB7fXalMp3ulkCRCF3EbdKKGWoSsOAOMNCRWBrI8A0tfyVtkcD8Ell8_fGL12h0fL8w6P8fNs',0,NULL,'01a202d8-a1e6-7000-88e0-95b3fac343c6',0,'up','running',NULL,'2026-11-22T10:41:21.441Z','[]',NULL,NULL);
INSERT INTO "database" VALUES('01a202d8-a228-7000-870b-b99d6f7f335c','redis','01a202d8-9f68-7000-ac30-59bb18707f5d','it','the-redis',NULL,'redis:8',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'done',NULL,'2026-11-22T10:41:21.448Z','{}','v1.c60ee442.Mm5aFLz2fVqG5nBGjpqel49mgfOaUzhkXHSFZldYgFW8CWQPSM8VGlMdghZpu279OiPHu9LZO1XcCLNtP1DM_K1prhQLKcE','up','v1.c60ee442.64olrcZktI8OUdvjl81PTG1IaG95zeHY0SH1WnK2aNGAucMIOy2X-qQc5gArvzzmQ6FX_N9Orz-weSEXGTLeyWCwsZX7dsVOsMDtG41_gStgqn6nvP79sWmEeyCzP8xUVul-rI_Wx110Mn9U__pWp-SiFZjB5rsWFuAhBD9NSqfzmGj31VrfgjBUp18jjCHHoKDaRRuteQsHCW5hhJD61-jS4u_T6e3VMMHojP1LtNToBhiyDaft4hDLhLSyJfAIv2H6-taHKHaQBcH_8XTQ0IgtjocKnBzqZC-NhrECbj9K1lhpaaiqLFD-rFRh7hSPiYYilJFBo6Sp','v1.c60ee442.W7OEfz64VsdUBvspmeo_Lxp1T_FvhKTmiRK-gnheCBSC37ZGgfT1Movt0SkfCnE3GHOw86BQYGKzabzOYykUIu-jHvzLILcdodxqQVTAb-kUuFpe6l4ZPW9Uj0-ngTpJtk3NMS0gVSzVp4aSMERkO2iVHWTdWAWhhr3ab1GHR_3DXNA9OAFX-b-S5yCn70PZhxDAtpKe-JsL5DOnOQNTB1hBg0EBIBx8tNLTCCBjsVbXjsFfImWWE3YgFNadAM9i6b8UCHS50atMG-_3s51geNSoIG4Cw1SMGGt0DKpc29zMPOkMeB1ZoMZA7BfmbA1IKyR7l_D91ZWb',0,NULL,'01a202d8-a272-7000-9210-abcf8656a73f',0,'up','running',NULL,'2026-11-22T10:41:21.556Z','[]',NULL,NULL);
CREATE TABLE IF NOT EXISTS "deployment" (
    "id" text primary key, "databaseId" text not null, "action" text not null, "state" text not null,
    "phase" text not null, "reason" text, "startedAt" text not null, "phaseAt" text not null, "finishedAt" text, "kind" text, "appName" text);
INSERT INTO deployment VALUES('01a202d8-9f9d-7000-9605-a3cb4b3c1afe','01a202d8-9f74-7000-ae52-623b2e809d05','deploy','done','apply',NULL,'2026-11-22T10:41:20.797Z','2026-11-22T10:41:20.797Z','2026-11-22T10:41:20.913Z','postgres','orders');
INSERT INTO deployment VALUES('01a202d8-a031-7000-b3ac-48c213b3e96d','01a202d8-a027-7000-a504-8cc263def95e','deploy','done','apply',NULL,'2026-11-22T10:41:20.945Z','2026-11-22T10:41:20.945Z','2026-11-22T10:41:21.003Z','postgres','kept');
INSERT INTO deployment VALUES('01a202d8-a081-7000-89c7-e59515786432','01a202d8-a027-7000-a504-8cc263def95e','remove','done','apply',NULL,'2026-11-22T10:41:21.025Z','2026-11-22T10:41:21.025Z','2026-11-22T10:41:21.097Z','postgres','kept');
INSERT INTO deployment VALUES('01a202d8-a13c-7000-a561-bf9d63db5b7d','01a202d8-a110-7000-a55e-48bccf52960f','deploy','done','apply',NULL,'2026-11-22T10:41:21.212Z','2026-11-22T10:41:21.212Z','2026-11-22T10:41:21.262Z','mysql','the-mysql');
INSERT INTO deployment VALUES('01a202d8-a185-7000-98b8-b3e65b2e49f9','01a202d8-a178-7000-9d4f-4b80107f4700','deploy','done','apply',NULL,'2026-11-22T10:41:21.284Z','2026-11-22T10:41:21.284Z','2026-11-22T10:41:21.324Z','mariadb','the-mariadb');
INSERT INTO deployment VALUES('01a202d8-a1c9-7000-b8fa-3d16e0f29c51','01a202d8-a1b1-7000-9d61-38b1d5862796','deploy','done','apply',NULL,'2026-11-22T10:41:21.353Z','2026-11-22T10:41:21.353Z','2026-11-22T10:41:21.442Z','mongo','the-mongo');
INSERT INTO deployment VALUES('01a202d8-a263-7000-b145-2b6f04c378e3','01a202d8-a228-7000-870b-b99d6f7f335c','deploy','done','apply',NULL,'2026-11-22T10:41:21.507Z','2026-11-22T10:41:21.507Z','2026-11-22T10:41:21.557Z','redis','the-redis');
CREATE TABLE IF NOT EXISTS "recoveryCode" (
        "accountId" text not null references "account" ("id") on delete cascade, "hash" text not null,
        primary key ("accountId", "hash"));
CREATE TABLE IF NOT EXISTS "invitation" (
        "id" text primary key, "hash" text not null unique, "email" text not null, "emailKey" text not null unique,
        "rol" text not null, "invitedBy" text not null references "account" ("id") on delete cascade,
        "createdAt" text not null, "expiresAt" text not null);
INSERT INTO invitation VALUES('01a202d8-a2a0-7000-b14b-92da08ebeaab','72a221f5ead48b8c5c6d34c1d5eb98c60d2a5c537c946d50a64b47a9ed2033c3','eve@example.org','eve@example.org','user','01a202d8-9f0d-7000-b403-ea751443aaae','2026-11-22T10:41:21.568Z','2026-11-29T10:41:21.568Z');
CREATE TABLE IF NOT EXISTS "audit" (
        "seq" integer primary key, "at" text not null, "kind" text not null, "accountId" text, "email" text,
        "tokenId" text, "address" text not null, "operation" text not null, "record" text, "result" text not null,
        "previousHash" text not null, "hash" text not null);
INSERT INTO audit VALUES(1,'2026-11-22T10:41:20.680Z','installation',NULL,NULL,'installation','127.0.0.1','auth.createAdmin','01a202d8-9f0d-7000-b403-ea751443aaae','OK','','677b9d6caa6893ba7bc72f96cb0fb10d290305568607dfe9e169684fef2412b0');
INSERT INTO audit VALUES(2,'2026-11-22T10:41:20.746Z','session','01a202d8-9f0d-7000-b403-ea751443aaae','Ada@example.org','01a202d8-9f0d-7001-8eef-edac30584c53','127.0.0.1','project.create','01a202d8-9f68-7000-ac30-59bb18707f5d','OK','677b9d6caa6893ba7bc72f96cb0fb10d290305568607dfe9e169684fef2412b0','fd2c1d2b86c3582175bafc47647523f9672aaa46afe6f3cfc7539b3bb8177046');
INSERT INTO audit VALUES(3,'2026-11-22T10:41:20.764Z','session','01a202d8-9f0d-7000-b403-ea751443aaae','Ada@example.org','01a202d8-9f0d-7001-8eef-edac30584c53','127.0.0.1','postgres.create','01a202d8-9f74-7000-ae52-623b2e809d05','OK','fd2c1d2b86c3582175bafc47647523f9672aaa46afe6f3cfc7539b3bb8177046','bf54f6c2dcf417fbd86b3ee08b7501e92e3fd3bdaf441f97edfb50b1980ea182');
INSERT INTO audit VALUES(4,'2026-11-22T10:41:20.776Z','session','01a202d8-9f0d-7000-b403-ea751443aaae','Ada@example.org','01a202d8-9f0d-7001-8eef-edac30584c53','127.0.0.1','postgres.update','01a202d8-9f74-7000-ae52-623b2e809d05','OK','bf54f6c2dcf417fbd86b3ee08b7501e92e3fd3bdaf441f97edfb50b1980ea182','091a315f05e0895db76174f28b96f0bc5df08e6bd07717f95efd11f66515a040');
INSERT INTO audit VALUES(5,'2026-11-22T10:41:20.785Z','session','01a202d8-9f0d-7000-b403-ea751443aaae','Ada@example.org','01a202d8-9f0d-7001-8eef-edac30584c53','127.0.0.1','postgres.saveExternalPort','01a202d8-9f74-7000-ae52-623b2e809d05','OK','091a315f05e0895db76174f28b96f0bc5df08e6bd07717f95efd11f66515a040','42a67f5422564a4cd544caacf7f47458a02d058ac0da20db513bffab4f6fea7a');
INSERT INTO audit VALUES(6,'2026-11-22T10:41:20.792Z','session','01a202d8-9f0d-7000-b403-ea751443aaae','Ada@example.org','01a202d8-9f0d-7001-8eef-edac30584c53','127.0.0.1','postgres.saveEnvironment','01a202d8-9f74-7000-ae52-623b2e809d05','OK','42a67f5422564a4cd544caacf7f47458a02d058ac0da20db513bffab4f6fea7a','29c748d8edd669d4134fa56f789a3e2e4200cc4e9e46cf44469d23f68d47e351');
INSERT INTO audit VALUES(7,'2026-11-22T10:41:20.799Z','session','01a202d8-9f0d-7000-b403-ea751443aaae','Ada@example.org','01a202d8-9f0d-7001-8eef-edac30584c53','127.0.0.1','postgres.deploy','01a202d8-9f74-7000-ae52-623b2e809d05','OK','29c748d8edd669d4134fa56f789a3e2e4200cc4e9e46cf44469d23f68d47e351','db586cac069a78c3a2e280e496e634375162a865df42e6912eead250ca2f9d1f');
INSERT INTO audit VALUES(8,'2026-11-22T10:41:20.927Z','session','01a202d8-9f0d-7000-b403-ea751443aaae','Ada@example.org','01a202d8-9f0d-7001-8eef-edac30584c53','127.0.0.1','postgres.create','01a202d8-a01e-7000-bdfa-1feaebdde81f','OK','db586cac069a78c3a2e280e496e634375162a865df42e6912eead250ca2f9d1f','a5000fb0b79b557fe6c47c54cb7e6d73655110f0e1220324c2c14f35243954d1');
INSERT INTO audit VALUES(9,'2026-11-22T10:41:20.936Z','session','01a202d8-9f0d-7000-b403-ea751443aaae','Ada@example.org','01a202d8-9f0d-7001-8eef-edac30584c53','127.0.0.1','postgres.create','01a202d8-a027-7000-a504-8cc263def95e','OK','a5000fb0b79b557fe6c47c54cb7e6d73655110f0e1220324c2c14f35243954d1','2016a77bc2a6615402bc0f3e7ab2014f5276d01c22dcbe3af9cde2808b0bf9da');
INSERT INTO audit VALUES(10,'2026-11-22T10:41:20.945Z','session','01a202d8-9f0d-7000-b403-ea751443aaae','Ada@example.org','01a202d8-9f0d-7001-8eef-edac30584c53','127.0.0.1','postgres.deploy','01a202d8-a027-7000-a504-8cc263def95e','OK','2016a77bc2a6615402bc0f3e7ab2014f5276d01c22dcbe3af9cde2808b0bf9da','df9480b8251382993c7859c6d481cd049ffd2d6f4a73bbd7b4aa90ead87084cd');
INSERT INTO audit VALUES(11,'2026-11-22T10:41:21.026Z','session','01a202d8-9f0d-7000-b403-ea751443aaae','Ada@example.org','01a202d8-9f0d-7001-8eef-edac30584c53','127.0.0.1','postgres.remove','01a202d8-a027-7000-a504-8cc263def95e','OK','df9480b8251382993c7859c6d481cd049ffd2d6f4a73bbd7b4aa90ead87084cd','24afa5cf16d111b3f59e54097cc8ea0d964f14c4edff47bb441c54b717f991a9');
INSERT INTO audit VALUES(12,'2026-11-22T10:41:21.182Z','session','01a202d8-9f0d-7000-b403-ea751443aaae','Ada@example.org','01a202d8-9f0d-7001-8eef-edac30584c53','127.0.0.1','mysql.create','01a202d8-a110-7000-a55e-48bccf52960f','OK','24afa5cf16d111b3f59e54097cc8ea0d964f14c4edff47bb441c54b717f991a9','7ddd4963a107886b0a156165574e6f67b594a936f34799bd0d8b821737ffd3d6');
INSERT INTO audit VALUES(13,'2026-11-22T10:41:21.213Z','session','01a202d8-9f0d-7000-b403-ea751443aaae','Ada@example.org','01a202d8-9f0d-7001-8eef-edac30584c53','127.0.0.1','mysql.deploy','01a202d8-a110-7000-a55e-48bccf52960f','OK','7ddd4963a107886b0a156165574e6f67b594a936f34799bd0d8b821737ffd3d6','b7438285352056c853db76b766e4c28ef943565385b9431e8e3fa4368987cade');
INSERT INTO audit VALUES(14,'2026-11-22T10:41:21.279Z','session','01a202d8-9f0d-7000-b403-ea751443aaae','Ada@example.org','01a202d8-9f0d-7001-8eef-edac30584c53','127.0.0.1','mariadb.create','01a202d8-a178-7000-9d4f-4b80107f4700','OK','b7438285352056c853db76b766e4c28ef943565385b9431e8e3fa4368987cade','5efc825660cdd7848d9097fc1daf9162a124af605bac8336d383fc54a93ec67d');
INSERT INTO audit VALUES(15,'2026-11-22T10:41:21.285Z','session','01a202d8-9f0d-7000-b403-ea751443aaae','Ada@example.org','01a202d8-9f0d-7001-8eef-edac30584c53','127.0.0.1','mariadb.deploy','01a202d8-a178-7000-9d4f-4b80107f4700','OK','5efc825660cdd7848d9097fc1daf9162a124af605bac8336d383fc54a93ec67d','6bc425eb9ba93eeaa414a115c8c4d26b4887b8e5a45cc8428d084362dd5fa252');
INSERT INTO audit VALUES(16,'2026-11-22T10:41:21.343Z','session','01a202d8-9f0d-7000-b403-ea751443aaae','Ada@example.org','01a202d8-9f0d-7001-8eef-edac30584c53','127.0.0.1','mongo.create','01a202d8-a1b1-7000-9d61-38b1d5862796','OK','6bc425eb9ba93eeaa414a115c8c4d26b4887b8e5a45cc8428d084362dd5fa252','45adfbfe53c63fef3f4e0825adae178f4a7e2b9dda997de2d7ed735e2cefe9de');
INSERT INTO audit VALUES(17,'2026-11-22T10:41:21.356Z','session','01a202d8-9f0d-7000-b403-ea751443aaae','Ada@example.org','01a202d8-9f0d-7001-8eef-edac30584c53','127.0.0.1','mongo.deploy','01a202d8-a1b1-7000-9d61-38b1d5862796','OK','45adfbfe53c63fef3f4e0825adae178f4a7e2b9dda997de2d7ed735e2cefe9de','b8985e6c0f5c5f6886b14a5ffb7313473c8fca1955609477406e1a20edb4468c');
INSERT INTO audit VALUES(18,'2026-11-22T10:41:21.459Z','session','01a202d8-9f0d-7000-b403-ea751443aaae','Ada@example.org','01a202d8-9f0d-7001-8eef-edac30584c53','127.0.0.1','redis.create','01a202d8-a228-7000-870b-b99d6f7f335c','OK','b8985e6c0f5c5f6886b14a5ffb7313473c8fca1955609477406e1a20edb4468c','cb464009076f6c41335d34c1c84d17cc1b7a060c27424d9076436625a2e8a1dd');
INSERT INTO audit VALUES(19,'2026-11-22T10:41:21.507Z','session','01a202d8-9f0d-7000-b403-ea751443aaae','Ada@example.org','01a202d8-9f0d-7001-8eef-edac30584c53','127.0.0.1','redis.deploy','01a202d8-a228-7000-870b-b99d6f7f335c','OK','cb464009076f6c41335d34c1c84d17cc1b7a060c27424d9076436625a2e8a1dd','1d36d675ec345a9d99d9a3397d7c9fe3a1d25eb760ea3151eb83137dbcfebcf1');
INSERT INTO audit VALUES(20,'2026-11-22T10:41:21.576Z','session','01a202d8-9f0d-7000-b403-ea751443aaae','Ada@example.org','01a202d8-9f0d-7001-8eef-edac30584c53','127.0.0.1','user.invite','01a202d8-a2a0-7000-b14b-92da08ebeaab','OK','1d36d675ec345a9d99d9a3397d7c9fe3a1d25eb760ea3151eb83137dbcfebcf1','1b6af484aa79e29f7c0b4da6efea609a602e2a761e786228ba99b9f4c557d1e9');
INSERT INTO audit VALUES(21,'2026-11-22T10:41:21.595Z','session','01a202d8-9f0d-7000-b403-ea751443aaae','Ada@example.org','01a202d8-9f0d-7001-8eef-edac30584c53','127.0.0.1','destination.create','01a202d8-a2b9-7000-ac76-02771bec54e0','OK','1b6af484aa79e29f7c0b4da6efea609a602e2a761e786228ba99b9f4c557d1e9','e14a5526930e4b24ab9bd3fbc11517d9a58f4d6f9b094d0cdda90e83016e79c6');
INSERT INTO audit VALUES(22,'2026-11-22T10:41:21.638Z','session','01a202d8-9f0d-7000-b403-ea751443aaae','Ada@example.org','01a202d8-9f0d-7001-8eef-edac30584c53','127.0.0.1','backup.create','01a202d8-a2dd-7000-b338-3c6078fa15d4','OK','e14a5526930e4b24ab9bd3fbc11517d9a58f4d6f9b094d0cdda90e83016e79c6','37b326a925d5eaa9bb4b1e2978d2335a7162c282305f09edadf192c87e92332a');
INSERT INTO audit VALUES(23,'2026-11-22T10:41:21.677Z','session','01a202d8-9f0d-7000-b403-ea751443aaae','Ada@example.org','01a202d8-9f0d-7001-8eef-edac30584c53','127.0.0.1','redirects.create','01a202d8-a2ef-7000-b619-5f4a5cb672d7','OK','37b326a925d5eaa9bb4b1e2978d2335a7162c282305f09edadf192c87e92332a','51ce79521da36b6a7f672d14df4281765b5b34c182055366a03a67a93fc77291');
INSERT INTO audit VALUES(24,'2026-11-22T10:41:21.897Z','session','01a202d8-9f0d-7000-b403-ea751443aaae','Ada@example.org','01a202d8-9f0d-7001-8eef-edac30584c53','127.0.0.1','security.create','01a202d8-a313-7000-a6c8-a0b3b2cbe88c','OK','51ce79521da36b6a7f672d14df4281765b5b34c182055366a03a67a93fc77291','671bdad7be80da4f9b6f78641126e3f7ff88462997e27c42109483c25d45c3d5');
INSERT INTO audit VALUES(25,'2026-11-22T10:41:21.903Z','session','01a202d8-9f0d-7000-b403-ea751443aaae','Ada@example.org','01a202d8-9f0d-7001-8eef-edac30584c53','127.0.0.1','auth.generateToken',NULL,'OK','671bdad7be80da4f9b6f78641126e3f7ff88462997e27c42109483c25d45c3d5','3563b59b0e1461116f0ea8afc3657210e001380f5054727e29185175af2e6a6f');
CREATE TABLE IF NOT EXISTS "destination" (
      "id" text primary key, "name" text not null, "bucket" text not null, "region" text not null,
      "endpoint" text not null, "accessKey" text not null, "secrets" text not null, "createdAt" text not null);
INSERT INTO destination VALUES('01a202d8-a2b9-7000-ac76-02771bec54e0','storage','backups','','http://127.0.0.1:9','key','v1.c60ee442.XPn6y1_zvw259mi-UvdjzsPH0Ljc40wyVADPplJrrCfitGkdloxXx4O4rBc0fDInWlJzhErS1_roCkuWIyGLWfesT7RbsA','2026-11-22T10:41:21.593Z');
CREATE TABLE IF NOT EXISTS "backup" (
        "id" text primary key, "kind" text not null, "databaseId" text not null, "destinationId" text not null,
        "schedule" text not null, "timezone" text not null, "enabled" integer not null, "prefix" text not null,
        "database" text not null, "verifySchedule" text, "keepLatest" integer, "keepDays" integer, "recipient" text,
        "signalUrl" text, "createdAt" text not null, "nextAt" text, "nextVerifyAt" text);
INSERT INTO backup VALUES('01a202d8-a2dd-7000-b338-3c6078fa15d4','postgres','01a202d8-9f74-7000-ae52-623b2e809d05','01a202d8-a2b9-7000-ac76-02771bec54e0','0 3 1 1 *','UTC',1,'nightly','shop',NULL,3,NULL,NULL,NULL,'2026-11-22T10:41:21.629Z','2027-01-01T03:00:00.000Z',NULL);
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
INSERT INTO application VALUES('service3','berth-gateway-01a202d8-9f74-7000-ae52-623b2e809d05',1,NULL,'[]',80,NULL,1,'[{"port":15432,"protocol":"tcp"}]','[]',1,1,'[]','2026-01-01T00:00:00.004Z');
INSERT INTO application VALUES('service7','the-mysql',1,NULL,'[]',80,NULL,1,'[]','[]',1,1,'[]','2026-01-01T00:00:00.010Z');
INSERT INTO application VALUES('service9','the-mariadb',1,NULL,'[]',80,NULL,1,'[]','[]',1,1,'[]','2026-01-01T00:00:00.013Z');
INSERT INTO application VALUES('service11','the-mongo',1,NULL,'[]',80,NULL,1,'[]','[]',1,1,'[]','2026-01-01T00:00:00.016Z');
CREATE TABLE IF NOT EXISTS "redirect" (
        "id" text primary key, "applicationId" text not null, "regex" text not null, "replacement" text not null,
        "permanent" integer not null, "createdAt" text not null);
INSERT INTO redirect VALUES('01a202d8-a2ef-7000-b619-5f4a5cb672d7','web','/old/(.*)','/new/$1',1,'2026-11-22T10:41:21.647Z');
CREATE TABLE IF NOT EXISTS "security" (
        "id" text primary key, "applicationId" text not null, "username" text not null, "passwordHash" text not null,
        "createdAt" text not null, unique ("applicationId", "username"));
INSERT INTO security VALUES('01a202d8-a313-7000-a6c8-a0b3b2cbe88c','web','ann','v1.c60ee442.rUlTHMAemnBfBDxQaJZYcM98OKFi36h3GfFHemdw9foSMMhPVbYPKtyhtGTuoa0zdHwIhKDNy4bb4cY5kgu--r_BYcmfZqG9Cwx2LNcG-FhiqtUw6IdArQ','2026-11-22T10:41:21.891Z');
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
INSERT INTO node VALUES('node1','memory','ready','2026-11-22T10:41:20.476Z',NULL,0,'');
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
