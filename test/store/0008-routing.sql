-- A store of version 0008-routing, created by test/store/generate.ts with Berth of commit c69e0b2,
-- and printed by `sqlite3 berth.db .dump`. The master key is the byte ab, 32 times.
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE IF NOT EXISTS "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
INSERT INTO kysely_migration VALUES('0001-first','2026-11-22T10:41:10.501Z');
INSERT INTO kysely_migration VALUES('0002-kinds','2026-11-22T10:41:10.505Z');
INSERT INTO kysely_migration VALUES('0003-named-deployments','2026-11-22T10:41:10.507Z');
INSERT INTO kysely_migration VALUES('0004-accounts','2026-11-22T10:41:10.509Z');
INSERT INTO kysely_migration VALUES('0005-sealing','2026-11-22T10:41:10.510Z');
INSERT INTO kysely_migration VALUES('0006-destinations','2026-11-22T10:41:10.511Z');
INSERT INTO kysely_migration VALUES('0007-backups','2026-11-22T10:41:10.517Z');
INSERT INTO kysely_migration VALUES('0008-routing','2026-11-22T10:41:10.521Z');
CREATE TABLE IF NOT EXISTS "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
INSERT INTO kysely_migration_lock VALUES('migration_lock',0);
CREATE TABLE IF NOT EXISTS "meta" ("key" text primary key, "value" text not null);
INSERT INTO meta VALUES('installationId','01a202d8-778d-7000-ba8d-3595df1dead8');
INSERT INTO meta VALUES('masterKeyProof','v1.c60ee442.doHGGFtJcYmhEfNh4qx1Qu_bx1k7-Az3cfizKMGoXPAB');
INSERT INTO meta VALUES('fingerprintKey','v1.c60ee442.FSKfKBmhKwjVA4fUaiE1ba2UxPyamFAWgI-LEf8NyL83O976_EF25h7rJFbwrBDbPWZ3hl1-w06p92m16zEGqiQQycJD_Cnq');
CREATE TABLE IF NOT EXISTS "account" (
    "id" text primary key, "email" text not null, "emailKey" text not null unique, "passwordHash" text not null,
    "rol" text not null, "image" text not null, "is2FAEnabled" integer not null, "createdAt" text not null, "secret" text, "pinStep" integer not null default 0, "lastSeenAt" text);
INSERT INTO account VALUES('01a202d8-790d-7000-9a81-2f508cd720fc','Ada@example.org','ada@example.org','$argon2id$v=19$m=19456,t=2,p=1$YoQzZUHhIcQHjILwKYJjVQ$aQjaL26ATr8ICiaMGXiLjNO2of3O2MM8aLzVGlrQcZQ','admin','',0,'2026-11-22T10:41:10.925Z',NULL,0,'2026-11-22T10:41:10.926Z');
CREATE TABLE IF NOT EXISTS "token" (
    "id" text primary key, "hash" text not null unique, "kind" text not null,
    "accountId" text not null references "account" ("id") on delete cascade,
    "createdAt" text not null, "lastUsedAt" text not null, "expiresAt" text, "address" text not null default '', "name" text, "scope" text, "passed2FA" integer not null default 0, "tries" integer not null default 0);
INSERT INTO token VALUES('01a202d8-790e-7000-a259-debabb643c23','5c6314dc5b9a5e21d1a23f88993cc84d671ee2d52e82bebc3257f1c14cfbb06a','session','01a202d8-790d-7000-9a81-2f508cd720fc','2026-11-22T10:41:10.926Z','2026-11-22T10:41:10.926Z','2026-12-22T10:41:10.926Z','127.0.0.1',NULL,NULL,0,0);
INSERT INTO token VALUES('01a202d8-7efc-7000-b18e-102e9f1c72ef','66203c074c5cac93e0560ee4d841d20945992e6aa615a056edc487f89d2f2adb','api','01a202d8-790d-7000-9a81-2f508cd720fc','2026-11-22T10:41:12.444Z','2026-11-22T10:41:12.444Z',NULL,'127.0.0.1',NULL,'admin',0,0);
CREATE TABLE IF NOT EXISTS "attempt" (
    "key" text primary key, "failures" integer not null, "blockedUntil" text not null, "updatedAt" text not null);
CREATE TABLE IF NOT EXISTS "idempotency" (
    "key" text not null, "accountId" text not null, "operation" text not null, "bodyHash" text not null,
    "answer" text not null, "deploymentIds" text not null, "createdAt" text not null,
    primary key ("key", "accountId", "operation"));
CREATE TABLE IF NOT EXISTS "project" (
    "id" text primary key, "name" text not null, "description" text, "createdAt" text not null);
INSERT INTO project VALUES('01a202d8-7938-7000-bd07-a9c2cab807ce','shop','of then','2026-11-22T10:41:10.968Z');
CREATE TABLE IF NOT EXISTS "volume" (
    "id" text primary key, "name" text not null unique, "kind" text not null, "dataPath" text not null, "nodeId" text not null, "nodeName" text not null, "nodeAddress" text not null,
    "databaseId" text,
    "state" text not null, "appName" text not null, "dockerImage" text not null, "settings" text not null,
    "secrets" text not null, "createdAt" text not null, "keptAt" text, "deploymentId" text, "serverVersion" text);
