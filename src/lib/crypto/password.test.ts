/** Hashes fit their password alone, nobody's hash costs what a real one costs, and few are made at once. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseOptions } from '@node-rs/argon2'
import { nobodysHash, passwordsOf, maxConcurrentHashes } from './password.ts'

const passwords = passwordsOf()

test('a hash is argon2id with the parameters of the source, and salted', async () => {
  const [one, two] = await Promise.all([passwords.hash('correct horse'), passwords.hash('correct horse')])
  assert.match(one, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  assert.notEqual(one, two)
})

test('the hash that stands for an unknown account costs the same work as a real one', async () => {
  assert.deepEqual(parseOptions(nobodysHash), parseOptions(await passwords.hash('correct horse')))
})

test("an unknown account has no password, not even one that nobody's hash would fit", async () => {
  assert.equal(await passwords.verify(undefined, 'correct horse'), false)
})

const pairs: [name: string, password: string, other: string][] = [
  ['case', 'correct horse', 'Correct horse'],
  ['spaces at the end', 'correct horse', 'correct horse '],
  ['what follows a NUL', 'correct\0horse', 'correct\0house'],
  ['what follows 72 bytes, where bcrypt would stop', `${'a'.repeat(72)}b`, `${'a'.repeat(72)}c`],
  ['quotes and shell signs', 'p\'a"s$s\\w`ord; --', 'p\'a"s$s\\w`ord; -'],
  ['letters that only look alike', '\u0430bcdefgh', 'abcdefgh'],
]
for (const [name, password, other] of pairs) {
  test(`a password fits and another does not: ${name}`, async () => {
    const stored = await passwords.hash(password)
    assert.equal(await passwords.verify(stored, password), true)
    assert.equal(await passwords.verify(stored, other), false)
  })
}

test('the same letters written in two ways of Unicode are one password', async () => {
  assert.equal(await passwords.verify(await passwords.hash('cafe\u0301 noir'), 'caf\u00e9 noir'), true)
})

test('hashing leaves a core to the others where there are two', () => {
  assert.deepEqual([1, 2, 3, 4, 64].map(maxConcurrentHashes), [1, 1, 2, 2, 2])
})
