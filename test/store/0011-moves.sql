-- A store of version 0011-moves, made by the code of that time (commit d3ccafc)
-- and test/store/make.ts, printed by `sqlite3 berth.db .dump`. The master key is ab, 32 times.
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE IF NOT EXISTS "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
INSERT INTO kysely_migration VALUES('0001-first','2026-11-22T10:41:24.615Z');
INSERT INTO kysely_migration VALUES('0002-kinds','2026-11-22T10:41:24.618Z');
INSERT INTO kysely_migration VALUES('0003-named-deployments','2026-11-22T10:41:24.619Z');
INSERT INTO kysely_migration VALUES('0004-accounts','2026-11-22T10:41:24.622Z');
INSERT INTO kysely_migration VALUES('0005-sealing','2026-11-22T10:41:24.623Z');
INSERT INTO kysely_migration VALUES('0006-destinations','2026-11-22T10:41:24.624Z');
INSERT INTO kysely_migration VALUES('0007-backups','2026-11-22T10:41:24.625Z');
INSERT INTO kysely_migration VALUES('0008-routing','2026-11-22T10:41:24.626Z');
INSERT INTO kysely_migration VALUES('0009-registries','2026-11-22T10:41:24.627Z');
INSERT INTO kysely_migration VALUES('0010-nodes','2026-11-22T10:41:24.629Z');
INSERT INTO kysely_migration VALUES('0011-moves','2026-11-22T10:41:24.630Z');
CREATE TABLE IF NOT EXISTS "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
INSERT INTO kysely_migration_lock VALUES('migration_lock',0);
CREATE TABLE IF NOT EXISTS "meta" ("key" text primary key, "value" text not null);
INSERT INTO meta VALUES('installationId','01a202d8-aee4-7000-aeea-76bc5a9d71bd');
INSERT INTO meta VALUES('masterKeyProof','v1.c60ee442.wNGCIjhLMKQVjkT0Ile9gznrrw8-Ev_ABEWdARcpzzw7');
INSERT INTO meta VALUES('fingerprintKey','v1.c60ee442.GIFYQwXjWokN4RirvftmCvR5sJW4YRQHu56Akp-f_uSUFPhEAuYsdxf2cIpvkC9pCzMcig1nLPgTUb38U1Qx05O3NpDJ2UFq');
CREATE TABLE IF NOT EXISTS "account" (
    "id" text primary key, "email" text not null, "emailKey" text not null unique, "passwordHash" text not null,
    "rol" text not null, "image" text not null, "is2FAEnabled" integer not null, "createdAt" text not null, "secret" text, "pinStep" integer not null default 0, "lastSeenAt" text);
INSERT INTO account VALUES('01a202d8-afd3-7000-a62d-a16acac9f8ce','Ada@example.org','ada@example.org','$argon2id$v=19$m=19456,t=2,p=1$MeqqPer+frchnlvfSsJ+ZQ$5+mZ+Xy+UALPDVd4mkFzF6BBPUgdUzXSYwSLUK31OpI','admin','',0,'2026-11-22T10:41:24.947Z',NULL,0,'2026-11-22T10:41:24.948Z');
CREATE TABLE IF NOT EXISTS "token" (
    "id" text primary key, "hash" text not null unique, "kind" text not null,
    "accountId" text not null references "account" ("id") on delete cascade,
    "createdAt" text not null, "lastUsedAt" text not null, "expiresAt" text, "address" text not null default '', "name" text, "scope" text, "passed2FA" integer not null default 0, "tries" integer not null default 0);
INSERT INTO token VALUES('01a202d8-afd4-7000-9059-1e4f9486e325','6f9d14d0560a7ada849c3bc526ec4bab2bc61d4f91a2a58b12642acf94513005','session','01a202d8-afd3-7000-a62d-a16acac9f8ce','2026-11-22T10:41:24.948Z','2026-11-22T10:41:24.948Z','2026-12-22T10:41:24.948Z','127.0.0.1',NULL,NULL,0,0);
INSERT INTO token VALUES('01a202d8-b58e-7000-90dd-9e14c2663c01','69cbc1df44be3d91439761fc014d53272440b3b6e3837caab4a8371162ce788e','api','01a202d8-afd3-7000-a62d-a16acac9f8ce','2026-11-22T10:41:26.414Z','2026-11-22T10:41:26.414Z',NULL,'127.0.0.1',NULL,'admin',0,0);
CREATE TABLE IF NOT EXISTS "attempt" (
    "key" text primary key, "failures" integer not null, "blockedUntil" text not null, "updatedAt" text not null);
CREATE TABLE IF NOT EXISTS "idempotency" (
    "key" text not null, "accountId" text not null, "operation" text not null, "bodyHash" text not null,
    "answer" text not null, "deploymentIds" text not null, "createdAt" text not null,
    primary key ("key", "accountId", "operation"));
CREATE TABLE IF NOT EXISTS "project" (
    "id" text primary key, "name" text not null, "description" text, "createdAt" text not null);
INSERT INTO project VALUES('01a202d8-b042-7000-8301-38dcc882487e','shop','of then','2026-11-22T10:41:25.059Z');
CREATE TABLE IF NOT EXISTS "volume" (
    "id" text primary key, "name" text not null unique, "kind" text not null, "dataPath" text not null, "nodeId" text not null, "nodeName" text not null, "nodeAddress" text not null,
    "databaseId" text,
    "state" text not null, "appName" text not null, "dockerImage" text not null, "settings" text not null,
    "secrets" text not null, "createdAt" text not null, "keptAt" text, "deploymentId" text, "serverVersion" text);
