/** The server version that an image declares or that its server prints. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { versionInEnv, versionInOutput } from './images.ts'
import { kindNamed } from './index.ts'

test('reads the version that an image declares, without the parts that do not affect data files', () => {
  const table: [kind: string, env: string[], version: string | null][] = [
    ['postgres', ['PATH=/bin', 'PG_MAJOR=15', 'PG_VERSION=15.20-0+deb12u1'], '15'],
    ['postgres', ['PG_VERSION=18rc1-1.pgdg12'], '18'],
    ['postgres', ['PG_MAJOR=9.6'], '9'],
    ['mysql', ['MYSQL_MAJOR=8.4', 'MYSQL_VERSION=8.4.13-1.el9'], '8.4'],
    ['mysql', ['MYSQL_MAJOR=innovation', 'MYSQL_VERSION=9.7.4-1.el9'], '9.7'],
    ['mysql', ['MYSQL_MAJOR=innovation'], null],
    ['mysql', ['MARIADB_VERSION=1:11.8.9'], null],
    ['mariadb', ['MARIADB_VERSION=1:11.8.9+ds-0+deb13u1'], '11.8'],
    ['mariadb', ['MARIADB_VERSION=1:10.11.6+maria~ubu2204'], '10.11'],
    ['mongo', ['MONGO_MAJOR=7.0', 'MONGO_VERSION=7.0.12'], '7.0'],
    ['mongo', ['MONGO_VERSION=3.6.9+really3.6.8+90~g8e540c0b6d'], '3.6'],
    ['redis', ['REDIS_VERSION=8.0.2-3+deb13u3'], '8.0'],
    ['redis', ['VALKEY_VERSION=9.1.2'], '9.1'],
    ['redis', [], null],
    ['redis', ['REDIS_VERSION='], null],
    ['redis', ['NOT_REDIS_VERSION=7.2'], null],
  ]
  for (const [name, env, version] of table) assert.equal(versionInEnv(env, kindNamed(name)), version, env.join(' '))
})

test('reads the version that a server prints', () => {
  const table: [kind: string, printed: string, version: string | null][] = [
    ['postgres', 'postgres (PostgreSQL) 15.20 (Debian 15.20-0+deb12u1)\n', '15'],
    ['postgres', 'postgres (PostgreSQL) 19devel\n', '19'],
    ['mysql', '/usr/sbin/mysqld  Ver 9.7.4-2 for Linux on x86_64 ((Debian))\n', '9.7'],
    ['mysql', '/usr/sbin/mysqld  Ver 8.0.46-0ubuntu0.22.04.5 for Linux on x86_64 ((Ubuntu))\n', '8.0'],
    ['mariadb', '/usr/sbin/mariadbd  Ver 10.11.19-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64\n', '10.11'],
    ['mongo', 'db version v3.6.8\ngit version: 8e540c0b6db93ce994cc548f000900bdc740f80a\n', '3.6'],
    ['redis', 'Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64\n', '7.0'],
    ['redis', 'Valkey server v=9.1.2 sha=00000000:0 malloc=jemalloc-5.3.1 bits=64\n', '9.1'],
    ['mysql', 'a server of another kind\n', null],
    ['redis', '', null],
  ]
  for (const [name, printed, version] of table) {
    assert.equal(versionInOutput(printed, kindNamed(name)), version, printed)
  }
})
