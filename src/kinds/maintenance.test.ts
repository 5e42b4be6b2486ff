import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kindNamed } from './index.ts'

const own = { user: 'berth_0123456789abcdef', password: 'Aa1-SECRET' }
const entry = ['docker-entrypoint.sh']

const startOf = (name: string, args: string[], settings: Record<string, unknown> = {}) =>
  kindNamed(name).ownAccounts!.maintenanceStart(own, settings, { command: entry, args })

test('the password is in secret files only', () => {
  for (const [name, text] of [
    ['postgres', 'Aa1-SECRET'],
    ['mysql', Buffer.from('Aa1-SECRET').toString('hex')],
    ['mariadb', Buffer.from('Aa1-SECRET').toString('hex')],
    ['mongo', 'Aa1-SECRET'],
  ] as const) {
    const { files, ...words } = startOf(name, ['--any'])
    const withPassword = files.filter(({ content }) => content.includes(text))
    assert.deepEqual(
      withPassword.map(({ isSecret }) => isSecret),
      [true],
      name,
    )
    assert.ok(!JSON.stringify(words).includes(text), name)
  }
})

test('MySQL and MariaDB run one statement a line, and turn off their logs before the password', () => {
  for (const name of ['mysql', 'mariadb']) {
    const { command, args, files } = startOf(name, ['mysqld', '--max-connections=9'])
    assert.deepEqual([command, args], [entry, ['mysqld', '--max-connections=9', `--init-file=${files[0]!.path}`]])
    const lines = files[0]!.content.trimEnd().split('\n')
    assert.ok(lines.every((line) => /^[a-z][^\n]*;$/.test(line)))
    const [log, password] = ['sql_log_off = 1', '@own_password = '].map((text) =>
      lines.findIndex((line) => line.includes(text)),
    )
    assert.ok(log! >= 0 && log! < password!)
  }
})

test('PostgreSQL gets the options of its server in single-user mode, with or without its name', () => {
  const options = ['-c', 'max_connections=9']
  for (const args of [options, ['postgres', ...options]]) {
    const { command, args: usual } = startOf('postgres', args)
    assert.deepEqual(usual, args)
    assert.deepEqual(command.slice(3), ['2', ...options, ...entry])
  }
})

test('MongoDB starts first without logins on the loopback address, with its other arguments', () => {
  const args = ['mongod', '--auth', '--dbpath', '/data/db', '--port', '27017', '--bind_ip_all', '--bind_ip=0.0.0.0']
  const { command } = startOf('mongo', args)
  const first = ['mongod', '--dbpath', '/data/db', '--noauth', '--bind_ip', '127.0.0.1', '--port', '27018']
  assert.deepEqual(command.slice(3), [String(entry.length + first.length), ...entry, ...first, ...entry])
})

test('a replica set of MongoDB is started as usual only', () => {
  const { command, args } = startOf('mongo', ['--auth', '--replSet', 'rs0'], { replicaSet: 'rs0' })
  assert.deepEqual([command.slice(3), args], [entry, ['--auth', '--replSet', 'rs0']])
})
