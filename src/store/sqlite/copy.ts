/**
 * Copies the store consistently, also while Berth writes to it. The copy is a file in the data folder while it is
 * written and checked. Then the file is unlinked. Its space is freed when the copy is closed.
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
  /** The name of the newest migration in the copy. */
  version: string
  sizeBytes: number
  sha256: string
  read(): AsyncIterable<Buffer>
  close(): Promise<void>
}

const copyName = 'berth.copy'
const pieceBytes = 256 * 1024

/** The number of pages per step. All pages are copied in one step, because a write between steps restarts the copy. */
const allPages = 2 ** 31 - 1

class CopyUnderWay extends Error {}

const lockCopy = (folder: string) =>
  lockFile(
    join(folder, `${copyName}.lock`),
    (cause) => new CopyUnderWay('Another backup of the state is under way. Wait for its end, then repeat', { cause }),
  )

/**
 * Copies and checks the store of a data folder.
 * @throws with a message for the caller if another process copies the store, or the store is damaged
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

/** Removes the files of an interrupted copy. Does nothing while another process copies the store. */
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
  for (const suffix of ['-journal', '-wal', '-shm', '']) rmSync(`${path}${suffix}`, { force: true })
}

/** Copies all pages. SQLite does this in a thread, so the event loop is not blocked. */
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

/** Checks the copy and reads its identity. Turns off the WAL, because the copy has to be a single file. */
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

/** Yields the pieces of a file in a shared buffer. A piece is valid only until the next piece is requested. */
async function* piecesOf(file: FileHandle): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(pieceBytes)
  for (let at = 0; ; ) {
    const { bytesRead } = await file.read(buffer, 0, pieceBytes, at)
    if (bytesRead === 0) return
    yield buffer.subarray(0, bytesRead)
    at += bytesRead
  }
}
