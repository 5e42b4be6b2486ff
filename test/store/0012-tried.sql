-- A store of version 0012-tried, created by test/store/generate.ts with Berth of commit ff6fb6f,
-- and printed by `sqlite3 berth.db .dump`. The master key is the byte ab, 32 times.
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE IF NOT EXISTS "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
INSERT INTO kysely_migration VALUES('0001-first','2026-11-22T17:32:19.324Z');
INSERT INTO kysely_migration VALUES('0002-kinds','2026-11-22T17:32:19.327Z');
INSERT INTO kysely_migration VALUES('0003-named-deployments','2026-11-22T17:32:19.328Z');
INSERT INTO kysely_migration VALUES('0004-accounts','2026-11-22T17:32:19.333Z');
INSERT INTO kysely_migration VALUES('0005-sealing','2026-11-22T17:32:19.334Z');
INSERT INTO kysely_migration VALUES('0006-destinations','2026-11-22T17:32:19.335Z');
INSERT INTO kysely_migration VALUES('0007-backups','2026-11-22T17:32:19.336Z');
INSERT INTO kysely_migration VALUES('0008-routing','2026-11-22T17:32:19.338Z');
INSERT INTO kysely_migration VALUES('0009-registries','2026-11-22T17:32:19.339Z');
INSERT INTO kysely_migration VALUES('0010-nodes','2026-11-22T17:32:19.342Z');
INSERT INTO kysely_migration VALUES('0011-moves','2026-11-22T17:32:19.343Z');
INSERT INTO kysely_migration VALUES('0012-tried','2026-11-22T17:32:19.344Z');
CREATE TABLE IF NOT EXISTS "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
INSERT INTO kysely_migration_lock VALUES('migration_lock',0);
CREATE TABLE IF NOT EXISTS "meta" ("key" text primary key, "value" text not null);
INSERT INTO meta VALUES('installationId','01a20450-e22a-7000-9510-a7be7114233e');
INSERT INTO meta VALUES('masterKeyProof','v1.c60ee442.tpZI_U1TbkHSS9Au90TgKJXm-6kVh29I7KVuBtXTzPIY');
INSERT INTO meta VALUES('fingerprintKey','v1.c60ee442.xyTnJZrm1Flzjka0LKlm0eRCp0p2Sugsd5KYGXLSWaWWhDYZ7FsLib42XonIo0agCFLQwndseNa_1hUhhx0nGJi3OmdkL5qy');
CREATE TABLE IF NOT EXISTS "account" (
    "id" text primary key, "email" text not null, "emailKey" text not null unique, "passwordHash" text not null,
    "rol" text not null, "image" text not null, "is2FAEnabled" integer not null, "createdAt" text not null, "secret" text, "pinStep" integer not null default 0, "lastSeenAt" text);
INSERT INTO account VALUES('01a20450-e3a4-7000-9bbc-14eea92847f4','Ada@example.org','ada@example.org','$argon2id$v=19$m=19456,t=2,p=1$26NOSMVuHFbIrAa/DILexw$b5GFn2Volns/PUOcRU7WSIckdLV2HMo3zFTWSUC3Zf8','admin','',0,'2026-11-22T17:32:19.748Z',NULL,0,'2026-11-22T17:32:19.749Z');
CREATE TABLE IF NOT EXISTS "token" (
    "id" text primary key, "hash" text not null unique, "kind" text not null,
    "accountId" text not null references "account" ("id") on delete cascade,
    "createdAt" text not null, "lastUsedAt" text not null, "expiresAt" text, "address" text not null default '', "name" text, "scope" text, "passed2FA" integer not null default 0, "tries" integer not null default 0);
INSERT INTO token VALUES('01a20450-e3a5-7000-9b11-4db9d42a25a5','cfca71299d8a6e2729d7f25898ecef76c78f791a59677b105325c4691e8f7fdc','session','01a20450-e3a4-7000-9bbc-14eea92847f4','2026-11-22T17:32:19.749Z','2026-11-22T17:32:19.749Z','2026-12-22T17:32:19.749Z','127.0.0.1',NULL,NULL,0,0);
INSERT INTO token VALUES('01a20450-e850-7000-b866-9f80295162bb','3134ee0d650250d877fc10b28fe3965575a186f19a47843fa8a4920a0e77af6e','api','01a20450-e3a4-7000-9bbc-14eea92847f4','2026-11-22T17:32:20.944Z','2026-11-22T17:32:20.944Z',NULL,'127.0.0.1',NULL,'admin',0,0);
CREATE TABLE IF NOT EXISTS "attempt" (
    "key" text primary key, "failures" integer not null, "blockedUntil" text not null, "updatedAt" text not null);
CREATE TABLE IF NOT EXISTS "idempotency" (
    "key" text not null, "accountId" text not null, "operation" text not null, "bodyHash" text not null,
    "answer" text not null, "deploymentIds" text not null, "createdAt" text not null,
    primary key ("key", "accountId", "operation"));
CREATE TABLE IF NOT EXISTS "project" (
    "id" text primary key, "name" text not null, "description" text, "createdAt" text not null);
INSERT INTO project VALUES('01a20450-e3bf-7000-a140-602b68d293ee','shop','of then','2026-11-22T17:32:19.775Z');
CREATE TABLE IF NOT EXISTS "volume" (
    "id" text primary key, "name" text not null unique, "kind" text not null, "dataPath" text not null, "nodeId" text not null, "nodeName" text not null, "nodeAddress" text not null,
    "databaseId" text,
    "state" text not null, "appName" text not null, "dockerImage" text not null, "settings" text not null,
    "secrets" text not null, "createdAt" text not null, "keptAt" text, "deploymentId" text, "serverVersion" text, "tried" text);