INSERT INTO volume VALUES('01a202d8-79e8-7000-9eeb-b26fd76e347e','berth-01a202d8-79e8-7000-9eeb-b26fd76e347e','postgres','/var/lib/postgresql/data','node1','memory','192.0.2.10','01a202d8-794e-7000-955d-f973eaf7e6bb','attached','orders','postgres:15','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.GPyrCUcJGqFoHJI9b8gTQpKYhHeJvfHwowxIZWbyCjnT9YYX-6pD50j5UUsYbNwdtB-xXIxoJckedpIfwsGc_KW9gegBUYQ','2026-11-22T10:41:11.145Z',NULL,NULL,'15');
INSERT INTO volume VALUES('01a202d8-7abc-7000-9b2f-14171df92400','berth-01a202d8-7abc-7000-9b2f-14171df92400','postgres','/var/lib/postgresql/data','node1','memory','192.0.2.10',NULL,'kept','kept','postgres:15','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.ps_1DzGmDNuLDWEaYxjigdWdzyNbFfl-TIBzhmVXcvFwi1PGVmPh8tdfEoB7AEOuzP9r2sk54llaTrv1CEhFsfWJIVaW6RA','2026-11-22T10:41:11.356Z','2026-11-22T10:41:11.532Z',NULL,'15');
INSERT INTO volume VALUES('01a202d8-7bbb-7000-95a8-ba75989027ae','berth-01a202d8-7bbb-7000-95a8-ba75989027ae','mysql','/var/lib/mysql','node1','memory','192.0.2.10','01a202d8-7b7b-7000-9a2c-e3e5c4f38204','attached','the-mysql','mysql:8','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.CHYc3yMWwFyb0FySdfNXgfrpEWNlpgex_LfY6ljyRd6UdjOBqC0PLIrvD949xA4bFMTPN_AJrm-vmfWX4i4UTsKdtYO_re8YHLVtQIuJWCp0VDP1L_U34-bAqotKlbSSzNfMUUs6ZemvRYJqmDsz2feJugs0AoYf2Vk','2026-11-22T10:41:11.611Z',NULL,NULL,'8');
INSERT INTO volume VALUES('01a202d8-7c8c-7000-bfe9-6d542b3cf01d','berth-01a202d8-7c8c-7000-bfe9-6d542b3cf01d','mariadb','/var/lib/mysql','node1','memory','192.0.2.10','01a202d8-7c79-7000-9b54-eac285d0df02','attached','the-mariadb','mariadb:6','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.TnyFz43awbu2HqfxC_gC-paGka5kH5F9YrkfvVq7Zs60YIkKtsVQjXNWFrtB_2gyrZH0gsFYofzCjX_5HuriVUyb6ZJ9fl_94KdoGDnieTTJzETnGv0AkJhFYJf3CxxBzO6LVJ-BWx1VgTQmkXjygGN3y_4v2pyyKIo','2026-11-22T10:41:11.820Z',NULL,NULL,'11');
INSERT INTO volume VALUES('01a202d8-7cfa-7000-a39a-d1f9ea11b217','berth-01a202d8-7cfa-7000-a39a-d1f9ea11b217','mongo','/data/db','node1','memory','192.0.2.10','01a202d8-7cc4-7000-8ec9-dfbc09847988','attached','the-mongo','mongo:15','{"databaseUser":"shop"}','v1.c60ee442.eDoV8Z9PlAWqQ1cr0f1kLFSxSS1s0qaEn2iQdvYGV68voLgiQ0kgsbVEu3BRCzcaSBor0Bz4te-f1mNlmAwdAwI2IDNkMQE','2026-11-22T10:41:11.930Z',NULL,NULL,'8');
INSERT INTO volume VALUES('01a202d8-7d72-7000-976a-67505c71ad9a','berth-01a202d8-7d72-7000-976a-67505c71ad9a','redis','/data','node1','memory','192.0.2.10','01a202d8-7d52-7000-9a6c-c03151cc0141','attached','the-redis','redis:8','{}','v1.c60ee442.j3p4SzK7Pp4j7HxAEhZbb5WhkS0USS8667TUb_U4QrthE4zEoquQMeMYN-7a8y5WETF9giNxAXR2Mmgsl4IFXZVC3uXjT9o','2026-11-22T10:41:12.054Z',NULL,NULL,'8');
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
INSERT INTO "database" VALUES('01a202d8-794e-7000-955d-f973eaf7e6bb','postgres','01a202d8-7938-7000-bd07-a9c2cab807ce','it','orders',NULL,'postgres:15','-c max_connections=50','v1.c60ee442.J7o6mLx3vh8_Cb23285Qv5Lxqd5seaqwgFC7Yw3WbbOid3eKe3yI',NULL,512.0,NULL,0.5,15432,'done',NULL,'2026-11-22T10:41:10.991Z','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.OoPoSFC918QdkakueI-tZz0y2SSaImigurvoxb8g3dlFsC6TDmjBTyaRbU2gfLUnuPIM0GYlt0hz-iKj0yp6P-D-Ou_6N38','up','v1.c60ee442.VkEAa6mZd35DWvWoG1ENGfrgkYzhQolHFzAfhdYkyeD-cmAsBz9gByE4Ge1X2-PPp98jSLhEICt_D-RlPjRcAMW-brJwMQ5YYLLW7UnhH4Apq64oZnS52gbnz0QoR7QwIB8934F4tLsWF0bu1OG4JkOu20nwJKfVYeeBh8aG8ajbCFtGFOAF8SPdeM9zkACbILkZhnMQqFlvmdCuvlx0xXnUnMm2ZBVTSivb7UtxcYM1MunRGXvVMn2BPvRp9Lq0dQzsF5f_6a8H_iy3AnCThVgNMoDMUvyEzeJdmEI02wBNw-BVoZnNi7CkU0-8ymJKsZxdxHzCcp88rZs6DLSK2VJaOFZEPsa0LoxEwKrDTMZWkzAZXMAov4j9atbTA16yi0UKy2R7SJ6LYeCYb7pwGN9kntXx1X_xoQsXia1eC8UQHwvg','v1.c60ee442.1VI1OkUtSxipCoQGsOpGIt1_MBB8PpOgXgtxID6y_nwSA9v7yN-5mUNf0SJLa4_VE63TBBNY8NKpDbWTIHQUjsMY1E3YDVbTYTxmO7h7aFQX5_UEp4A-fvy5fsiXZcEBXhSXfh-NXQW28aIys02eW34JukGyzBOdEeh2jPUjP6c8CMvPAar67G8y-ryrcHhHQsly0gxWxBJVCeXnGht8jh66xrT5csk3LTQfcWg-F1Vkjw2osnLEdPHcSPYZ5qBVyZIQFi7iW0TBL290GHLj1yPEoTWMFiB5BUpwjh-WDfRJzvQb-tRBlkikY9jPOWT3et9Cj2VE05DNHzDXLEdBxFMrZi7ZhhScow837Tnob65xuOjmXs1cJDYEdgPsXc04U_uIgGM730eAHYATryLhSPNfYwLgLyU8ZeVsGdXRum-lC_W8',0,NULL,'01a202d8-79e8-7000-9eeb-b26fd76e347e',0,'up','running',NULL,'2026-11-22T10:41:11.328Z','[]');
INSERT INTO "database" VALUES('01a202d8-7aaa-7000-b7e3-964c80c654e6','postgres','01a202d8-7938-7000-bd07-a9c2cab807ce','it','never-deployed',NULL,'postgres:15',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'idle',NULL,'2026-11-22T10:41:11.339Z','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.bW4JgVPEo0m4DrTE693agdJ46OrDQ1Q9V2IuckiG25VPqes_FEBruspccsSVkWGCgo12-hQpceidztwuM_5IwLFYHEGRNBk','none',NULL,NULL,0,NULL,NULL,0,'unknown',NULL,NULL,NULL,'[]');
INSERT INTO "database" VALUES('01a202d8-7b7b-7000-9a2c-e3e5c4f38204','mysql','01a202d8-7938-7000-bd07-a9c2cab807ce','it','the-mysql',NULL,'mysql:8',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'done',NULL,'2026-11-22T10:41:11.547Z','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.rA6vT3tEVUy3gxYMwy5SJFLS7Y9OG-xtZ2H66VuovGHJnHtJAjWAgfae5jXMzCEf0hNpwyqqxPiUAnjOL85o9OlWc2tgDulTWk6kFu6LQjKT-VhU0cJlNfcX6FvyNJ9Vmm-cK_8eqxH1hq44PLfC4Qb5B5tt4tNXJaw','up','v1.c60ee442.dEyRrSmOCsqGNQn2GwB3AR5cv7Y8OMH6zxHGdA1jgPsWSo0tBm1WnQf8Nods-DjUtLFCkJytYfP75xylYDhdi4Oo_eQy2s6IlxICv8gIGZrnAawR2i3ni16SzlHo8aUd_YTWHSluLVABaN-nRIhlGAfulj5mXsMHs6WgnTPuW6gYgfnmb6RwQXP3oX19izfGUDP1wQoQZz6ZAouiPJ1qxctyBRQKeKqfKcvtSTXzN_Zbe6QSaYy-EE6-vX-tPzm1RvlLzLble5OmD5edzqfsyzmjd6Lantt-4aCB2H-Hg89Ql_vO7ULICIexZXH5NCjkIwzKA8h1cDHP0XHad--X9qSXsy2JqUmtpQbvTARQ6pmIsSExyc9mmX979IWQXiUs_zuvGCxatFbt7pIhQcaobxR7g3EJ3ttDEQ3umPxlZma4lKS7XcVquPTk7R5nG4qcMtKHw9Uzs1A','v1.c60ee442.j40NIcJqzN5eR6qjYf7d2jBuvi5bcfgHUNvPEvusyuV2DVdyASDjqsgLBDw2MoH2KkbWPOcUbom06uW3MVq9CBkNj6hjcFbv1SqJs7hXpyM4ln3ThcHYBfusCsj5VgZycvNwfqAe3zfQgf7t2QT_pjdt_fXc1DjWdmdc3nG3_D2EgWGojjkeXAvXn4iB9Div6tSqNjlfEVE0ALN8CSgrzHtpceV4RaYCoIrKoGc9zpnB3NN2GCGBJd5z8z-UrtWLGxMWBI0LHD1I8imB2tDrLAftrrWwUJDsx5Y-YnRyCY1RcNw9-cE1qrFDd2ADQ0lAlmB1ntl44C2XJCenRWcD5Wbvvct837clWUVokYGZgI1riGtYS5DIZcdv_4lXdtbPo9OvJObvmv3IRp8MbBSEIGA-CR4pu9aGu_fvAG8Wa4nJ27F9P7IVW1cuXZq8cBq4SpynBL--2NM',0,NULL,'01a202d8-7bbb-7000-95a8-ba75989027ae',0,'up','running',NULL,'2026-11-22T10:41:11.789Z','[]');
INSERT INTO "database" VALUES('01a202d8-7c79-7000-9b54-eac285d0df02','mariadb','01a202d8-7938-7000-bd07-a9c2cab807ce','it','the-mariadb',NULL,'mariadb:6',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'done',NULL,'2026-11-22T10:41:11.801Z','{"databaseName":"shop","databaseUser":"shop"}','v1.c60ee442.72aTXQ9yjtq-NX1Csls0VBs3SZyXC3oVv0zUDk8Nkz2pitf8ceYUuM8bSveRzoIgNNRWoKGzG-u2C1rOPiqlVh904AG8LR4-F1RiT4IF3_DxXCATUk2j7GMFCAhu7fJWBj1SI71rstbMACP0X-RYSDFFkEqlZ79qi-0','up','v1.c60ee442.L8Nds2CQjzhNmqAfPxljQML9yhDqkuI__AdM8G7KxzWkaYhVHx_GBa6-ovUMYMJyxkrgue9c8zG6cWqpsf4OQh8Ve_AgqsP7JGfQy3WHaGTwdGypSvaKPSue2Eh0r96yrzkdxLRpVGcYGgxBgtoePO2VKR7plQVzU_7huaBABxPjKV0cFHfPB-AW2wFJys98a8EmmTxq6qfMjzw4X1xyDsieKsaNqWnspRnyvKU3RpBum5D5TclAKR5rWG-nEwJSWFIYVPcJdqMowvFBI3AbPEdy9Oys-eFnwHWyYh_f4K8CrtINTTqqe4IAUjptpTPTPrUKFO_6LK4oOaE4nqoJPybpfrPrd-i_zfpoxIfrItRHbBL3Oeita_yqCYsLEDMoAgDkvNKQJV3IVsrK-qzPc6E5O01zLY8prFUoM95krhSyi5Bw08kMd59iF-pBE_Pq6LAJZX1f0-R3_w','v1.c60ee442.vLwrIh3c0tXuU5zwIX7PL-JBxRcXpbwDcQdqNBvNaqmz860Nizqtj6QTlW9cLvi6p-7bimw7BdISj5iIZWkG56fCDKkfVC0j4PV4cEABPJ0wSTllMAJotRJv2BVlLtpXWeo4fgUSDIEOAFtLIZBPES9IZkaXQdU7EgxZnW45f2_z6VBHcQdLfpXJ6mV-2sfYWyCI8eFO_12UPTt6jnJ72-idu-JXiNBLNBtbp5Il0nvgiyg6tos88OVgjgM2k1fvFehyS-NZmvT_6KeHP-WcF7Le67XajoZY4vT_Y4ajFTgodXgvngl8qNxxHMVAUrxAflELukhjMCmKdnvXKoHBx3TT6_msUw60S0BNoxPzxwx86o26j1ujW8Oq20rpnLCwgzxH973tX-cCWFwgKtBNiDWeekFFdvIE7WedPyWuuHMpnViJxhkXVYILGhkYYJmvJ4CE609sCUgWuA',0,NULL,'01a202d8-7c8c-7000-bfe9-6d542b3cf01d',0,'up','running',NULL,'2026-11-22T10:41:11.863Z','[]');
INSERT INTO "database" VALUES('01a202d8-7cc4-7000-8ec9-dfbc09847988','mongo','01a202d8-7938-7000-bd07-a9c2cab807ce','it','the-mongo',NULL,'mongo:15',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'done',NULL,'2026-11-22T10:41:11.877Z','{"databaseUser":"shop"}','v1.c60ee442.aUBrjuccDIA7I7B3Mu2tMt9IFv0alJaBDm2zuWISkDhssij1nm28qy4z4ikamvlMA9S2xCVkINfy5Qg-Bb5Z8XHXmwaaSX4','up','v1.c60ee442.GD5fvvV90gutMGMTtUHXOV88_mYs19TT15ztZs0QkIcWbOClm0iSta_fNUagW1z7KH9hFAXgapzueqy62pC15J7UWJpsPLzCigE6hjXz-XvkJVyJm213-PZggSYBEQ6P2wQrHAdW2USnWUCqaaT2VGF1w1RGNQ1eSUf6iwqbM3azDaRYBwIOX4aub1E8eP5l9-hZoPTER6ZKUj4l3srm6p2vqMCxXirk9jcY9wKDMHvSHLf1OnIiBb7w3zs6XBUl3ni8fcY8oTczxxbCCxLeaq9H-RV1Y5oQRrl1w-oYl4fKsCqZAsv7hs2XY7LNFb64K3592oQQTOOZdU9CXlATzB_1wXygAu67rMl3g2z7_P0','v1.c60ee442.dwl5dHVImIwiBDZw_3XKZ3ur1-D1eg794OcqeDZYAtwy8ZpY_LUrN4W5ucY5eeeqEFuyle-P_1KvjZiOipFJ5jhMHwM0wOdLjOfTYCzVcCMdPZLCm_EftPhVXSE3i0nXueTr8Q23MaoG7qLQg_kwfDdXbPqOxP4h7mYX5YZDIwq1ZhacveiJSrWOxaIY8_l4Ah-B_AVrHHsaqPJpOIbO7PFIE6pjciK0KDY1s_h_vNAT5_EP6Pw0U4CXFZXuxrUD7KGyOsBNNr81Xsl_XWAdA1LGmZZxQIYMFFmLYZeC5WhS-sA0OeqF54DHGATrWhSDiyKlUM8GE91Sk6u4OGYAhpVd8hYDKNEKpVkW061BF5A',0,NULL,'01a202d8-7cfa-7000-a39a-d1f9ea11b217',0,'up','running',NULL,'2026-11-22T10:41:12.011Z','[]');
INSERT INTO "database" VALUES('01a202d8-7d52-7000-9a6c-c03151cc0141','redis','01a202d8-7938-7000-bd07-a9c2cab807ce','it','the-redis',NULL,'redis:8',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'done',NULL,'2026-11-22T10:41:12.019Z','{}','v1.c60ee442.h1QTDCkVqc5nzj__--OOtMJjO53YowS-hFq81ZPYwJJoOfc5Hcrell5Tk1mcIXIbUZi5WgTL1XXro5mr7YUkfD6FEyRcuLU','up','v1.c60ee442.nLilI8v0XUquIvOn6FhsUbWrsmDk-a-xr_-iU5FkmEg-WSuKYBF_a3NUOdhnBIOmRQmqyK11bi-NwdbcMSkCuIWz1IhXZX8LsTS7v49_dgd87J0r_gyu22hDop3dLJt8Ua0ZLyHx87TPPpHG7Y4nq_Nmbulj3fisv4brhVXb8ISDDahM0ayefXpICedLw29jRkW67NeJagH86JnqzKgl05BQK7hh5DnRmE3R8fGdIRIVldtbVxfQolI2adWig_qHGENNypaRmUZBsbtwy_aVWzXoNboJSfqMMs_0raD1BDrx1cZ7B_JfyCUBT5JA_lshg16rg-IIJ5qi','v1.c60ee442.S0tjhguAs8EmzvxPQNSlWiKpYs14BhVapbOlQ4qB4l8oBn4C2OMvbZn2ZFN3XT_3XvI16cuHJ0e2zwV31h49vbJX-WAD5OEHSiLhPRMzWPxjg9fN8-4z6wl1gXbVnRqFCAJevT4WNE69j07uHTmb2Vpj_Wog6_Ip-NoHhg-oOYXdElW1spCIwyT3X3qsj5i1SXDd1q8M9XeUE3ZZhJznCccXOMhLUr7iMFpgF4PSOuEPyhbq7AVmLZ2CzLe0VTz7yV2iDu1_IbiEfQ62KpQnNQ1PyZDoPKebDSN7rONg4f1gHYsJFjaCoL1zgr80uPXcRmLePqg8bZnd',0,NULL,'01a202d8-7d72-7000-976a-67505c71ad9a',0,'up','running',NULL,'2026-11-22T10:41:12.130Z','[]');
CREATE TABLE IF NOT EXISTS "deployment" (
    "id" text primary key, "databaseId" text not null, "action" text not null, "state" text not null,
    "phase" text not null, "reason" text, "startedAt" text not null, "phaseAt" text not null, "finishedAt" text, "kind" text, "appName" text);
