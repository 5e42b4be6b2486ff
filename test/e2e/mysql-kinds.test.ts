/** The programs of MySQL and MariaDB inside real containers of the series in use, and real clients from outside. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { done, inside, logOf, type Server, shell } from './container.ts'
import {
  asRoot,
  ask,
  codeOf,
  files,
  logging,
  masks,
  named,
  passwords,
  products,
  versions,
  type Wanted,
} from './mysql-products.ts'
import { representative, triesAll } from './representative.ts'

for (const [product, version] of versions) {
  const { kind, first, plugin, policies, startServer, check, ready, rotate, urlOf, removeAll } = products[product]

  describe(`${kind.label} ${version}`, () => {
    let server: Server
    const parse = (it: Wanted) => kind.settings.parse(it) as Wanted
    const root = (it: Wanted, text: string, values: unknown[] = []) => ask(urlOf(server, asRoot(it)), text, values)

    /**
     * The new credentials open and the ones before do not. That the kind's own program does not open with wrong ones is
     * seen each time only where all is tried.
     */
    async function assertTaken(from: Wanted, to: Wanted) {
      const [who] = await ask(urlOf(server, to), 'select current_user() as user, database() as name')
      assert.deepEqual({ ...who }, { user: `${to.databaseUser}@%`, name: to.databaseName })
      assert.deepEqual(await ready(server, to), { ...done, stdout: `${version}\n` })
      const isUser = from.databaseUser !== to.databaseUser || from.databasePassword !== to.databasePassword
      const isRoot = from.databaseRootPassword !== to.databaseRootPassword
      assert.equal(await codeOf(urlOf(server, from)), isUser ? 'ER_ACCESS_DENIED_ERROR' : '')
      assert.equal(await codeOf(urlOf(server, asRoot(from))), isRoot ? 'ER_ACCESS_DENIED_ERROR' : '')
      if (!triesAll) return
      assert.equal((await ready(server, { ...from, databaseName: to.databaseName })).exitCode, isUser || isRoot ? 1 : 0)
    }

    before(async () => {
      server = await startServer(version, parse(first), ...logging)
    })
    after(removeAll)

    test('ready prints the series, over an address that asks for all that the settings hold', async () => {
      assert.deepEqual(await ready(server, first), { ...done, stdout: `${version}\n` })
      for (const field of ['databasePassword', 'databaseUser', 'databaseName', 'databaseRootPassword']) {
        const { exitCode, stdout, stderr } = await ready(server, { ...first, [field]: 'wrong' })
        assert.deepEqual([exitCode, stdout], [1, ''], field)
        assert.match(stderr, /^ERROR \d+ .*(Access denied|Unknown database)/, field)
      }
    })

    test('what an image or a home folder holds does not lead elsewhere', async () => {
      const image = { MYSQL_HOST: 'elsewhere', MYSQL_TCP_PORT: '1', MYSQL_UNIX_PORT: '/none', MYSQL_HOME: '/tmp' }
      await shell(server.id, 'tee ~/.my.cnf > /tmp/my.cnf', '[client]\nhost=elsewhere\nuser=none\npassword=none\n')
      assert.equal((await ready(server, first, image)).exitCode, 0)
      const escaped = first.databasePassword.replaceAll('\\', '\\\\')
      await shell(server.id, 'cat > ~/.my.cnf', `[client]\npassword="${escaped}"\n`)
      assert.equal((await ready(server, { ...first, databasePassword: 'wrong' }, image)).exitCode, 1)
      await shell(server.id, 'rm ~/.my.cnf /tmp/my.cnf')
    })

    test('every change of the settings holds, and the credentials before are refused', async () => {
      let now = first
      for (const mask of masks) {
        const next = { ...now }
        for (const [bit, field] of Object.keys(first).entries()) {
          if (mask & (1 << bit)) next[field] = /Password$/.test(field) ? `${field} ${mask} $;☃` : `name-${mask}`
        }
        assert.deepEqual(await rotate(server, now, parse(next)), done, JSON.stringify(next))
        await assertTaken(now, next)
        now = next
      }
      assert.deepEqual(await rotate(server, now, first), done)
      await assertTaken(now, first)
    })

    test('a changed password holds, whatever it is made of', async () => {
      let now = first
      for (const text of passwords) {
        const next = parse({ ...now, databasePassword: text, databaseRootPassword: `x${text.replaceAll('"', '')}` })
        assert.deepEqual(await rotate(server, now, next), done)
        await assertTaken(now, next)
        now = next
      }
      assert.deepEqual(await rotate(server, now, first), done)
    })

    test('a changed user has equal rights, there and back, and what the old one defined still works', async () => {
      // Names of ASCII alone: MariaDB keeps rights on routines under others in the wrong encoding.
      const owner = parse({ ...first, databaseUser: 'ow"ner', databaseName: 'sh"op' })
      const second = parse({ ...owner, databaseUser: 'o"w`ner $x;', databaseName: 'ne"w' })
      const there = { ...second, databaseName: owner.databaseName }
      assert.deepEqual(await rotate(server, first, owner), done)
      await giveRights(owner)
      assert.deepEqual(await rotate(server, owner, second), done)
      await assertTaken(owner, second)
      const ofSecond = (await rightsOf(second)).filter((line) => !line.includes('`ne"w`'))
      assert.deepEqual(ofSecond, await rightsOf(owner, second))
      const [seen] = await ask(urlOf(server, there), 'select it, plus_one(it) as more from seen')
      assert.deepEqual({ ...seen }, { it: 42, more: 43 })
      assert.deepEqual(await rotate(server, second, second), done, 'once more')
      assert.deepEqual(await rotate(server, owner, second), done, 'again from the beginning')
      await assertTaken(owner, second)
      assert.deepEqual(await rotate(server, second, owner), done)
      await assertTaken(second, owner)
      assert.equal((await ask(urlOf(server, owner), 'select it from note')).length, 1)
      // MySQL 8.0 does not find rights on a database with _ in its name while a role is active.
      await root(owner, 'drop role reader')
      assert.deepEqual(await rotate(server, owner, first), done)
      await assertTaken(owner, first)
    })

    /** Rights of every sort, and objects that are run with the rights of who defined them. */
    async function giveRights(it: Wanted) {
      await ask(
        urlOf(server, it),
        `create table note (it int, other int); insert into note values (42, 0);
        create table \`no\\te"\` (it int); create sql security definer view seen as select it from note;
        create function plus_one (it int) returns int deterministic sql security definer return it + 1`,
      )
      const account = `${named(it.databaseUser)}@'%'`
      const grants = [
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
        `grant execute on function ${named(it.databaseName)}.plus_one to ${account}`,
        product === 'mysql' ? `alter user ${account} default role reader` : `set default role reader for ${account}`,
        `alter user ${account} with max_queries_per_hour 100000 max_user_connections 50`,
      ]
      for (const grant of grants) await root(it, grant)
    }

    /** Rights on what is gone: they stay with the account that has them. */
    const isLost = /`(gone|lost)`/

    /** What a user may do, written as if it were `other`. */
    async function rightsOf({ databaseUser: user }: Wanted, other = { databaseUser: user }) {
      const lines = (await root(first, "show grants for ?@'%'", [user])).flatMap((row) => Object.values(row))
      const texts = lines.map((line) => String(line).replace(/ IDENTIFIED .*'/, '')).filter((it) => !isLost.test(it))
      const limits = 'select max_questions, max_user_connections, plugin from mysql.user where user = ?'
      return [
        ...texts.map((text) => text.replace(named(user), named(other.databaseUser))),
        JSON.stringify(await root(first, limits, [user])),
      ].sort()
    }

    test('what an attempt left half done is finished by the next', async () => {
      const third = parse({
        databaseName: 'half',
        databaseUser: 'half',
        databasePassword: 'x',
        databaseRootPassword: 'y',
      })
      const account = `${named(first.databaseUser)}@'%'`
      const early = ['create database half', "create user half@'%' identified by 'other' account lock"]
      const late = [
        "create user half@'%' identified by 'x'",
        "alter user root@localhost identified by 'y'",
        `alter user ${account} identified by 'random'`,
        `alter user ${account} account lock`,
        "alter user root@'%' identified by 'y'",
      ]
      const halves = representative([
        [early.join(';'), late.join(';')],
        [...early, ...late],
      ]).flat()
      for (const half of halves) {
        await root(first, "drop database if exists half; drop user if exists half@'%'")
        await root(first, half)
        assert.deepEqual(await rotate(server, first, third), done, half)
        await assertTaken(first, third)
        assert.deepEqual(await rotate(server, third, first), done, half)
        await assertTaken(third, first)
      }
    })

    test('an attempt that fails leaves the old credentials, and tells no secret', async () => {
      const change = { databaseUser: 'late', databasePassword: 'hush-hush-2', databaseRootPassword: 'hush' }
      const wanted = parse({ ...first, ...change })
      const refusals: [from: Wanted, to: Wanted, message: RegExp][] = [
        [{ ...first, databaseRootPassword: 'hush' }, wanted, /1045 .*Access denied/],
        [first, { ...wanted, databaseName: 'x'.repeat(65) }, /1059 .*is too long|1102 .*Incorrect database name/],
        [first, { ...wanted, databaseUser: 'x'.repeat(129) }, /1470 .*is too long for user name/],
        ...policies.map((): [Wanted, Wanted, RegExp] => [first, wanted, /1819 .*does not satisfy the current policy/]),
      ]
      for (const it of policies) await root(first, `install component ${it}`)
      for (const [from, to, message] of refusals) {
        const { exitCode, stdout, stderr } = await rotate(server, from, to)
        assert.deepEqual([exitCode, stdout], [1, ''])
        assert.match(stderr, message)
        assert.ok(!/hush|execute/.test(stderr), stderr)
        assert.equal((await ready(server, first)).exitCode, 0)
      }
      for (const it of policies) await root(first, `uninstall component ${it}`)
      const cut = kind.rotate(first, wanted, server.address)
      for (const length of [0, 50, cut.stdin!.length - 1]) {
        const outcome = await inside(server.id, { ...cut, stdin: cut.stdin!.slice(0, length) })
        assert.deepEqual([outcome.exitCode, outcome.stderr], [1, 'The new credentials did not arrive whole\n'])
      }
      assert.equal((await ready(server, first)).exitCode, 0)
    })

    test("the account keeps its plugin, and the server's modes do not lead the rotation astray", async () => {
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
      await assertTaken(first, next)
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

    test('a server that logs every statement writes no password anywhere', async () => {
      const texts = ['hush-hush', Buffer.from('hush-hush').toString('hex')]
      const found = await shell(server.id, `grep -rlai ${texts.map((text) => `-e ${text}`).join(' ')} ${files}`)
      assert.equal(found.stdout, '')
      assert.equal((await shell(server.id, `grep -ac plus_one ${files}/general.log`)).exitCode, 0)
      const [kept] = await root(
        first,
        `select count(if(sql_text like ? or sql_text like ?, 1, null)) as secret,
        count(if(sql_text like '%plus_one%', 1, null)) as other from performance_schema.events_statements_history_long`,
        texts.map((text) => `%${text}%`),
      )
      assert.equal(kept!.secret, 0)
      assert.ok(Number(kept!.other) > 0, 'statements are kept there')
      assert.ok(!(await logOf(server.id)).includes('hush'))
    })

    test("the check leaves nothing in the server's log, for it does not connect", async () => {
      // Of the server's log alone: libraries write to the same place.
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
