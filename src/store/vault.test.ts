/** The sealing of secrets, and fingerprints. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { sealerOf, vaultOf } from './vault.ts'

const cell = { table: 'database', column: 'secrets', row: '1' }
const text = 'p\'a"s$s\\w`ord; -- ünï☃'

test('opens a sealed text in its cell, and the sealed text does not contain the plain text', () => {
  const vault = sealerOf(randomBytes(32))
  const sealed = vault.seal(cell, text)
  assert.equal(vault.open(cell, sealed), text)
  assert.ok(!sealed.includes('ord'))
  assert.notEqual(sealed, vault.seal(cell, text))
})

const moved = [
  { ...cell, table: 'volume' },
  { ...cell, column: 'target' },
  { ...cell, row: '2' },
]
for (const other of moved) {
  test(`a sealed text does not open in ${JSON.stringify(other)}`, () => {
    const vault = sealerOf(randomBytes(32))
    assert.throws(() => vault.open(other, vault.seal(cell, text)))
  })
}

test('a text that was opened in its cell does not open in another cell', () => {
  const vault = sealerOf(randomBytes(32))
  const sealed = vault.seal(cell, text)
  assert.equal(vault.open(cell, sealed), vault.open(cell, sealed))
  for (const other of moved) assert.throws(() => vault.open(other, sealed))
})

test('opens more texts than the cache can contain', () => {
  const vault = sealerOf(randomBytes(32))
  const cells = Array.from({ length: 2500 }, (_, at) => ({ ...cell, row: String(at) }))
  const sealed = cells.map((cell) => vault.seal(cell, `text ${cell.row}`))
  for (let round = 0; round < 2; round++) {
    for (const [at, cell] of cells.entries()) assert.equal(vault.open(cell, sealed[at]!), `text ${cell.row}`)
  }
})

test('a modified text does not open', () => {
  const vault = sealerOf(randomBytes(32))
  const sealed = vault.seal(cell, text)
  const last = sealed.at(-2) === 'A' ? 'B' : 'A'
  assert.throws(() => vault.open(cell, sealed.slice(0, -2) + last + sealed.at(-1)))
  assert.throws(() => vault.open(cell, sealed.slice(0, 30)))
})

test('reports a text that was sealed with another master key', () => {
  const sealed = sealerOf(randomBytes(32)).seal(cell, text)
  assert.throws(
    () => sealerOf(randomBytes(32)).open(cell, sealed),
    /database\.secrets is sealed with another master key/,
  )
})

test('fingerprints do not depend on the master key, and differ between cells', () => {
  const key = randomBytes(32)
  const [before, after] = [vaultOf(sealerOf(randomBytes(32)), key), vaultOf(sealerOf(randomBytes(32)), key)]
  assert.equal(before.fingerprint(cell, text), after.fingerprint(cell, text))
  assert.notEqual(before.fingerprint(cell, text), before.fingerprint(cell, `${text}.`))
  for (const other of moved) assert.notEqual(before.fingerprint(cell, text), before.fingerprint(other, text))
  assert.notEqual(
    before.fingerprint(cell, text),
    vaultOf(sealerOf(randomBytes(32)), randomBytes(32)).fingerprint(cell, text),
  )
})