INSERT INTO volume VALUES('01a202d8-b0c9-7000-88df-3c5c26edf8e0','berth-01a202d8-b0c9-7000-88df-3c5c26edf8e0','postgres','/var/lib/postgresql/data','node1','memory','192.0.2.10','01a202d8-b05a-7000-9848-c9990316f257','attached','orders','postgres:15','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.3rlNz4F95QpCd6fLw_9l86T6Kjtpg2xNfLP2i4dtCqihwZFTUAo7CQN9damGqlfLYMU1pxFPySGKLycU8bceB5WWRoE5Or4','2026-11-22T10:41:25.194Z',NULL,NULL,'15');
INSERT INTO volume VALUES('01a202d8-b1c9-7000-94b0-a9a33f858d68','berth-01a202d8-b1c9-7000-94b0-a9a33f858d68','postgres','/var/lib/postgresql/data','node1','memory','192.0.2.10',NULL,'kept','kept','postgres:15','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.AEbJvbR8_G_cWfw4t_txUvrtTg4Ae28vQQigShzX046nSA_gUl5y_V1IVa-R23xb1o9v418cL3mU0SDRKmt8AoVAJuyD110','2026-11-22T10:41:25.449Z','2026-11-22T10:41:25.542Z',NULL,'15');
INSERT INTO volume VALUES('01a202d8-b244-7000-9b1f-263aa907560e','berth-01a202d8-b244-7000-9b1f-263aa907560e','mysql','/var/lib/mysql','node1','memory','192.0.2.10','01a202d8-b232-7000-8956-f7c4061dfebb','attached','the-mysql','mysql:8','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.JG8Ko0Kagz26Y0Hj-83aqpX9c2EC-mpHY9rWdbUE6eCX42tGmciRPeR81jXz-SPspyafyENaIgKEFilQCNFwYOdM0fHvJPx8qMHsTjumBgV30WW-W73s833RXzAyU5Ih1HlZuWX0duCYIrpK7VflIdmni4UL6hVc8VM','2026-11-22T10:41:25.573Z',NULL,NULL,'8');
INSERT INTO volume VALUES('01a202d8-b2a6-7000-8bac-d43686842285','berth-01a202d8-b2a6-7000-8bac-d43686842285','mariadb','/var/lib/mysql','node1','memory','192.0.2.10','01a202d8-b27a-7000-9ee8-7daef8cf812d','attached','the-mariadb','mariadb:6','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.TmgNId5MT8kqCQr8YN5EyRHXd2muVDLa6d7NF82DFbZilbxS0qIIHJcm2SYaOWBkk8dsnk7KZthknkwCwH7IrIazFZETB_cUup10-zgJ_4K00XksmCk0vBk0oXGVEMkvmVN8WLs31pmWNc8nU0-0lzN1vb9h_wXp07c','2026-11-22T10:41:25.670Z',NULL,NULL,'11');
INSERT INTO volume VALUES('01a202d8-b30e-7000-8ba5-a9f0c7d22ff8','berth-01a202d8-b30e-7000-8ba5-a9f0c7d22ff8','mongo','/data/db','node1','memory','192.0.2.10','01a202d8-b2de-7000-847d-7431215e47c4','attached','the-mongo','mongo:15','{"databaseUser":"shop"}','v1.c60ee442.6YpLsBnljAGhqvXUX-on9fLe4yhCiRLopV4ubWZqvPNA-RzDDfeplAEJ2SCsa8wJW-rdWm13qBavtK0kEu5Kw-gUmq-39nY','2026-11-22T10:41:25.774Z',NULL,NULL,'8');
INSERT INTO volume VALUES('01a202d8-b3a9-7000-b421-c74d8341fef1','berth-01a202d8-b3a9-7000-b421-c74d8341fef1','redis','/data','node1','memory','192.0.2.10','01a202d8-b360-7000-a748-03f4991b65eb','attached','the-redis','redis:8','{}','v1.c60ee442.1ezkjCqvoppEyP38hSpQZ_D7dc2-wZgpBsKcOeooNjM1cxnBV3DyTuviS4FGhHRErwsxvvmBK0DSN_COdHEXrFQOPKvhd0g','2026-11-22T10:41:25.929Z',NULL,NULL,'8');
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
INSERT INTO "database" VALUES('01a202d8-b05a-7000-9848-c9990316f257','postgres','01a202d8-b042-7000-8301-38dcc882487e','it','orders',NULL,'postgres:15','-c max_connections=50','v1.c60ee442.J16W23boN6_o3HtnqYhqPQbP53s4aXgl6OQVcWVBtY3xMGD1EIxx',NULL,512.0,NULL,0.5,15432,'done',NULL,'2026-11-22T10:41:25.082Z','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.mdcBE-d-ZjgZMDTSPXtMuGSbAwP8wbDhLYsrt7HLSLxpUMm8XowZnOu7kt42CyXb83oskd49ExGH4GPKbsZEQHVFNBCTJ7s','up','v1.c60ee442.znY1WOblUbIbuqZmbnROXPeT732kGfGHOZ_q3D7zu1z0rJ34cQuVPqFDXmL4IRGHfmF8xLER9-rpu7NOsj4Um8NkFEGfNUi6Yf8Tb_ZHu3uMQvwNk8H4_Vq4Ktlolm4qZ3eMM1f9wAqTkQCjMSC-7fj4xZmcxQcHUBkaQVtMCdpucZPy23-sJymgAAaUYs2BaJZeAUR303l65gNaxM53AXzZ79FP_qy-3gDjwX7nIWsQLd3z5OGRLacSAFdlMlPxvtRZlofTy8aeKo9vC8A56U7MmBXE7OSKycCeD3hk3D7XpSR-e9c0eFJ_JuT8gSxvySnoOPfYZLhEUxNYhwMi7cQ5WCoZIRgqfcCAZr2rJPHieWX7YC6Am_RZIcB-lVAJ0SHcr21z7S_JkCWDkL7ClJA96B-7kS-Az9V4SixQa8TGVhbY','v1.c60ee442.g6GCmxh-BBNWcySQ4l8FrUHKI60AdWg9J8rMstTKZ2XKyY22df_EHdET9ffT45STyk_bZU9XekEwz-EMUiRm3yyGNAy8BVHrt-vvAYqPRiW65-s7bRZrdZAG7gp6rx5Di9HVRgyNNnIgr9HN4iifzdVIcpDHnz44qnqUNttmDqdYMjkKV6ZchnWwRt_EWkofPg6uUqeL0GTyWrnVZg6492UmjdRvvcg81PVeIZL1T3ovy2ALQ7Q12hyhxYmnDUfaRMSP7aHz6j6g1R6dyNPNVaOdBKJfZgKLpad7imo1J5e3XQJy4KcQorF5HNJYKTcn48Op9n10Y67IldYnN1gm9KNJN0ukYsp7a3JAa6I-9jt689rNiaCaixvoloLmYt4u7BxamiUsRqAJccORjORoQOwsFA3hEg35s4KMqkIYxUOafcA2',0,NULL,'01a202d8-b0c9-7000-88df-3c5c26edf8e0',0,'up','running',NULL,'2026-11-22T10:41:25.381Z','[]',NULL,NULL);
INSERT INTO "database" VALUES('01a202d8-b18e-7000-8165-04a50abfbd0b','postgres','01a202d8-b042-7000-8301-38dcc882487e','it','never-deployed',NULL,'postgres:15',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'idle',NULL,'2026-11-22T10:41:25.390Z','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.aI3NnkJ_io0E3QH87xoGpSAvA9UevCY4nx2y5JxinptMnsCyDnV9XvKgu6_xONkYJcWio2tsS-xku5lb8A02xCTcH0E75ag','none',NULL,NULL,0,NULL,NULL,0,'unknown',NULL,NULL,NULL,'[]',NULL,NULL);
INSERT INTO "database" VALUES('01a202d8-b232-7000-8956-f7c4061dfebb','mysql','01a202d8-b042-7000-8301-38dcc882487e','it','the-mysql',NULL,'mysql:8',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'done',NULL,'2026-11-22T10:41:25.554Z','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.3_iWIN2cvpvd4T27yexjC9M25kmjLtUPvjuqEHNaB688ap96mr54b3XJgjZCH2s3Iik-OCFv_ilHBwMkpr9T_s2TGsQ0fESFHoFEHTEFfY6YVvq_iI7oiu9NLaoDRaYKaGU1ugKJLn_li4fszyhAacx4XtvKk_2FAMc','up','v1.c60ee442.DFtNp1x61V55bSBLLcWGtOnJr1UzSqKFkaT36oZBsLNfDwIUZk3DkzANQl-7-xq3X0aZtmNxAQUdeIdoLgSVlHcCLsXMYJ0prjoDdlCveDkRp0jfMWu_BpTKH73TA1TWDWdUPg7DLP8HWVwmUY64uVgWHmzzG1sZZ6lMv_gylzFIDJbyqMax5hGLeKOKLWf-N9d8qdwntg9Y25SgSwkSWQ1Ke7K1set0fyzUZMvJEMFAK8IPqxxrY_izRb0uPhR-h7cfmtmG4JRg1KGNmx5t0fJgyIq_XuJmFuoV5e8RFsD3x4Gd3o3BBCHSpk246UDD_VvM6CcCTCNDLXu1Mhr74ARo5fLJbKi788k5zFgwUwdN82caI7puaFPEK6OWup59uVyPWARYzTCE0tgOZTSJAW-luxOkOb6jGrzxDXuqRaUMdNK3us8DTX2x05IrC1dN3Zoy9y5DwBY','v1.c60ee442.yp6AZGVeWlV0PEE5RySwxUeApxq984RS4dgm1xcmUaAKLQi0O0d5IHyLXtnNWCeh-y3HIiVapylGgxDxs6aWpbdugTz7tp1Ca7mVtUPSQu-AM-930I56lBloVYF4rUNwmqFrfWEG4PGZNKSGB0u4zXkai0Uv95pZlyUrYy2JrSahbz-ep5Tdg3jNdeF8yHFCajdCe6yfXmyGUEXkYDNMJxmALdkoJunFLaHpPLPkv_6D_sj88J4KklANN6PKImFKgOa_Wl10Wamk9gndCMxabYqaVLypRTTdA7e5mC4sBsm4wf1Zwm_OQAspc8qXxwMS1Sx-q5Ie4U1wYECMhq7ZuSAgsdOD4eYscayxDChoMuR7D5BIXCxu8G9EQnRkHtFuyG4h8tv5uXIU6a4bowUF4SRjlIfJD8RDYnCpnP3_AdHzEUQ4eYHZsR9AP-ucNMvDHnty9J6PcgM',0,NULL,'01a202d8-b244-7000-9b1f-263aa907560e',0,'up','running',NULL,'2026-11-22T10:41:25.620Z','[]',NULL,NULL);
INSERT INTO "database" VALUES('01a202d8-b27a-7000-9ee8-7daef8cf812d','mariadb','01a202d8-b042-7000-8301-38dcc882487e','it','the-mariadb',NULL,'mariadb:6',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'done',NULL,'2026-11-22T10:41:25.626Z','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.RUbq8ydCyyQxJ84YjB3Zg9tgFXPhlK-qO46ijNHTrRTBNNCR1cXugLjiDXbypNoqwCswKVqtqGIPrWSmsDWFgfuEUUo7qHFKxbOKK4J3OXABd0DH-BO26LGN_8m9f1TTHLbmRt3WVdLSV3OFlKQ_2ajJkpLE6wW9gd4','up','v1.c60ee442.hf54gYLAYoKYW2kvSoNV-OF4BBRjhDciur2cM9TSPjVpaajE_s65bHpXYiZzaayjEbHkxZpNLeV1YFVlZGFm3CFUKGqxQQUOHs1pK902zAqmfvMfZ-QKBm0j7DuxZ5tKdmKCpU0s8VBVsgsRpbteG89Ue-q7xBamCPpV0Nvfh2HPwok6bzYnpP5kCaLDeTj7nghV-Rvl6qPzfudzD-hw6bfguKr4tjLKy7KiGsLt_iLb5SvU32sr2iO89WcfEY85nAIT1yQoQ9GFp96gUY10fgCp2IOMXAuA3PjqbDtrhY2UmE0tWN1Mxs0Bm1PboZXWUi_tW_sOBO4dXgDsvC4NRWvduaPG5mQPBRuZ4RqISUdcl3QpSJAlxvfhO84ZasI7DWcB-df_tw6rd-E8b8TzKoIJX-UY_NPxqBazKUBKaPvIoyeIDMPCGYNRAujHdgax4b-z3oQABl513A','v1.c60ee442.V_ZcOPXLi5tl7de0fvs1n8lj2_iYUtzR9hARigqtZJ0i1LlJg4cQ02ruyFkkbE37vMKsrSr1d_WF1ooij5OTtLbj3zLIySfmus2MAKoFHqBJrXeJGjbtv_1hbk9iFxbGbratIbyVnezG4Hw6OzaDxLjflAijul5hWZggf3D2_Nzi63YUhTC4-GHyGxomUUoBNivJ5WzeMhzq5BqdTphXHwu5F-tSkxj_oNvD7Awl3-ewsMg8A8a2tPqQUzdRj_Nao1gUM-GpMe_wD0Y8WQcoBL3U2s62TrhRdFT15ZTMhDcUcWfwR-MvYrcOudX333zKRkebz8e3kpohAePMW6hwLvBqQWj-XrTFyWQ0JaPoBEyOV41GJh1hIcOIoR6Xx3vc5Ha2Ab4-_MR31qXWy_3n6CczW60xGZnBlOccdD4C6k7yc95d4RxyhD9tcHb7fZUq7vx0BfHKOnRwLA',0,NULL,'01a202d8-b2a6-7000-8bac-d43686842285',0,'up','running',NULL,'2026-11-22T10:41:25.714Z','[]',NULL,NULL);
INSERT INTO "database" VALUES('01a202d8-b2de-7000-847d-7431215e47c4','mongo','01a202d8-b042-7000-8301-38dcc882487e','it','the-mongo',NULL,'mongo:15',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'done',NULL,'2026-11-22T10:41:25.727Z','{"databaseUser":"shop"}','v1.c60ee442.iiBEjBcdsOUdtINhxPp4XhtkvL6baww1kxcnDwFcXSGt9BkWcR2E4nWiqMrs8XkSVWs-PbgrhJ6dg4bKuySi8BI2M3LHrys','up','v1.c60ee442.DMeXfvhVOwhrlP8NWL2Mjbs7PBObccBB9GKzEh7KidXigMwvX_HO-9r9YP64f7FUmLIruazlt5sYdB09MH8oHB5zb2cfGRHqGAOC62-im6H0z7EY3hqB32N3pDQM2ekIF1BrYCe2FXwmxO9kSzAuGtoyDzf0M-hJzj5pLZvBvfR_-9AZnSonq1W0Zo0fpbRQrgq-kNnARR1GasDV1Pztmg63Vxnl6ZWxixZUzYvqobqUtFx2J_d36iET7Lr6DwlD_LLF1VkIe3QioSaGIbj6zIuAnY382Dj1v5iZhB_crfKGgbsKk_JC9J5nllHLj7BDRQ6KT37KBAJwGfsoPpDmkRnXxJoF5KQqlX9r0kKeAHc','v1.c60ee442.DSFf6ThmxkSNRSEIEvV5Oz2M1v4GvV0L3w8yrRKh3P-Fqa2_LzjkfyUmRGpsqUtQGdDkueK83xFqKwQWozfgKqSWhPnT5MJtMZM0aRuqUzGkvHpZyF0OxL0_34vl4i9AsKgGEbFZSKssb9NJ64VA1ZpPzrEuhJ9a36HRql3yEbGlt65yScuVy2wWVcOBxp-ogt0C59kgaGRmF2Ei8nVq_kU_nqr5jtarV3DtHaDGX9n8uQohmUJLs3WOxwWqdHVAcYKBYifF-7kF146fMDU6qMI9-Qew2JUTS20QVXExmIUrsiYy_wNiX_mrQIk2YIDMrKyzaQdwoW48syIpxfJCV1909z3KEbWKeFi1iHB3Ric',0,NULL,'01a202d8-b30e-7000-8ba5-a9f0c7d22ff8',0,'up','running',NULL,'2026-11-22T10:41:25.847Z','[]',NULL,NULL);
INSERT INTO "database" VALUES('01a202d8-b360-7000-a748-03f4991b65eb','redis','01a202d8-b042-7000-8301-38dcc882487e','it','the-redis',NULL,'redis:8',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'done',NULL,'2026-11-22T10:41:25.857Z','{}','v1.c60ee442.UBxz6VZQcSzc43Dv9kD_PqXZFhLM88WgIVOO1wN_XFEtR8Pqc_1TKcGmTm2XGK6S12APkVyf4pXQub2DTRwLPyfITsxi5EU','up','v1.c60ee442.q0AgZWKqI8u38cKRb-m-Tp4fNXnkKWrYLGz3XhFDF0_wJSTqu2BueXNKlYIC-fqLI9JSIkaLrzyYcqTgz2Nn95WumTa91pV4-aFuwZ2Sfc171DprMJ9VHqI0kufpl6OtO6UKPZYS26n5oSTX81nxxEkJYDmKjK7cSsopI6d5CSI309kHqUsXqSTBYqwUVvgBKxpoTjLtHLu9cV6o120ej5rQjOZPxqVtQO1coPKnceByOGUFagMUc1co4SZGL0t6kBiP1HoxdFLHZESqG3mRcbOvPs0xg7a4Ajbtf6butaKKZXHwyTs-u2r4sBkOvXuz_yc7F9Gm_fEH','v1.c60ee442.8vn5k6mQjvxvXDg9uKmadyq6bgmqjCsrfr5_fPLwOuTq8r_5twL8X6u24xOboXGmX3VCXrCXE7LFnYFqOpuBakFi7K0PXaRv-inerbXO4OmyHtmI4WXG0Ehy58bpty4ITMU93mC_fLXNO_S53xbB87tY0tM9HcNv5euYnimgbOvAHbUQjVOQ7-ZsC1pdbqmrTahk4paedjUtSO7vA6NKVwoyKo08jhOlEhVkCqeP4DSFOLqLmXdgCT5ClDbrYfpGmr_uSw--7dH3QrEigww86Fy60zIBV0JpNltyJnWexGjhTTwWv8H4r8h6GW5JumplxnoHMpAG1mct',0,NULL,'01a202d8-b3a9-7000-b421-c74d8341fef1',0,'up','running',NULL,'2026-11-22T10:41:25.963Z','[]',NULL,NULL);
CREATE TABLE IF NOT EXISTS "deployment" (
    "id" text primary key, "databaseId" text not null, "action" text not null, "state" text not null,
    "phase" text not null, "reason" text, "startedAt" text not null, "phaseAt" text not null, "finishedAt" text, "kind" text, "appName" text);
