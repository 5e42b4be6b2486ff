/**
 * The programs of the PostgreSQL kind in real containers, and real clients from outside. The tests use plain containers
 * on Docker's bridge network, without the swarm and without Berth's loops. They run with one major version, or with
 * several if BERTH_TEST_ALL is set.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { loginOutput } from '../../src/kinds/login-output.ts'
import { postgres } from '../../src/kinds/postgres/postgres.ts'
import { containersOf, done, inside, logOf, type Server, shell } from './container.ts'
import { representative, shouldTestAll } from './representative.ts'
import { docker, refusalOf, sql } from './swarm.ts'

type Credentials = { databaseName: string; databaseUser: string; databasePassword: string }

const first: Credentials = {
  databaseName: 'da ta"b\'a`s$e\\ %20/@:ü',
  databaseUser: 'sp ace@ü:/#?%;-`',
  databasePassword: 'p\'a"s$s\\w`ord; --',
}
const { label, start, startServer, check, checkWithoutPauses, ready, rotate, urlOf, removeAll } =
  containersOf<Credentials>(postgres, 'postgres')
const logging = ['--', '-c', 'log_statement=all']

/**
 * Asserts that pg and psql can log in with the new credentials, and that pg cannot log in with the old ones. Only with
 * BERTH_TEST_ALL, the old ones are also checked with psql.
 * @param code the SQLSTATE that the old credentials get
 */
async function assertChanged(server: Server, from: Credentials, to: Credentials, code: string) {
  const session = await sql(urlOf(server, to), 'select current_user as u, current_database() as d')
  assert.deepEqual(session, [{ u: to.databaseUser, d: to.databaseName }])
  assert.equal((await ready(server, to)).exitCode, 0)
  assert.equal(await refusalOf(urlOf(server, from)), code)
  if (shouldTestAll) assert.notEqual((await ready(server, from)).exitCode, 0)
}

/** Passwords with special characters. The second list splits passwords of the first list. */
const passwords = representative([
  [` lead, trail "'\\\`$(id)\${HOME};-- `, 'ﬁª\u00a0e\u0301\u00ad', ':x☃😀\\', '€'.repeat(255)],
  [' lead, trail ', `"'\\\`$(id)\${HOME};--`, '☃😀', ':x', '\\'],
]).flat()

/** Settings of a role that affect its statements. */
const roleSettings = [
  'search_path = evil, pg_catalog',
  'default_transaction_read_only = on',
  'role = weak',
  'password_encryption = md5',
  'client_encoding = latin1',
]

after(removeAll)

test('the health check waits for a server on TCP, remembers its first answer, and then notices its end', async () => {
  const id = await start('15', '--entrypoint', 'sleep', '--', 'infinity')
  const asPostgres = (line: string) => shell(id, `exec setpriv --reuid=postgres --regid=postgres --init-groups ${line}`)
  const control = (line: string) => asPostgres(`pg_ctl -D /tmp/data -s -w -l /tmp/log ${line}`)
  assert.equal(await check(id), 1)
  assert.equal((await asPostgres('initdb -D /tmp/data')).exitCode, 0)
  assert.equal((await control('start -o "-k /tmp -c listen_addresses="')).exitCode, 0)
  assert.equal((await shell(id, 'pg_isready -q -h /tmp')).exitCode, 0)
  assert.equal(await check(id), 1, 'a server that is still being set up answers on its socket only')
  assert.equal((await control('restart -o "-k /tmp -c listen_addresses=*"')).exitCode, 0)
  assert.equal(await check(id), 0)
  assert.equal((await control('stop')).exitCode, 0)
  const later = { exitCode: 1, pauses: '10' }
  assert.deepEqual(await checkWithoutPauses(id), later, 'after its first answer the server is asked every 10 seconds')
  // This standby recovers for ever, and rejects connections.
  assert.equal(
    (await shell(id, 'touch /tmp/data/standby.signal && chown postgres: /tmp/data/standby.signal')).exitCode,
    0,
  )
  assert.equal((await control('start -o "-k /tmp -c listen_addresses=* -c hot_standby=off"')).exitCode, 0)
  assert.equal((await shell(id, 'pg_isready -q -h 127.0.0.1')).exitCode, 1)
  assert.equal((await checkWithoutPauses(id)).exitCode, 0, 'a server that recovers its data must not be killed')
  const stopping = 'mkdir -p "$PGDATA" && sed 8s/.*/stopping/ /tmp/data/postmaster.pid >"$PGDATA/postmaster.pid"'
  assert.equal((await shell(id, stopping)).exitCode, 0)
  assert.deepEqual(
    await checkWithoutPauses(id),
    later,
    'a server that rejects connections because it stops is not healthy',
  )
})