INSERT INTO deployment VALUES('01a202d8-79c7-7000-9abf-088e7fe6c511','01a202d8-794e-7000-955d-f973eaf7e6bb','deploy','done','apply',NULL,'2026-11-22T10:41:11.111Z','2026-11-22T10:41:11.111Z','2026-11-22T10:41:11.328Z','postgres','orders');
INSERT INTO deployment VALUES('01a202d8-7ab7-7000-bd66-fc0c5ccd5f95','01a202d8-7ab0-7000-9e91-7506f4273c5c','deploy','done','apply',NULL,'2026-11-22T10:41:11.351Z','2026-11-22T10:41:11.351Z','2026-11-22T10:41:11.439Z','postgres','kept');
INSERT INTO deployment VALUES('01a202d8-7b22-7000-85df-c1436ec7b8b2','01a202d8-7ab0-7000-9e91-7506f4273c5c','remove','done','apply',NULL,'2026-11-22T10:41:11.458Z','2026-11-22T10:41:11.458Z','2026-11-22T10:41:11.531Z','postgres','kept');
INSERT INTO deployment VALUES('01a202d8-7b85-7000-b0ad-76c43af252de','01a202d8-7b7b-7000-9a2c-e3e5c4f38204','deploy','done','apply',NULL,'2026-11-22T10:41:11.557Z','2026-11-22T10:41:11.557Z','2026-11-22T10:41:11.789Z','mysql','the-mysql');
INSERT INTO deployment VALUES('01a202d8-7c84-7000-97f1-dc8cd359df5a','01a202d8-7c79-7000-9b54-eac285d0df02','deploy','done','apply',NULL,'2026-11-22T10:41:11.812Z','2026-11-22T10:41:11.812Z','2026-11-22T10:41:11.865Z','mariadb','the-mariadb');
INSERT INTO deployment VALUES('01a202d8-7cd8-7000-9e5e-afe97e51cfa1','01a202d8-7cc4-7000-8ec9-dfbc09847988','deploy','done','apply',NULL,'2026-11-22T10:41:11.896Z','2026-11-22T10:41:11.896Z','2026-11-22T10:41:12.011Z','mongo','the-mongo');
INSERT INTO deployment VALUES('01a202d8-7d69-7000-adad-c454f8f65ef0','01a202d8-7d52-7000-9a6c-c03151cc0141','deploy','done','apply',NULL,'2026-11-22T10:41:12.041Z','2026-11-22T10:41:12.041Z','2026-11-22T10:41:12.131Z','redis','the-redis');
CREATE TABLE IF NOT EXISTS "recoveryCode" (
        "accountId" text not null references "account" ("id") on delete cascade, "hash" text not null,
        primary key ("accountId", "hash"));