INSERT INTO deployment VALUES('01a202d8-b0c3-7000-a611-92f8588bccd4','01a202d8-b05a-7000-9848-c9990316f257','deploy','done','apply',NULL,'2026-11-22T10:41:25.187Z','2026-11-22T10:41:25.187Z','2026-11-22T10:41:25.385Z','postgres','orders');
INSERT INTO deployment VALUES('01a202d8-b1a9-7000-9f95-4daee9fb0d24','01a202d8-b193-7000-9c67-7eec1e06b842','deploy','done','apply',NULL,'2026-11-22T10:41:25.417Z','2026-11-22T10:41:25.417Z','2026-11-22T10:41:25.487Z','postgres','kept');
INSERT INTO deployment VALUES('01a202d8-b1f3-7000-8200-f65abac4712c','01a202d8-b193-7000-9c67-7eec1e06b842','remove','done','apply',NULL,'2026-11-22T10:41:25.491Z','2026-11-22T10:41:25.491Z','2026-11-22T10:41:25.542Z','postgres','kept');
INSERT INTO deployment VALUES('01a202d8-b23d-7000-b449-003483828f02','01a202d8-b232-7000-8956-f7c4061dfebb','deploy','done','apply',NULL,'2026-11-22T10:41:25.565Z','2026-11-22T10:41:25.565Z','2026-11-22T10:41:25.620Z','mysql','the-mysql');
INSERT INTO deployment VALUES('01a202d8-b285-7000-964a-55288fb201c3','01a202d8-b27a-7000-9ee8-7daef8cf812d','deploy','done','apply',NULL,'2026-11-22T10:41:25.637Z','2026-11-22T10:41:25.637Z','2026-11-22T10:41:25.714Z','mariadb','the-mariadb');
INSERT INTO deployment VALUES('01a202d8-b2eb-7000-8d3f-bbb456fbd510','01a202d8-b2de-7000-847d-7431215e47c4','deploy','done','apply',NULL,'2026-11-22T10:41:25.739Z','2026-11-22T10:41:25.739Z','2026-11-22T10:41:25.847Z','mongo','the-mongo');
INSERT INTO deployment VALUES('01a202d8-b387-7000-8ea5-8104f55cd5e9','01a202d8-b360-7000-a748-03f4991b65eb','deploy','done','apply',NULL,'2026-11-22T10:41:25.895Z','2026-11-22T10:41:25.895Z','2026-11-22T10:41:25.963Z','redis','the-redis');
CREATE TABLE IF NOT EXISTS "recoveryCode" (
        "accountId" text not null references "account" ("id") on delete cascade, "hash" text not null,
        primary key ("accountId", "hash"));
