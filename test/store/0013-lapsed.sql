-- A store of version 0013-lapsed, created by test/store/generate.ts with Berth of commit 4e1f7bd,
-- and printed by `sqlite3 berth.db .dump`. The master key is the byte ab, 32 times.
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE IF NOT EXISTS "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
INSERT INTO kysely_migration VALUES('0001-first','2026-11-23T16:38:33.651Z');
INSERT INTO kysely_migration VALUES('0002-kinds','2026-11-23T16:38:33.660Z');
INSERT INTO kysely_migration VALUES('0003-named-deployments','2026-11-23T16:38:33.661Z');
INSERT INTO kysely_migration VALUES('0004-accounts','2026-11-23T16:38:33.666Z');
INSERT INTO kysely_migration VALUES('0005-sealing','2026-11-23T16:38:33.667Z');
INSERT INTO kysely_migration VALUES('0006-destinations','2026-11-23T16:38:33.668Z');
INSERT INTO kysely_migration VALUES('0007-backups','2026-11-23T16:38:33.669Z');
INSERT INTO kysely_migration VALUES('0008-routing','2026-11-23T16:38:33.671Z');
INSERT INTO kysely_migration VALUES('0009-registries','2026-11-23T16:38:33.673Z');
INSERT INTO kysely_migration VALUES('0010-nodes','2026-11-23T16:38:33.675Z');
INSERT INTO kysely_migration VALUES('0011-moves','2026-11-23T16:38:33.676Z');
INSERT INTO kysely_migration VALUES('0012-tried','2026-11-23T16:38:33.677Z');
INSERT INTO kysely_migration VALUES('0013-lapsed','2026-11-23T16:38:33.678Z');
CREATE TABLE IF NOT EXISTS "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
INSERT INTO kysely_migration_lock VALUES('migration_lock',0);
CREATE TABLE IF NOT EXISTS "meta" ("key" text primary key, "value" text not null);
INSERT INTO meta VALUES('installationId','01a20946-05fa-7000-ac99-1a24a5a74e94');
INSERT INTO meta VALUES('masterKeyProof','v1.c60ee442.zsMvtdkvR6Ip08XzXnNCupitVSb_EjCbqhXQeDMQZZ0R');
INSERT INTO meta VALUES('fingerprintKey','v1.c60ee442.nQtc21t1Qj88V--Q5T159iTM7azWEhtlGAK7iacLWVjH2O2gKuA696ker-zwYafldhYSe0uAneu4_tul9lTUWX6uKqfDl2PW');
CREATE TABLE IF NOT EXISTS "account" (
    "id" text primary key, "email" text not null, "emailKey" text not null unique, "passwordHash" text not null,
    "rol" text not null, "image" text not null, "is2FAEnabled" integer not null, "createdAt" text not null, "secret" text, "pinStep" integer not null default 0, "lastSeenAt" text);
INSERT INTO account VALUES('01a20946-0679-7000-8da6-cd795a583754','Ada@example.org','ada@example.org','$argon2id$v=19$m=8,t=1,p=1$tzHWIBAKK2dJsaDMWLyFWg$AV7GZuMZ9ZgMI1hR2cdWyHdt/gBgSMtzRbYXYnOWu7w','admin','',0,'2026-11-23T16:38:33.849Z',NULL,0,'2026-11-23T16:38:33.849Z');
CREATE TABLE IF NOT EXISTS "token" (
    "id" text primary key, "hash" text not null unique, "kind" text not null,
    "accountId" text not null references "account" ("id") on delete cascade,
    "createdAt" text not null, "lastUsedAt" text not null, "expiresAt" text, "address" text not null default '', "name" text, "scope" text, "passed2FA" integer not null default 0, "tries" integer not null default 0);
INSERT INTO token VALUES('01a20946-0679-7001-84a3-ced16805a353','5965a598bcba3d352fba86f94fafd1b70ab22a487db0009c81fca5d981901311','session','01a20946-0679-7000-8da6-cd795a583754','2026-11-23T16:38:33.849Z','2026-11-23T16:38:33.849Z','2026-12-23T16:38:33.849Z','127.0.0.1',NULL,NULL,0,0);
INSERT INTO token VALUES('01a20946-0938-7000-b3d7-e929a584b538','e80451cd376fb0d3317ee4e8fa5d29876d1e3c154cce5f4794b88004991ebde9','api','01a20946-0679-7000-8da6-cd795a583754','2026-11-23T16:38:34.552Z','2026-11-23T16:38:34.552Z',NULL,'127.0.0.1',NULL,'admin',0,0);
CREATE TABLE IF NOT EXISTS "attempt" (
    "key" text primary key, "failures" integer not null, "blockedUntil" text not null, "updatedAt" text not null);
CREATE TABLE IF NOT EXISTS "idempotency" (
    "key" text not null, "accountId" text not null, "operation" text not null, "bodyHash" text not null,
    "answer" text not null, "deploymentIds" text not null, "createdAt" text not null,
    primary key ("key", "accountId", "operation"));
CREATE TABLE IF NOT EXISTS "project" (
    "id" text primary key, "name" text not null, "description" text, "createdAt" text not null);
INSERT INTO project VALUES('01a20946-0690-7000-8393-51f78fad6df4','shop','of then','2026-11-23T16:38:33.872Z');
CREATE TABLE IF NOT EXISTS "volume" (
    "id" text primary key, "name" text not null unique, "kind" text not null, "dataPath" text not null, "nodeId" text not null, "nodeName" text not null, "nodeAddress" text not null,
    "databaseId" text,
    "state" text not null, "appName" text not null, "dockerImage" text not null, "settings" text not null,
    "secrets" text not null, "createdAt" text not null, "keptAt" text, "deploymentId" text, "serverVersion" text, "tried" text);
