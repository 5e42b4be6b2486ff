-- A store of version 0032-reasons, created by test/store/generate.ts with Berth of commit eed0fa3,
-- and printed by `sqlite3 berth.db .dump`. The master key is the byte ab, 32 times.
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE IF NOT EXISTS "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
INSERT INTO kysely_migration VALUES('0001-first','2026-11-24T09:49:38.420Z');
INSERT INTO kysely_migration VALUES('0002-kinds','2026-11-24T09:49:38.421Z');
INSERT INTO kysely_migration VALUES('0003-named-deployments','2026-11-24T09:49:38.422Z');
INSERT INTO kysely_migration VALUES('0004-accounts','2026-11-24T09:49:38.423Z');
INSERT INTO kysely_migration VALUES('0005-sealing','2026-11-24T09:49:38.424Z');
INSERT INTO kysely_migration VALUES('0006-destinations','2026-11-24T09:49:38.425Z');
INSERT INTO kysely_migration VALUES('0007-backups','2026-11-24T09:49:38.426Z');
INSERT INTO kysely_migration VALUES('0008-routing','2026-11-24T09:49:38.427Z');
INSERT INTO kysely_migration VALUES('0009-registries','2026-11-24T09:49:38.428Z');
INSERT INTO kysely_migration VALUES('0010-nodes','2026-11-24T09:49:38.429Z');
INSERT INTO kysely_migration VALUES('0011-moves','2026-11-24T09:49:38.430Z');
INSERT INTO kysely_migration VALUES('0012-tried','2026-11-24T09:49:38.431Z');
INSERT INTO kysely_migration VALUES('0013-lapsed','2026-11-24T09:49:38.432Z');
INSERT INTO kysely_migration VALUES('0018-accounts','2026-11-24T09:49:38.433Z');
INSERT INTO kysely_migration VALUES('0021-backup-identity','2026-11-24T09:49:38.434Z');
INSERT INTO kysely_migration VALUES('0022-data-identity','2026-11-24T09:49:38.435Z');
INSERT INTO kysely_migration VALUES('0023-restores','2026-11-24T09:49:38.436Z');
INSERT INTO kysely_migration VALUES('0024-safety-dumps','2026-11-24T09:49:38.437Z');
INSERT INTO kysely_migration VALUES('0026-runs','2026-11-24T09:49:38.438Z');
INSERT INTO kysely_migration VALUES('0027-deployment-subjects','2026-11-24T09:49:38.439Z');
INSERT INTO kysely_migration VALUES('0028-run-reasons','2026-11-24T09:49:38.440Z');
INSERT INTO kysely_migration VALUES('0030-volume-owners','2026-11-24T09:49:38.441Z');
INSERT INTO kysely_migration VALUES('0031-backup-subjects','2026-11-24T09:49:38.442Z');
INSERT INTO kysely_migration VALUES('0032-reasons','2026-11-24T09:49:38.443Z');
CREATE TABLE IF NOT EXISTS "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
INSERT INTO kysely_migration_lock VALUES('migration_lock',0);
CREATE TABLE IF NOT EXISTS "meta" ("key" text primary key, "value" text not null);
INSERT INTO meta VALUES('installationId','01a20cf6-0115-7000-bee8-9d294dd7f1f9');
INSERT INTO meta VALUES('masterKeyProof','v1.c60ee442.kPURkMUuaXYqBYvxBs4hrNSsIfuDGCbXr7hTBPchk7AY');
INSERT INTO meta VALUES('fingerprintKey','v1.c60ee442.cdBHRFP8w7VsaXR2AD6u6gtdaEld4HR7RgZGs5ZwLY303vLZk9_EQSCcJpLLnLaOUUsKFBFeZrD8AwNMrKUcMiNCePPLQ5bH');
CREATE TABLE IF NOT EXISTS "account" (
    "id" text primary key, "email" text not null, "emailKey" text not null unique, "passwordHash" text not null,
    "rol" text not null, "image" text not null, "is2FAEnabled" integer not null, "createdAt" text not null, "secret" text, "pinStep" integer not null default 0, "lastSeenAt" text);
INSERT INTO account VALUES('01a20cf6-0153-7000-8466-8faf939515e8','Ada@example.org','ada@example.org','$argon2id$v=19$m=8,t=1,p=1$ONA3RAfR8Icmrgdp1luGrQ$nSrVOb68qoGkBqTxNpOKuDuR8XXvcVDTQC45QbJPWM8','admin','',0,'2026-11-24T09:49:38.515Z',NULL,0,'2026-11-24T09:49:38.515Z');
CREATE TABLE IF NOT EXISTS "token" (
    "id" text primary key, "hash" text not null unique, "kind" text not null,
    "accountId" text not null references "account" ("id") on delete cascade,
    "createdAt" text not null, "lastUsedAt" text not null, "expiresAt" text, "address" text not null default '', "name" text, "scope" text, "passed2FA" integer not null default 0, "tries" integer not null default 0);
INSERT INTO token VALUES('01a20cf6-0153-7001-9b0f-884fdad34ed5','10e86f055f5ef69a10272c269b150f432034482084a45405d0278da11430d9d3','session','01a20cf6-0153-7000-8466-8faf939515e8','2026-11-24T09:49:38.515Z','2026-11-24T09:49:38.515Z','2026-12-24T09:49:38.515Z','127.0.0.1',NULL,NULL,0,0);
INSERT INTO token VALUES('01a20cf6-0483-7000-8145-faa682877d1f','e948d27e9523fc0c0947c748af303e9e9017a6fa80b814e62e66967c1cb3a2fc','api','01a20cf6-0153-7000-8466-8faf939515e8','2026-11-24T09:49:39.331Z','2026-11-24T09:49:39.331Z',NULL,'127.0.0.1',NULL,'admin',0,0);
CREATE TABLE IF NOT EXISTS "attempt" (
    "key" text primary key, "failures" integer not null, "blockedUntil" text not null, "updatedAt" text not null, "subject" text);
CREATE TABLE IF NOT EXISTS "idempotency" (
    "key" text not null, "accountId" text not null, "operation" text not null, "bodyHash" text not null,
    "answer" text not null, "deploymentIds" text not null, "createdAt" text not null,
    primary key ("key", "accountId", "operation"));
CREATE TABLE IF NOT EXISTS "project" (
    "id" text primary key, "name" text not null, "description" text, "createdAt" text not null);
INSERT INTO project VALUES('01a20cf6-015b-7000-9891-fecc2363526a','shop','of then','2026-11-24T09:49:38.523Z');
CREATE TABLE IF NOT EXISTS "volume" (
    "id" text primary key, "name" text not null unique, "kind" text not null, "dataPath" text not null, "nodeId" text not null, "nodeName" text not null, "nodeAddress" text not null,
    "ownerId" text,
    "state" text not null, "appName" text not null, "dockerImage" text not null, "settings" text not null,
    "secrets" text not null, "createdAt" text not null, "keptAt" text, "deploymentId" text, "serverVersion" text, "tried" text, "identity" text, "fault" text, "ownerKind" text not null default 'database');