CREATE TABLE IF NOT EXISTS "invitation" (
        "id" text primary key, "hash" text not null unique, "email" text not null, "emailKey" text not null unique,
        "rol" text not null, "invitedBy" text not null references "account" ("id") on delete cascade,
        "createdAt" text not null, "expiresAt" text not null);
INSERT INTO invitation VALUES('01a202d8-b3da-7000-9d2d-624ad39cfafb','9c822a29b0d5f2e6990bcb7255a235de8ec006da5096b1f4b0a14d56e87ec255','eve@example.org','eve@example.org','user','01a202d8-afd3-7000-a62d-a16acac9f8ce','2026-11-22T10:41:25.978Z','2026-11-29T10:41:25.978Z');
CREATE TABLE IF NOT EXISTS "audit" (
        "seq" integer primary key, "at" text not null, "kind" text not null, "accountId" text, "email" text,
        "tokenId" text, "address" text not null, "operation" text not null, "record" text, "result" text not null,
        "previousHash" text not null, "hash" text not null);
INSERT INTO audit VALUES(1,'2026-11-22T10:41:24.960Z','installation',NULL,NULL,'installation','127.0.0.1','auth.createAdmin','01a202d8-afd3-7000-a62d-a16acac9f8ce','OK','','15807e23d2e16b4ca4ec9e027a7d9d541ffd46c8fc79687142b1b671df6e5afc');
INSERT INTO audit VALUES(2,'2026-11-22T10:41:25.063Z','session','01a202d8-afd3-7000-a62d-a16acac9f8ce','Ada@example.org','01a202d8-afd4-7000-9059-1e4f9486e325','127.0.0.1','project.create','01a202d8-b042-7000-8301-38dcc882487e','OK','15807e23d2e16b4ca4ec9e027a7d9d541ffd46c8fc79687142b1b671df6e5afc','35e33e0e8deeeaaedb20fe96d199a749a65996d8e48cf5dead4ef69493519cb2');
INSERT INTO audit VALUES(3,'2026-11-22T10:41:25.088Z','session','01a202d8-afd3-7000-a62d-a16acac9f8ce','Ada@example.org','01a202d8-afd4-7000-9059-1e4f9486e325','127.0.0.1','postgres.create','01a202d8-b05a-7000-9848-c9990316f257','OK','35e33e0e8deeeaaedb20fe96d199a749a65996d8e48cf5dead4ef69493519cb2','59cda2c6f1ee94eeb9dc886529d001880954c3a20f26237e4172aaf4868f7dc8');
INSERT INTO audit VALUES(4,'2026-11-22T10:41:25.115Z','session','01a202d8-afd3-7000-a62d-a16acac9f8ce','Ada@example.org','01a202d8-afd4-7000-9059-1e4f9486e325','127.0.0.1','postgres.update','01a202d8-b05a-7000-9848-c9990316f257','OK','59cda2c6f1ee94eeb9dc886529d001880954c3a20f26237e4172aaf4868f7dc8','6f36466e26890f4ce7890d5aa3ffa0b6ba48848f4defad588aeb56b6e2bdd678');
INSERT INTO audit VALUES(5,'2026-11-22T10:41:25.133Z','session','01a202d8-afd3-7000-a62d-a16acac9f8ce','Ada@example.org','01a202d8-afd4-7000-9059-1e4f9486e325','127.0.0.1','postgres.saveExternalPort','01a202d8-b05a-7000-9848-c9990316f257','OK','6f36466e26890f4ce7890d5aa3ffa0b6ba48848f4defad588aeb56b6e2bdd678','9cc631060e04ae718056d2cfd1970ddf242a6f8a84a126a18ba677683e2f82da');
INSERT INTO audit VALUES(6,'2026-11-22T10:41:25.144Z','session','01a202d8-afd3-7000-a62d-a16acac9f8ce','Ada@example.org','01a202d8-afd4-7000-9059-1e4f9486e325','127.0.0.1','postgres.saveEnvironment','01a202d8-b05a-7000-9848-c9990316f257','OK','9cc631060e04ae718056d2cfd1970ddf242a6f8a84a126a18ba677683e2f82da','467415f04e71c398ed1a81ee24ad85c49448d9a508e78efecd81f459fb81a3e2');
INSERT INTO audit VALUES(7,'2026-11-22T10:41:25.188Z','session','01a202d8-afd3-7000-a62d-a16acac9f8ce','Ada@example.org','01a202d8-afd4-7000-9059-1e4f9486e325','127.0.0.1','postgres.deploy','01a202d8-b05a-7000-9848-c9990316f257','OK','467415f04e71c398ed1a81ee24ad85c49448d9a508e78efecd81f459fb81a3e2','658c94e9b7bc85931848b01ab0c06f0eeefed18a0eb307aa9c42463b10c2c670');
INSERT INTO audit VALUES(8,'2026-11-22T10:41:25.390Z','session','01a202d8-afd3-7000-a62d-a16acac9f8ce','Ada@example.org','01a202d8-afd4-7000-9059-1e4f9486e325','127.0.0.1','postgres.create','01a202d8-b18e-7000-8165-04a50abfbd0b','OK','658c94e9b7bc85931848b01ab0c06f0eeefed18a0eb307aa9c42463b10c2c670','3250d854a201ffa8dde7aed23b7e55c9cdd16ef71d3d5c19c5ce4cfa555c7942');
INSERT INTO audit VALUES(9,'2026-11-22T10:41:25.396Z','session','01a202d8-afd3-7000-a62d-a16acac9f8ce','Ada@example.org','01a202d8-afd4-7000-9059-1e4f9486e325','127.0.0.1','postgres.create','01a202d8-b193-7000-9c67-7eec1e06b842','OK','3250d854a201ffa8dde7aed23b7e55c9cdd16ef71d3d5c19c5ce4cfa555c7942','a77908d7878b960ae83de0356bab70c7b8ba4a37967bc3a12586dd49271457cd');
INSERT INTO audit VALUES(10,'2026-11-22T10:41:25.418Z','session','01a202d8-afd3-7000-a62d-a16acac9f8ce','Ada@example.org','01a202d8-afd4-7000-9059-1e4f9486e325','127.0.0.1','postgres.deploy','01a202d8-b193-7000-9c67-7eec1e06b842','OK','a77908d7878b960ae83de0356bab70c7b8ba4a37967bc3a12586dd49271457cd','16ea59054a3ead9fe8d8e317b3df9de62e2d1f0bab069ea641528944c14b1168');
INSERT INTO audit VALUES(11,'2026-11-22T10:41:25.492Z','session','01a202d8-afd3-7000-a62d-a16acac9f8ce','Ada@example.org','01a202d8-afd4-7000-9059-1e4f9486e325','127.0.0.1','postgres.remove','01a202d8-b193-7000-9c67-7eec1e06b842','OK','16ea59054a3ead9fe8d8e317b3df9de62e2d1f0bab069ea641528944c14b1168','d620f7c7cbcd4367ed222ffd3fc8671d439b7ea97c26993185bf170bdc9bd01e');
INSERT INTO audit VALUES(12,'2026-11-22T10:41:25.559Z','session','01a202d8-afd3-7000-a62d-a16acac9f8ce','Ada@example.org','01a202d8-afd4-7000-9059-1e4f9486e325','127.0.0.1','mysql.create','01a202d8-b232-7000-8956-f7c4061dfebb','OK','d620f7c7cbcd4367ed222ffd3fc8671d439b7ea97c26993185bf170bdc9bd01e','8ee688f19f1bc639a745b04d2904faf2066f63e2c97cc5aab2cf555225c17e70');
INSERT INTO audit VALUES(13,'2026-11-22T10:41:25.567Z','session','01a202d8-afd3-7000-a62d-a16acac9f8ce','Ada@example.org','01a202d8-afd4-7000-9059-1e4f9486e325','127.0.0.1','mysql.deploy','01a202d8-b232-7000-8956-f7c4061dfebb','OK','8ee688f19f1bc639a745b04d2904faf2066f63e2c97cc5aab2cf555225c17e70','171ef0da9abf62f315c21902b70baffd4071ffc4c6c3abb7ae57a861d7bcc8f9');
INSERT INTO audit VALUES(14,'2026-11-22T10:41:25.630Z','session','01a202d8-afd3-7000-a62d-a16acac9f8ce','Ada@example.org','01a202d8-afd4-7000-9059-1e4f9486e325','127.0.0.1','mariadb.create','01a202d8-b27a-7000-9ee8-7daef8cf812d','OK','171ef0da9abf62f315c21902b70baffd4071ffc4c6c3abb7ae57a861d7bcc8f9','8e1359ad22aa5f25b974e30d69b512c633cb04c27c8ae09028a4718cb1520c32');
INSERT INTO audit VALUES(15,'2026-11-22T10:41:25.637Z','session','01a202d8-afd3-7000-a62d-a16acac9f8ce','Ada@example.org','01a202d8-afd4-7000-9059-1e4f9486e325','127.0.0.1','mariadb.deploy','01a202d8-b27a-7000-9ee8-7daef8cf812d','OK','8e1359ad22aa5f25b974e30d69b512c633cb04c27c8ae09028a4718cb1520c32','99ad1eb325d05f0415df58a77332756c30c701d979666aac674c59b4171d6dea');
INSERT INTO audit VALUES(16,'2026-11-22T10:41:25.731Z','session','01a202d8-afd3-7000-a62d-a16acac9f8ce','Ada@example.org','01a202d8-afd4-7000-9059-1e4f9486e325','127.0.0.1','mongo.create','01a202d8-b2de-7000-847d-7431215e47c4','OK','99ad1eb325d05f0415df58a77332756c30c701d979666aac674c59b4171d6dea','02fb9c3c1ff89101954356d7af728eda450c8cd33af36684077a7977330e5bb8');
INSERT INTO audit VALUES(17,'2026-11-22T10:41:25.740Z','session','01a202d8-afd3-7000-a62d-a16acac9f8ce','Ada@example.org','01a202d8-afd4-7000-9059-1e4f9486e325','127.0.0.1','mongo.deploy','01a202d8-b2de-7000-847d-7431215e47c4','OK','02fb9c3c1ff89101954356d7af728eda450c8cd33af36684077a7977330e5bb8','701aa64baec9fdd2516e5451387705eee9a6d4224771c73b9fb104fc2d9d570e');
INSERT INTO audit VALUES(18,'2026-11-22T10:41:25.861Z','session','01a202d8-afd3-7000-a62d-a16acac9f8ce','Ada@example.org','01a202d8-afd4-7000-9059-1e4f9486e325','127.0.0.1','redis.create','01a202d8-b360-7000-a748-03f4991b65eb','OK','701aa64baec9fdd2516e5451387705eee9a6d4224771c73b9fb104fc2d9d570e','fffa73266efcd7f9d52070a0140b0803ee1c5d53df8a5a87dd97465db3d4bfcd');
INSERT INTO audit VALUES(19,'2026-11-22T10:41:25.895Z','session','01a202d8-afd3-7000-a62d-a16acac9f8ce','Ada@example.org','01a202d8-afd4-7000-9059-1e4f9486e325','127.0.0.1','redis.deploy','01a202d8-b360-7000-a748-03f4991b65eb','OK','fffa73266efcd7f9d52070a0140b0803ee1c5d53df8a5a87dd97465db3d4bfcd','a10019b7b813497d6c300ed2d8342a5acbadbf041dad948e361fa273c32ec005');
INSERT INTO audit VALUES(20,'2026-11-22T10:41:25.979Z','session','01a202d8-afd3-7000-a62d-a16acac9f8ce','Ada@example.org','01a202d8-afd4-7000-9059-1e4f9486e325','127.0.0.1','user.invite','01a202d8-b3da-7000-9d2d-624ad39cfafb','OK','a10019b7b813497d6c300ed2d8342a5acbadbf041dad948e361fa273c32ec005','47358b188232b1bac3dfbf5c021bb530c5b3f22e9b3030d89a28dc22b4d370a5');
INSERT INTO audit VALUES(21,'2026-11-22T10:41:26.015Z','session','01a202d8-afd3-7000-a62d-a16acac9f8ce','Ada@example.org','01a202d8-afd4-7000-9059-1e4f9486e325','127.0.0.1','destination.create','01a202d8-b3e9-7000-945e-3a0fa36dd6c9','OK','47358b188232b1bac3dfbf5c021bb530c5b3f22e9b3030d89a28dc22b4d370a5','4d69941317ca6902f6767369f9565094a0e8518569c58d100341b79ad3d18602');
INSERT INTO audit VALUES(22,'2026-11-22T10:41:26.076Z','session','01a202d8-afd3-7000-a62d-a16acac9f8ce','Ada@example.org','01a202d8-afd4-7000-9059-1e4f9486e325','127.0.0.1','backup.create','01a202d8-b435-7000-88c2-cb682a36f1f6','OK','4d69941317ca6902f6767369f9565094a0e8518569c58d100341b79ad3d18602','60a5d5942199bc92b52acbf81919d198770092b3903f1123625b5d4ba61acfac');
INSERT INTO audit VALUES(23,'2026-11-22T10:41:26.166Z','session','01a202d8-afd3-7000-a62d-a16acac9f8ce','Ada@example.org','01a202d8-afd4-7000-9059-1e4f9486e325','127.0.0.1','redirects.create','01a202d8-b450-7000-bf70-520890eec5ce','OK','60a5d5942199bc92b52acbf81919d198770092b3903f1123625b5d4ba61acfac','27c7ffeba372f92ca3f6b5fe5521aeb8f148ea8629b72574b20b6500a32e25aa');
INSERT INTO audit VALUES(24,'2026-11-22T10:41:26.399Z','session','01a202d8-afd3-7000-a62d-a16acac9f8ce','Ada@example.org','01a202d8-afd4-7000-9059-1e4f9486e325','127.0.0.1','security.create','01a202d8-b49a-7000-9402-dd6d5c7e82a3','OK','27c7ffeba372f92ca3f6b5fe5521aeb8f148ea8629b72574b20b6500a32e25aa','c73be81eb79064c519955d35e158fbdd0f3e742c7cfa5b4d8c8d6f9c07d2e220');
INSERT INTO audit VALUES(25,'2026-11-22T10:41:26.415Z','session','01a202d8-afd3-7000-a62d-a16acac9f8ce','Ada@example.org','01a202d8-afd4-7000-9059-1e4f9486e325','127.0.0.1','auth.generateToken',NULL,'OK','c73be81eb79064c519955d35e158fbdd0f3e742c7cfa5b4d8c8d6f9c07d2e220','037b58d0fa9935ab2300572cc796d257603e8ff45f0c04a5fea031f84ddf9aea');
CREATE TABLE IF NOT EXISTS "destination" (
      "id" text primary key, "name" text not null, "bucket" text not null, "region" text not null,
      "endpoint" text not null, "accessKey" text not null, "secrets" text not null, "createdAt" text not null);