INSERT INTO volume VALUES('01a20946-06df-7000-8333-d82ac0698fdd','berth-01a20946-06df-7000-8333-d82ac0698fdd','postgres','/var/lib/postgresql/data','node1','memory','192.0.2.10','01a20946-069f-7000-8e10-4eff0c67486b','attached','orders','postgres:15','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.HlbufyMQkC84Ej_leHTWxtt47YZtJXn5sVEkKKC8ZwDTQSFqvH9d3lmgJuhQgTPns9tD37AjDTlsOxhkTUtIXGe18UOPCWU','2026-11-23T16:38:33.951Z',NULL,NULL,'15',NULL);
INSERT INTO volume VALUES('01a20946-0734-7000-9b99-4824d453d090','berth-01a20946-0734-7000-9b99-4824d453d090','postgres','/var/lib/postgresql/data','node1','memory','192.0.2.10',NULL,'kept','kept','postgres:15','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.piM91eEON0T_T7tsa9HKGkAbTLom5kIzmJ1xVv6Mk-iNb7kNKT_vX4ZMVt4h1ERYQMbNNKZkWpsa51MT3AHCaLJauG_GvOI','2026-11-23T16:38:34.036Z','2026-11-23T16:38:34.133Z',NULL,'15',NULL);
INSERT INTO volume VALUES('01a20946-07b4-7000-826f-b8c1e77da9b1','berth-01a20946-07b4-7000-826f-b8c1e77da9b1','mysql','/var/lib/mysql','node1','memory','192.0.2.10','01a20946-079d-7000-808b-57bea2e8dc6b','attached','the-mysql','mysql:8','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.kpchf4clOFpjarby6Ii9Q2aIPY4B_FDNEb30wJhv6tgoyc1KIudxETHIRSpDq8KFfcHsCfAiT6mj7pk_t1cPFUc-vuwUYLi1lXDG8ZNVFwJm0OzHX7xHdeV_JB45xaBFkYpJbnhaBPquUjykgJlVgSmYl_2i3v8SGBQ','2026-11-23T16:38:34.164Z',NULL,NULL,'8',NULL);
INSERT INTO volume VALUES('01a20946-07f5-7000-afbc-dd7b4be0caa2','berth-01a20946-07f5-7000-afbc-dd7b4be0caa2','mariadb','/var/lib/mysql','node1','memory','192.0.2.10','01a20946-07db-7000-a70f-d38db7403098','attached','the-mariadb','mariadb:6','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.RXlZ7L2b7-JneMM1RcTE7av31lAmHn55Qn_ha4jOXVhk9busJlhcbpBPvVoMH8ZYUqibzf7Q4eV7955Q1dRngWrZlN1ORVaN3inQQZbTI7tFveBHAvBotMoaKfpXG3rws134MEu4wkaacVYvzWVy5hcnByDcIk360-M','2026-11-23T16:38:34.229Z',NULL,NULL,'11',NULL);
INSERT INTO volume VALUES('01a20946-0833-7000-b5f0-ab4f68fceaa7','berth-01a20946-0833-7000-b5f0-ab4f68fceaa7','mongo','/data/db','node1','memory','192.0.2.10','01a20946-081c-7000-ba97-618498e04b1e','attached','the-mongo','mongo:15','{"databaseUser":"shop"}','v1.c60ee442.CP2Cxg4YrkhsyFMkxKuZ3Cy-VHSfBdoTSD-06q6wDQhVXCIm5KgK20TPGOvKims4Qmxf3UcqdEBOq5rbk1u48sirdBBvaKI','2026-11-23T16:38:34.292Z',NULL,NULL,'8',NULL);
INSERT INTO volume VALUES('01a20946-0872-7000-9a03-4531c05a4736','berth-01a20946-0872-7000-9a03-4531c05a4736','redis','/data','node1','memory','192.0.2.10','01a20946-085b-7000-b7bf-b5b9bfcd680d','attached','the-redis','redis:8','{}','v1.c60ee442.rR_YJIe-xZZ-GPzo4yWmtL93I9WtDG_UkWEPpvKq77yknI2W2kByr2Q1QnxwdLDdgSWOHBI0Cy7vl8gEzH04Rs5-M5HHekI','2026-11-23T16:38:34.354Z',NULL,NULL,'8',NULL);
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
INSERT INTO "database" VALUES('01a20946-069f-7000-8e10-4eff0c67486b','postgres','01a20946-0690-7000-8393-51f78fad6df4','it','orders',NULL,'postgres:15','-c max_connections=50','v1.c60ee442.AeNnVM1FMH6huxoBM0L7PBuNenp8fgMi_kdPKmlxNsNwLgF0cwUb',NULL,512.0,NULL,0.5,15432,'done',NULL,'2026-11-23T16:38:33.888Z','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.ehDD8IW67HXaYbdc6CrVLRuu60a9dr5OSeIxKq3lHoJhWV8dhHB3G89UftOKRuK73ek8WQDBbOowQEAkZO5l9-3Q0VPcOSw','up','v1.c60ee442.fRDgbV7mLY2wljzAmmOnB_VOOS1ODoHthRoKuyJ2KRlg-Iekbk45_zh3BrWMpMflSn3pTvIENwINFcNv3NPehyrJkfHnFGxR-tIrza742Vsv54uArTAYnWM4o7i_WbM7V4s9MyC1f6xhf92XRZA4rYHoEM_KksCFk4PjuCx8f2O1QdDTR9VKWdekDvZecDirN4jcATeL19EknWr9PdsKkXEg-Ynh4pAIs0_aAVM27gl9EvA8dh9j1hy3aibxomvBkVjI3w0UZyNtv3ksFGTj5KihCphZQRN2PfNUWnRr-P9DXemHTZFxFpnsruOfMnJpu_swbGFftx8Y7fhVJEtFK8NTqf_C3UYrGiZVLUjqkZauV5IewAh9kIt6fmH0RlHH5wZ5R6KMM3XKsINAHqDIPkzpCxtJWAzFmKDgTaidOlYfW97c','v1.c60ee442.kg6G-KHN5AvajRkGlcuTFuKsRkKryxdlXL1mZsaVCsxhdqt88QprZg8pd9sartn3H0ty6EYt6-U9Z7bmfrx1EtF3d2cvTZ9BBwzTvOEAh_04QSBQ24BoxiFuqJKBR1asNWzQG9vL364Rk28DGxCJuul85KBA0sd6KcPZpJn1oQuHtP_N_HquKplYWyu3k6T7DIk-jhCAuZ7AZwG3UwGPYV5b0pqvgyHsonWLT88P8XlEHd_R8UqkR5N9nzhAjdCBWS7HHnPa2pE22I3yaO6Gz_2OLUZ8myM94NoGuCWVlzsIFG8mbe4udsh-W1Yn0EJOaSdrVIp819LychInZbaT9kovieGmpVHbMXmCDCHXX8w74uECfOJDkMGzGgfbI4jbR-xRQ4JbLKs58Gz4ELZ0FHP5Oz3LYGYqIGBxXrW7GxaSO3hi',0,NULL,'01a20946-06df-7000-8333-d82ac0698fdd',0,'up','running',NULL,'2026-11-23T16:38:34.010Z','[]',NULL,NULL);
INSERT INTO "database" VALUES('01a20946-0721-7000-bb26-ba8f7416db36','postgres','01a20946-0690-7000-8393-51f78fad6df4','it','never-deployed',NULL,'postgres:15',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'idle',NULL,'2026-11-23T16:38:34.017Z','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.AwwnRz_hMLuazOaRC8RBJ2vp7mFdbqlsh89YIY9hxpVRwlA1wrb6sW6WoKP_QbUFoFPwh2tLnVudmH4QHLI_xTSd--wlL8M','none',NULL,NULL,0,NULL,NULL,0,'unknown',NULL,NULL,NULL,'[]',NULL,NULL);
INSERT INTO "database" VALUES('01a20946-079d-7000-808b-57bea2e8dc6b','mysql','01a20946-0690-7000-8393-51f78fad6df4','it','the-mysql',NULL,'mysql:8',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'done',NULL,'2026-11-23T16:38:34.141Z','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.B6TlWladb2EpESjfYSlhCM2p4WsfU6HDGwm3FIKcd3JfkYDnkBtsx-SKPhg2eDz0rhx9oHFoDK0fgVsh6paaC6BDMIJOCgdgvPl_mzfFaow248MnqsJgOoEYiD1ZqN5S7GO_6u3vAI-l0_Agfi0zaJGC8_fPLqTkKNI','up','v1.c60ee442.ZvNYdPw87xwhAt4Hrb-0zoZbpU4rHu5M4LZeyAXzu_xxZ3AYStLA5MAi5OPPqHnukfHCyJJFRhGB481dWvL1jBgBSuoYPhxMGBxNxbiIuebacAlVfJnjQ_AuISWuWDMi_hmsCNyLypzLkKmiEToNe1WVNxgsa-wGb6DAi9ym88rZ41J-RFEADkARYqtV0vSrLv4RJo93mrty9v231ZMOedT1RJz7ufUil4h2fAoSX7FF6KQPzTHGk7DIoS2DpQ_O7_PHLBL4CodEXtWCKxcly8bmpFDpAfDgkRXyDuuiC5PtbZcIzIru5qk7YiF4gNQRhrNWrYYPVulc0NVd4l2SdX4e_6RxgLHCWkKZRG8l5qdij2jMIPGYinBp6VlOKnLwg6uKWAl-QfU4ln_8Xzv6KucF8cQoGVNgqY6TdoQY74bWXeyXkTPwcM3XtW1WSB5KYjHzh4K26Uc','v1.c60ee442.cG93O8zX0KiJeZ54oPNoo_Imw9ZviTHGIMCrr1m6kllIIyXeLmgE4dtUesc8awkuxORoUaMptbAAD4L_3ihlk5wYXxNK8lNSMcIQjg4sOlXXpFP4dwsXvUhDuk2WNbV9MNF31du9NaBySCuRyGCz8nLIaFqQYAIvU2gPtPZrsp8YMKA3bt04xOYdfUjIKEVKJdk2kQPEdO8iZoTYaOl5fR0RmK3jURRZtrzNWuaAzBpf7kf06CmigoRl9Yh0Gpmf501Q8X3NEazhdGRqAfyBEdlwTpmQwLJKkY-EP9NTjgR1gWpflqhLYqVjmcmuPZ-ZPiECGsysnW5R8-G3p3m6BbT9mD8CUJ8BjGVOKjKe02ziddnVzZ29oDhmIBWI421Ic5_L9m3-jl2mFY1C5xLKGW0AY5PvIxZecTKg8IMcklnlm9eRQC5hZAf1lX1npf7SFldXzMVy1_w',0,NULL,'01a20946-07b4-7000-826f-b8c1e77da9b1',0,'up','running',NULL,'2026-11-23T16:38:34.200Z','[]',NULL,NULL);
INSERT INTO "database" VALUES('01a20946-07db-7000-a70f-d38db7403098','mariadb','01a20946-0690-7000-8393-51f78fad6df4','it','the-mariadb',NULL,'mariadb:6',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'done',NULL,'2026-11-23T16:38:34.204Z','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.zp86RUNDDXXaCYgx3MkX4whfWW5ysMzl6v5gLyZ_1ptjaS27OAqVkZ5gjLubLwOy9Ccyapyk3OZQcRWHoXYXOylldFlWmeZUzEPcV5R1QMieBgjys70wseNNPXImBBIpQ8b14jwk--8uo1t3Wjo4DmWHwiTSS2WeZw8','up','v1.c60ee442.O_kZxRgwsPxekxFD9vbYZ_ADoZScSwHjTb-2ixLxD7p1Oe2GbojXFsj2CewfFhAdpXWZTLHNKXOGW9x0_I5Mbb2digtIMfOW93kyklaEz67J3LQqF2itl6WuJiu5ndlSvxUejf4G9w8lQKhqtUsRoCyzAHKxPgQiVWicnZXGBSAn4OM68nNwroURELlPz3Rx8IDypSszk3KYrVNNbgSq6djRXqfcv_tkBvJEh4RVcpA6daZfOmBHdBm89Bd4HVt4BuspxTV9wcuFzUTPuovGHB7Tkamyts5jDISRzEM0dhkLo8g6VAts7lmgknW5pa0tL67k1_aJ6ZxYIxL8We1NAMCnCa1gExnOUmOBgjZMNUzBturGzoELkwutvNqRX1lshzxVXkb_Z3p8Qox5P1zboKTy822BTyLWZedxBrSgDYNle3ourf2Ae-wT2CCLpT9nGCE1U0ysZKaKfQ','v1.c60ee442.00Eib7E5FFnQvDh8j0Pa3HogydU2mU33Bmd9VMo-hCrhZsGG1bGKcvckaGU9Fn1xMTIuYE8dCtrHN0v6ZO2Cq85Ma1us0HQAm34K0KUAR0nZ6omXARZ52opacq8jDww7_ORM4D-VenaBPHXLiZnuUBaCnkuNtySB2Eqwdpuc8R66O5RC-FIUM60DEe0kbFILL7HRva_7jkWgG7hDJd7wTKwRQan4URTOBWfJPlwxHfoblOLZfUitkBjwtjowshhGa7xoiBkfQdNFNKIhibMVb-HhxgCMfGHbm9KCblrfjo3jZqa6q00ycY-wQ5JDR9h8NVxqgVICWwZP5qpe3sUbPZGXdpf8l49d3KWOJw27dvHKQnfnfkMb7BRZJJIR77V7-ofg-dNzQ42BX2qAybul6LoBwOs1zz3inZ6GdmpxQKd4ADPh7MFnuR5j-GlyuVljNRA-rxQ0pnJ1-Q',0,NULL,'01a20946-07f5-7000-afbc-dd7b4be0caa2',0,'up','running',NULL,'2026-11-23T16:38:34.262Z','[]',NULL,NULL);
INSERT INTO "database" VALUES('01a20946-081c-7000-ba97-618498e04b1e','mongo','01a20946-0690-7000-8393-51f78fad6df4','it','the-mongo',NULL,'mongo:15',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'done',NULL,'2026-11-23T16:38:34.269Z','{"databaseUser":"shop"}','v1.c60ee442.9qVzoK9Kh-OVQO9sw5ieeSWxW0GhiqFZ15snpDonLhyh20qFbM-xl0rjFmDA9feM_SjVPLtxbdGskJraCBmoO0fra0Su9Eg','up','v1.c60ee442.qTs8jSOYyi991nbQoZuZ51Za6_SZAFO64PTli8pNi1AdklIdOW6OjvFAF5MQLbkLvDIptAiUod310mW97wHVCzS3bgTY5KhElYZYJmMRp3sB0DX8cLIvo9pgAl92KZmjoyb8gCi7G5wBxtDWpOa2vpGWMhgrtz8aBzAuS9vZHuVbTGWuaLfKMYR2wPqc2LkmxxLtxXUGr2PCVp69cUEATG7nDt9AlHjjjcRQ3sBLD_7Mmcoj8u5kcL86cdmturIFZsE0-fVcCR41q--6rXUsPJrzPL4s4FE-AwmcoLgx2Uq05NhpKfocYaMUmzTsOQ3uWVg4wsgJv-cYZ04lujIXY_ZVaWJTLqOpyApoAJwgnVA','v1.c60ee442.ln43iUMEa412AhWZmHQ1LMbeKLXWGi_uudKTIfgZh5NgCjT27iNIJXymUeubdiGVbXUAfHjDiGVcLhaPHX0K3KZOfZwy1-Hn3fYJ_QqNSH8CigPqViRRKI-NFKOESEXkAlox00dEGqG0RniXS1WVAPeTUha3Pn9iU1UHHAFA-CxG7jd_M6Jtj7RpvGwr-AQKArwcO_masg8NWWqfzYCYRZsGjKwXsrPqkr27_oU7Ikl0DpvBJZXlSZmZG2KdN0GyNDNqQoX-5fImztx7X5N7miHT9TVaIp07cVyds0-SLsv_ysSwbiRiVY2txIjlSi0qtWTMM1qCuqEnOc4mK6hGtpB5sfB7wS3-JqzCoA0YHok',0,NULL,'01a20946-0833-7000-b5f0-ab4f68fceaa7',0,'up','running',NULL,'2026-11-23T16:38:34.325Z','[]',NULL,NULL);
INSERT INTO "database" VALUES('01a20946-085b-7000-b7bf-b5b9bfcd680d','redis','01a20946-0690-7000-8393-51f78fad6df4','it','the-redis',NULL,'redis:8',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'done',NULL,'2026-11-23T16:38:34.331Z','{}','v1.c60ee442.5fG_tAbcr_Jx3YIJWiLlrQW4F1H_VVdebmns3QNDuazn8aMOv_G_T5NQwtqHDNG-vGN0BhYfwZfYBKXln10FuICV9z83Sr0','up','v1.c60ee442.KEtpsE5Zz8WeItsY50cN1y2ksbtMjGMmlU_fIvf5Mf4NoNQqsb5rMYFqNY6l-n1hcvMg0iDys-UOTgW0hXSjr9Ip-dcGbBCfqwTUyXdcpNao_oaEfmpTkq9hgIQUx_0HBaiY-IuPUhTx_JfKl7odnCxdCFeoT2IxbSV-pcawL7Ms6iETJilmXda1vky63rKEVR7Ji0_cINK1VBn-73QJXiqoDLLJ2VidWkz0F1rCdtJkPOvGaEMvPdX-LIIYOi8aZQXJJ2IVcK4k_KZqOWWqMOhJBeo5LEzOiN_h3H-gvMHXWBNfvegrpZN1IeTcakI280Yd2c4AnwHR','v1.c60ee442.vrxCfhvUQ7XcQa69AIlYl1c29wXcVPXgUAW2XhbYZz1nPHga51pwryKigh-2fhRvaMlmN8g6Rgote3b9Gdq0yEfGmmiWZjvWWgtqZkOf7B7OKWzOq3TCO8Joa5b6F-IgVXvvRM0jgqS33ENaqAOre3OQkl1hw0r5W4NQJ0vcyATB9BtqG_OCYYpPuISMqpJWnZs8U_MJ5aPanv-voAQMh7_iZeC3sl_-74G9u6hsp99WQ5K5PhQ08TCIPMcN2uKtIWBAAexRpN3CsDXVHORcZGRHbONLV3KYjlDIeC0V86mN1hLer1235BKIh70qoBTzw5HNMzNulWYD',0,NULL,'01a20946-0872-7000-9a03-4531c05a4736',0,'up','running',NULL,'2026-11-23T16:38:34.389Z','[]',NULL,NULL);
CREATE TABLE IF NOT EXISTS "deployment" (
    "id" text primary key, "databaseId" text not null, "action" text not null, "state" text not null,
    "phase" text not null, "reason" text, "startedAt" text not null, "phaseAt" text not null, "finishedAt" text, "kind" text, "appName" text);