INSERT INTO volume VALUES('01a20450-e430-7000-9d75-3969d94e774d','berth-01a20450-e430-7000-9d75-3969d94e774d','postgres','/var/lib/postgresql/data','node1','memory','192.0.2.10','01a20450-e3d4-7000-a2f2-9b36e13ec561','attached','orders','postgres:15','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.FdpGXXfGocR1r0A1mOP0FrjRr4em_kdj8_dii17Wq0HtUBmzIVg5_vW1Bf-EOiSSNjg_sNMmadr_Ba5TySJvPZJ5An-8Obk','2026-11-22T17:32:19.888Z',NULL,NULL,'15',NULL);
INSERT INTO volume VALUES('01a20450-e49c-7000-b72f-d92e1a33316f','berth-01a20450-e49c-7000-b72f-d92e1a33316f','postgres','/var/lib/postgresql/data','node1','memory','192.0.2.10',NULL,'kept','kept','postgres:15','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.C0vSnk8trKAFjOWwfzCcv0aSBa7S0iQIr-ORMC6KJyIrbcJZ8d1s48pcEA7o82ANOSSRAmuFL_6Au4DPbDm4uWPb0puOGWU','2026-11-22T17:32:19.996Z','2026-11-22T17:32:20.137Z',NULL,'15',NULL);
INSERT INTO volume VALUES('01a20450-e569-7000-8215-cfe4c0a2e683','berth-01a20450-e569-7000-8215-cfe4c0a2e683','mysql','/var/lib/mysql','node1','memory','192.0.2.10','01a20450-e537-7000-ba8a-7e494efd7eef','attached','the-mysql','mysql:8','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.SRwCughfz5mD76hOriJkd0heVkrzun5ow-87af9qwAMfi0ZvazApoXaG7RG5TvcDh9r6TjUckwoPgwjGE5kdOCo3cqC7z0Pn199Voc4jqTnbxyjc99zb0CKpycxBo-J32Z7quRoNQiK-aFzHOeT3ev9BLse2t8y-niY','2026-11-22T17:32:20.201Z',NULL,NULL,'8',NULL);
INSERT INTO volume VALUES('01a20450-e5c6-7000-8181-e5f29847cd7f','berth-01a20450-e5c6-7000-8181-e5f29847cd7f','mariadb','/var/lib/mysql','node1','memory','192.0.2.10','01a20450-e59b-7000-8d2a-87defd050a43','attached','the-mariadb','mariadb:6','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.qOToiLB6LKd89JeUuoy8H6wbOhiEEt40OpUUk7VL2dR36U0-LYgl58sHYEPq1B3Oz3hu59nwAfXxVABzuRRPFiWM2-lnUWiFPY7lKKVSxJaiTKkntSPO2F-POclT54wFoFd7D-Iu12XDF85w45Ppxk_hNxrYC6ifWj8','2026-11-22T17:32:20.294Z',NULL,NULL,'11',NULL);
INSERT INTO volume VALUES('01a20450-e626-7000-9bbf-f4275ea562a4','berth-01a20450-e626-7000-9bbf-f4275ea562a4','mongo','/data/db','node1','memory','192.0.2.10','01a20450-e5f7-7000-8922-bc54fc49ab3a','attached','the-mongo','mongo:15','{"databaseUser":"shop"}','v1.c60ee442.R1gl5RVvj_wB3lPnHfZnYjiUFiO2c5EM-hKPACPK6gk3vs5dhibGRA2j-i5LncN-n3fpGbyKwtBnB8Poi4-PaslKXPM0RpQ','2026-11-22T17:32:20.390Z',NULL,NULL,'8',NULL);
INSERT INTO volume VALUES('01a20450-e690-7000-8ef0-c9c2d852de4e','berth-01a20450-e690-7000-8ef0-c9c2d852de4e','redis','/data','node1','memory','192.0.2.10','01a20450-e65a-7000-b91f-b473aedd5131','attached','the-redis','redis:8','{}','v1.c60ee442.riiuEcAs49rfndjZEJ7wJ_4UFTl1cHSAmO5DkCeK29Bade4zvzDRhRo70FYDDU1xlpO7jGwBJ0fBpOVGBHT6Olx7jQLo0g8','2026-11-22T17:32:20.496Z',NULL,NULL,'8',NULL);
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
INSERT INTO "database" VALUES('01a20450-e3d4-7000-a2f2-9b36e13ec561','postgres','01a20450-e3bf-7000-a140-602b68d293ee','it','orders',NULL,'postgres:15','-c max_connections=50','v1.c60ee442.4yfC_o2Rp1lMqYzZohrZHjUUA8Clo6HpVRpJS-u6rFpxHECAIjD1',NULL,512.0,NULL,0.5,15432,'done',NULL,'2026-11-22T17:32:19.797Z','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.OQvOdjICOkaff3PlzFCySpzjCISH_Smaub8bNw1yTYvJEulnr1h7hZHIQeOO1Pe0ynME_bKK3dWRKkBvbYOMwUwTn1HW4eo','up','v1.c60ee442.pM67DfFery1wZ0fnbVzffH2--2Os6SPzu5Lnpfb8cZXxngdVJrDuE41IAPZOIdP22CQdJAaTnHzyZy6AdtpKPEgesEPxTH-ILjolDdGr5VJONhBKf0P8rPiGfRSJ_J2XisfrhWfdaiwuHBr9toe5zqGEe8lCHRF2qFcPR7mZ5vR_HrKCSmexqLnkeEOtanMh4LqVyWpLa4d0MTLazaDS1w0r_m4ii1objJPVqnYaOI5xlkRdrVYYojYij9cWHH0B5eNazmgpTZ3kas_JVFZb6ygbKtS5GHoceCbqkFWK6Jh-6UXgDQpT9W7TzvtwYviuwlCva-vFT9b24pSQq0WBFg6XAcNRqP4T6BF5Tv4cIeJ3F6bTS92UYjRMdrR2plcJrfDiVeoTDIxuVp2YyNC6x_kUlIHp39jrx25IvkwWUt-ddti0','v1.c60ee442.1_9qlSH59Qxi-TqCzaB_MHUYlTZuOkYlITWMWv8xA4MpdcudM8fYI1Bug6KgBgNduidPIyeY23pLK1MgDSSpL0Esd4kHCxywt8olv9plDjEb2I6e0-8bpIyURmH1tHmUiSgdDhsEEVRobMolHgylG7ibqTaTt8htGqva8CW8FMvaaC6xxI7PQgC55DfjXhLoaDbiklMTFdZSY58AgRa-jhEgach_AorvEd-6Q-43ZZq7B7q8OK0Ex3twQM3M3U_qmURRkHKGWrmzgqgJH1NxyUowo5zNPNlRGu6gkDYs2vLSK0yXnKfE8Qqg-qAuGeX6dJqUyNYqbj0jnqS0XPtkJnt0jiofgXifKNMSaZc8n2TikEtdKmisdvvViJcpmFkg7G5j2XGram8hYGozp0hpIaQadA38QOWmfdXWdybncfW9LWwg',0,NULL,'01a20450-e430-7000-9d75-3969d94e774d',0,'up','running',NULL,'2026-11-22T17:32:19.943Z','[]',NULL,NULL);
INSERT INTO "database" VALUES('01a20450-e473-7000-a87e-e7f9cea74cab','postgres','01a20450-e3bf-7000-a140-602b68d293ee','it','never-deployed',NULL,'postgres:15',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'idle',NULL,'2026-11-22T17:32:19.955Z','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.dsZ8mT465q6xJZ6jSN7ioUU757tw9syJPH1jKqXukkPWns4exZBmsCcSYnu7UuuDBjtyw6wnqFVUeuaSYw9Ervcbd52_yIw','none',NULL,NULL,0,NULL,NULL,0,'unknown',NULL,NULL,NULL,'[]',NULL,NULL);
INSERT INTO "database" VALUES('01a20450-e537-7000-ba8a-7e494efd7eef','mysql','01a20450-e3bf-7000-a140-602b68d293ee','it','the-mysql',NULL,'mysql:8',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'done',NULL,'2026-11-22T17:32:20.151Z','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.6QOyDmK3fGvDddFUAbn8AIDz28R_3VtRFtDId7kWhpu1j9Rj20cQfcXUKt1x4jq3YaBuk2OpqC7ze2WDtoM2qgwYVdb2ofC-hoSjyCg4XWuwSBnNuIM5wDRcMpxxw-XFknMHY2iJXuKLygLWMRc2oogtFGyasc3Q8Iw','up','v1.c60ee442.MRWi70_nQu0mbM6Aq0j8OI4_g2DhgI4FvZGkDkEylYpEdhxla-hnOGoVvyOJMLLjdiFk2PedX8zJApZsbymsnkTAYWB-4rVSG7BtKzJlB1V7Vtyzr6jUEUSnv9_SaphZFxu7nJHLl0UUGFivbTv0nb-ljmJRIyd1bOZOF3TMTatoip3zeKq-FSwBS1ADceg67EdGlU6wV1Uk9CeKT5TV7eB-y3Mb9GjyDobxFQNrgMneRBg4_hYzZteiSyzRXhS2srDq6KCt2PjRoXB9a32w8macbYjlYIJRE4KPcUsIB0yWP1IYAdso4n9hcZDW6UdCiebDtoYCaY8nvfGD8xUvx6MW39-9qGlilXw50gjUfLJv2IWkFc8hqAN_OI5nHZnExQRsxWi8OUZHc5Yh3HxC2PcD0Xkjz_1e-_m9cwMwByc4mSlN7RoQHu-zwZa9L8e3luBylqkmu04','v1.c60ee442.s4Sc2t72CVj0w3YxuDSRc2C9uBd1Q7a2IXT8RgwevHsKkJ7OEV40QaI6ohb3p_PyCjpemaYmlSxSZ6AKbrlmOjLWRYPYRXi7psVGvvhmh1uBsgzbU4jbeLu22HaVDnC507UUDHjXjBLChINIZbgg3lcXhD6sGZeDEAx-O0I8wUHEEt010zKK9mTTkGOgVK--_6BDzbsR22AVysz8Hccuv6o187mMYGiZPUC5vmRtPlNh5nfEjhNbvXNutuVn405dGSiIHomU4SRzS6aZnEWxBN1Mr61_ZpI2QDuiZxAtlc7T_HQ10PK7aN7A06mfuhHXDlWsHefYbVMYPwkVVzR5jHxnkIrTnn7ML6fYzK58-eUkCUQTXHibM0zdGBIx8Wg_AVj91eqoXwrQ5hD8bv1WP1vhPHaXcE1krzXgzQT9KOIZY-amIv_f4TuqMw004T_GCMSt81I4dPY',0,NULL,'01a20450-e569-7000-8215-cfe4c0a2e683',0,'up','running',NULL,'2026-11-22T17:32:20.237Z','[]',NULL,NULL);
INSERT INTO "database" VALUES('01a20450-e59b-7000-8d2a-87defd050a43','mariadb','01a20450-e3bf-7000-a140-602b68d293ee','it','the-mariadb',NULL,'mariadb:6',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'done',NULL,'2026-11-22T17:32:20.252Z','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.sCEuV-1w8RRx-QEq9Nx_8JH5s3UIt6sqsZvZMi0RTmROpQiOcO08YiVMfvdf6SGMAzPyMBuUvq67eQd5QOOLxSFAFERJ3oqMSQyu22lET0Hn2IOeOiA6Qk84wUaP_cfR_GMyl30r05YfNX_bm-BabrSmrYq_x3wAZp8','up','v1.c60ee442.wTC_IunyvADDI16OtNkX1I-EQjgDILhBRobZsApQBeUlt_jN4UIzniQ8ftZPGVanD9vftqPhKhQW_kKxtK63khQ-Q55keszuXMWAaAmrQhC0Me5AhtZakpcVsDxcjwirTfXVooGlGpUfNnwpaNFcF-TtmcaX417ionuUAqX76EyFNHEkMiEMYJw6yPn-_S66wk7Z-BsKFsO7h865SKM4S42D6LD7uHvRc33AEo205n_zw-uE_t9HYgjPAk6gnt-Re0AZKZII1t7TUjjaxvKTUm-lPOA9Bdsf1EgMGcPcfBmNAr86901VldpRNE_CBN4AY2iZ7PfVaCy4B0DyhJxyHpi5CYu-CEL_eujQYeTHQ9NhFuAONIdALXTzHS8YpPUdrU7sCb1R6bbEivSAHn9D3rQ7pDNYh4dVzudMmitfTYy3s9wtrnOQohOzLUy_wUs765vrXzy2OtKKFA','v1.c60ee442.tH7HqmdDcYSoJHdvInjou99OVGEs9yeD_IPqV7dxZ4z6NSiyvZTqDNOvYnMweGN_7fziGRBDEVCLiniF71T3XU7_k9QvTwYWnYqlRvIC3o8-PGle397sJKfe2vJ91Km5EzveOJW-z_7-sZNasi1hVrIBprJWRKR3QeU35eAQtqlRT0sczipTr-fkHAIVFHyFG-94XkqNqP2u4ksjtWnDBdhUys840u6tbne0PSVCDMkfyPujFDHkKnB4sYxagcKsClNAYt2T0yJAN1UGsnL-lgk4Ns5pN3bsSHx5eKP6q0JbnTrvh2fzBmM596wN4g8qgRii8WR2paqPrNVUEOKG4N82ylFmTf3TbjZSdBa8XU-HPHGmzAZTC9co2Q-Zgk1UNnZVp7L4k14MkqLCauLSHlVOWZgeDu1bnGYDCsYgpHu0jchB4Vr9Z9fK2ZjuwppBc6tPf38sRVumMQ',0,NULL,'01a20450-e5c6-7000-8181-e5f29847cd7f',0,'up','running',NULL,'2026-11-22T17:32:20.331Z','[]',NULL,NULL);
INSERT INTO "database" VALUES('01a20450-e5f7-7000-8922-bc54fc49ab3a','mongo','01a20450-e3bf-7000-a140-602b68d293ee','it','the-mongo',NULL,'mongo:15',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'done',NULL,'2026-11-22T17:32:20.343Z','{"databaseUser":"shop"}','v1.c60ee442.MrgQdhSilI_5ApLIFR1E0J1zgsrE7sm-6h91XlyoXq9RG0pBq5BGYpqqhq5smIKwYXIKRz5JGVvK7FSfLC6N1BlLCutvJCE','up','v1.c60ee442.cacM6mDi5HIHBXtn4J6_e3VBxMaPDm_u0hu3GK0MCz83DVq4SkGunMYrWGx-OUIpzWnMhvO3GCJ89q9ObrbVQ9O0OwJZkocnqGnpp_z6aJAK_33z0NPmSMu44VIZg4o4k5cp3cnPcXQOEMksiItfpUIK4fUcHu8pkPBH77znOXZXv4AgI_pTTYdWp6-XRL9ef29yjYtdl1aLgr_SC0WQPDeu5P_lyjgxT1WJJjZqnU4MA48NwwiKLugcHjmUEQ4HwDJNHYSiCGnn2I1PFuLzvRF6zGtQMWNvpwlYnQquuAZNJkWeZjNywGsdaW-h8lcGWqPCUvznayv_j2kYtL5ZfLSBx2XOzetzjCpVu85F3iw','v1.c60ee442.c8aHnAY_ZYN8nNDziiePTXCwMY_GaGRxkU8mHM6ZUY6s031PWvnQBB8pg8ghwSTCiGmffP-h3XSKKevDFKaiiJXI41DGLqCMBDviUJ2GqzmH7_jiauIwidg86HLJozwH7mp5JGZ2b5BWIh8Yl9Wt-YjJ-k4Es9v-dfqMG5nZl300kFBkgsmDX5P3rT0h7PklkduprdzVxygZTASB_WEBqhQ7B_HT2rzojsBp-rcWC-yPnv-nZIaeL5U2t3EfmvdRBsIG26p9ifJME3Neknn6i3xAuVl8DR19u0Hh7aI0eImuVUZR5g36xqngySHvICUGxK-z0B4lLe7x9Q9IBuJXWIvxUC7JoRQSwrBuQBq1JsU',0,NULL,'01a20450-e626-7000-9bbf-f4275ea562a4',0,'up','running',NULL,'2026-11-22T17:32:20.431Z','[]',NULL,NULL);
INSERT INTO "database" VALUES('01a20450-e65a-7000-b91f-b473aedd5131','redis','01a20450-e3bf-7000-a140-602b68d293ee','it','the-redis',NULL,'redis:8',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'done',NULL,'2026-11-22T17:32:20.443Z','{}','v1.c60ee442.EwStg8hpBO9sc6nbbEk9iloknvuRbiiTNHklD0E64TS7VHSyRrkcWJny5_IBlE9khKjlRol77k_pIEGRugpFHsU1ENXLuGc','up','v1.c60ee442.IibExkE2mtEBcnmxLFgqthH3OKOR0XzuN3cW4lJIZtv0AMK3vnuZ_SDR7DQhO-86JTvuFltmvVek4xOQ_FE2UEtPrsHVFeSPBdvyMmF7143eeJAaToAv8b9n1DYXso6_kBSsbKGz92uUzJDM1LgBiM-dyIekTrlNw2Hq5AK_YqQkNcd0hklKp-ooXP7er56HcUl5F8haXJgnKHqX7D1WynojAYTBNFlQex1PX1UyReEdliWOoWgtJXx9AKKRzZClsorY90nX-Xmv43p7OdstdCCe5NwvGdoIUtpyBC2D8NrCnAtBczHjf7niTKHPOZwOWiHW1sFqUNln','v1.c60ee442.lXzE0P5qMCskSYIIyn0dcAL6-tkf3q8Ku2qTTfN_cB9eYw7WtaZiGbKHQNGQ0T7EZAk2K-KGz7tW1BIlTOBYGhBjKdQiereYTpuFlodxBP43Tf-a7-EBg0Z7LwvgFPnLgOk6DndQJ8G46orUjHFJS7erIdZpRazR2cLrpVSozUZhY54qr8b6mn6vwm9mgcdWfPHx6-aOgrGqMHodWTar2DEH6xJYsJAY-Pd8CRa01v3iPa2BgM6Ym6Pa-aDQoxEk11x0FjF2YuxHgs5e_eV1R1xTRPyzyStlicEscYNj9RcRBMmujLLKmbJUyN1jty5dEv2p-ChmcrIo',0,NULL,'01a20450-e690-7000-8ef0-c9c2d852de4e',0,'up','running',NULL,'2026-11-22T17:32:20.535Z','[]',NULL,NULL);
CREATE TABLE IF NOT EXISTS "deployment" (
    "id" text primary key, "databaseId" text not null, "action" text not null, "state" text not null,
    "phase" text not null, "reason" text, "startedAt" text not null, "phaseAt" text not null, "finishedAt" text, "kind" text, "appName" text);