INSERT INTO volume VALUES('01a20cf6-01e2-7000-b855-7739963e1cf0','berth-01a20cf6-01e2-7000-b855-7739963e1cf0','postgres','/var/lib/postgresql/data','node1','memory','192.0.2.10','01a20cf6-0160-7000-a0ae-b3e8230f4a45','attached','orders','postgres:15','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.5TCndOdLzoV9UUecQWHF-xBmn6bYMH1-ZSKZS3XBFTzcsNRB7FGqwskJ_nlQGpL8ufiXAcYEGbQTwDWJVEmh-fNE4aBknYk','2026-11-24T09:49:38.658Z',NULL,NULL,'15',NULL,'01a20cf6-0208-7000-922c-257f0175c082',NULL,'database');
INSERT INTO volume VALUES('01a20cf6-024b-7000-b802-9c69830df012','berth-01a20cf6-024b-7000-b802-9c69830df012','postgres','/var/lib/postgresql/data','node1','memory','192.0.2.10',NULL,'kept','kept','postgres:15','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.UyrnY6-Zxsklf5Cbe6a6qSVERbG6A4Ou0uxK8tyVOVwJHksag0yFCfplIK2lDlAaExB1nQBbqLRQFB9NBhZ8qfQtL4eY35c','2026-11-24T09:49:38.763Z','2026-11-24T09:49:38.855Z',NULL,'15',NULL,'01a20cf6-026b-7000-aa3a-e61b21fc8e86',NULL,'database');
INSERT INTO volume VALUES('01a20cf6-02e3-7000-88af-647c47b05ae5','berth-01a20cf6-02e3-7000-88af-647c47b05ae5','mysql','/var/lib/mysql','node1','memory','192.0.2.10','01a20cf6-02ab-7000-998d-50fb79c114e0','attached','the-mysql','mysql:8','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.3WkDp8NVHDIkDEBhM6BbRYSOOqFwZmu4MexqWo0IgfEXpJ4wyeKP_wlcGc55ALfqv7fPXjXPKlPIbamQpEDWfzHsvePHV9KOs0GrRrEPrZswFRi5920UwLi-dQPEonNnR1YQRpw7Da0kslDhI0fg1VGcpHFTi46nhBY','2026-11-24T09:49:38.915Z',NULL,NULL,'8',NULL,'01a20cf6-0303-7000-b786-c5a541690874',NULL,'database');
INSERT INTO volume VALUES('01a20cf6-033e-7000-9a72-690b6b7a1d36','berth-01a20cf6-033e-7000-9a72-690b6b7a1d36','mariadb','/var/lib/mysql','node1','memory','192.0.2.10','01a20cf6-0308-7000-b435-336c8d076486','attached','the-mariadb','mariadb:6','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.9ds6lHFu75ov15L5dnoT1Jmo-0FhN2485iCXFvXPEK4Rw_YlK6vDKmmPWJD_FteXCRJEj6vdJHPpiKvaJGPS656mM9c89cCdq3szy3ZHjlHK1ZmFpWitKsPjr_M3YcNTxw9F3kpniiIBSSp-dChATsePAbusmtezPRY','2026-11-24T09:49:39.006Z',NULL,NULL,'11',NULL,'01a20cf6-035d-7000-ace2-b22799b6d1a8',NULL,'database');
INSERT INTO volume VALUES('01a20cf6-0399-7000-9d75-8c1cf2db81d3','berth-01a20cf6-0399-7000-9d75-8c1cf2db81d3','mongo','/data/db','node1','memory','192.0.2.10','01a20cf6-0363-7000-9904-fbd28094463c','attached','the-mongo','mongo:15','{"databaseUser":"shop"}','v1.c60ee442.2vH0JNQ8SpLXJCzH5jZS8ZUjrC84t0PbMwXUgfUPFR5EURL8emkWjc7i9wR9r9X9rsZswcsJ1iJ4kqgr6kQEgBn8Z8hWqRQ','2026-11-24T09:49:39.097Z',NULL,NULL,'8',NULL,'01a20cf6-03b7-7000-ac83-7a1f92710500',NULL,'database');
INSERT INTO volume VALUES('01a20cf6-03f2-7000-8df7-4d0047854415','berth-01a20cf6-03f2-7000-8df7-4d0047854415','redis','/data','node1','memory','192.0.2.10','01a20cf6-03bc-7000-8e82-2b72f5420a3e','attached','the-redis','redis:8','{}','v1.c60ee442.dTUpPbwpGOQ6ybqUVcX5plnQHZCuK9-nqMXiKPJ4mOmfTUBHVs1CcewE8zpHgUwrC1H09ON_fXB1yopXDBrx0V641OIw_Vs','2026-11-24T09:49:39.186Z',NULL,NULL,'8',NULL,'01a20cf6-0411-7000-b49e-891274873e3d',NULL,'database');
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
INSERT INTO "database" VALUES('01a20cf6-0160-7000-a0ae-b3e8230f4a45','postgres','01a20cf6-015b-7000-9891-fecc2363526a','it','orders',NULL,'postgres:15','-c max_connections=50','v1.c60ee442.jfYysPMSkYmRi-mChbPDANK6pwIYvpw0B9dphtqZkRpaC0BeT1HN',NULL,512.0,NULL,0.5,15432,'done',NULL,'2026-11-24T09:49:38.528Z','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.2ys3ZeTbvY-GKAI_YC4KddC0Kk8unbAbjJPjS595D-BulQYT3sMjkJIMYy0q18cBUmDvNS5AOKuSI5XyBZJzl4oIOz4IxNk','up','v1.c60ee442.6dWG4AXvEe5owgKwgcWd0r3dnaz4Oj2Aqtn8MfoxWo7v66-91gpOpiDJLje3kYPuAoYtqcBRBf29HQntKfC5_PD53PGda8qRKv1riC2YRFUd2GyUY3KOjAaxGn3zhQiX20UTZrcvIMxE0dy-Hd4vByO7LSguvrWzjdU2iplbkzhPiRrclOADh_lr0Ftkprpu6hzK_amUTpm7PN3UCq20bovRFtNl_IaSKamYKxa11TcNkyv5CrirxridcFwi26dXuKxjC2L17b7stsxKXTviUf2pm6_wfHTubjBibCd-UuHC1dGJmRwNqJQ5gIRZaX5q5MaZpa6A4rTfO5NGzVNeKpgORQehStQM25BxCB_4_Vqtf2geamXdj2STLnJeFE91c9SRwPpqBhVv8EkPAA8gyp344YiFBYa8rA84xJdI-5DYj9QIcBczQDNzQAAqRaB03eg1yI3VKoEEUCaWWfY5cO52b8ejRQ3LE-6wHKU8GnT03OocAnVIruYqmCJ0zuzuPKRymQ7ld2tehBbyo-YbLLBJFMnPmaaBnaW4gxcJROOblsyecC_UxiIlUxFdjH069By7mC-5JEKokO9ZgY90B5DPoODHjT80adRHYL4F8B6sTfXl','v1.c60ee442.IpY-rVNAdUgGyBl9hFySOgYYU7--eNyOtduE_3CtOlxWzmDa-cF7H01516w5zCq3-e9rngdXGFvyoax0oQ2fZ0UIGC_csQx9K9KEeGjcJON4VEO-3-nELd4kWada5Vb-fcZloiAGEK4BI7yy7lmPfKdWSyrsmTiisZjOYheNOa0hxu4bRQXgS6_lVojjxy1e1XU5x0U78EgPAo2FfYeM7XTiXGBnK3rZCZkFtZ80HJMLrWlUhh-EV0YhkJmH1IuSeSsl3D6gTp3inr6LzqvnsnYyfg9vOBtqWkpzk7_9SeggKG7WbFbAUN9W0_CB7NJwjjsb9KIM1IMtoZTqJMY9-wtV7PuCIgoRgBx7TuXEHA9i6scBkwuEG33MZbRpAYrneSib1nxntJ8ky9D097EYnFnVJb4IdK6B9vP9dEl4VYJypVTqxt5Dpyh12u7Fg8xYQ8X1nVauBjZqBL8CU7XaTMyeHo0q2-lGyAQhf4O9gA3a6B-WNsuWqjPsx9iOLqdi7tQlpeqw59x6OJ6555j_YKuckI2G20JIm59j4RX9nEBrzgndoUwQQVoKMebLhpGlpXa45Ka9pCF3b1_eji6jz7JOpslOscijWZTSsTrnbW-yIrbt',0,NULL,'01a20cf6-01e2-7000-b855-7739963e1cf0',0,'up','running',NULL,'2026-11-24T09:49:38.697Z','[]',NULL,NULL,'task2');
INSERT INTO "database" VALUES('01a20cf6-020d-7000-8584-f530d1818b0e','postgres','01a20cf6-015b-7000-9891-fecc2363526a','it','never-deployed',NULL,'postgres:15',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'idle',NULL,'2026-11-24T09:49:38.701Z','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.w8IimBC5Tu4LWYNQW_45m-BhRK9GcuA81SS7dYsIdZvog1ZT8jyMR1Jy23C_QuDC_bl4RmrwfUNvcvG0XWkI5nQSstm6-cw','none',NULL,NULL,0,NULL,NULL,0,'unknown',NULL,NULL,NULL,'[]',NULL,NULL,NULL);
INSERT INTO "database" VALUES('01a20cf6-02ab-7000-998d-50fb79c114e0','mysql','01a20cf6-015b-7000-9891-fecc2363526a','it','the-mysql',NULL,'mysql:8',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'done',NULL,'2026-11-24T09:49:38.860Z','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.ZzNU67HaSXJD8BBijDw1-p9BkmPmaOs7uQsBRyuyQktLa1KoPRYvxEKmSSaQxrOrKAQooBqbOuauo6XFmqmO7QG_GZ5vT7rtMZJ6_hleoxpg7vndiF8BvDptL1eXytqycYoXteor2C6kBRVu704qKMICpTK-4qQTaWk','up','v1.c60ee442.n101_m-7Qagntvukzh2oK8IJw3fXXQT8dO-hpYoEXW5WphkgwWZypAeyokP-cArfRvdyLDbTKTkerfsQpgxfrlu7HdI-0kRCOzxhoYxkpdg05upN-92J1sKBvB749V3YVs2at6etKyyEdxEQUrZuJKMAW9N1lO6o3g963vQ8Rt6P1ZZLUeWKYSq0W2LercyIODWYlFQ_EEA10dRZk7NpxrT3bPARz4VstuCE3LJD2cDbEph6K0VLkftJWxuZMftDab5m6c1S00r5iLG1yu0DRxz2WlMiIItVgjL-q4Gv_5oItbpiNSeRXoeB83N2HOmICVvN0RJLmR1AqE03ofF1DvKu5FAfdsB8Y9c1bPMT5OrYmGTSrdxMvPg0mNfHCM39wbsfIM_x_MXRPdah1AQq62j2Gv7s4vXaFb2YGUc-P1Rw35OvsCtI-UCLcCaxoBHsRsXk_tlWYzyGPGktdHWqrkg6CI3FfGdCiK2svT2f_yhUa7eAKVNbD4FkQcIC0iJmNRJCjay2v1g32hei8nXqjaYd-k-J63p_ae748cUuZKW0JB5GKsYnlJkvvS4u3_WFOI0dnPkQYDFrbU1F1ZvJIxlEtG4rbAsKoium_39GQRLXxsbr8dMw4fz2IsPyXqbNZwRQ','v1.c60ee442.UR3b8v93uoKA_ECeOAYpXDPv7TsgXaEeMIZJmYNQdDJbTcki3uJXqV8yPEoDSV6Z_5MO3_5VBYqfZ093EQ32WlZjaIHmwxTwUxE2ryfJDamOZqGl2MfwO6LP8_JAVup3Q0oKGRHB4y7nZDgO2rGyIFKUJTHynWK3WOZV7DoAl-oEXaQonX8XQK8GPChxf6T0trnkgSWdjUe_W6bF-8ZeP7i-EUqQTXSHlzdms6bzsebzTYrDKgGayfK-ixVqg5Oz7thu1PXgKAsvcGgbaNCWgIae2EChedzCdlNfWrLo0B-oI8L-VxIZVmCD3PjMYc0-eQYxaf4dtHQ4U2WCrau0uXwbnW4TUkSCcxl91Y1okqnfludlP_ngfyzvN9xBL11u5WzcsAodLAHsE-z4B_cx_Ry_AIQHh-8qwcS5h1FhQKLBe6sok07ngGlhU7rGC3JyFMMnk7tOSws74DwZqTi3HM9Amy17TeEpvt3zTjTs6Uh2tXxfoqIcwYY0PT6cRa7Rh55aL_kFwHyRbnvfX_12tnTHRuaMwpjXuIHshQ2yFckiCpeABBZnyQinQdVcudi5fv2C4JqlqIA87CYUjwvswIxSyW6lopPUVeRdz0V8LOQlRyu2x1LoGVPS8QPpH-yZiz_Q',0,NULL,'01a20cf6-02e3-7000-88af-647c47b05ae5',0,'up','running',NULL,'2026-11-24T09:49:38.948Z','[]',NULL,NULL,'task8');
INSERT INTO "database" VALUES('01a20cf6-0308-7000-b435-336c8d076486','mariadb','01a20cf6-015b-7000-9891-fecc2363526a','it','the-mariadb',NULL,'mariadb:6',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'done',NULL,'2026-11-24T09:49:38.952Z','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.I-vC0sfDIV3L0pm6xUOBC5EFNymgwKB0ZJwGfo8Fe1IKdnUPZNuwdrlCC90mR5BnZ3dFYvy2wGXrbcSUP02PkrFqUNSV0moaFUgvXWedW1pyPyd9LHk-y42uVPtzV0MS7NxEroXaFark3uTUe0-OE-WYAcsf8jzChAQ','up','v1.c60ee442.txNCd7kSm8li1ZbN6I4_61om2-RCzgRzf6iJXg7TyjQ4nUG6oTuorNgahd5vVZFK5FoCyCulaB9eBICcXyGybjBlfqyVDkjpZX0OC98QIJ_g0PYGapVCTdQSFSTbVT_gQrPSGLnR6jaNs75aW5M_FQki-MUNjEN-a4wk6c8M_-NCJh2LCvLrPS9M9TXGVdDU4OEBKm1Qj6tXwqjS24xxZbXPw3Xk-P3kMhXR6CSDURpjr4CGElmm__4zrnz8wiCgAB6SnUv9mPf4LNIaLN8-WN1nMD9k9S6dkkrCnB6SAuu0-EEZhBPyPTz0ZAkGPbzAhtp4O3kxZagrcH_bHAK-R8KW9XhjB-UufNmK74evm7IpTGZncp37KEKPHYH894X87LNI_dmXkBtUZObxSoNkbB0BnW3B537u2kwIJVsVvt9DZP7Z-Pp6txAfKkCaiK6Wq0_Dowfrx52vkZL2I8o12M_j24nfGzqe2wyn_g1D4sqiSjZWcczJrcqXSDYJ9qLfJQsLDO-RquQ6MC9bODVCdbIItplY0Hk6XpkpNTBD79e4kC8lOfGzd1294aFI6FRRUAw6r0NusIgqLp4KVToIAGPZp-Fhvz3dVdtPv03RiUl5DI76OMK7tlljAhOCSms4NpRzTruHoF7m','v1.c60ee442.OE8Z4owf1rrjosBqf5XWTJGC76Y8bquTSkENol-PlcjcdzAcThi9-bT-WzuLOkflhze96YmwiYYjfASMEt6SmD7hk6bNCkZqSKB4GztAO2ogL6mk0HRAdFnKIq4V1KOrhPfxBHKD9BMxidqRGwkY7-PRVgl-0gGuQ81Ss_7004aMpzkJsYZ_lQm0-iR9LMEVqzoZMxqWsAMw-401fT_qPa0YOemrt6JBNsNej92LYsbJ3Z58o5Yvr5nfclisuWuPZa31Wht4uy7lBdtBA9t5ajWi9mPWloXbRyE2_ye7vLEyqvfojTAryWbmyBtfwGDWYNm4oigzTjpURVkpgvZoXnAJsK6Vr-m_fRT44gHLcCPsPEYWSTVpKqIoCDrjCQSWt5auRQwrto6IR2knJH6zKTKg2q33SMniElZf6-SUCYhtE43LkjaWtn0Cb985xuEnDvfRoIHe18p7YgGVzybRQuobzv198SkbuOSVSFtzUGBrhAG5ooVsno46mZgfsDy43URhww07t0Dg04LzhitR_OX-tOcA3_Vjk0v3eaYlmx5w_Rp0TmjET0toIsfa_D5Ylblhy53Yf7PB6dcJR69SZqOk7sFLrC09n2suJm1Kbd3BOcPKYYxKQNdb66uZ-J5wRmqRYfwvZYiY',0,NULL,'01a20cf6-033e-7000-9a72-690b6b7a1d36',0,'up','running',NULL,'2026-11-24T09:49:39.038Z','[]',NULL,NULL,'task10');
INSERT INTO "database" VALUES('01a20cf6-0363-7000-9904-fbd28094463c','mongo','01a20cf6-015b-7000-9891-fecc2363526a','it','the-mongo',NULL,'mongo:15',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'done',NULL,'2026-11-24T09:49:39.044Z','{"databaseUser":"shop"}','v1.c60ee442.Mnf2ZelqUcW4W519SdF73YQ0jeRyf2fw_B8e1AKdVQnKxEsa7kOA_5IF4uNHj6bPvojnysFYYP9fFsREZK52V_mr0dpf4tc','up','v1.c60ee442.Xy37omgmkjo4pbOhIOr00TyfPW8uV9nBQDirOn1wpFMZS0QVjcRsDUKHJ4DoBhg5UtIF1xPBWZEziYLA3P6pcAcRainsg_3Vi3N6QEtgFoIWxRPoW0EW52kPCSJjeDmRbd32PH7yGHI_3Ujc5ezfvCNDJs0HL8fJ3SErkxqXSdzQAeC8LOhsd9ms1UoMEJQPzfZxE5G9IxvQnhqlJIbSmnrGdt3plSBqF2QR-loBxpTej81Vo6tAPt2q3YGnrhVGJStLBgnpgNVNGC94OfZ2hhKD3toDN2P6ooLiXs4q9xKqBEaphRAGJh7uucn0Z0hQ_WxXsecGc_4t_RGF30ZwZJjneAx8E2YsG8uURqrYtnZc8W12hq4eb7qmphdYgITMvYuYD1tM4E5dDPvcWhdjOofxroFZwrUM6BVlRutfhQIZhyujCoWZG3owHmD3bU-aadhSrcjuIHb0I0WjXePzfS8nchtgqYjm_-8VkOk6RnOr3OwkiGw-oNsXA-nunMqLnXoGJiQBKCiQUG1RIzFn0XVym4QYIn6kTPpA','v1.c60ee442.K-jgvTX_UmKVcQ1dFSF7dv9_oiafkIdvf1tEpWeoJp6vMfAerAHyBSankkuw_mddoKicYvJ6w8Dk_EpLBKCTXrxD2pzVBLr2hyBzI4kIikBKwy6Ync0caDZAvH_AGhf0ZNKnGutLvTw1v4tRlEReda2RYxEt0z2If95O-DZEhLCWZ34RxeZt3rLuJfGd55gn2rAtn9IZ0qq1HryIN8gv6PqlZZ3gnvIHHNMJD1RS3o776nutj-fXsjLBlIQ4-MMUwsdV3QolrMsOvyzT6Gx0GvqmfqBc8UybIFhy-uEQ_L_JfStYOHo7fEv7KaChCseAoEvz74xBpw6yeTSQ_HA4MGEeLABCjOw4G6aWsYs_r76vUP9yjeGkJ46J4ihJXYc1MQCPy7rI5_G6TsGoKKORD8TUHsuwVhSMiiuXAwsnLFBZVosc1sIInI6Uh9kkpg5zx3rP3mqyRjMFAQdK2JYZpp_laNjxhjgWDbAoaSeEbmIwUsuswN4qxF3qqCv0t9PFvGb5zD3QKKtsEO6u35lBrZJqsq3iwYC_1NtK',0,NULL,'01a20cf6-0399-7000-9d75-8c1cf2db81d3',0,'up','running',NULL,'2026-11-24T09:49:39.128Z','[]',NULL,NULL,'task12');
INSERT INTO "database" VALUES('01a20cf6-03bc-7000-8e82-2b72f5420a3e','redis','01a20cf6-015b-7000-9891-fecc2363526a','it','the-redis',NULL,'redis:8',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'done',NULL,'2026-11-24T09:49:39.132Z','{}','v1.c60ee442.HC58moOlw_BJ-8mEsU0SYTzClzp0oKTi-Dh6DBprn5YoCJEl9igROGRkIP8jOPqqOcaZUwslGVt7hSW1a8OGOs1FIuKqNGg','up','v1.c60ee442.yNprR0SFQklMYftGEgKkXjIanCLSZ8mDk8GZlQ4n57leWO0CEc-ar8kiMbsBN-g14og4kjATbJU9x2gwtKc5h61RL7aYP1j3csxbsSGHMkgul71ix76ZPIJVmG_ZymqQTxClIp5rVE0RBPe3m9NZ_Oid6_GuVnt-M9Yx3YZWxmW4MbSkm6LAuUxPdwUGProo5JFPW0rA--w-hBCMSJlYPUNkEOvH_2MGvKt79D2Dnv4vmlzjzTxkeMk-FMpFQNaWqjPMXBZxI9rfIQHT2kkceMjAfFg326wxVOhNk59UIt6swf5vkfcbdocI_sOb8kGAdMiS9zJe9T35WEJ8t3b43Esd1IAmBteFeH_4I2nSS2_0zYkTwI_wBKuRFXZLaz_rcMXuasLlbublVDXOncvJ4DG7rrBFj4tW3aacLCcZzh_JDzfqKRq7GFN_xWEFUCg3TdNU-jwsZzMYCTyg_6uQn-3baMe7cpXqi_OhA5QaftjxBHIHZZ_npAJJtW5m0rxCH1P4wg','v1.c60ee442.d5ftzKasiU1uN624gG-_saDbIzJOFgD0eEngyV1PBzfch_CvL2zeoXe1SdcCJZAMNzryhb4rCtIbHR1LkqRwiNuQbWFo0JqaVM3zkyU-3BTSCnXmtgGdCKXmumteA-7616MTem1D9DZi34_YJvYJeeUw8ral81fQGt1PAkllpjMXa_V8JUJaYVzjVwXwvZj7T0AhXjg6W0oH6HvHRrwxfSJBGHa7GSC9h3K00qMt8swkHiUPUTsmOkQGrNLkoU065DmoawFxMVn69xfN5QTgcacHy2GXowu1aMjBjuqs7srMwFUm4DlDbi5LUviiqAzAZE2p2zGKbStvp7AlAbg8iz_y0t6tJahdT9_3QEeajw5tnrJ6QsdiPEkqukOAvSmkzqAf8-8n9gaKNKcOARfPPGWxk-CX9GnBaneATvU_Dy4rSzKU26Ot2kMM0f3BpcYdP5skOf8XE330ZnDIuceLOLNxgcivfGBpl9Mo25zRlA82zqMg3nQpOT_g3N_OxbCvzoUcUQ',0,NULL,'01a20cf6-03f2-7000-8df7-4d0047854415',0,'up','running',NULL,'2026-11-24T09:49:39.218Z','[]',NULL,NULL,'task14');
CREATE TABLE IF NOT EXISTS "deployment" (
    "id" text primary key, "subjectId" text not null, "action" text not null, "state" text not null,
    "phase" text not null, "reason" text, "startedAt" text not null, "phaseAt" text not null, "finishedAt" text, "kind" text, "appName" text, "subjectKind" text not null default 'database');