for (const version of representative(['18', '17', '15'])) {
  describe(`PostgreSQL ${version}`, () => {
    let server: Server
    before(async () => {
      server = await startServer(version, first, ...logging)
    })

    test('ready prints the major version, and logs in over an address that requires the password', async () => {
      const printed = loginOutput((await ready(server, first)).stdout)
      assert.equal(printed.version, version)
      const data = '/var/lib/postgresql/data'
      for (const path of [data, `${data}/pg_wal`, `${data}/base/[0-9]*`]) assert.ok(printed.paths.includes(path), path)
      for (const wrong of [{ databasePassword: 'wrong' }, { databaseUser: 'nobody' }, { databaseName: 'none' }]) {
        assert.equal((await ready(server, { ...first, ...wrong })).exitCode, 2, JSON.stringify(wrong))
      }
    })

    test('ready ignores the password file and the service file of its user', async () => {
      const password = first.databasePassword.replaceAll('\\', '\\\\')
      await shell(server.id, 'umask 077; cat > ~/.pgpass', `*:*:*:*:${password}\n`)
      await shell(server.id, 'cat > ~/.pg_service.conf', '[open]\nhost=127.0.0.1\nhostaddr=127.0.0.1\n')
      const { PGPASSWORD, PGPASSFILE, ...env } = postgres.ready(first, server.address).env
      const withPasswordFile = await inside(server.id, { ...postgres.ready(first, server.address), env })
      assert.equal(withPasswordFile.exitCode, 0, 'the password file is valid')
      const wrong = { ...first, databasePassword: 'wrong' }
      const image = { PGSERVICE: 'open', PGHOSTADDR: '127.0.0.1' }
      assert.equal((await ready(server, wrong, image)).exitCode, 2)
      assert.equal((await ready(server, first, image)).exitCode, 0)
    })

    test('pg and libpq can log in with the URL', async () => {
      assert.deepEqual(await sql(urlOf(server, first), 'select current_user as u'), [{ u: first.databaseUser }])
      const unusual = { ...first, databaseName: '?a#b&c=d' }
      await sql(urlOf(server, first), `create database "${unusual.databaseName}"`)
      for (const settings of [first, unusual]) {
        const argv = ['psql', '-XAtqc', 'select current_database()', urlOf(server, settings)]
        assert.deepEqual(await inside(server.id, { argv, env: {} }), { ...done, stdout: `${settings.databaseName}\n` })
      }
    })

    test('a changed password works with every kind of character', async () => {
      let current = first
      for (const databasePassword of passwords) {
        const next = postgres.settings.parse({ ...current, databasePassword }) as unknown as Credentials
        assert.deepEqual(await rotate(server, current, next), done)
        await assertChanged(server, current, next, '28P01')
        current = next
      }
      assert.deepEqual(await rotate(server, current, first), done)
    })

    test('a changed user gets the rights of the old user and back, and a missing database is created', async () => {
      await sql(urlOf(server, first), 'create table entry as select 42 as value')
      const second = { databaseName: 'new/"d\'b', databaseUser: 'o"wner\'s $x \\', databasePassword: 'hush-hush' }
      assert.deepEqual(await rotate(server, first, second), done)
      await assertChanged(server, first, second, '28000')
      const rights = `select distinct rolsuper, rolinherit, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls,
        rolconnlimit from pg_roles where rolname in ($1, $2)`
      const names = [first.databaseUser, second.databaseUser]
      assert.equal((await sql(urlOf(server, second), rights, names)).length, 1)
      const owner = 'select pg_get_userbyid(datdba) as owner from pg_database where datname = current_database()'
      assert.deepEqual(await sql(urlOf(server, second), owner), [{ owner: second.databaseUser }])
      const inFirstDatabase = { ...second, databaseName: first.databaseName }
      assert.deepEqual(await sql(urlOf(server, inFirstDatabase), 'alter table entry add more int'), [])
      assert.deepEqual(await rotate(server, second, second), done, 'a repeated rotation')
      assert.deepEqual(await rotate(server, second, first), done)
      await assertChanged(server, second, first, '28000')
      assert.deepEqual(await sql(urlOf(server, first), 'select value from entry'), [{ value: 42 }])
      const members = `select pg_get_userbyid(member) as of
        from pg_auth_members where pg_get_userbyid(roleid) = any($1)`
      assert.deepEqual(await sql(urlOf(server, first), members, [names]), [{ of: first.databaseUser }])
    })

    test('a rotation completes an interrupted one, and uses an existing role and database', async () => {
      const third = { databaseName: 'half', databaseUser: 'half', databasePassword: 'x' }
      await sql(urlOf(server, first), 'create database half')
      await sql(urlOf(server, first), `create role half nologin valid until '2000-01-01' connection limit 0`)
      await sql(urlOf(server, first), 'create role lead')
      await sql(urlOf(server, first), 'grant half to lead with admin option')
      await sql(urlOf(server, first), `grant lead to "${first.databaseUser}"`)
      assert.deepEqual(await rotate(server, first, third), done)
      await assertChanged(server, first, third, '28000')
      assert.deepEqual(await rotate(server, third, first), done)
    })

    test('a failed rotation changes nothing and prints no secret', async () => {
      const wanted = { databaseName: 'late', databaseUser: 'pg_evil', databasePassword: 'hush-hush' }
      const { exitCode, stdout, stderr } = await rotate(server, first, wanted)
      assert.deepEqual([exitCode, stdout], [3, ''])
      assert.match(stderr, /role name "pg_evil" is reserved/)
      assert.ok(!stderr.includes('hush'))
      assert.equal((await ready(server, first)).exitCode, 0)
    })

    test('settings of the role do not affect the rotation', async () => {
      const url = urlOf(server, first)
      await sql(url, 'create role weak')
      await sql(url, 'create schema evil')
      await sql(url, "create function evil.format(text, name) returns text language sql as 'select ''drop role weak'''")
      // All settings together, and only with BERTH_TEST_ALL each of them alone.
      for (const settings of representative([roleSettings, ...roleSettings.map((it) => [it])])) {
        const set = settings.map((it) => `alter role "${first.databaseUser}" set ${it}`).join(';')
        await sql(url, set)
        const next = { ...first, databasePassword: 'hush-hush ü' }
        assert.deepEqual(await rotate(server, first, next), done, set)
        assert.deepEqual(await rotate(server, next, first), done, set)
        assert.equal(loginOutput((await ready(server, first)).stdout).version, version, set)
        await rotate(server, first, { ...first, databaseUser: 'helper' })
        await sql(urlOf(server, { ...first, databaseUser: 'helper' }), `alter role "${first.databaseUser}" reset all`)
        await rotate(server, { ...first, databaseUser: 'helper' }, first)
      }
      assert.equal((await sql(url, `select from pg_roles where rolname = 'weak'`)).length, 1)
    })

    test('Dokploy#3157: the next container uses the data, with or without a version in the image tag', async () => {
      const paths = new Set(representative([postgres.dataPath(version), postgres.dataPath(null)]))
      await Promise.all(
        [...paths].map(async (path) => {
          const [volume] = await docker('volume', 'create', '--label', label)
          const before = await startServer(version, first, '--volume', `${volume}:${path}`, ...logging)
          await sql(urlOf(before, first), 'create table entry as select 42 as value')
          await docker('stop', before.id)
          await docker('rm', '--volumes', before.id)
          const after = await startServer(version, first, '--volume', `${volume}:${path}`, ...logging)
          assert.deepEqual(await sql(urlOf(after, first), 'select value from entry'), [{ value: 42 }], path)
        }),
      )
    })

    test('the password of a user without superuser rights can be changed', async () => {
      const app = { ...first, databaseUser: 'app', databasePassword: 'one' }
      const next = { ...app, databasePassword: 'two' }
      await sql(urlOf(server, first), `create role app login password 'one'`)
      assert.deepEqual(await rotate(server, app, next), done)
      await assertChanged(server, app, next, '28P01')
    })

    test('a server that logs every statement logs no password', async () => {
      const log = await logOf(server.id)
      assert.match(log, /statement: create table entry/)
      assert.ok(!log.includes('hush-hush'))
      assert.ok(!log.includes('lead, trail'))
    })
  })
}
