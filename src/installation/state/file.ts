/**
 * A backup of Berth's own state as one stream: a line of JSON in clear that says what it is, then, encrypted by age for
 * whoever has the master key, that line again and the store, compressed. What was changed, cut off or put together
 * from two is noticed before its end. Knows neither folder nor storage.
 */
import { hkdfSync } from 'node:crypto'
import { z } from 'zod'
import { decryptWith, encryptFor, identityFrom, recipientOf } from '../../lib/crypto/encryption.ts'
import { type Bytes, compressed, decompressed, summed, tapped } from '../../dumps/streams.ts'
import { StateRefused } from '../../dumps/failures.ts'

const Header = z.object({
  berthState: z.literal(1),
  /** Names the master key: see keyIdOf. */
  keyId: z.string().regex(/^[0-9a-f]{8}$/),
  installationId: z.string(),
  /** The newest migration of the store. */
  storeVersion: z.string(),
  madeAt: z.iso.datetime(),
  /** Of the store's file. */
  sizeBytes: z.int(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
})

/** What a backup of the state says of itself. */
export type StateHeader = z.output<typeof Header>

/** The first line is no longer. */
const maxHeaderBytes = 4096
const lineEnd = 0x0a

/** Of the master key, for this alone: the key itself seals nothing but secrets. */
const identityOf = (masterKey: Buffer) =>
  identityFrom(new Uint8Array(hkdfSync('sha256', masterKey, Buffer.alloc(0), 'berth state backup', 32)))

export async function* sealState(header: StateHeader, masterKey: Buffer, store: Bytes): Bytes {
  const line = Buffer.from(`${JSON.stringify(header)}\n`)
  yield line
  yield* encryptFor(await recipientOf(identityOf(masterKey)), joined(line, compressed(store)))
}

async function* joined(line: Buffer, rest: Bytes): Bytes {
  yield line
  yield* rest
}

export interface OpenedState {
  header: StateHeader
  /** The store's file; to be believed when its end was reached. */
  store(masterKey: Buffer): Bytes
}

/** Throws StateRefused where it is no backup of the state, or one that a newer Berth made. */
export async function openState(source: Bytes): Promise<OpenedState> {
  const { line, rest } = await firstLine(source)
  const header = headerOf(line)
  return { header, store: (masterKey) => storeIn(header, line!, decryptWith(identityOf(masterKey), rest)) }
}

function headerOf(line: Buffer | null): StateHeader {
  const said = jsonOf(line)
  if (typeof said?.berthState === 'number' && said.berthState > 1) {
    throw new StateRefused('This backup was made by a newer Berth. Restore it with that one')
  }
  const parsed = Header.safeParse(said)
  if (!parsed.success) throw new StateRefused('This is no backup of the state of a Berth, or its beginning is damaged')
  return parsed.data
}

function jsonOf(line: Buffer | null): Record<string, unknown> | null {
  try {
    const said: unknown = JSON.parse(line?.toString('utf8') ?? '')
    return typeof said === 'object' ? (said as Record<string, unknown> | null) : null
  } catch {
    return null
  }
}

async function* storeIn(header: StateHeader, line: Buffer, opened: Bytes): Bytes {
  const sum = summed()
  try {
    const inner = await firstLine(opened)
    if (inner.line === null || !inner.line.equals(line)) throw new StateRefused('its beginning was changed')
    yield* tapped(decompressed(inner.rest), sum.tap)
  } catch (cause) {
    throw damaged((cause as Error).message, cause)
  }
  const { sizeBytes, sha256 } = sum.sum()
  if (sizeBytes !== header.sizeBytes || sha256 !== header.sha256) throw damaged('it holds what was not put there')
}

const damaged = (fault: string, cause?: unknown) =>
  new StateRefused(`This backup is damaged or cut off (${fault}). Nothing of it is used: take another one`, { cause })

/** Up to the end of the line, which is null where none comes in time, and what follows. */
async function firstLine(source: Bytes): Promise<{ line: Buffer | null; rest: Bytes }> {
  const pieces = source[Symbol.asyncIterator]()
  let read = Buffer.alloc(0)
  for (;;) {
    const end = read.indexOf(lineEnd)
    if (end !== -1) return { line: read.subarray(0, end + 1), rest: following(read.subarray(end + 1), pieces) }
    const { done, value } = read.length > maxHeaderBytes ? { done: true, value: undefined } : await pieces.next()
    if (done === true) {
      await pieces.return?.()
      return { line: null, rest: following(read, pieces) }
    }
    read = Buffer.concat([read, value as Buffer])
  }
}

async function* following(begun: Buffer, pieces: AsyncIterator<Buffer>): Bytes {
  try {
    if (begun.length > 0) yield begun
    for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) yield next.value
  } finally {
    await pieces.return?.()
  }
}