INSERT INTO deployment VALUES('01a20cf6-0171-7000-8274-7744f7f51f11','01a20cf6-0160-7000-a0ae-b3e8230f4a45','deploy','done','apply',NULL,'2026-11-24T09:49:38.546Z','2026-11-24T09:49:38.555Z','2026-11-24T09:49:38.698Z','postgres','orders','database');
INSERT INTO deployment VALUES('01a20cf6-0212-7000-ac4d-f5ef0b4ffaa6','01a20cf6-020f-7000-aea6-399ae5d2b1a4','deploy','done','apply',NULL,'2026-11-24T09:49:38.706Z','2026-11-24T09:49:38.725Z','2026-11-24T09:49:38.797Z','postgres','kept','database');
INSERT INTO deployment VALUES('01a20cf6-0270-7000-b967-f6332583e398','01a20cf6-020f-7000-aea6-399ae5d2b1a4','remove','done','apply',NULL,'2026-11-24T09:49:38.801Z','2026-11-24T09:49:38.801Z','2026-11-24T09:49:38.855Z','postgres','kept','database');
INSERT INTO deployment VALUES('01a20cf6-02b2-7000-8b69-500fb0763c40','01a20cf6-02ab-7000-998d-50fb79c114e0','deploy','done','apply',NULL,'2026-11-24T09:49:38.866Z','2026-11-24T09:49:38.886Z','2026-11-24T09:49:38.949Z','mysql','the-mysql','database');
INSERT INTO deployment VALUES('01a20cf6-030e-7000-9b42-29aebb86fcd9','01a20cf6-0308-7000-b435-336c8d076486','deploy','done','apply',NULL,'2026-11-24T09:49:38.958Z','2026-11-24T09:49:38.978Z','2026-11-24T09:49:39.039Z','mariadb','the-mariadb','database');
INSERT INTO deployment VALUES('01a20cf6-0368-7000-bea5-5e95b1d00783','01a20cf6-0363-7000-9904-fbd28094463c','deploy','done','apply',NULL,'2026-11-24T09:49:39.048Z','2026-11-24T09:49:39.067Z','2026-11-24T09:49:39.128Z','mongo','the-mongo','database');
INSERT INTO deployment VALUES('01a20cf6-03c2-7000-b5ac-15a3050226f1','01a20cf6-03bc-7000-8e82-2b72f5420a3e','deploy','done','apply',NULL,'2026-11-24T09:49:39.138Z','2026-11-24T09:49:39.158Z','2026-11-24T09:49:39.219Z','redis','the-redis','database');
CREATE TABLE IF NOT EXISTS "recoveryCode" (
        "accountId" text not null references "account" ("id") on delete cascade, "hash" text not null,
        primary key ("accountId", "hash"));