INSERT INTO deployment VALUES('01a20946-06d7-7000-9449-bb6142970de3','01a20946-069f-7000-8e10-4eff0c67486b','deploy','done','apply',NULL,'2026-11-23T16:38:33.943Z','2026-11-23T16:38:33.943Z','2026-11-23T16:38:34.011Z','postgres','orders');
INSERT INTO deployment VALUES('01a20946-072a-7000-9125-43bb55f956d8','01a20946-0725-7000-8689-4ce643f4c79e','deploy','done','apply',NULL,'2026-11-23T16:38:34.026Z','2026-11-23T16:38:34.026Z','2026-11-23T16:38:34.070Z','postgres','kept');
INSERT INTO deployment VALUES('01a20946-075c-7000-b0e0-656e044d4aeb','01a20946-0725-7000-8689-4ce643f4c79e','remove','done','apply',NULL,'2026-11-23T16:38:34.076Z','2026-11-23T16:38:34.076Z','2026-11-23T16:38:34.132Z','postgres','kept');
INSERT INTO deployment VALUES('01a20946-07a6-7000-8b18-3a3fc37a0e87','01a20946-079d-7000-808b-57bea2e8dc6b','deploy','done','apply',NULL,'2026-11-23T16:38:34.150Z','2026-11-23T16:38:34.150Z','2026-11-23T16:38:34.200Z','mysql','the-mysql');
INSERT INTO deployment VALUES('01a20946-07e4-7000-b8a2-bffd3207c7b4','01a20946-07db-7000-a70f-d38db7403098','deploy','done','apply',NULL,'2026-11-23T16:38:34.212Z','2026-11-23T16:38:34.212Z','2026-11-23T16:38:34.262Z','mariadb','the-mariadb');
INSERT INTO deployment VALUES('01a20946-0825-7000-a602-f24b30228a1f','01a20946-081c-7000-ba97-618498e04b1e','deploy','done','apply',NULL,'2026-11-23T16:38:34.277Z','2026-11-23T16:38:34.277Z','2026-11-23T16:38:34.325Z','mongo','the-mongo');
INSERT INTO deployment VALUES('01a20946-0866-7000-9360-2c8e7694d7f5','01a20946-085b-7000-b7bf-b5b9bfcd680d','deploy','done','apply',NULL,'2026-11-23T16:38:34.342Z','2026-11-23T16:38:34.342Z','2026-11-23T16:38:34.389Z','redis','the-redis');
CREATE TABLE IF NOT EXISTS "recoveryCode" (
        "accountId" text not null references "account" ("id") on delete cascade, "hash" text not null,
        primary key ("accountId", "hash"));
