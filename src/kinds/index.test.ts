/** Rules that every kind keeps, whichever it is. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kindNamed, kinds } from './index.ts'

test('a kind is found by its name, and a name that none has is a defect', () => {
  for (const kind of kinds) assert.equal(kindNamed(kind.name), kind)
  assert.throws(() => kindNamed('oracle'), /no kind named oracle/)
  assert.throws(() => kindNamed(''), /no kind named/)
})

test('names are those of the contract, in its order', () => {
  assert.deepEqual(
    kinds.map(({ name }) => name),
    ['mariadb', 'mysql', 'postgres', 'mongo', 'redis'],
  )
  for (const { name, idField } of kinds) assert.equal(idField, `${name}Id`)
})

test('secrets are settings, and what Berth sets no caller may set', () => {
  for (const kind of kinds) {
    for (const secret of kind.secrets) assert.ok(secret in kind.settings.shape, `${kind.name}.${secret}`)
    const settings = Object.fromEntries(Object.keys(kind.settings.shape).map((name) => [name, 'text']))
    for (const name of Object.keys(kind.env(settings))) assert.ok(kind.reserved[name], `${kind.name}: ${name}`)
  }
})