CREATE TABLE IF NOT EXISTS "invitation" (
        "id" text primary key, "hash" text not null unique, "email" text not null, "emailKey" text not null unique,
        "rol" text not null, "invitedBy" text not null references "account" ("id") on delete cascade,
        "createdAt" text not null, "expiresAt" text not null);
INSERT INTO invitation VALUES('01a20cf6-0416-7000-a0af-088b363b4991','069c2bc3a6204f2a3cf97080feb107fe4bfacce5ebb4933d640241ddf7cfbc0a','eve@example.org','eve@example.org','user','01a20cf6-0153-7000-8466-8faf939515e8','2026-11-24T09:49:39.222Z','2026-12-01T09:49:39.222Z');
CREATE TABLE IF NOT EXISTS "audit" (
        "seq" integer primary key, "at" text not null, "kind" text not null, "accountId" text, "email" text,
        "tokenId" text, "address" text not null, "operation" text not null, "record" text, "result" text not null,
        "previousHash" text not null, "hash" text not null);
INSERT INTO audit VALUES(1,'2026-11-24T09:49:38.517Z','installation',NULL,NULL,'installation','127.0.0.1','auth.createAdmin','01a20cf6-0153-7000-8466-8faf939515e8','OK','','b20dc7f9f9c34b739663816ddf2c1293a0165c26b1b39afd44c69b9a198da1bd');
INSERT INTO audit VALUES(2,'2026-11-24T09:49:38.524Z','session','01a20cf6-0153-7000-8466-8faf939515e8','Ada@example.org','01a20cf6-0153-7001-9b0f-884fdad34ed5','127.0.0.1','project.create','01a20cf6-015b-7000-9891-fecc2363526a','OK','b20dc7f9f9c34b739663816ddf2c1293a0165c26b1b39afd44c69b9a198da1bd','80087ccb1d4453274fb081ddd3b6ff918571a0a350bc2ef6d005516eef543344');
INSERT INTO audit VALUES(3,'2026-11-24T09:49:38.531Z','session','01a20cf6-0153-7000-8466-8faf939515e8','Ada@example.org','01a20cf6-0153-7001-9b0f-884fdad34ed5','127.0.0.1','postgres.create','01a20cf6-0160-7000-a0ae-b3e8230f4a45','OK','80087ccb1d4453274fb081ddd3b6ff918571a0a350bc2ef6d005516eef543344','e3a1a5434d70144859c26000dbcbdd123d4de6fb004a427fa1ce75fa2886a6a2');
INSERT INTO audit VALUES(4,'2026-11-24T09:49:38.536Z','session','01a20cf6-0153-7000-8466-8faf939515e8','Ada@example.org','01a20cf6-0153-7001-9b0f-884fdad34ed5','127.0.0.1','postgres.update','01a20cf6-0160-7000-a0ae-b3e8230f4a45','OK','e3a1a5434d70144859c26000dbcbdd123d4de6fb004a427fa1ce75fa2886a6a2','2e85e57cd1dbce478db4cb128d446e4ffa8db84d8d632401be77da00cd6cda58');
INSERT INTO audit VALUES(5,'2026-11-24T09:49:38.539Z','session','01a20cf6-0153-7000-8466-8faf939515e8','Ada@example.org','01a20cf6-0153-7001-9b0f-884fdad34ed5','127.0.0.1','postgres.saveExternalPort','01a20cf6-0160-7000-a0ae-b3e8230f4a45','OK','2e85e57cd1dbce478db4cb128d446e4ffa8db84d8d632401be77da00cd6cda58','0dab16a47d5f04315870153a389c0f6fa592e0c6bfc2bacfb24d973342e12cf9');
INSERT INTO audit VALUES(6,'2026-11-24T09:49:38.543Z','session','01a20cf6-0153-7000-8466-8faf939515e8','Ada@example.org','01a20cf6-0153-7001-9b0f-884fdad34ed5','127.0.0.1','postgres.saveEnvironment','01a20cf6-0160-7000-a0ae-b3e8230f4a45','OK','0dab16a47d5f04315870153a389c0f6fa592e0c6bfc2bacfb24d973342e12cf9','5ccf21a68ef8e6de91e92436aa09430ed804aba377cbf2ac14ca01c4e1c99c45');
INSERT INTO audit VALUES(7,'2026-11-24T09:49:38.547Z','session','01a20cf6-0153-7000-8466-8faf939515e8','Ada@example.org','01a20cf6-0153-7001-9b0f-884fdad34ed5','127.0.0.1','postgres.deploy','01a20cf6-0160-7000-a0ae-b3e8230f4a45','OK','5ccf21a68ef8e6de91e92436aa09430ed804aba377cbf2ac14ca01c4e1c99c45','309e36f3f6f96e6a805870a13c44420a4ae01031fe66f40ddcf393f176da4454');
INSERT INTO audit VALUES(8,'2026-11-24T09:49:38.701Z','session','01a20cf6-0153-7000-8466-8faf939515e8','Ada@example.org','01a20cf6-0153-7001-9b0f-884fdad34ed5','127.0.0.1','postgres.create','01a20cf6-020d-7000-8584-f530d1818b0e','OK','309e36f3f6f96e6a805870a13c44420a4ae01031fe66f40ddcf393f176da4454','43ddb254c7100c968a2963f8b4c20d1c39e1cc0a6b65fb9ff1558a61e31813f2');
INSERT INTO audit VALUES(9,'2026-11-24T09:49:38.704Z','session','01a20cf6-0153-7000-8466-8faf939515e8','Ada@example.org','01a20cf6-0153-7001-9b0f-884fdad34ed5','127.0.0.1','postgres.create','01a20cf6-020f-7000-aea6-399ae5d2b1a4','OK','43ddb254c7100c968a2963f8b4c20d1c39e1cc0a6b65fb9ff1558a61e31813f2','0ef1969664e616193c304c427ab10264ea80062f71b977c4273b3150f08b3afc');
INSERT INTO audit VALUES(10,'2026-11-24T09:49:38.707Z','session','01a20cf6-0153-7000-8466-8faf939515e8','Ada@example.org','01a20cf6-0153-7001-9b0f-884fdad34ed5','127.0.0.1','postgres.deploy','01a20cf6-020f-7000-aea6-399ae5d2b1a4','OK','0ef1969664e616193c304c427ab10264ea80062f71b977c4273b3150f08b3afc','1d5a3fa2e5aabf46990e3bd9959d6240c94ad138ab45a0e9a95f77922b60b594');
INSERT INTO audit VALUES(11,'2026-11-24T09:49:38.801Z','session','01a20cf6-0153-7000-8466-8faf939515e8','Ada@example.org','01a20cf6-0153-7001-9b0f-884fdad34ed5','127.0.0.1','postgres.remove','01a20cf6-020f-7000-aea6-399ae5d2b1a4','OK','1d5a3fa2e5aabf46990e3bd9959d6240c94ad138ab45a0e9a95f77922b60b594','c6625aea7afbd485583b1ab7eef98483f6327830e2ee01e26f6e3b3eec695762');
INSERT INTO audit VALUES(12,'2026-11-24T09:49:38.862Z','session','01a20cf6-0153-7000-8466-8faf939515e8','Ada@example.org','01a20cf6-0153-7001-9b0f-884fdad34ed5','127.0.0.1','mysql.create','01a20cf6-02ab-7000-998d-50fb79c114e0','OK','c6625aea7afbd485583b1ab7eef98483f6327830e2ee01e26f6e3b3eec695762','9bc046e503cd7d28a4f64953cfa34f9a8ecfc4687128c7b53f39acba966b27c0');
INSERT INTO audit VALUES(13,'2026-11-24T09:49:38.866Z','session','01a20cf6-0153-7000-8466-8faf939515e8','Ada@example.org','01a20cf6-0153-7001-9b0f-884fdad34ed5','127.0.0.1','mysql.deploy','01a20cf6-02ab-7000-998d-50fb79c114e0','OK','9bc046e503cd7d28a4f64953cfa34f9a8ecfc4687128c7b53f39acba966b27c0','fb1776cdbe5b1bf7acf325f37f65f519cf102a95649fcbf0d6c9e5b81283fda3');
INSERT INTO audit VALUES(14,'2026-11-24T09:49:38.955Z','session','01a20cf6-0153-7000-8466-8faf939515e8','Ada@example.org','01a20cf6-0153-7001-9b0f-884fdad34ed5','127.0.0.1','mariadb.create','01a20cf6-0308-7000-b435-336c8d076486','OK','fb1776cdbe5b1bf7acf325f37f65f519cf102a95649fcbf0d6c9e5b81283fda3','886aa850e5fea1237689cccbe7ce18e9d7845ea37b2f8424a23b3036b652282a');
INSERT INTO audit VALUES(15,'2026-11-24T09:49:38.959Z','session','01a20cf6-0153-7000-8466-8faf939515e8','Ada@example.org','01a20cf6-0153-7001-9b0f-884fdad34ed5','127.0.0.1','mariadb.deploy','01a20cf6-0308-7000-b435-336c8d076486','OK','886aa850e5fea1237689cccbe7ce18e9d7845ea37b2f8424a23b3036b652282a','31379e6dd44e669f6165bbe69fb1d8fc05a653f916d7e17b73d43773ebeca981');
INSERT INTO audit VALUES(16,'2026-11-24T09:49:39.046Z','session','01a20cf6-0153-7000-8466-8faf939515e8','Ada@example.org','01a20cf6-0153-7001-9b0f-884fdad34ed5','127.0.0.1','mongo.create','01a20cf6-0363-7000-9904-fbd28094463c','OK','31379e6dd44e669f6165bbe69fb1d8fc05a653f916d7e17b73d43773ebeca981','5062d826d3b9d71aa6c4baff07b2435d2824c8168be3f0bc0f087b6533ddb731');
INSERT INTO audit VALUES(17,'2026-11-24T09:49:39.049Z','session','01a20cf6-0153-7000-8466-8faf939515e8','Ada@example.org','01a20cf6-0153-7001-9b0f-884fdad34ed5','127.0.0.1','mongo.deploy','01a20cf6-0363-7000-9904-fbd28094463c','OK','5062d826d3b9d71aa6c4baff07b2435d2824c8168be3f0bc0f087b6533ddb731','08570fd5ea735dcf97ebe6a701914301ed3034d3c943d73c576a29e9e8721bb7');
INSERT INTO audit VALUES(18,'2026-11-24T09:49:39.135Z','session','01a20cf6-0153-7000-8466-8faf939515e8','Ada@example.org','01a20cf6-0153-7001-9b0f-884fdad34ed5','127.0.0.1','redis.create','01a20cf6-03bc-7000-8e82-2b72f5420a3e','OK','08570fd5ea735dcf97ebe6a701914301ed3034d3c943d73c576a29e9e8721bb7','513a26468a19c8f51d4507543b54a55285a4a42becaf2653e69ab308e3793801');
INSERT INTO audit VALUES(19,'2026-11-24T09:49:39.138Z','session','01a20cf6-0153-7000-8466-8faf939515e8','Ada@example.org','01a20cf6-0153-7001-9b0f-884fdad34ed5','127.0.0.1','redis.deploy','01a20cf6-03bc-7000-8e82-2b72f5420a3e','OK','513a26468a19c8f51d4507543b54a55285a4a42becaf2653e69ab308e3793801','21740715f87e4e4b80d276d0c6505088e7e78c3eb38eb4f8ea26b3cdb40df44c');
INSERT INTO audit VALUES(20,'2026-11-24T09:49:39.223Z','session','01a20cf6-0153-7000-8466-8faf939515e8','Ada@example.org','01a20cf6-0153-7001-9b0f-884fdad34ed5','127.0.0.1','user.invite','01a20cf6-0416-7000-a0af-088b363b4991','OK','21740715f87e4e4b80d276d0c6505088e7e78c3eb38eb4f8ea26b3cdb40df44c','76676d2c40186812738c2265082e31c939c4b9d8f16f36528434f20f927937de');
INSERT INTO audit VALUES(21,'2026-11-24T09:49:39.227Z','session','01a20cf6-0153-7000-8466-8faf939515e8','Ada@example.org','01a20cf6-0153-7001-9b0f-884fdad34ed5','127.0.0.1','destination.create','01a20cf6-041a-7000-b332-3398efb38635','OK','76676d2c40186812738c2265082e31c939c4b9d8f16f36528434f20f927937de','8aba58a6497ff8f57ab1bda312d027b9e2fcbb3ba81cadf6c4a1b3cdd82e57ad');
INSERT INTO audit VALUES(22,'2026-11-24T09:49:39.244Z','session','01a20cf6-0153-7000-8466-8faf939515e8','Ada@example.org','01a20cf6-0153-7001-9b0f-884fdad34ed5','127.0.0.1','backup.create','01a20cf6-042a-7000-a311-b7df007c9c26','OK','8aba58a6497ff8f57ab1bda312d027b9e2fcbb3ba81cadf6c4a1b3cdd82e57ad','0d8244dcd4c762c36a87ec7bd6cef3444fd1266b06f1b91c08491922a4c0a47e');
INSERT INTO audit VALUES(23,'2026-11-24T09:49:39.263Z','session','01a20cf6-0153-7000-8466-8faf939515e8','Ada@example.org','01a20cf6-0153-7001-9b0f-884fdad34ed5','127.0.0.1','redirects.create','01a20cf6-0431-7000-bdc6-134bcd7d8f47','OK','0d8244dcd4c762c36a87ec7bd6cef3444fd1266b06f1b91c08491922a4c0a47e','3afdb096f9215d8965d59fa5c4a2c35f5f903c98e3bc58dcad650d433e270809');
INSERT INTO audit VALUES(24,'2026-11-24T09:49:39.329Z','session','01a20cf6-0153-7000-8466-8faf939515e8','Ada@example.org','01a20cf6-0153-7001-9b0f-884fdad34ed5','127.0.0.1','security.create','01a20cf6-0442-7000-8548-4c78e9279699','OK','3afdb096f9215d8965d59fa5c4a2c35f5f903c98e3bc58dcad650d433e270809','4263728be7f57a8c32514f1884e1dcae774bcf40aea399d81228a3cdb2096056');
INSERT INTO audit VALUES(25,'2026-11-24T09:49:39.331Z','session','01a20cf6-0153-7000-8466-8faf939515e8','Ada@example.org','01a20cf6-0153-7001-9b0f-884fdad34ed5','127.0.0.1','auth.generateToken',NULL,'OK','4263728be7f57a8c32514f1884e1dcae774bcf40aea399d81228a3cdb2096056','5b6c99b43b7e8f480fad3ffab6285a8246918477b7a14b5971431d1968320e0f');
CREATE TABLE IF NOT EXISTS "destination" (
      "id" text primary key, "name" text not null, "bucket" text not null, "region" text not null,
      "endpoint" text not null, "accessKey" text not null, "secrets" text not null, "createdAt" text not null);