CREATE TABLE IF NOT EXISTS "invitation" (
        "id" text primary key, "hash" text not null unique, "email" text not null, "emailKey" text not null unique,
        "rol" text not null, "invitedBy" text not null references "account" ("id") on delete cascade,
        "createdAt" text not null, "expiresAt" text not null);
INSERT INTO invitation VALUES('01a20946-0899-7000-a620-287ca6fd3821','39de7dc7a35586da3bf2db0344ab4179ada05c97c016d6ca6fb53d3b049e37e8','eve@example.org','eve@example.org','user','01a20946-0679-7000-8da6-cd795a583754','2026-11-23T16:38:34.393Z','2026-11-30T16:38:34.393Z');
CREATE TABLE IF NOT EXISTS "audit" (
        "seq" integer primary key, "at" text not null, "kind" text not null, "accountId" text, "email" text,
        "tokenId" text, "address" text not null, "operation" text not null, "record" text, "result" text not null,
        "previousHash" text not null, "hash" text not null);
INSERT INTO audit VALUES(1,'2026-11-23T16:38:33.854Z','installation',NULL,NULL,'installation','127.0.0.1','auth.createAdmin','01a20946-0679-7000-8da6-cd795a583754','OK','','5626b3f52ac344766ea620ab5377fa68ba6b45866d7a0258a81e5a7d6a825529');
INSERT INTO audit VALUES(2,'2026-11-23T16:38:33.875Z','session','01a20946-0679-7000-8da6-cd795a583754','Ada@example.org','01a20946-0679-7001-84a3-ced16805a353','127.0.0.1','project.create','01a20946-0690-7000-8393-51f78fad6df4','OK','5626b3f52ac344766ea620ab5377fa68ba6b45866d7a0258a81e5a7d6a825529','15719856bcfb8ea665aa39251995ce9c38190ec072430aaa80ad4bd1fa7f03ab');
INSERT INTO audit VALUES(3,'2026-11-23T16:38:33.895Z','session','01a20946-0679-7000-8da6-cd795a583754','Ada@example.org','01a20946-0679-7001-84a3-ced16805a353','127.0.0.1','postgres.create','01a20946-069f-7000-8e10-4eff0c67486b','OK','15719856bcfb8ea665aa39251995ce9c38190ec072430aaa80ad4bd1fa7f03ab','998ba06f440085160c60607c2403840ebfa9a8a39dd61c42733966691aaab804');
INSERT INTO audit VALUES(4,'2026-11-23T16:38:33.909Z','session','01a20946-0679-7000-8da6-cd795a583754','Ada@example.org','01a20946-0679-7001-84a3-ced16805a353','127.0.0.1','postgres.update','01a20946-069f-7000-8e10-4eff0c67486b','OK','998ba06f440085160c60607c2403840ebfa9a8a39dd61c42733966691aaab804','90f8018cfebc528c5878b1f209f464f60f6b2a0d21e46d630bd415d990d1b663');
INSERT INTO audit VALUES(5,'2026-11-23T16:38:33.916Z','session','01a20946-0679-7000-8da6-cd795a583754','Ada@example.org','01a20946-0679-7001-84a3-ced16805a353','127.0.0.1','postgres.saveExternalPort','01a20946-069f-7000-8e10-4eff0c67486b','OK','90f8018cfebc528c5878b1f209f464f60f6b2a0d21e46d630bd415d990d1b663','b86638921e5467258364879e120b8c576f9f8c4e4aa69a25ec183bff6bd5a13d');
INSERT INTO audit VALUES(6,'2026-11-23T16:38:33.923Z','session','01a20946-0679-7000-8da6-cd795a583754','Ada@example.org','01a20946-0679-7001-84a3-ced16805a353','127.0.0.1','postgres.saveEnvironment','01a20946-069f-7000-8e10-4eff0c67486b','OK','b86638921e5467258364879e120b8c576f9f8c4e4aa69a25ec183bff6bd5a13d','12c0d58f62eabf6730cde8e81db0e6d15f5e37bf420009967f2d6d6ae6658e5e');
INSERT INTO audit VALUES(7,'2026-11-23T16:38:33.944Z','session','01a20946-0679-7000-8da6-cd795a583754','Ada@example.org','01a20946-0679-7001-84a3-ced16805a353','127.0.0.1','postgres.deploy','01a20946-069f-7000-8e10-4eff0c67486b','OK','12c0d58f62eabf6730cde8e81db0e6d15f5e37bf420009967f2d6d6ae6658e5e','a68f086509a2f596b2895f1d303f8952eee3df96b86461515896738026009ede');
INSERT INTO audit VALUES(8,'2026-11-23T16:38:34.017Z','session','01a20946-0679-7000-8da6-cd795a583754','Ada@example.org','01a20946-0679-7001-84a3-ced16805a353','127.0.0.1','postgres.create','01a20946-0721-7000-bb26-ba8f7416db36','OK','a68f086509a2f596b2895f1d303f8952eee3df96b86461515896738026009ede','c4323096ffffb2e3592a4afe694826a6cf764cde811bfafda363cdefbb5b0870');
INSERT INTO audit VALUES(9,'2026-11-23T16:38:34.021Z','session','01a20946-0679-7000-8da6-cd795a583754','Ada@example.org','01a20946-0679-7001-84a3-ced16805a353','127.0.0.1','postgres.create','01a20946-0725-7000-8689-4ce643f4c79e','OK','c4323096ffffb2e3592a4afe694826a6cf764cde811bfafda363cdefbb5b0870','a33307efd31cb2dd45bbd525441133246d4817e3aa7bc0cef7a9aa403d883a74');
INSERT INTO audit VALUES(10,'2026-11-23T16:38:34.027Z','session','01a20946-0679-7000-8da6-cd795a583754','Ada@example.org','01a20946-0679-7001-84a3-ced16805a353','127.0.0.1','postgres.deploy','01a20946-0725-7000-8689-4ce643f4c79e','OK','a33307efd31cb2dd45bbd525441133246d4817e3aa7bc0cef7a9aa403d883a74','98235117cb044c023ab8356304e56d16d834f5b50c67175a64ae42bcb4defdd7');
INSERT INTO audit VALUES(11,'2026-11-23T16:38:34.077Z','session','01a20946-0679-7000-8da6-cd795a583754','Ada@example.org','01a20946-0679-7001-84a3-ced16805a353','127.0.0.1','postgres.remove','01a20946-0725-7000-8689-4ce643f4c79e','OK','98235117cb044c023ab8356304e56d16d834f5b50c67175a64ae42bcb4defdd7','5e23fd99021bebd4ae7f8f350d187995658c3643703a07ffba74a003c7a62ee0');
INSERT INTO audit VALUES(12,'2026-11-23T16:38:34.146Z','session','01a20946-0679-7000-8da6-cd795a583754','Ada@example.org','01a20946-0679-7001-84a3-ced16805a353','127.0.0.1','mysql.create','01a20946-079d-7000-808b-57bea2e8dc6b','OK','5e23fd99021bebd4ae7f8f350d187995658c3643703a07ffba74a003c7a62ee0','277b66f85647d22c025e42fe162ae00be1a85d0eff269bcce25783d6555b8f7e');
INSERT INTO audit VALUES(13,'2026-11-23T16:38:34.151Z','session','01a20946-0679-7000-8da6-cd795a583754','Ada@example.org','01a20946-0679-7001-84a3-ced16805a353','127.0.0.1','mysql.deploy','01a20946-079d-7000-808b-57bea2e8dc6b','OK','277b66f85647d22c025e42fe162ae00be1a85d0eff269bcce25783d6555b8f7e','8f5e427a9e65954779ae852a51fd4eeaa02891d3b20ba4fa6df61b17a01b3ef9');
INSERT INTO audit VALUES(14,'2026-11-23T16:38:34.207Z','session','01a20946-0679-7000-8da6-cd795a583754','Ada@example.org','01a20946-0679-7001-84a3-ced16805a353','127.0.0.1','mariadb.create','01a20946-07db-7000-a70f-d38db7403098','OK','8f5e427a9e65954779ae852a51fd4eeaa02891d3b20ba4fa6df61b17a01b3ef9','e8927c431a3349cfacaaa48cf5ebef50b2ab322203b34d446448e08fa86db622');
INSERT INTO audit VALUES(15,'2026-11-23T16:38:34.212Z','session','01a20946-0679-7000-8da6-cd795a583754','Ada@example.org','01a20946-0679-7001-84a3-ced16805a353','127.0.0.1','mariadb.deploy','01a20946-07db-7000-a70f-d38db7403098','OK','e8927c431a3349cfacaaa48cf5ebef50b2ab322203b34d446448e08fa86db622','79417ffd5d75d391b453d796db88fbe53d8141d1e07e8ca48bb9c5ec8090488a');
INSERT INTO audit VALUES(16,'2026-11-23T16:38:34.273Z','session','01a20946-0679-7000-8da6-cd795a583754','Ada@example.org','01a20946-0679-7001-84a3-ced16805a353','127.0.0.1','mongo.create','01a20946-081c-7000-ba97-618498e04b1e','OK','79417ffd5d75d391b453d796db88fbe53d8141d1e07e8ca48bb9c5ec8090488a','846755e7d926643c037e52914ea1bc6e2276f0188c7f60c20b33f1a7e4b0cae8');
INSERT INTO audit VALUES(17,'2026-11-23T16:38:34.278Z','session','01a20946-0679-7000-8da6-cd795a583754','Ada@example.org','01a20946-0679-7001-84a3-ced16805a353','127.0.0.1','mongo.deploy','01a20946-081c-7000-ba97-618498e04b1e','OK','846755e7d926643c037e52914ea1bc6e2276f0188c7f60c20b33f1a7e4b0cae8','803697e267b99ee8df08c0bb8c05eb50ca65fa6ce71e56243ac59566251708af');
INSERT INTO audit VALUES(18,'2026-11-23T16:38:34.336Z','session','01a20946-0679-7000-8da6-cd795a583754','Ada@example.org','01a20946-0679-7001-84a3-ced16805a353','127.0.0.1','redis.create','01a20946-085b-7000-b7bf-b5b9bfcd680d','OK','803697e267b99ee8df08c0bb8c05eb50ca65fa6ce71e56243ac59566251708af','166a83dd0009c93b7777bea35b31decb840c818ea727768ce71824433f3d6244');
INSERT INTO audit VALUES(19,'2026-11-23T16:38:34.343Z','session','01a20946-0679-7000-8da6-cd795a583754','Ada@example.org','01a20946-0679-7001-84a3-ced16805a353','127.0.0.1','redis.deploy','01a20946-085b-7000-b7bf-b5b9bfcd680d','OK','166a83dd0009c93b7777bea35b31decb840c818ea727768ce71824433f3d6244','1afbae7fb1edd42f2201ba54cc5a658c0e3930dfd74ab0242b6fcca97f3f525c');
INSERT INTO audit VALUES(20,'2026-11-23T16:38:34.395Z','session','01a20946-0679-7000-8da6-cd795a583754','Ada@example.org','01a20946-0679-7001-84a3-ced16805a353','127.0.0.1','user.invite','01a20946-0899-7000-a620-287ca6fd3821','OK','1afbae7fb1edd42f2201ba54cc5a658c0e3930dfd74ab0242b6fcca97f3f525c','bda458a443c8087bb6aaf6380c7d28121654b8357ba2f949bc1127842d975162');
INSERT INTO audit VALUES(21,'2026-11-23T16:38:34.400Z','session','01a20946-0679-7000-8da6-cd795a583754','Ada@example.org','01a20946-0679-7001-84a3-ced16805a353','127.0.0.1','destination.create','01a20946-089f-7000-b6ee-4623a3464c2a','OK','bda458a443c8087bb6aaf6380c7d28121654b8357ba2f949bc1127842d975162','39a89ce815091c37b48b5e07004da00b2e1e29c5ce695f75b1ee484a606d267b');
INSERT INTO audit VALUES(22,'2026-11-23T16:38:34.435Z','session','01a20946-0679-7000-8da6-cd795a583754','Ada@example.org','01a20946-0679-7001-84a3-ced16805a353','127.0.0.1','backup.create','01a20946-08be-7000-8436-ff4d82920820','OK','39a89ce815091c37b48b5e07004da00b2e1e29c5ce695f75b1ee484a606d267b','553d19afe2ea405895f7481985f152284886b31de0e77e64ad624090116d2e12');
INSERT INTO audit VALUES(23,'2026-11-23T16:38:34.462Z','session','01a20946-0679-7000-8da6-cd795a583754','Ada@example.org','01a20946-0679-7001-84a3-ced16805a353','127.0.0.1','redirects.create','01a20946-08c9-7000-b386-2353a1b32b78','OK','553d19afe2ea405895f7481985f152284886b31de0e77e64ad624090116d2e12','e2ab532153312ec79da220b5882adc10940f7828271317c4148af2bde7b84f21');
INSERT INTO audit VALUES(24,'2026-11-23T16:38:34.548Z','session','01a20946-0679-7000-8da6-cd795a583754','Ada@example.org','01a20946-0679-7001-84a3-ced16805a353','127.0.0.1','security.create','01a20946-08e1-7000-a046-b399f89d347d','OK','e2ab532153312ec79da220b5882adc10940f7828271317c4148af2bde7b84f21','ef63240ba6db5d256180a6e6d043034325fc6f1792cceb8e6fe867153669b4d8');
INSERT INTO audit VALUES(25,'2026-11-23T16:38:34.553Z','session','01a20946-0679-7000-8da6-cd795a583754','Ada@example.org','01a20946-0679-7001-84a3-ced16805a353','127.0.0.1','auth.generateToken',NULL,'OK','ef63240ba6db5d256180a6e6d043034325fc6f1792cceb8e6fe867153669b4d8','31fccaea2081b4921655ff3c43fecaec205be304777be452c862de61d7df0dd3');
CREATE TABLE IF NOT EXISTS "destination" (
      "id" text primary key, "name" text not null, "bucket" text not null, "region" text not null,
      "endpoint" text not null, "accessKey" text not null, "secrets" text not null, "createdAt" text not null);
