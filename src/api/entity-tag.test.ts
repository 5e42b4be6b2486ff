import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sealerOf, vaultOf } from '../store/vault.ts'
import { entityTagOf, type TagRule } from './entity-tag.ts'

const vault = vaultOf(sealerOf(Buffer.alloc(32, 1)), Buffer.alloc(32, 2))
const rule: TagRule = { observed: ['status', 'server.state'], masked: ['password'], records: ['backups'] }
const answer = {
  id: 'a',
  name: 'shop',
  status: 'done',
  password: 'secret',
  server: { port: 5000, state: 'up' },
  backups: [{ id: 'b' }],
  labels: ['x'],
}
const tagOf = (changes: object = {}, stored: unknown[] = ['secret'], name = 'postgres.one', by = vault) =>
  entityTagOf(by, name, rule, { ...answer, ...changes }, stored)

test('a tag does not depend on observed fields, on the mask or on other records', () => {
  assert.match(tagOf(), /^[\w-]{22}$/)
  const same = [
    {},
    { status: 'error' },
    { password: '********' },
    { server: { port: 5000, state: 'down' } },
    { backups: [] },
  ]
  for (const changes of same) assert.equal(tagOf(changes), tagOf(), JSON.stringify(changes))
})

test('a tag depends on every other field, on stored secrets and on the operation', () => {
  const others = [
    tagOf({ name: 'Shop' }),
    tagOf({ id: 'b' }),
    tagOf({ server: { port: 5001, state: 'up' } }),
    tagOf({ server: null }),
    tagOf({ labels: [] }),
    tagOf({}, ['another secret']),
    tagOf({}, []),
    tagOf({}, ['secret'], 'mysql.one'),
  ]
  assert.equal(new Set([tagOf(), ...others]).size, others.length + 1)
})

test('a tag depends on the key of the installation, so that nobody can test guesses of a secret', () => {
  const other = vaultOf(sealerOf(Buffer.alloc(32, 1)), Buffer.alloc(32, 3))
  assert.notEqual(tagOf({}, ['secret'], 'postgres.one', other), tagOf())
})

test('a tag does not depend on the master key', () => {
  const rotated = vaultOf(sealerOf(Buffer.alloc(32, 9)), Buffer.alloc(32, 2))
  assert.equal(tagOf({}, ['secret'], 'postgres.one', rotated), tagOf())
})
