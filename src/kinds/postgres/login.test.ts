/** The settings of the sessions of dumps and restores: their form, and that no setting is in two lists. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { postgresBackup } from './backup.ts'
import { envOf, furtherSession, furtherSessionOf } from './login.ts'

const settings = { databaseName: 'shop', databaseUser: 'owner', databasePassword: 'secret' }
const place = { host: 'db', port: 5432, database: 'shop' }
const optionsOf = (env: Record<string, string>) =>
  env.PGOPTIONS!.split(' -c ').map((option) => option.replace(/^-c /, ''))

test('each session has settings that PGOPTIONS can express', () => {
  const options = optionsOf(envOf({ settings, own: null }, place))
  for (const option of options) assert.match(option, /^[a-z_]+=(?:[a-z_0-9]|\\ )+$/)
  for (const wanted of ['role=none', 'default_transaction_isolation=read\\ committed', 'statement_timeout=0']) {
    assert.ok(options.includes(wanted), wanted)
  }
})

test('further settings are data for one query, and each setting has one value', () => {
  const session = optionsOf(envOf({ settings, own: null }, place))
  for (const work of ['dump', 'restore'] as const) {
    const further: string[] = JSON.parse(furtherSessionOf(work).BERTH_SESSION)
    assert.deepEqual(further, [...furtherSession.both, ...furtherSession[work]])
    const names = [...session, ...further].map((setting) => setting.split('=')[0]!.toLowerCase())
    assert.equal(new Set(names).size, names.length)
    // The value becomes part of PGOPTIONS without escapes.
    for (const setting of further) assert.match(setting, /^\w+=\w*$/)
  }
})

test('dumps and restores get the further settings, and restores need event triggers', () => {
  const login = { settings, own: null }
  const dump = postgresBackup.dump(login, place, '17')
  const restore = postgresBackup.restore(login, place, '17')
  assert.match(dump.env.BERTH_SESSION!, /"TimeZone=UTC"/)
  assert.match(restore.env.BERTH_SESSION!, /"event_triggers=on"/)
  assert.equal(restore.restartNeededBy!('psql: notice\nBerth: RestartNeeded pg_cron\n'), 'pg_cron')
  assert.equal(restore.restartNeededBy!('Berth: column a calls b'), null)
})

test('temporary servers run no jobs and follow no other server', () => {
  const args = postgresBackup.temporaryServerArgs.filter((arg) => arg !== '-c')
  for (const start of ['archive_mode=off', 'cron.database_name=', 'max_logical_replication_workers=0'])
    assert.ok(
      args.some((arg) => arg.startsWith(start)),
      start,
    )
})