INSERT INTO destination VALUES('01a20946-089f-7000-b6ee-4623a3464c2a','storage','backups','','http://127.0.0.1:9','key','v1.c60ee442.MIu5Q91gvbQGg3P8COeLJw5JI2dK3DkRFJwpDQ08bqhfO-aOh0xvq53ESZCs4VzKhOtSpryKdl6EpdgGQqRgtQ8xrcKSpw','2026-11-23T16:38:34.399Z');
CREATE TABLE IF NOT EXISTS "backup" (
        "id" text primary key, "kind" text not null, "databaseId" text not null, "destinationId" text not null,
        "schedule" text not null, "timezone" text not null, "enabled" integer not null, "prefix" text not null,
        "database" text not null, "verifySchedule" text, "keepLatest" integer, "keepDays" integer, "recipient" text,
        "signalUrl" text, "createdAt" text not null, "nextAt" text, "nextVerifyAt" text);
INSERT INTO backup VALUES('01a20946-08be-7000-8436-ff4d82920820','postgres','01a20946-069f-7000-8e10-4eff0c67486b','01a20946-089f-7000-b6ee-4623a3464c2a','0 3 1 1 *','UTC',1,'nightly','shop',NULL,3,NULL,NULL,NULL,'2026-11-23T16:38:34.430Z','2027-01-01T03:00:00.000Z',NULL);
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
CREATE TABLE IF NOT EXISTS "redirect" (
        "id" text primary key, "applicationId" text not null, "regex" text not null, "replacement" text not null,
        "permanent" integer not null, "createdAt" text not null);