INSERT INTO deployment VALUES('01a20450-e429-7000-b392-6ffe44ba5c68','01a20450-e3d4-7000-a2f2-9b36e13ec561','deploy','done','apply',NULL,'2026-11-22T17:32:19.881Z','2026-11-22T17:32:19.881Z','2026-11-22T17:32:19.944Z','postgres','orders');
INSERT INTO deployment VALUES('01a20450-e496-7000-b090-b1b9fa54585a','01a20450-e481-7000-a90c-a43d8071c30a','deploy','done','apply',NULL,'2026-11-22T17:32:19.990Z','2026-11-22T17:32:19.990Z','2026-11-22T17:32:20.044Z','postgres','kept');
INSERT INTO deployment VALUES('01a20450-e4e1-7000-9a4c-fbf81bfc9b61','01a20450-e481-7000-a90c-a43d8071c30a','remove','done','apply',NULL,'2026-11-22T17:32:20.065Z','2026-11-22T17:32:20.065Z','2026-11-22T17:32:20.136Z','postgres','kept');
INSERT INTO deployment VALUES('01a20450-e543-7000-be69-35253307c210','01a20450-e537-7000-ba8a-7e494efd7eef','deploy','done','apply',NULL,'2026-11-22T17:32:20.163Z','2026-11-22T17:32:20.163Z','2026-11-22T17:32:20.237Z','mysql','the-mysql');
INSERT INTO deployment VALUES('01a20450-e5af-7000-9a50-cbfe1686b99f','01a20450-e59b-7000-8d2a-87defd050a43','deploy','done','apply',NULL,'2026-11-22T17:32:20.270Z','2026-11-22T17:32:20.270Z','2026-11-22T17:32:20.332Z','mariadb','the-mariadb');
INSERT INTO deployment VALUES('01a20450-e604-7000-a84e-833d1964122d','01a20450-e5f7-7000-8922-bc54fc49ab3a','deploy','done','apply',NULL,'2026-11-22T17:32:20.356Z','2026-11-22T17:32:20.356Z','2026-11-22T17:32:20.431Z','mongo','the-mongo');
INSERT INTO deployment VALUES('01a20450-e671-7000-b67c-3c0d4304601d','01a20450-e65a-7000-b91f-b473aedd5131','deploy','done','apply',NULL,'2026-11-22T17:32:20.465Z','2026-11-22T17:32:20.465Z','2026-11-22T17:32:20.536Z','redis','the-redis');
CREATE TABLE IF NOT EXISTS "recoveryCode" (
        "accountId" text not null references "account" ("id") on delete cascade, "hash" text not null,
        primary key ("accountId", "hash"));