INSERT INTO destination VALUES('01a20cf6-041a-7000-b332-3398efb38635','storage','backups','','http://127.0.0.1:9','key','v1.c60ee442.7NDOw0yCo4YestQvfp6DKlzr6B_iKd-nBmP9RvumIsBx9fN7m4DSwPyyfIldB9nS7vQbVDxbatfFZCEL1RDdFNQ4SZatMA','2026-11-24T09:49:39.226Z');
CREATE TABLE IF NOT EXISTS "backup" (
        "id" text primary key, "kind" text not null, "databaseId" text not null, "destinationId" text not null,
        "schedule" text not null, "timezone" text not null, "enabled" integer not null, "prefix" text not null,
        "database" text not null, "verifySchedule" text, "keepLatest" integer, "keepDays" integer, "recipient" text,
        "signalUrl" text, "createdAt" text not null, "nextAt" text, "nextVerifyAt" text, "subjectKind" text not null default 'database');
INSERT INTO backup VALUES('01a20cf6-042a-7000-a311-b7df007c9c26','postgres','01a20cf6-0160-7000-a0ae-b3e8230f4a45','01a20cf6-041a-7000-b332-3398efb38635','0 3 1 1 *','UTC',1,'nightly','shop',NULL,3,NULL,NULL,NULL,'2026-11-24T09:49:39.242Z','2027-01-01T03:00:00.000Z',NULL,'database');
CREATE TABLE IF NOT EXISTS "backupRun" (
        "id" text primary key, "backupId" text, "action" text not null, "trigger" text not null,
        "status" text not null, "step" text not null, "attempt" integer not null, "dueAt" text not null, "reason" text,
        "kind" text not null, "databaseId" text, "database" text not null, "destinationId" text not null, "key" text,
        "uploadId" text, "sizeBytes" bigint, "sha256" text, "progressBytes" bigint not null, "rawBytes" bigint,
        "manifest" text, "serverVersion" text, "recipient" text, "sourceRunId" text, "safetyRunId" text,
        "appName" text, "identity" text, "cancelled" integer not null,
        "verifiedAt" text, "createdAt" text not null, "startedAt" text, "finishedAt" text, "safety" text, "interrupted" integer not null default 0, "expiresAt" text, "unfinishedStarts" integer not null default 0, "rowCount" bigint, "shrunkFrom" text, "holdsOlder" integer not null default 0, "subjectKind" text not null default 'database');
