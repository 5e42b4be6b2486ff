/**
 * The format of a backup of Berth's own state. The first line is a header: JSON in plain text. The rest is encrypted
 * with an age key that is derived from the master key. The encrypted part is the same header line and the compressed
 * store. The reader detects changes, truncation and a mix of two backups before the stream ends. This file accesses
 * neither folders nor storage.
 */
import { hkdfSync } from 'node:crypto'
import { z } from 'zod'
import { decryptWith, encryptFor, identityFrom, recipientOf } from '../../lib/crypto/encryption.ts'
import { type Bytes, compressed, decompressed, digester, tapped } from '../../dumps/streams.ts'
import { StateRefused } from '../../dumps/failures.ts'

const Header = z.object({
  berthState: z.literal(1),
  /** Identifies the master key: see keyIdOf in store/vault.ts. */
  keyId: z.string().regex(/^[0-9a-f]{8}$/),
  installationId: z.string(),
  /** The newest migration of the store. */
  storeVersion: z.string(),
  madeAt: z.iso.datetime(),
  /** The size of the store's file. `sha256` is the checksum of the same file. */
  sizeBytes: z.int(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
})

/** The header line. */
export type StateHeader = z.output<typeof Header>

/** A longer header line is refused. */
const maxHeaderBytes = 4096
const lineEnd = 0x0a

/** Derives an age identity from the master key, because the master key itself seals only the secrets in the store. */
const identityOf = (masterKey: Buffer) =>
  identityFrom(new Uint8Array(hkdfSync('sha256', masterKey, Buffer.alloc(0), 'berth state backup', 32)))

/**
 * Yields the bytes of a backup.
 * @param store the contents of the store's file
 */
export async function* sealState(header: StateHeader, masterKey: Buffer, store: Bytes): Bytes {
  const line = Buffer.from(`${JSON.stringify(header)}\n`)
  yield line
  yield* encryptFor(await recipientOf(identityOf(masterKey)), lineThen(line, compressed(store)))
}

async function* lineThen(line: Buffer, rest: Bytes): Bytes {
  yield line
  yield* rest
}

export interface OpenedState {
  header: StateHeader
  /** Yields the contents of the store's file. They are verified when the stream ends without an error, not before. */
  store(masterKey: Buffer): Bytes
}

/**
 * Reads the header of a backup.
 * @throws StateRefused if the source is not a backup of the state, or a newer Berth created the backup
 */
export async function openState(source: Bytes): Promise<OpenedState> {
  const { line, rest } = await firstLine(source)
  const header = headerOf(line)
  return { header, store: (masterKey) => storeIn(header, line!, decryptWith(identityOf(masterKey), rest)) }
}

function headerOf(line: Buffer | null): StateHeader {
  const value = jsonOf(line)
  if (typeof value?.berthState === 'number' && value.berthState > 1) {
    throw new StateRefused('This backup was created by a newer Berth. Restore it with that version')
  }
  const parsed = Header.safeParse(value)
  if (!parsed.success) throw new StateRefused("This file is not a backup of Berth's state, or its header is damaged")
  return parsed.data
}

function jsonOf(line: Buffer | null): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line?.toString('utf8') ?? '')
    return typeof value === 'object' ? (value as Record<string, unknown> | null) : null
  } catch {
    return null
  }
}

async function* storeIn(header: StateHeader, line: Buffer, opened: Bytes): Bytes {
  const digest = digester()
  try {
    const inner = await firstLine(opened)
    if (inner.line === null || !inner.line.equals(line)) throw new StateRefused('the header was modified')
    yield* tapped(decompressed(inner.rest), digest.tap)
  } catch (cause) {
    throw damaged((cause as Error).message, cause)
  }
  const { sizeBytes, sha256 } = digest.result()
  if (sizeBytes !== header.sizeBytes || sha256 !== header.sha256) throw damaged('the contents differ from the header')
}

const damaged = (fault: string, cause?: unknown) =>
  new StateRefused(`This backup is damaged or incomplete (${fault}). Nothing was restored. Use another backup`, {
    cause,
  })

/** Splits a stream after its first line. `line` is null if the first line is too long or incomplete. */
async function firstLine(source: Bytes): Promise<{ line: Buffer | null; rest: Bytes }> {
  const pieces = source[Symbol.asyncIterator]()
  let read = Buffer.alloc(0)
  for (;;) {
    const end = read.indexOf(lineEnd)
    if (end !== -1) return { line: read.subarray(0, end + 1), rest: continued(read.subarray(end + 1), pieces) }
    const { done, value } = read.length > maxHeaderBytes ? { done: true, value: undefined } : await pieces.next()
    if (done === true) {
      await pieces.return?.()
      return { line: null, rest: continued(read, pieces) }
    }
    read = Buffer.concat([read, value as Buffer])
  }
}

async function* continued(first: Buffer, pieces: AsyncIterator<Buffer>): Bytes {
  try {
    if (first.length > 0) yield first
    for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) yield next.value
  } finally {
    await pieces.return?.()
  }
}