CREATE TABLE IF NOT EXISTS "invitation" (
        "id" text primary key, "hash" text not null unique, "email" text not null, "emailKey" text not null unique,
        "rol" text not null, "invitedBy" text not null references "account" ("id") on delete cascade,
        "createdAt" text not null, "expiresAt" text not null);
INSERT INTO invitation VALUES('01a20450-e6be-7000-8969-a8d5df5e60fa','810696753ed99c0cfb52185ea4b895d0d304dacaa48c7749235da8a0b3229bdb','eve@example.org','eve@example.org','user','01a20450-e3a4-7000-9bbc-14eea92847f4','2026-11-22T17:32:20.542Z','2026-11-29T17:32:20.542Z');
CREATE TABLE IF NOT EXISTS "audit" (
        "seq" integer primary key, "at" text not null, "kind" text not null, "accountId" text, "email" text,
        "tokenId" text, "address" text not null, "operation" text not null, "record" text, "result" text not null,
        "previousHash" text not null, "hash" text not null);
INSERT INTO audit VALUES(1,'2026-11-22T17:32:19.755Z','installation',NULL,NULL,'installation','127.0.0.1','auth.createAdmin','01a20450-e3a4-7000-9bbc-14eea92847f4','OK','','cc487bb008ab135587656f30c12e10359d85b5cacb57a95207d45923f4f9f507');
INSERT INTO audit VALUES(2,'2026-11-22T17:32:19.778Z','session','01a20450-e3a4-7000-9bbc-14eea92847f4','Ada@example.org','01a20450-e3a5-7000-9b11-4db9d42a25a5','127.0.0.1','project.create','01a20450-e3bf-7000-a140-602b68d293ee','OK','cc487bb008ab135587656f30c12e10359d85b5cacb57a95207d45923f4f9f507','2649b7b46e2b88270f61a4033ce8c21e6ef502e5a31ed1e0470cab67738e63c8');
INSERT INTO audit VALUES(3,'2026-11-22T17:32:19.806Z','session','01a20450-e3a4-7000-9bbc-14eea92847f4','Ada@example.org','01a20450-e3a5-7000-9b11-4db9d42a25a5','127.0.0.1','postgres.create','01a20450-e3d4-7000-a2f2-9b36e13ec561','OK','2649b7b46e2b88270f61a4033ce8c21e6ef502e5a31ed1e0470cab67738e63c8','1156865f67f1478a925fe70273ec402e4d158722464db36a408a494d11c38984');
INSERT INTO audit VALUES(4,'2026-11-22T17:32:19.826Z','session','01a20450-e3a4-7000-9bbc-14eea92847f4','Ada@example.org','01a20450-e3a5-7000-9b11-4db9d42a25a5','127.0.0.1','postgres.update','01a20450-e3d4-7000-a2f2-9b36e13ec561','OK','1156865f67f1478a925fe70273ec402e4d158722464db36a408a494d11c38984','b884f09ee09b23425aa660501f603528a0a1af59e31be2552c26016405b29228');
INSERT INTO audit VALUES(5,'2026-11-22T17:32:19.837Z','session','01a20450-e3a4-7000-9bbc-14eea92847f4','Ada@example.org','01a20450-e3a5-7000-9b11-4db9d42a25a5','127.0.0.1','postgres.saveExternalPort','01a20450-e3d4-7000-a2f2-9b36e13ec561','OK','b884f09ee09b23425aa660501f603528a0a1af59e31be2552c26016405b29228','343a0a11e21187ecacd36028d4ebbf3d6e1f48bcf66209f62626d4f051513c99');
INSERT INTO audit VALUES(6,'2026-11-22T17:32:19.871Z','session','01a20450-e3a4-7000-9bbc-14eea92847f4','Ada@example.org','01a20450-e3a5-7000-9b11-4db9d42a25a5','127.0.0.1','postgres.saveEnvironment','01a20450-e3d4-7000-a2f2-9b36e13ec561','OK','343a0a11e21187ecacd36028d4ebbf3d6e1f48bcf66209f62626d4f051513c99','76cce87cedc0487a58ec80f47a18c897cd7d18db46bfa8101b089e24f0dd9465');
INSERT INTO audit VALUES(7,'2026-11-22T17:32:19.881Z','session','01a20450-e3a4-7000-9bbc-14eea92847f4','Ada@example.org','01a20450-e3a5-7000-9b11-4db9d42a25a5','127.0.0.1','postgres.deploy','01a20450-e3d4-7000-a2f2-9b36e13ec561','OK','76cce87cedc0487a58ec80f47a18c897cd7d18db46bfa8101b089e24f0dd9465','be0a9c5b4121920422865e62cdb81c70b32fa65f0d8d83a904c3010bfaee16bc');
INSERT INTO audit VALUES(8,'2026-11-22T17:32:19.956Z','session','01a20450-e3a4-7000-9bbc-14eea92847f4','Ada@example.org','01a20450-e3a5-7000-9b11-4db9d42a25a5','127.0.0.1','postgres.create','01a20450-e473-7000-a87e-e7f9cea74cab','OK','be0a9c5b4121920422865e62cdb81c70b32fa65f0d8d83a904c3010bfaee16bc','5995be5bb7f847e8987e7a8d647ff8a8f55723896679e507b4dc88480dda66d1');
INSERT INTO audit VALUES(9,'2026-11-22T17:32:19.970Z','session','01a20450-e3a4-7000-9bbc-14eea92847f4','Ada@example.org','01a20450-e3a5-7000-9b11-4db9d42a25a5','127.0.0.1','postgres.create','01a20450-e481-7000-a90c-a43d8071c30a','OK','5995be5bb7f847e8987e7a8d647ff8a8f55723896679e507b4dc88480dda66d1','cf790648f2b2ef4f3b4a287f7998f57ff5fbfdad56dd02994fc999d076afb6be');
INSERT INTO audit VALUES(10,'2026-11-22T17:32:19.991Z','session','01a20450-e3a4-7000-9bbc-14eea92847f4','Ada@example.org','01a20450-e3a5-7000-9b11-4db9d42a25a5','127.0.0.1','postgres.deploy','01a20450-e481-7000-a90c-a43d8071c30a','OK','cf790648f2b2ef4f3b4a287f7998f57ff5fbfdad56dd02994fc999d076afb6be','72c5acdd2b276580848cfb42caf1f9f5167823e26b90e8e1d6c4dfd7311fcae9');
INSERT INTO audit VALUES(11,'2026-11-22T17:32:20.066Z','session','01a20450-e3a4-7000-9bbc-14eea92847f4','Ada@example.org','01a20450-e3a5-7000-9b11-4db9d42a25a5','127.0.0.1','postgres.remove','01a20450-e481-7000-a90c-a43d8071c30a','OK','72c5acdd2b276580848cfb42caf1f9f5167823e26b90e8e1d6c4dfd7311fcae9','cd9a6859a7906abaa59c0b6f4917134a1b41889e27c8766402c66b03c7837e6c');
INSERT INTO audit VALUES(12,'2026-11-22T17:32:20.156Z','session','01a20450-e3a4-7000-9bbc-14eea92847f4','Ada@example.org','01a20450-e3a5-7000-9b11-4db9d42a25a5','127.0.0.1','mysql.create','01a20450-e537-7000-ba8a-7e494efd7eef','OK','cd9a6859a7906abaa59c0b6f4917134a1b41889e27c8766402c66b03c7837e6c','43782c0670d764536b6f4fa5984d75a2c8757f5176a4609d52e9a674a280ef2d');
INSERT INTO audit VALUES(13,'2026-11-22T17:32:20.165Z','session','01a20450-e3a4-7000-9bbc-14eea92847f4','Ada@example.org','01a20450-e3a5-7000-9b11-4db9d42a25a5','127.0.0.1','mysql.deploy','01a20450-e537-7000-ba8a-7e494efd7eef','OK','43782c0670d764536b6f4fa5984d75a2c8757f5176a4609d52e9a674a280ef2d','00b0203a4386f1262b6bdc77b43da2bc84556d7e11b53dbbafbe418f580f86c0');
INSERT INTO audit VALUES(14,'2026-11-22T17:32:20.260Z','session','01a20450-e3a4-7000-9bbc-14eea92847f4','Ada@example.org','01a20450-e3a5-7000-9b11-4db9d42a25a5','127.0.0.1','mariadb.create','01a20450-e59b-7000-8d2a-87defd050a43','OK','00b0203a4386f1262b6bdc77b43da2bc84556d7e11b53dbbafbe418f580f86c0','83b35da2fa494db9af5d9b6e63f7649b514d5d5d51c449f3b2b402a55a928f8a');
INSERT INTO audit VALUES(15,'2026-11-22T17:32:20.271Z','session','01a20450-e3a4-7000-9bbc-14eea92847f4','Ada@example.org','01a20450-e3a5-7000-9b11-4db9d42a25a5','127.0.0.1','mariadb.deploy','01a20450-e59b-7000-8d2a-87defd050a43','OK','83b35da2fa494db9af5d9b6e63f7649b514d5d5d51c449f3b2b402a55a928f8a','e2938981523bfa4e224fb5149f02709c6f6ccd4d039578f8269dee162d04e960');
INSERT INTO audit VALUES(16,'2026-11-22T17:32:20.348Z','session','01a20450-e3a4-7000-9bbc-14eea92847f4','Ada@example.org','01a20450-e3a5-7000-9b11-4db9d42a25a5','127.0.0.1','mongo.create','01a20450-e5f7-7000-8922-bc54fc49ab3a','OK','e2938981523bfa4e224fb5149f02709c6f6ccd4d039578f8269dee162d04e960','ab5c4c17f29c7d02b9d39e72f016ca4a11b18f3d92f7de9d49011ba89487d35a');
INSERT INTO audit VALUES(17,'2026-11-22T17:32:20.357Z','session','01a20450-e3a4-7000-9bbc-14eea92847f4','Ada@example.org','01a20450-e3a5-7000-9b11-4db9d42a25a5','127.0.0.1','mongo.deploy','01a20450-e5f7-7000-8922-bc54fc49ab3a','OK','ab5c4c17f29c7d02b9d39e72f016ca4a11b18f3d92f7de9d49011ba89487d35a','0d2bd7a6567897760021d1841826089705ce69cb91a071b3427bd2a137dd1fa1');
INSERT INTO audit VALUES(18,'2026-11-22T17:32:20.450Z','session','01a20450-e3a4-7000-9bbc-14eea92847f4','Ada@example.org','01a20450-e3a5-7000-9b11-4db9d42a25a5','127.0.0.1','redis.create','01a20450-e65a-7000-b91f-b473aedd5131','OK','0d2bd7a6567897760021d1841826089705ce69cb91a071b3427bd2a137dd1fa1','2dd75832af41fe92ae75d8be99830f5a76e90595b405c5e1897321dab9549838');
INSERT INTO audit VALUES(19,'2026-11-22T17:32:20.465Z','session','01a20450-e3a4-7000-9bbc-14eea92847f4','Ada@example.org','01a20450-e3a5-7000-9b11-4db9d42a25a5','127.0.0.1','redis.deploy','01a20450-e65a-7000-b91f-b473aedd5131','OK','2dd75832af41fe92ae75d8be99830f5a76e90595b405c5e1897321dab9549838','f4a18ff2f8ad4ba06b917f09e9c4a4f50f345772370d4d8f382b7c14feca920b');
INSERT INTO audit VALUES(20,'2026-11-22T17:32:20.544Z','session','01a20450-e3a4-7000-9bbc-14eea92847f4','Ada@example.org','01a20450-e3a5-7000-9b11-4db9d42a25a5','127.0.0.1','user.invite','01a20450-e6be-7000-8969-a8d5df5e60fa','OK','f4a18ff2f8ad4ba06b917f09e9c4a4f50f345772370d4d8f382b7c14feca920b','d8475dddacafa8c0d3d137f722c5993a420f24bbfe8aafd432334c533c762f56');
INSERT INTO audit VALUES(21,'2026-11-22T17:32:20.552Z','session','01a20450-e3a4-7000-9bbc-14eea92847f4','Ada@example.org','01a20450-e3a5-7000-9b11-4db9d42a25a5','127.0.0.1','destination.create','01a20450-e6c6-7000-bb8e-14bf1a001b72','OK','d8475dddacafa8c0d3d137f722c5993a420f24bbfe8aafd432334c533c762f56','0d782fc04a7d3f82a3cfe6b1e11e45522190849f29d28609e1e7b75a0faecd3b');
INSERT INTO audit VALUES(22,'2026-11-22T17:32:20.659Z','session','01a20450-e3a4-7000-9bbc-14eea92847f4','Ada@example.org','01a20450-e3a5-7000-9b11-4db9d42a25a5','127.0.0.1','backup.create','01a20450-e724-7000-a65f-b84b6208c7d4','OK','0d782fc04a7d3f82a3cfe6b1e11e45522190849f29d28609e1e7b75a0faecd3b','a3f5a8afb4692b3b5ae9b66b9a19e3e6331ce2024a5289bdbe22471b8a8c82e7');
INSERT INTO audit VALUES(23,'2026-11-22T17:32:20.778Z','session','01a20450-e3a4-7000-9bbc-14eea92847f4','Ada@example.org','01a20450-e3a5-7000-9b11-4db9d42a25a5','127.0.0.1','redirects.create','01a20450-e770-7000-94ea-41e1e4dd4332','OK','a3f5a8afb4692b3b5ae9b66b9a19e3e6331ce2024a5289bdbe22471b8a8c82e7','769dd63cc5a231b28e82b28a5057a3deccb2e113ec7af9abb0ce8b02e264b9a1');
INSERT INTO audit VALUES(24,'2026-11-22T17:32:20.940Z','session','01a20450-e3a4-7000-9bbc-14eea92847f4','Ada@example.org','01a20450-e3a5-7000-9b11-4db9d42a25a5','127.0.0.1','security.create','01a20450-e7bc-7000-a37a-85f3a4b49a91','OK','769dd63cc5a231b28e82b28a5057a3deccb2e113ec7af9abb0ce8b02e264b9a1','2d43af0e545de3b3d4179f07d0242b9b90ca4ff965b51fe5f49adb66996b69cf');
INSERT INTO audit VALUES(25,'2026-11-22T17:32:20.945Z','session','01a20450-e3a4-7000-9bbc-14eea92847f4','Ada@example.org','01a20450-e3a5-7000-9b11-4db9d42a25a5','127.0.0.1','auth.generateToken',NULL,'OK','2d43af0e545de3b3d4179f07d0242b9b90ca4ff965b51fe5f49adb66996b69cf','a3539657460b9f46bf3ec2a4825b1ccf8077eec7b51c6c840a3d5cb91598786d');
CREATE TABLE IF NOT EXISTS "destination" (
      "id" text primary key, "name" text not null, "bucket" text not null, "region" text not null,
      "endpoint" text not null, "accessKey" text not null, "secrets" text not null, "createdAt" text not null);
