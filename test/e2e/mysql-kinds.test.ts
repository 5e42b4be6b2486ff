/** The programs of MySQL and MariaDB inside real containers of the supported series, and a driver from outside. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { loginOutput } from '../../src/kinds/login-output.ts'
import { done, inside, logOf, type Server, shell } from './container.ts'
import {
  asRoot,
  query,
  errorCodeOf,
  files,
  logging,
  masks,
  quoted,
  passwords,
  products,
  versions,
  type Settings,
} from './mysql-products.ts'
import { representative, shouldTestAll } from './representative.ts'

for (const [product, version] of versions) {
  const { kind, first, plugin, policies, startServer, check, ready, rotate, urlOf, removeAll } = products[product]

  describe(`${kind.label} ${version}`, () => {
    let server: Server
    const parse = (settings: Settings) => kind.settings.parse(settings) as Settings
    const root = (settings: Settings, text: string, values: unknown[] = []) =>
      query(urlOf(server, asRoot(settings)), text, values)

    /**
     * Asserts that the new credentials log in and that the changed old ones do not. Only with BERTH_TEST_ALL, the old
     * ones are also checked with the kind's own program.
     */
    async function assertRotated(from: Settings, to: Settings) {
      const [session] = await query(urlOf(server, to), 'select current_user() as user, database() as name')
      assert.deepEqual({ ...session }, { user: `${to.databaseUser}@%`, name: to.databaseName })
      assert.equal(loginOutput((await ready(server, to)).stdout).version, version)
      const isUserChanged = from.databaseUser !== to.databaseUser || from.databasePassword !== to.databasePassword
      const isRootChanged = from.databaseRootPassword !== to.databaseRootPassword
      assert.equal(await errorCodeOf(urlOf(server, from)), isUserChanged ? 'ER_ACCESS_DENIED_ERROR' : '')
      assert.equal(await errorCodeOf(urlOf(server, asRoot(from))), isRootChanged ? 'ER_ACCESS_DENIED_ERROR' : '')
      if (!shouldTestAll) return
      const { exitCode, stdout } = await ready(server, { ...from, databaseName: to.databaseName })
      assert.equal(exitCode, isUserChanged ? 1 : 0)
      if (!isUserChanged) assert.equal(loginOutput(stdout).isRootRefused, isRootChanged)
    }

    before(async () => {
      server = await startServer(version, parse(first), ...logging)
    })
    after(removeAll)

    test('ready prints the series and where the data is, and checks each setting', async () => {
      const { stdout: output, stderr: warnings } = await ready(server, first)
      const printed = loginOutput(output)
      assert.deepEqual([printed.version, warnings], [version, ''])
      const data = kind.dataPath(null)
      assert.ok(printed.paths.includes(data) && printed.paths.includes(`${data}/*/*`), output)
      assert.ok(
        printed.paths.every((path) => path.startsWith(data)),
        output,
      )
      const refused = await ready(server, { ...first, databaseRootPassword: 'wrong' })
      assert.deepEqual([refused.exitCode, loginOutput(refused.stdout)], [0, { ...printed, isRootRefused: true }])
      assert.match(refused.stderr, /^ERROR 1045 /)
      for (const field of ['databasePassword', 'databaseUser', 'databaseName']) {
        const { exitCode, stdout, stderr } = await ready(server, { ...first, [field]: 'wrong' })
        assert.deepEqual([exitCode, stdout], [1, ''], field)
        assert.match(stderr, /^ERROR \d+ .*(Access denied|Unknown database)/, field)
      }
    })

    test('ready ignores client settings in environment variables of the image and in the home folder', async () => {
      const image = { MYSQL_HOST: 'elsewhere', MYSQL_TCP_PORT: '1', MYSQL_UNIX_PORT: '/none', MYSQL_HOME: '/tmp' }
      await shell(server.id, 'tee ~/.my.cnf > /tmp/my.cnf', '[client]\nhost=elsewhere\nuser=none\npassword=none\n')
      assert.equal((await ready(server, first, image)).exitCode, 0)
      const escaped = first.databasePassword.replaceAll('\\', '\\\\')
      await shell(server.id, 'cat > ~/.my.cnf', `[client]\npassword="${escaped}"\n`)
      assert.equal((await ready(server, { ...first, databasePassword: 'wrong' }, image)).exitCode, 1)
      await shell(server.id, 'rm ~/.my.cnf /tmp/my.cnf')
    })

    test('a rotation of any combination of settings takes effect, and the old credentials are refused', async () => {
      let current = first
      for (const mask of masks) {
        const next = { ...current }
        for (const [bit, field] of Object.keys(first).entries()) {
          if (mask & (1 << bit)) next[field] = /Password$/.test(field) ? `${field} ${mask} $;☃` : `name-${mask}`
        }
        assert.deepEqual(await rotate(server, current, parse(next)), done, JSON.stringify(next))
        await assertRotated(current, next)
        current = next
      }
      assert.deepEqual(await rotate(server, current, first), done)
      await assertRotated(current, first)
    })

    test('a rotation accepts passwords with special characters', async () => {
      let current = first
      for (const text of passwords) {
        const rootPassword = `x${text.replaceAll('"', '')}`
        const next = parse({ ...current, databasePassword: text, databaseRootPassword: rootPassword })
        assert.deepEqual(await rotate(server, current, next), done)
        await assertRotated(current, next)
        current = next
      }
      assert.deepEqual(await rotate(server, current, first), done)
    })

    test('a rotation to another user and back keeps all rights and the objects of the old user', async () => {
      // Only ASCII names, because MariaDB stores routine grants of other names in the wrong encoding.
      const owner = parse({ ...first, databaseUser: 'ow"ner', databaseName: 'sh"op' })
      const second = parse({ ...owner, databaseUser: 'o"w`ner $x;', databaseName: 'ne"w' })
      const secondInOldDatabase = { ...second, databaseName: owner.databaseName }
      assert.deepEqual(await rotate(server, first, owner), done)
      await grantRights(owner)
      assert.deepEqual(await rotate(server, owner, second), done)
      await assertRotated(owner, second)
      const ofSecond = (await rightsOf(second)).filter((line) => !line.includes('`ne"w`'))
      assert.deepEqual(ofSecond, await rightsOf(owner, second))
      const [row] = await query(urlOf(server, secondInOldDatabase), 'select it, plus_one(it) as more from seen')
      assert.deepEqual({ ...row }, { it: 42, more: 43 })
      assert.deepEqual(await rotate(server, second, second), done, 'a repeated rotation')
      assert.deepEqual(await rotate(server, owner, second), done, 'a repeated rotation with the old credentials')
      await assertRotated(owner, second)
      assert.deepEqual(await rotate(server, second, owner), done)
      await assertRotated(second, owner)
      assert.equal((await query(urlOf(server, owner), 'select it from note')).length, 1)
      // While a role is active, MySQL 8.0 ignores grants on a database with _ in its name.
      await root(owner, 'drop role reader')
      assert.deepEqual(await rotate(server, owner, first), done)
      await assertRotated(owner, first)
    })

    /** Grants every kind of right and creates objects that run with the rights of their definer. */
    async function grantRights(owner: Settings) {
      await query(
        urlOf(server, owner),
        `create table note (it int, other int); insert into note values (42, 0);
        create table \`no\\te"\` (it int); create sql security definer view seen as select it from note;
        create function plus_one (it int) returns int deterministic sql security definer return it + 1`,
      )
      const account = `${quoted(owner.databaseUser)}@'%'`
      const statements = [
        'create database elsewhere',
        'create table elsewhere.t (a int, b int)',
        'create table elsewhere.gone (a int)',
        `grant insert, select (a) on elsewhere.gone to ${account}`,
        'drop table elsewhere.gone',
        'create database lost',
        'create procedure lost.lost () select 1',
        `grant execute on procedure lost.lost to ${account}`,
        'drop database lost',
        'create role reader',
        `grant reader to ${account} with admin option`,
        `grant process on *.* to ${account}`,
        `grant select on \`else%\`.* to ${account} with grant option`,
        `grant insert, update on elsewhere.t to ${account}`,
        `grant references (a), select (b) on elsewhere.t to ${account} with grant option`,
        `grant execute on function ${quoted(owner.databaseName)}.plus_one to ${account}`,
        product === 'mysql' ? `alter user ${account} default role reader` : `set default role reader for ${account}`,
        `alter user ${account} with max_queries_per_hour 100000 max_user_connections 50`,
      ]
      for (const statement of statements) await root(owner, statement)
    }

    /** Matches grants on objects that do not exist any more. A rotation does not copy them. */
    const orphanedGrant = /`(gone|lost)`/

    /** Returns the grants and limits of a user, with the name of `other` in place of the user's. */
    async function rightsOf({ databaseUser: user }: Settings, other = { databaseUser: user }) {
      const lines = (await root(first, "show grants for ?@'%'", [user])).flatMap((row) => Object.values(row))
      const texts = lines
        .map((line) => String(line).replace(/ IDENTIFIED .*'/, ''))
        .filter((grant) => !orphanedGrant.test(grant))
      const limits = 'select max_questions, max_user_connections, plugin from mysql.user where user = ?'
      return [
        ...texts.map((text) => text.replace(quoted(user), quoted(other.databaseUser))),
        JSON.stringify(await root(first, limits, [user])),
      ].sort()
    }

    test('a rotation completes an interrupted one', async () => {
      const third = parse({
        databaseName: 'half',
        databaseUser: 'half',
        databasePassword: 'x',
        databaseRootPassword: 'y',
      })
      const account = `${quoted(first.databaseUser)}@'%'`
      const firstSteps = ['create database half', "create user half@'%' identified by 'other' account lock"]
      const lastSteps = [
        "create user half@'%' identified by 'x'",
        "alter user root@localhost identified by 'y'",
        `alter user ${account} identified by 'random'`,
        `alter user ${account} account lock`,
        "alter user root@'%' identified by 'y'",
      ]
      const interruptedSteps = representative([
        [firstSteps.join(';'), lastSteps.join(';')],
        [...firstSteps, ...lastSteps],
      ]).flat()
      for (const steps of interruptedSteps) {
        await root(first, "drop database if exists half; drop user if exists half@'%'")
        await root(first, steps)
        assert.deepEqual(await rotate(server, first, third), done, steps)
        await assertRotated(first, third)
        assert.deepEqual(await rotate(server, third, first), done, steps)
        await assertRotated(third, first)
      }
    })

    test('a failed rotation keeps the old credentials and prints no secret', async () => {
      const change = { databaseUser: 'late', databasePassword: 'hush-hush-2', databaseRootPassword: 'hush' }
      const target = parse({ ...first, ...change })
      const failures: [from: Settings, to: Settings, messagePattern: RegExp][] = [
        [{ ...first, databaseRootPassword: 'hush' }, target, /1045 .*Access denied/],
        [first, { ...target, databaseName: 'x'.repeat(65) }, /1059 .*is too long|1102 .*Incorrect database name/],
        [first, { ...target, databaseUser: 'x'.repeat(129) }, /1470 .*is too long for user name/],
        ...policies.map((): [Settings, Settings, RegExp] => [
          first,
          target,
          /1819 .*does not satisfy the current policy/,
        ]),
      ]
      for (const policy of policies) await root(first, `install component ${policy}`)
      for (const [from, to, messagePattern] of failures) {
        const { exitCode, stdout, stderr } = await rotate(server, from, to)
        assert.deepEqual([exitCode, stdout], [1, ''])
        assert.match(stderr, messagePattern)
        assert.ok(!/hush|execute/.test(stderr), stderr)
        assert.equal((await ready(server, first)).exitCode, 0)
      }
      for (const policy of policies) await root(first, `uninstall component ${policy}`)
      const rotation = kind.rotate(first, target, server.address, null)
      for (const length of [0, 50, rotation.stdin!.length - 1]) {
        const outcome = await inside(server.id, { ...rotation, stdin: rotation.stdin!.slice(0, length) })
        assert.deepEqual([outcome.exitCode, outcome.stderr], [1, 'The credentials on standard input are incomplete\n'])
      }
      assert.equal((await ready(server, first)).exitCode, 0)
    })

    test('a rotation keeps the authentication plugin and works with unusual server modes', async () => {
      await root(
        first,
        `alter user ?@'%' identified ${product === 'mysql' ? 'with' : 'via'} ${plugin}
        ${product === 'mysql' ? 'by' : 'using password('} ?${product === 'mysql' ? '' : ')'}`,
        [first.databaseUser, first.databasePassword],
      )
      await root(first, "set global sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES,PIPES_AS_CONCAT,ONLY_FULL_GROUP_BY'")
      await root(first, 'set global sql_safe_updates = 1, global sql_select_limit = 1, global autocommit = 0')
      const next = parse({ ...first, databaseUser: 'new', databasePassword: 'hush-hush-4' })
      assert.deepEqual(await rotate(server, first, next), done)
      await assertRotated(first, next)
      const plugins = await root(next, 'select distinct plugin from mysql.user where user in (?, ?)', [
        first.databaseUser,
        next.databaseUser,
      ])
      assert.deepEqual(
        plugins.map((row) => row.plugin),
        [plugin],
      )
      assert.deepEqual(await rotate(server, next, first), done)
      assert.equal((await ready(server, first)).exitCode, 0)
    })

    test('no password is in the files or the statement history of a server that logs every statement', async () => {
      const texts = ['hush-hush', Buffer.from('hush-hush').toString('hex')]
      const filesWithSecret = await shell(
        server.id,
        `grep -rlai ${texts.map((text) => `-e ${text}`).join(' ')} ${files}`,
      )
      assert.equal(filesWithSecret.stdout, '')
      assert.equal((await shell(server.id, `grep -ac plus_one ${files}/general.log`)).exitCode, 0)
      const [history] = await root(
        first,
        `select count(if(sql_text like ? or sql_text like ?, 1, null)) as secret,
        count(if(sql_text like '%plus_one%', 1, null)) as other from performance_schema.events_statements_history_long`,
        texts.map((text) => `%${text}%`),
      )
      assert.equal(history!.secret, 0)
      assert.ok(Number(history!.other) > 0, 'the history contains statements')
      assert.ok(!(await logOf(server.id)).includes('hush'))
    })

    test("the health check does not connect, and leaves nothing in the server's log", async () => {
      // Only lines of the server's own log. Libraries write to the same output.
      const lines = async () => (await logOf(server.id)).split('\n').filter((line) => line.includes(' ['))
      const connections = async () => Object.values((await root(first, "show global status like 'Connections'"))[0]!)[1]
      const [linesBefore, before] = [await lines(), Number(await connections())]
      for (let i = 0; i < 5; i++) {
        await shell(server.id, 'rmdir /dev/shm/.berth-answered')
        assert.equal(await check(server.id), 0)
      }
      assert.deepEqual([await lines(), Number(await connections())], [linesBefore, before + 1])
    })
  })
}