CREATE TABLE IF NOT EXISTS "application" (
        "id" text primary key, "name" text not null, "isOwn" integer not null, "alias" text,
        "hosts" text not null, "port" integer not null, "tls" text,
        "onNetwork" integer not null, "published" text not null, "faults" text not null,
        "replicas" integer not null, "running" integer not null, "addresses" text not null,
        "createdAt" text not null);
CREATE TABLE IF NOT EXISTS "redirect" (
        "id" text primary key, "applicationId" text not null, "regex" text not null, "replacement" text not null,
        "permanent" integer not null, "createdAt" text not null);
INSERT INTO redirect VALUES('01a20cf6-0431-7000-bdc6-134bcd7d8f47','web','/old/(.*)','/new/$1',1,'2026-11-24T09:49:39.249Z');
CREATE TABLE IF NOT EXISTS "security" (
        "id" text primary key, "applicationId" text not null, "username" text not null, "passwordHash" text not null,
        "createdAt" text not null, unique ("applicationId", "username"));
INSERT INTO security VALUES('01a20cf6-0442-7000-8548-4c78e9279699','web','ann','v1.c60ee442.mReXXIPKSqfWo0p65oIkbb0GewH_Od5EYmihGu4ClUBwXGE37k43QHGvFKVq6bYjOV4XhKixrlMIeJRo5eNdxC9zky-L2ZGCFoamDPPDJe57mVb4Rn8v3g','2026-11-24T09:49:39.326Z');
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
INSERT INTO node VALUES('node1','memory','ready','2026-11-24T09:49:38.484Z',NULL,0,'');
CREATE TABLE IF NOT EXISTS "move" (
      "databaseId" text primary key, "deploymentId" text not null, "nodeId" text not null, "nodeName" text not null,
      "nodeAddress" text not null, "volumeId" text, "step" text not null);