CREATE TABLE IF NOT EXISTS "invitation" (
        "id" text primary key, "hash" text not null unique, "email" text not null, "emailKey" text not null unique,
        "rol" text not null, "invitedBy" text not null references "account" ("id") on delete cascade,
        "createdAt" text not null, "expiresAt" text not null);
INSERT INTO invitation VALUES('01a202d8-7dc6-7000-bf90-11fdd0db902b','ea97cef73e9bfe8d1a0b4f8b69445e98d2f5cac65351efcbe635a0496d8e5c78','eve@example.org','eve@example.org','user','01a202d8-790d-7000-9a81-2f508cd720fc','2026-11-22T10:41:12.134Z','2026-11-29T10:41:12.134Z');
CREATE TABLE IF NOT EXISTS "audit" (
        "seq" integer primary key, "at" text not null, "kind" text not null, "accountId" text, "email" text,
        "tokenId" text, "address" text not null, "operation" text not null, "record" text, "result" text not null,
        "previousHash" text not null, "hash" text not null);
INSERT INTO audit VALUES(1,'2026-11-22T10:41:10.929Z','installation',NULL,NULL,'installation','127.0.0.1','auth.createAdmin','01a202d8-790d-7000-9a81-2f508cd720fc','OK','','222c9cf22cb8f497661a04b8ccafecbebc5f7a5254b182cc5edc52555a6a79b8');
INSERT INTO audit VALUES(2,'2026-11-22T10:41:10.974Z','session','01a202d8-790d-7000-9a81-2f508cd720fc','Ada@example.org','01a202d8-790e-7000-a259-debabb643c23','127.0.0.1','project.create','01a202d8-7938-7000-bd07-a9c2cab807ce','OK','222c9cf22cb8f497661a04b8ccafecbebc5f7a5254b182cc5edc52555a6a79b8','111b909ebb65c402c28440394e75964c9037e0ac1e74a7f92bc66e1a674c6ee9');
INSERT INTO audit VALUES(3,'2026-11-22T10:41:11.000Z','session','01a202d8-790d-7000-9a81-2f508cd720fc','Ada@example.org','01a202d8-790e-7000-a259-debabb643c23','127.0.0.1','postgres.create','01a202d8-794e-7000-955d-f973eaf7e6bb','OK','111b909ebb65c402c28440394e75964c9037e0ac1e74a7f92bc66e1a674c6ee9','cf1ee4c2c0ed860673cf8ed8111e932026f95737c024974096f6940ccdb009f0');
INSERT INTO audit VALUES(4,'2026-11-22T10:41:11.015Z','session','01a202d8-790d-7000-9a81-2f508cd720fc','Ada@example.org','01a202d8-790e-7000-a259-debabb643c23','127.0.0.1','postgres.update','01a202d8-794e-7000-955d-f973eaf7e6bb','OK','cf1ee4c2c0ed860673cf8ed8111e932026f95737c024974096f6940ccdb009f0','380b5daa8892eb52b38af841ecee5591dd50036232af01e75ead6cf0a476fe0e');
INSERT INTO audit VALUES(5,'2026-11-22T10:41:11.047Z','session','01a202d8-790d-7000-9a81-2f508cd720fc','Ada@example.org','01a202d8-790e-7000-a259-debabb643c23','127.0.0.1','postgres.saveExternalPort','01a202d8-794e-7000-955d-f973eaf7e6bb','OK','380b5daa8892eb52b38af841ecee5591dd50036232af01e75ead6cf0a476fe0e','66ce2d1f938c5c649526b6624c4800346530aab271658eeea7657ea24a76b413');
INSERT INTO audit VALUES(6,'2026-11-22T10:41:11.096Z','session','01a202d8-790d-7000-9a81-2f508cd720fc','Ada@example.org','01a202d8-790e-7000-a259-debabb643c23','127.0.0.1','postgres.saveEnvironment','01a202d8-794e-7000-955d-f973eaf7e6bb','OK','66ce2d1f938c5c649526b6624c4800346530aab271658eeea7657ea24a76b413','da228594a7653f7651ba065c8013a7773aac81f5e89c20ed1812a44c77dcad6f');
INSERT INTO audit VALUES(7,'2026-11-22T10:41:11.112Z','session','01a202d8-790d-7000-9a81-2f508cd720fc','Ada@example.org','01a202d8-790e-7000-a259-debabb643c23','127.0.0.1','postgres.deploy','01a202d8-794e-7000-955d-f973eaf7e6bb','OK','da228594a7653f7651ba065c8013a7773aac81f5e89c20ed1812a44c77dcad6f','6b171a3be29afd8fe80553d3e50a41c900d9da3550f0eb0a575baaf64627136f');
INSERT INTO audit VALUES(8,'2026-11-22T10:41:11.339Z','session','01a202d8-790d-7000-9a81-2f508cd720fc','Ada@example.org','01a202d8-790e-7000-a259-debabb643c23','127.0.0.1','postgres.create','01a202d8-7aaa-7000-b7e3-964c80c654e6','OK','6b171a3be29afd8fe80553d3e50a41c900d9da3550f0eb0a575baaf64627136f','18d64193b174f079ebfaaa3aabd287b029f44475316216ea069e3847889846ec');
INSERT INTO audit VALUES(9,'2026-11-22T10:41:11.345Z','session','01a202d8-790d-7000-9a81-2f508cd720fc','Ada@example.org','01a202d8-790e-7000-a259-debabb643c23','127.0.0.1','postgres.create','01a202d8-7ab0-7000-9e91-7506f4273c5c','OK','18d64193b174f079ebfaaa3aabd287b029f44475316216ea069e3847889846ec','fc7516a0f3baf0220b46320d6a97eb2715f4a915275c517e555682a96e0cc7f2');
INSERT INTO audit VALUES(10,'2026-11-22T10:41:11.352Z','session','01a202d8-790d-7000-9a81-2f508cd720fc','Ada@example.org','01a202d8-790e-7000-a259-debabb643c23','127.0.0.1','postgres.deploy','01a202d8-7ab0-7000-9e91-7506f4273c5c','OK','fc7516a0f3baf0220b46320d6a97eb2715f4a915275c517e555682a96e0cc7f2','571e6a24e2d96d129f1b036ae9d371065e96965c95526f6a70de3fde9fab1f42');
INSERT INTO audit VALUES(11,'2026-11-22T10:41:11.459Z','session','01a202d8-790d-7000-9a81-2f508cd720fc','Ada@example.org','01a202d8-790e-7000-a259-debabb643c23','127.0.0.1','postgres.remove','01a202d8-7ab0-7000-9e91-7506f4273c5c','OK','571e6a24e2d96d129f1b036ae9d371065e96965c95526f6a70de3fde9fab1f42','1497088cc91382146d155aa8d47764d709e74007d640618fda33844ffc984d36');
INSERT INTO audit VALUES(12,'2026-11-22T10:41:11.550Z','session','01a202d8-790d-7000-9a81-2f508cd720fc','Ada@example.org','01a202d8-790e-7000-a259-debabb643c23','127.0.0.1','mysql.create','01a202d8-7b7b-7000-9a2c-e3e5c4f38204','OK','1497088cc91382146d155aa8d47764d709e74007d640618fda33844ffc984d36','92148d68df8b8a810ba5623717827291cd3dd7ff4f3270d01d101bf45b6e7c2f');
INSERT INTO audit VALUES(13,'2026-11-22T10:41:11.569Z','session','01a202d8-790d-7000-9a81-2f508cd720fc','Ada@example.org','01a202d8-790e-7000-a259-debabb643c23','127.0.0.1','mysql.deploy','01a202d8-7b7b-7000-9a2c-e3e5c4f38204','OK','92148d68df8b8a810ba5623717827291cd3dd7ff4f3270d01d101bf45b6e7c2f','692901f3ba9e2f275d0a5cc5b31a42f1b4fc784633dde250805bb086f1947e2a');
INSERT INTO audit VALUES(14,'2026-11-22T10:41:11.806Z','session','01a202d8-790d-7000-9a81-2f508cd720fc','Ada@example.org','01a202d8-790e-7000-a259-debabb643c23','127.0.0.1','mariadb.create','01a202d8-7c79-7000-9b54-eac285d0df02','OK','692901f3ba9e2f275d0a5cc5b31a42f1b4fc784633dde250805bb086f1947e2a','c2ba61569561ccfcf8feea6bb0edae3ecd8ef2bf41168b754ec694d0adfe0788');
INSERT INTO audit VALUES(15,'2026-11-22T10:41:11.813Z','session','01a202d8-790d-7000-9a81-2f508cd720fc','Ada@example.org','01a202d8-790e-7000-a259-debabb643c23','127.0.0.1','mariadb.deploy','01a202d8-7c79-7000-9b54-eac285d0df02','OK','c2ba61569561ccfcf8feea6bb0edae3ecd8ef2bf41168b754ec694d0adfe0788','8c1a7d9596d38d7c404ad7518dcdbde3b3822e016ffbd5f1b6c4f4f009fa0a06');
INSERT INTO audit VALUES(16,'2026-11-22T10:41:11.885Z','session','01a202d8-790d-7000-9a81-2f508cd720fc','Ada@example.org','01a202d8-790e-7000-a259-debabb643c23','127.0.0.1','mongo.create','01a202d8-7cc4-7000-8ec9-dfbc09847988','OK','8c1a7d9596d38d7c404ad7518dcdbde3b3822e016ffbd5f1b6c4f4f009fa0a06','35dfe1ac91276983146caefd91236044070a7c6959dd996e147cc99b75bf71f2');
INSERT INTO audit VALUES(17,'2026-11-22T10:41:11.897Z','session','01a202d8-790d-7000-9a81-2f508cd720fc','Ada@example.org','01a202d8-790e-7000-a259-debabb643c23','127.0.0.1','mongo.deploy','01a202d8-7cc4-7000-8ec9-dfbc09847988','OK','35dfe1ac91276983146caefd91236044070a7c6959dd996e147cc99b75bf71f2','5bbd9571c735aa54ae9a9403647974474143180cddefb06bb966fc486ad3fa0c');
INSERT INTO audit VALUES(18,'2026-11-22T10:41:12.030Z','session','01a202d8-790d-7000-9a81-2f508cd720fc','Ada@example.org','01a202d8-790e-7000-a259-debabb643c23','127.0.0.1','redis.create','01a202d8-7d52-7000-9a6c-c03151cc0141','OK','5bbd9571c735aa54ae9a9403647974474143180cddefb06bb966fc486ad3fa0c','c2807258c9d938f7113b30b2133c642a008ee4df3bf72aedd376fa12c22f7003');
INSERT INTO audit VALUES(19,'2026-11-22T10:41:12.042Z','session','01a202d8-790d-7000-9a81-2f508cd720fc','Ada@example.org','01a202d8-790e-7000-a259-debabb643c23','127.0.0.1','redis.deploy','01a202d8-7d52-7000-9a6c-c03151cc0141','OK','c2807258c9d938f7113b30b2133c642a008ee4df3bf72aedd376fa12c22f7003','66c15682838ecd951ab81b80343aea9e9fc7424308e768176b751d3dafee2529');
INSERT INTO audit VALUES(20,'2026-11-22T10:41:12.135Z','session','01a202d8-790d-7000-9a81-2f508cd720fc','Ada@example.org','01a202d8-790e-7000-a259-debabb643c23','127.0.0.1','user.invite','01a202d8-7dc6-7000-bf90-11fdd0db902b','OK','66c15682838ecd951ab81b80343aea9e9fc7424308e768176b751d3dafee2529','516711dc1051826353a1a0babc50c04d1302a6fa2076985d3eab7c33bbde7d2f');
INSERT INTO audit VALUES(21,'2026-11-22T10:41:12.148Z','session','01a202d8-790d-7000-9a81-2f508cd720fc','Ada@example.org','01a202d8-790e-7000-a259-debabb643c23','127.0.0.1','destination.create','01a202d8-7dd2-7000-a82d-f2fdd52aec29','OK','516711dc1051826353a1a0babc50c04d1302a6fa2076985d3eab7c33bbde7d2f','901bc0d95f763ea41a3210c9c736ed59605bdd8269711a9d00b8306bdcd8d46f');
INSERT INTO audit VALUES(22,'2026-11-22T10:41:12.214Z','session','01a202d8-790d-7000-9a81-2f508cd720fc','Ada@example.org','01a202d8-790e-7000-a259-debabb643c23','127.0.0.1','backup.create','01a202d8-7e13-7000-821d-1898adadb7ac','OK','901bc0d95f763ea41a3210c9c736ed59605bdd8269711a9d00b8306bdcd8d46f','77d5fbee02205b5e12cddc3111dc2e21b96e62ea7aa2b6bd9db71cacfacaf3a2');
INSERT INTO audit VALUES(23,'2026-11-22T10:41:12.259Z','session','01a202d8-790d-7000-9a81-2f508cd720fc','Ada@example.org','01a202d8-790e-7000-a259-debabb643c23','127.0.0.1','redirects.create','01a202d8-7e2b-7000-b40e-716842268db3','OK','77d5fbee02205b5e12cddc3111dc2e21b96e62ea7aa2b6bd9db71cacfacaf3a2','278ce260a9c3042bc14c80a26a6907447c2f4c146fde995fad02bfa63bc87a87');
INSERT INTO audit VALUES(24,'2026-11-22T10:41:12.425Z','session','01a202d8-790d-7000-9a81-2f508cd720fc','Ada@example.org','01a202d8-790e-7000-a259-debabb643c23','127.0.0.1','security.create','01a202d8-7e62-7000-8d27-3ae1dae6ccfd','OK','278ce260a9c3042bc14c80a26a6907447c2f4c146fde995fad02bfa63bc87a87','3a645d4a31ad803264736541097d9979216b06d61330f5eb2170a0b5c91932ae');
INSERT INTO audit VALUES(25,'2026-11-22T10:41:12.445Z','session','01a202d8-790d-7000-9a81-2f508cd720fc','Ada@example.org','01a202d8-790e-7000-a259-debabb643c23','127.0.0.1','auth.generateToken',NULL,'OK','3a645d4a31ad803264736541097d9979216b06d61330f5eb2170a0b5c91932ae','990bbd7f35b48cbc0b8a65f4a5dbe9e5b16a6301ce891ea0d69f3acbe56e781a');
CREATE TABLE IF NOT EXISTS "destination" (
      "id" text primary key, "name" text not null, "bucket" text not null, "region" text not null,
      "endpoint" text not null, "accessKey" text not null, "secrets" text not null, "createdAt" text not null);