INSERT INTO redirect VALUES('01a20946-08c9-7000-b386-2353a1b32b78','web','/old/(.*)','/new/$1',1,'2026-11-23T16:38:34.441Z');
CREATE TABLE IF NOT EXISTS "security" (
        "id" text primary key, "applicationId" text not null, "username" text not null, "passwordHash" text not null,
        "createdAt" text not null, unique ("applicationId", "username"));
INSERT INTO security VALUES('01a20946-08e1-7000-a046-b399f89d347d','web','ann','v1.c60ee442.NDu1B3PIVk7iFljGxHzGVgmal_Xy0nGzWOgMc5eD2i_tuw2vO9AoVqIXmYaRgkEO55ke6ZJ94rrJujxpLPVPiYp4pDqT-lB43YOybnTPHv2yEvS_9SSPuA','2026-11-23T16:38:34.545Z');
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
INSERT INTO node VALUES('node1','memory','ready','2026-11-23T16:38:33.805Z',NULL,0,'');
CREATE TABLE IF NOT EXISTS "move" (
      "databaseId" text primary key, "deploymentId" text not null, "nodeId" text not null, "nodeName" text not null,
      "nodeAddress" text not null, "volumeId" text, "step" text not null);
CREATE TABLE IF NOT EXISTS "lapsed" (
      "key" text not null, "destinationId" text not null, "backupId" text not null, "since" text not null,
      "dueAt" text not null, primary key ("destinationId", "key"));
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