CREATE TABLE IF NOT EXISTS "lapsed" (
      "key" text not null, "destinationId" text not null, "backupId" text not null, "since" text not null,
      "dueAt" text not null, primary key ("destinationId", "key"));
CREATE TABLE IF NOT EXISTS "knownNetwork" (
        "accountId" text not null references "account" ("id") on delete cascade, "network" text not null,
        "seenAt" text not null, primary key ("accountId", "network"));
INSERT INTO knownNetwork VALUES('01a20cf6-0153-7000-8466-8faf939515e8','127.0.0.1','2026-11-24T09:49:38.515Z');
CREATE TABLE IF NOT EXISTS "backupIdentity" (
      "id" text primary key, "recipient" text not null, "identity" text not null, "createdAt" text not null,
      "exportedAt" text);
CREATE INDEX "tokenAccount" on "token" ("accountId");
CREATE INDEX "volumeState" on "volume" ("state");
CREATE UNIQUE INDEX "databaseAppName" on "database" (lower("appName"));
CREATE INDEX "databaseProject" on "database" ("projectId", "id");
CREATE INDEX "databaseWork" on "database" ("deploymentId") where "deploymentId" is not null;
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
CREATE INDEX "deploymentSubject" on "deployment" ("subjectId", "id");
COMMIT;