INSERT INTO destination VALUES('01a20450-e6c6-7000-bb8e-14bf1a001b72','storage','backups','','http://127.0.0.1:9','key','v1.c60ee442.6MKlO43ycfAo3sjFAdtN3xrUf7nM6kHFZoHveO0AL7C2tqVyTINppEj72y6l7XxiLO69VBkE019p98-ENABrHu7QGonJ0A','2026-11-22T17:32:20.551Z');
CREATE TABLE IF NOT EXISTS "backup" (
        "id" text primary key, "kind" text not null, "databaseId" text not null, "destinationId" text not null,
        "schedule" text not null, "timezone" text not null, "enabled" integer not null, "prefix" text not null,
        "database" text not null, "verifySchedule" text, "keepLatest" integer, "keepDays" integer, "recipient" text,
        "signalUrl" text, "createdAt" text not null, "nextAt" text, "nextVerifyAt" text);
INSERT INTO backup VALUES('01a20450-e724-7000-a65f-b84b6208c7d4','postgres','01a20450-e3d4-7000-a2f2-9b36e13ec561','01a20450-e6c6-7000-bb8e-14bf1a001b72','0 3 1 1 *','UTC',1,'nightly','shop',NULL,3,NULL,NULL,NULL,'2026-11-22T17:32:20.644Z','2027-01-01T03:00:00.000Z',NULL);
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
INSERT INTO application VALUES('service3','berth-gateway-01a20450-e3d4-7000-a2f2-9b36e13ec561',1,NULL,'[]',80,NULL,1,'[{"port":15432,"protocol":"tcp"}]','[]',1,1,'[]','2026-01-01T00:00:00.004Z');
INSERT INTO application VALUES('service7','the-mysql',1,NULL,'[]',80,NULL,1,'[]','[]',1,1,'[]','2026-01-01T00:00:00.010Z');
INSERT INTO application VALUES('service9','the-mariadb',1,NULL,'[]',80,NULL,1,'[]','[]',1,1,'[]','2026-01-01T00:00:00.013Z');
INSERT INTO application VALUES('service11','the-mongo',1,NULL,'[]',80,NULL,1,'[]','[]',1,1,'[]','2026-01-01T00:00:00.016Z');
INSERT INTO application VALUES('service13','the-redis',1,NULL,'[]',80,NULL,1,'[]','[]',1,1,'[]','2026-01-01T00:00:00.019Z');
CREATE TABLE IF NOT EXISTS "redirect" (
        "id" text primary key, "applicationId" text not null, "regex" text not null, "replacement" text not null,
        "permanent" integer not null, "createdAt" text not null);
INSERT INTO redirect VALUES('01a20450-e770-7000-94ea-41e1e4dd4332','web','/old/(.*)','/new/$1',1,'2026-11-22T17:32:20.720Z');
CREATE TABLE IF NOT EXISTS "security" (
        "id" text primary key, "applicationId" text not null, "username" text not null, "passwordHash" text not null,
        "createdAt" text not null, unique ("applicationId", "username"));
INSERT INTO security VALUES('01a20450-e7bc-7000-a37a-85f3a4b49a91','web','ann','v1.c60ee442.GndtppMbGtOJrmQWzc4xxQgpBh0pll0D5Cdjc6rbM1tjnk5yyY881g4_aFeB6S7wV_fTlrOdRD3p995Oooy25jYJ7wg2AOg9lPi_RhCkZYkG4R-c1HkGNg','2026-11-22T17:32:20.936Z');
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
INSERT INTO node VALUES('node1','memory','ready','2026-11-22T17:32:19.595Z',NULL,0,'');
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
