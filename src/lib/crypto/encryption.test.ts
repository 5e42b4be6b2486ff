/** Tests that a stream can be decrypted only with its identity and only if it is complete. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { generateIdentity, identityToRecipient } from 'age-encryption'
import { decryptWith, encryptFor, identityFrom, isIdentity, isRecipient, recipientOf } from './encryption.ts'

async function* pieces(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
const whole = async (source: AsyncIterable<Buffer>) => Buffer.concat(await Array.fromAsync(source))

const identity = await generateIdentity()
const recipient = await identityToRecipient(identity)

for (const [length, size] of [
  [0, 1],
  [1, 1],
  [65_536, 65_536],
  [200_000, 7],
  [3_000_000, 100_000],
] as const) {
  test(`${length} bytes in pieces of ${size} come back as they were`, async () => {
    const bytes = randomBytes(length)
    const sealed = await whole(encryptFor(recipient, pieces(bytes, size)))
    assert.ok(sealed.length > length && sealed.subarray(0, 21).equals(Buffer.from('age-encryption.org/v1')))
    assert.ok((await whole(decryptWith(identity, pieces(sealed, 1000)))).equals(bytes))
  })
}

test('refuses another identity, a changed byte and a truncated stream', async () => {
  const sealed = await whole(encryptFor(recipient, pieces(randomBytes(200_000), 10_000)))
  const changed = Buffer.from(sealed)
  changed[150_000]! ^= 1
  const cases: [identity: string, bytes: Buffer][] = [
    [await generateIdentity(), sealed],
    [identity, changed],
    [identity, sealed.subarray(0, -1)],
    [identity, sealed.subarray(0, 140_000)],
    [identity, Buffer.concat([sealed, Buffer.from('x')])],
  ]
  for (const [by, bytes] of cases) await assert.rejects(whole(decryptWith(by, pieces(bytes, 10_000))))
})

test('fails if the source fails', async () => {
  async function* failing() {
    yield Buffer.from('a part')
    throw new Error('the line was cut')
  }
  await assert.rejects(whole(encryptFor(recipient, failing())), /the line was cut/)
})

test('checks the checksums of recipients and identities', () => {
  assert.ok(isRecipient(recipient) && isIdentity(identity))
  const mistyped = recipient.replace(/.$/, (last) => (last === 'q' ? 'p' : 'q'))
  for (const text of ['', 'age1', mistyped, identity, recipient.slice(0, -1), `${recipient}q`, 'ssh-ed25519 AAAA']) {
    assert.equal(isRecipient(text), false, text)
  }
  for (const text of ['', recipient, identity.slice(0, -1)]) assert.equal(isIdentity(text), false, text)
})

test('derives always the same identity from a secret', async () => {
  const [secret, other] = [randomBytes(32), randomBytes(32)]
  const made = identityFrom(secret)
  assert.ok(isIdentity(made) && made === identityFrom(Buffer.from(secret)) && made !== identityFrom(other))
  const to = await recipientOf(made)
  assert.ok(isRecipient(to))
  assert.equal(to, await identityToRecipient(made))
  const sealed = await whole(encryptFor(to, pieces(Buffer.from('a text'), 3)))
  assert.equal((await whole(decryptWith(made, pieces(sealed, 100)))).toString(), 'a text')
  await assert.rejects(whole(decryptWith(identityFrom(other), pieces(sealed, 100))))
})
