/**
 * Encrypts streams for a recipient in the format of age (age-encryption.org/v1). The `age` program can decrypt what
 * Berth encrypts.
 */
import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { bech32 } from '@scure/base'
import { Decrypter, Encrypter, identityToRecipient } from 'age-encryption'

type Bytes = AsyncIterable<Buffer>

/** Whether the text is a public key, `age1…`. Checks its checksum: nobody could decrypt data for a mistyped key. */
export const isRecipient = (text: string): boolean => isBech32(text, 'age', 62)

/** Whether the text is a secret key, `AGE-SECRET-KEY-1…`. */
export const isIdentity = (text: string): boolean => isBech32(text, 'age-secret-key-', 74)

function isBech32(text: string, prefix: string, length: number): boolean {
  const decoded = bech32.decodeUnsafe(text as `${string}1${string}`, length)
  return decoded !== undefined && decoded.prefix === prefix && bech32.fromWordsUnsafe(decoded.words)?.length === 32
}

/**
 * Returns the secret key that consists of these bytes, as text.
 * @param secret 32 bytes
 */
export const identityFrom = (secret: Uint8Array): string =>
  bech32.encode('age-secret-key-', bech32.toWords(secret), 74).toUpperCase()

/** Generates a secret key and its public key. */
export async function newIdentity(): Promise<{ identity: string; recipient: string }> {
  const identity = identityFrom(randomBytes(32))
  return { identity, recipient: await recipientOf(identity) }
}

/** Returns the public key of a secret key. */
export async function recipientOf(identity: string): Promise<string> {
  return identityToRecipient(identity)
}

/** Encrypts in chunks of 64 KiB. Each chunk is authenticated, and a truncated stream is detected on decryption. */
export async function* encryptFor(recipient: string, source: Bytes): Bytes {
  const encrypter = new Encrypter()
  encrypter.addRecipient(recipient)
  yield* buffers(await encrypter.encrypt(streamOf(source)))
}

/** @throws if the stream was not encrypted for the identity, or was modified or truncated */
export async function* decryptWith(identity: string, source: Bytes): Bytes {
  const decrypter = new Decrypter()
  decrypter.addIdentity(identity)
  yield* buffers(await decrypter.decrypt(streamOf(source)))
}

/** The most bytes of an object that its header can take: age's largest stanzas have some kilobytes. */
const maxHeaderBytes = 64 * 1024

/**
 * Returns the key of one encrypted object. Whoever has this key can decrypt this object, and no other.
 * @param source the object; only its beginning is read
 * @throws if the object was not encrypted for the identity
 */
export async function fileKeyOf(identity: string, source: Bytes): Promise<Uint8Array> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of source) {
    pieces.push(piece)
    bytes += piece.length
    if (bytes >= maxHeaderBytes) break
  }
  const decrypter = new Decrypter()
  decrypter.addIdentity(identity)
  return decrypter.decryptHeader(Buffer.concat(pieces))
}

/** Like `decryptWith`, with the key of the object instead of an identity. */
export async function* decryptWithFileKey(fileKey: Uint8Array, source: Bytes): Bytes {
  const decrypter = new Decrypter()
  decrypter.addIdentity({ unwrapFileKey: () => fileKey })
  yield* buffers(await decrypter.decrypt(streamOf(source)))
}

const streamOf = (source: Bytes) =>
  Readable.toWeb(Readable.from(source)) as unknown as globalThis.ReadableStream<Uint8Array>

async function* buffers(stream: globalThis.ReadableStream<Uint8Array>): Bytes {
  for await (const chunk of stream as unknown as ReadableStream<Uint8Array>) {
    yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
  }
}
