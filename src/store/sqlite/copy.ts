/**
 * Makes a consistent copy of the store, also while Berth writes to it. The file is in the data folder while it is made
 * and checked. Then it is unlinked, and its space is freed when the copy is closed.
 */
import { createHash } from 'node:crypto'
import { closeSync, existsSync, openSync, rmSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { checkTables } from './integrity.ts'
import { lockFile } from './lock.ts'

export interface StoreCopy {
  installationId: string
  /** Identifies the master key that seals the copy, see installation/identity.ts. */
  keyProof: string
  /** The name of its newest migration. */
  version: string
  sizeBytes: number
  sha256: string
  read(): AsyncIterable<Buffer>
  close(): Promise<void>
}

const copyName = 'berth.copy'
const pieceBytes = 256 * 1024

/** Copies all pages in one step. Between steps, a write by another connection would restart the copy. */
const allPages = 2 ** 31 - 1

class CopyUnderWay extends Error {}

const lockCopy = (folder: string) =>
  lockFile(
    join(folder, `${copyName}.lock`),
    (cause) => new CopyUnderWay('Another backup of the state is being made. Try again when it has ended', { cause }),
  )

/**
 * Copies and checks the store of a data folder.
 * @throws with a message for the caller if another copy is being made, or the store is damaged
 */
export async function copyStore(folder: string): Promise<StoreCopy> {
  const path = join(folder, copyName)
  const lock = lockCopy(folder)
  try {
    removeFiles(path)
    closeSync(openSync(path, 'wx', 0o600))
    await copyPages(join(folder, 'berth.db'), path)
    const identity = await checkCopy(path)
    return await hashCopy(await open(path), identity)
  } finally {
    removeFiles(path)
    lock.close()
  }
}

/** Removes the file of a copy that was interrupted. Does nothing while a copy is being made. */
export function removeAbandonedCopy(folder: string): void {
  const path = join(folder, copyName)
  if (!existsSync(path)) return
  try {
    const lock = lockCopy(folder)
    removeFiles(path)
    lock.close()
  } catch (error) {
    if (!(error instanceof CopyUnderWay)) throw error
  }
}

function removeFiles(path: string) {
  for (const end of ['-journal', '-wal', '-shm', '']) rmSync(`${path}${end}`, { force: true })
}

/** The copy runs in a thread and does not block the event loop. */
async function copyPages(from: string, to: string): Promise<void> {
  const file = new DatabaseSync(from, { readOnly: true })
  try {
    file.exec('pragma busy_timeout = 5000')
    await backup(file, to, { rate: allPages })
  } finally {
    file.close()
  }
}

type CopyIdentity = Pick<StoreCopy, 'installationId' | 'keyProof' | 'version'>

/** Checks the copy and reads its identity. Turns off the WAL, so that the copy is a single file. */
async function checkCopy(path: string): Promise<CopyIdentity> {
  const file = new DatabaseSync(path)
  try {
    file.exec('pragma journal_mode = delete')
    await checkTables(file, path)
    const meta = file.prepare('select "value" from "meta" where "key" = ?')
    const readMeta = (key: string) => (meta.get(key) as { value: string }).value
    const { name } = file.prepare('select max("name") as "name" from "kysely_migration"').get() as { name: string }
    return { installationId: readMeta('installationId'), keyProof: readMeta('masterKeyProof'), version: name }
  } finally {
    file.close()
  }
}

async function hashCopy(file: FileHandle, identity: CopyIdentity): Promise<StoreCopy> {
  try {
    const hash = createHash('sha256')
    let sizeBytes = 0
    for await (const piece of piecesOf(file)) {
      hash.update(piece)
      sizeBytes += piece.length
    }
    return { ...identity, sizeBytes, sha256: hash.digest('hex'), read: () => piecesOf(file), close: () => file.close() }
  } catch (error) {
    await file.close()
    throw error
  }
}

/** Yields the same buffer again and again: a piece is valid until the next one is requested. */
async function* piecesOf(file: FileHandle): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(pieceBytes)
  for (let at = 0; ; ) {
    const { bytesRead } = await file.read(buffer, 0, pieceBytes, at)
    if (bytesRead === 0) return
    yield buffer.subarray(0, bytesRead)
    at += bytesRead
  }
}
