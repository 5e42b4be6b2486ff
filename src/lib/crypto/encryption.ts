/**
 * Encryption for a recipient who alone holds the key: the format of age (age-encryption.org/v1), so that its own
 * program opens what Berth wrote.
 */
import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { bech32 } from '@scure/base'
import { Decrypter, Encrypter, identityToRecipient } from 'age-encryption'

type Bytes = AsyncIterable<Buffer>

/** The public half, `age1…`: with its checksum, for nobody could open what is encrypted for a mistyped one. */
export const isRecipient = (text: string): boolean => isBech32(text, 'age', 62)

/** The secret half, `AGE-SECRET-KEY-1…`. */
export const isIdentity = (text: string): boolean => isBech32(text, 'age-secret-key-', 74)

function isBech32(text: string, prefix: string, length: number): boolean {
  const decoded = bech32.decodeUnsafe(text as `${string}1${string}`, length)
  return decoded !== undefined && decoded.prefix === prefix && bech32.fromWordsUnsafe(decoded.words)?.length === 32
}

/** The identity whose secret these 32 bytes are. */
export const identityFrom = (secret: Uint8Array): string =>
  bech32.encode('age-secret-key-', bech32.toWords(secret), 74).toUpperCase()

/** A random pair. */
export async function newIdentity(): Promise<{ identity: string; recipient: string }> {
  const identity = identityFrom(randomBytes(32))
  return { identity, recipient: await recipientOf(identity) }
}

export async function recipientOf(identity: string): Promise<string> {
  return identityToRecipient(identity)
}

/** In pieces of 64 KiB, each proven when it is read; what is cut off is noticed. */
export async function* encryptFor(recipient: string, source: Bytes): Bytes {
  const encrypter = new Encrypter()
  encrypter.addRecipient(recipient)
  yield* buffers(await encrypter.encrypt(streamOf(source)))
}

/** Throws where it was not encrypted for that identity, or was changed or cut off. */
export async function* decryptWith(identity: string, source: Bytes): Bytes {
  const decrypter = new Decrypter()
  decrypter.addIdentity(identity)
  yield* buffers(await decrypter.decrypt(streamOf(source)))
}

const streamOf = (source: Bytes) =>
  Readable.toWeb(Readable.from(source)) as unknown as globalThis.ReadableStream<Uint8Array>

async function* buffers(stream: globalThis.ReadableStream<Uint8Array>): Bytes {
  for await (const chunk of stream as unknown as ReadableStream<Uint8Array>) {
    yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
  }
}