INSERT INTO destination VALUES('01a202d8-7dd2-7000-a82d-f2fdd52aec29','storage','backups','','http://127.0.0.1:9','key','v1.c60ee442.HsyumGsV4x876YbDi_IwxT8yDt44QHOOU9mr83Wc3McIEmX2iRyl3thu47uU33kQw5HjRPnWUbGqRAIt-QWBJEJdaAFItw','2026-11-22T10:41:12.147Z');
CREATE TABLE IF NOT EXISTS "backup" (
        "id" text primary key, "kind" text not null, "databaseId" text not null, "destinationId" text not null,
        "schedule" text not null, "timezone" text not null, "enabled" integer not null, "prefix" text not null,
        "database" text not null, "verifySchedule" text, "keepLatest" integer, "keepDays" integer, "recipient" text,
        "signalUrl" text, "createdAt" text not null, "nextAt" text, "nextVerifyAt" text);
INSERT INTO backup VALUES('01a202d8-7e13-7000-821d-1898adadb7ac','postgres','01a202d8-794e-7000-955d-f973eaf7e6bb','01a202d8-7dd2-7000-a82d-f2fdd52aec29','0 3 1 1 *','UTC',1,'nightly','shop',NULL,3,NULL,NULL,NULL,'2026-11-22T10:41:12.211Z','2027-01-01T03:00:00.000Z',NULL);
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
INSERT INTO application VALUES('service3','berth-gateway-01a202d8-794e-7000-955d-f973eaf7e6bb',1,NULL,'[]',80,NULL,1,'[{"port":15432,"protocol":"tcp"}]','[]',1,1,'[]','2026-01-01T00:00:00.004Z');
CREATE TABLE IF NOT EXISTS "redirect" (
        "id" text primary key, "applicationId" text not null, "regex" text not null, "replacement" text not null,
        "permanent" integer not null, "createdAt" text not null);
