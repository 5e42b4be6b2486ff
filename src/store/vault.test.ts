import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { sealerOf, vaultOf } from './vault.ts'

const place = { table: 'database', column: 'secrets', row: '1' }
const text = 'p\'a"s$s\\w`ord; -- ünï☃'

test('opens a sealed text in its place, and the sealed text reveals nothing', () => {
  const vault = sealerOf(randomBytes(32))
  const sealed = vault.seal(place, text)
  assert.equal(vault.open(place, sealed), text)
  assert.ok(!sealed.includes('ord'))
  assert.notEqual(sealed, vault.seal(place, text))
})

const moved = [
  { ...place, table: 'volume' },
  { ...place, column: 'target' },
  { ...place, row: '2' },
]
for (const other of moved) {
  test(`a sealed text does not open in ${JSON.stringify(other)}`, () => {
    const vault = sealerOf(randomBytes(32))
    assert.throws(() => vault.open(other, vault.seal(place, text)))
  })
}

test('a text that was opened in its place does not open in another', () => {
  const vault = sealerOf(randomBytes(32))
  const sealed = vault.seal(place, text)
  assert.equal(vault.open(place, sealed), vault.open(place, sealed))
  for (const other of moved) assert.throws(() => vault.open(other, sealed))
})

test('opens more texts than the cache holds', () => {
  const vault = sealerOf(randomBytes(32))
  const places = Array.from({ length: 2500 }, (_, at) => ({ ...place, row: String(at) }))
  const sealed = places.map((it) => vault.seal(it, `text ${it.row}`))
  for (let again = 0; again < 2; again++) {
    for (const [at, it] of places.entries()) assert.equal(vault.open(it, sealed[at]!), `text ${it.row}`)
  }
})

test('a changed text does not open', () => {
  const vault = sealerOf(randomBytes(32))
  const sealed = vault.seal(place, text)
  const last = sealed.at(-2) === 'A' ? 'B' : 'A'
  assert.throws(() => vault.open(place, sealed.slice(0, -2) + last + sealed.at(-1)))
  assert.throws(() => vault.open(place, sealed.slice(0, 30)))
})

test('names another master key as the cause', () => {
  const sealed = sealerOf(randomBytes(32)).seal(place, text)
  assert.throws(
    () => sealerOf(randomBytes(32)).open(place, sealed),
    /database\.secrets is sealed with another master key/,
  )
})

test('fingerprints do not change with the master key, and differ between places', () => {
  const key = randomBytes(32)
  const [before, after] = [vaultOf(sealerOf(randomBytes(32)), key), vaultOf(sealerOf(randomBytes(32)), key)]
  assert.equal(before.fingerprint(place, text), after.fingerprint(place, text))
  assert.notEqual(before.fingerprint(place, text), before.fingerprint(place, `${text}.`))
  for (const other of moved) assert.notEqual(before.fingerprint(place, text), before.fingerprint(other, text))
  assert.notEqual(
    before.fingerprint(place, text),
    vaultOf(sealerOf(randomBytes(32)), randomBytes(32)).fingerprint(place, text),
  )
})
