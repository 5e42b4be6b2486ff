/** Tests that a stream can be decrypted only with its identity (secret key) and only if it is complete. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { generateIdentity, identityToRecipient } from 'age-encryption'
import { decryptWith, encryptFor, identityFrom, isIdentity, isRecipient, recipientOf } from './encryption.ts'

async function* pieces(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
const collect = async (source: AsyncIterable<Buffer>) => Buffer.concat(await Array.fromAsync(source))

const identity = await generateIdentity()
const recipient = await identityToRecipient(identity)

for (const [length, size] of [
  [0, 1],
  [1, 1],
  [65_536, 65_536],
  [200_000, 7],
  [3_000_000, 100_000],
] as const) {
  test(`${length} bytes in pieces of ${size} are unchanged after encryption and decryption`, async () => {
    const bytes = randomBytes(length)
    const sealed = await collect(encryptFor(recipient, pieces(bytes, size)))
    assert.ok(sealed.length > length && sealed.subarray(0, 21).equals(Buffer.from('age-encryption.org/v1')))
    assert.ok((await collect(decryptWith(identity, pieces(sealed, 1000)))).equals(bytes))
  })
}

test('refuses another identity, a changed byte and a truncated stream', async () => {
  const sealed = await collect(encryptFor(recipient, pieces(randomBytes(200_000), 10_000)))
  const changed = Buffer.from(sealed)
  changed[150_000]! ^= 1
  const cases: [identity: string, bytes: Buffer][] = [
    [await generateIdentity(), sealed],
    [identity, changed],
    [identity, sealed.subarray(0, -1)],
    [identity, sealed.subarray(0, 140_000)],
    [identity, Buffer.concat([sealed, Buffer.from('x')])],
  ]
  for (const [otherIdentity, bytes] of cases)
    await assert.rejects(collect(decryptWith(otherIdentity, pieces(bytes, 10_000))))
})

test('fails if the source fails', async () => {
  async function* failing() {
    yield Buffer.from('a part')
    throw new Error('the connection broke')
  }
  await assert.rejects(collect(encryptFor(recipient, failing())), /the connection broke/)
})

test('checks the checksums of recipients and identities', () => {
  assert.ok(isRecipient(recipient) && isIdentity(identity))
  const mistyped = recipient.replace(/.$/, (last) => (last === 'q' ? 'p' : 'q'))
  for (const text of ['', 'age1', mistyped, identity, recipient.slice(0, -1), `${recipient}q`, 'ssh-ed25519 AAAA']) {
    assert.equal(isRecipient(text), false, text)
  }
  for (const text of ['', recipient, identity.slice(0, -1)]) assert.equal(isIdentity(text), false, text)
})

test('always derives the same identity from a secret', async () => {
  const [secret, other] = [randomBytes(32), randomBytes(32)]
  const derived = identityFrom(secret)
  assert.ok(isIdentity(derived) && derived === identityFrom(Buffer.from(secret)) && derived !== identityFrom(other))
  const to = await recipientOf(derived)
  assert.ok(isRecipient(to))
  assert.equal(to, await identityToRecipient(derived))
  const sealed = await collect(encryptFor(to, pieces(Buffer.from('a text'), 3)))
  assert.equal((await collect(decryptWith(derived, pieces(sealed, 100)))).toString(), 'a text')
  await assert.rejects(collect(decryptWith(identityFrom(other), pieces(sealed, 100))))
})