INSERT INTO redirect VALUES('01a202d8-7e2b-7000-b40e-716842268db3','web','/old/(.*)','/new/$1',1,'2026-11-22T10:41:12.235Z');
CREATE TABLE IF NOT EXISTS "security" (
        "id" text primary key, "applicationId" text not null, "username" text not null, "passwordHash" text not null,
        "createdAt" text not null, unique ("applicationId", "username"));
INSERT INTO security VALUES('01a202d8-7e62-7000-8d27-3ae1dae6ccfd','web','ann','v1.c60ee442.YpnzGUATXi4KnbQgbkGrhohlSh9cfXYSeRO7pDrts7jDCSl23oxY-_JOrWsqkjABsgV6O7jKIjvGk0JYI8p9Bmy84GTJ7aZyewxKmt52iuISGLEoEmIhVA','2026-11-22T10:41:12.423Z');
CREATE TABLE IF NOT EXISTS "port" (
        "id" text primary key, "applicationId" text not null, "publishedPort" integer not null,
        "targetPort" integer not null, "protocol" text not null, "goal" text not null, "applied" integer not null,
        "reason" text, "deploymentId" text, "createdAt" text not null, unique ("publishedPort", "protocol"));
CREATE TABLE IF NOT EXISTS "certificate" (
        "id" text primary key, "name" text not null, "path" text, "autoRenew" integer not null,
        "described" text not null, "pairs" text not null, "createdAt" text not null, "renewedAt" text);
CREATE TABLE IF NOT EXISTS "issuance" (
        "name" text primary key, "error" text, "nextTryAt" text, "notAfter" text);
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
