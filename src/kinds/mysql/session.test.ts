/** The statement that begins each session of a dump or restore: one statement, in which each setting has one value. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mariadb } from '../mariadb/mariadb.ts'
import { mysql } from './mysql.ts'

const login = {
  settings: { databaseName: 'shop', databaseUser: 'owner', databasePassword: 'secret', databaseRootPassword: 'hidden' },
  own: null,
}
const place = { host: 'db', port: 3306, database: 'shop' }

for (const kind of [mysql, mariadb]) {
  test(`a session of ${kind.name} depends on no setting of the server that hides or refuses data`, () => {
    const { dump, restore } = kind.backup!
    for (const program of [dump(login, place, null), restore(login, place, null)]) {
      const statement = program.env.BERTH_SESSION!.replace(/^--.*$/gm, '')
      assert.match(statement, /^\s*set session /)
      assert.doesNotMatch(statement, /;/)
      const names = [...statement.matchAll(/(\w+) = /g)].map(([, name]) => name!)
      assert.equal(new Set(names).size, names.length)
      for (const name of ['sql_select_limit', 'sql_mode', 'autocommit', 'lock_wait_timeout', 'completion_type']) {
        assert.ok(names.includes(name), name)
      }
    }
  })

  test(`temporary servers of ${kind.name} run no events and follow no other server`, () => {
    const { temporaryServerArgs } = kind.backup!
    assert.deepEqual(temporaryServerArgs.slice(0, 1), ['--event-scheduler=OFF'])
    assert.ok(temporaryServerArgs.includes('--loose-skip-slave-start'))
  })
}