INSERT INTO destination VALUES('01a202d8-b3e9-7000-945e-3a0fa36dd6c9','storage','backups','','http://127.0.0.1:9','key','v1.c60ee442.Gid5ntLN1l4TkH7HpXEPdn56h2kVuIpvHs-eUEKegLGUDCsdWtLv1d2jSeZtXRuEXLqzRgdz0EHpUFyPq0e6hAYnIZWZBw','2026-11-22T10:41:25.994Z');
CREATE TABLE IF NOT EXISTS "backup" (
        "id" text primary key, "kind" text not null, "databaseId" text not null, "destinationId" text not null,
        "schedule" text not null, "timezone" text not null, "enabled" integer not null, "prefix" text not null,
        "database" text not null, "verifySchedule" text, "keepLatest" integer, "keepDays" integer, "recipient" text,
        "signalUrl" text, "createdAt" text not null, "nextAt" text, "nextVerifyAt" text);
INSERT INTO backup VALUES('01a202d8-b435-7000-88c2-cb682a36f1f6','postgres','01a202d8-b05a-7000-9848-c9990316f257','01a202d8-b3e9-7000-945e-3a0fa36dd6c9','0 3 1 1 *','UTC',1,'nightly','shop',NULL,3,NULL,NULL,NULL,'2026-11-22T10:41:26.069Z','2027-01-01T03:00:00.000Z',NULL);
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
INSERT INTO application VALUES('service3','berth-gateway-01a202d8-b05a-7000-9848-c9990316f257',1,NULL,'[]',80,NULL,1,'[{"port":15432,"protocol":"tcp"}]','[]',1,1,'[]','2026-01-01T00:00:00.004Z');
INSERT INTO application VALUES('service7','the-mysql',1,NULL,'[]',80,NULL,1,'[]','[]',1,1,'[]','2026-01-01T00:00:00.010Z');
INSERT INTO application VALUES('service9','the-mariadb',1,NULL,'[]',80,NULL,1,'[]','[]',1,1,'[]','2026-01-01T00:00:00.013Z');
INSERT INTO application VALUES('service11','the-mongo',1,NULL,'[]',80,NULL,1,'[]','[]',1,1,'[]','2026-01-01T00:00:00.016Z');
CREATE TABLE IF NOT EXISTS "redirect" (
        "id" text primary key, "applicationId" text not null, "regex" text not null, "replacement" text not null,
        "permanent" integer not null, "createdAt" text not null);
INSERT INTO redirect VALUES('01a202d8-b450-7000-bf70-520890eec5ce','web','/old/(.*)','/new/$1',1,'2026-11-22T10:41:26.096Z');
CREATE TABLE IF NOT EXISTS "security" (
        "id" text primary key, "applicationId" text not null, "username" text not null, "passwordHash" text not null,
        "createdAt" text not null, unique ("applicationId", "username"));
INSERT INTO security VALUES('01a202d8-b49a-7000-9402-dd6d5c7e82a3','web','ann','v1.c60ee442.u9zjiNNmFjzx6nE7QFINP3wgQaQpCQhiHVQYnxr9wfLIso3ufslZSOd_FwgTC5cUm-lDWzEhz7IVertFrhroA13vH4Pac53T8jUFuwmCrv3t_G65TVgFjQ','2026-11-22T10:41:26.395Z');
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
INSERT INTO node VALUES('node1','memory','ready','2026-11-22T10:41:24.848Z',NULL,0,'');
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
