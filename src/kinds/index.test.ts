/** Rules for all kinds (database products). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kindNamed, kinds } from './index.ts'

test('finds a kind by its name, and throws for an unknown name', () => {
  for (const kind of kinds) assert.equal(kindNamed(kind.name), kind)
  assert.throws(() => kindNamed('oracle'), /no kind named oracle/)
  assert.throws(() => kindNamed(''), /no kind named/)
})

test('lists the kinds by their API names, in the order of the API', () => {
  assert.deepEqual(
    kinds.map(({ name }) => name),
    ['mariadb', 'mysql', 'postgres', 'mongo', 'redis'],
  )
  for (const { name, idField } of kinds) assert.equal(idField, `${name}Id`)
})

test('every secret is a setting, and every variable that Berth sets is reserved', () => {
  for (const kind of kinds) {
    for (const secret of kind.secrets) assert.ok(secret in kind.settings.shape, `${kind.name}.${secret}`)
    const settings = Object.fromEntries(Object.keys(kind.settings.shape).map((name) => [name, 'text']))
    for (const name of Object.keys(kind.env(settings))) assert.ok(kind.reserved[name], `${kind.name}: ${name}`)
  }
})
