/** Tests hashing of passwords: matches, cost and concurrency. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseOptions } from '@node-rs/argon2'
import { unmatchableHash, passwordsOf, maxConcurrentHashes } from './password.ts'

const passwords = passwordsOf()

test('hashes with argon2id, the recommended parameters and a salt', async () => {
  const [one, two] = await Promise.all([passwords.hash('correct horse'), passwords.hash('correct horse')])
  assert.match(one, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  assert.notEqual(one, two)
})

test('hashes with bcrypt and at least the recommended work factor for other programs', async () => {
  assert.match(await passwords.bcrypt('correct horse'), /^\$2[by]\$1\d\$/)
})

test('the hash for an unknown account has the cost of a real one', async () => {
  assert.deepEqual(parseOptions(unmatchableHash), parseOptions(await passwords.hash('correct horse')))
})

test('refuses every password for an unknown account', async () => {
  assert.equal(await passwords.verify(undefined, 'correct horse'), false)
})

const pairs: [name: string, password: string, other: string][] = [
  ['case', 'correct horse', 'Correct horse'],
  ['spaces at the end', 'correct horse', 'correct horse '],
  ['text after a NUL', 'correct\0horse', 'correct\0house'],
  ['text after 72 bytes, which bcrypt would ignore', `${'a'.repeat(72)}b`, `${'a'.repeat(72)}c`],
  ['quotes and shell characters', 'p\'a"s$s\\w`ord; --', 'p\'a"s$s\\w`ord; -'],
  ['letters that only look alike', '\u0430bcdefgh', 'abcdefgh'],
]
for (const [name, password, other] of pairs) {
  test(`accepts the right password and refuses another: ${name}`, async () => {
    const stored = await passwords.hash(password)
    assert.equal(await passwords.verify(stored, password), true)
    assert.equal(await passwords.verify(stored, other), false)
  })
}

test('accepts the same letters in another Unicode form', async () => {
  assert.equal(await passwords.verify(await passwords.hash('cafe\u0301 noir'), 'caf\u00e9 noir'), true)
})

test('computes at most two hashes at the same time, and leaves one core free if there are several', () => {
  assert.deepEqual([1, 2, 3, 4, 64].map(maxConcurrentHashes), [1, 1, 2, 2, 2])
})
