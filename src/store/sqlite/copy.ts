/**
 * A copy of the store as it was at one moment, made while Berth writes to it or not. It lies in the data folder for as
 * long as it is made and checked; from then on it has no name, and goes when it is closed.
 */
import { createHash } from 'node:crypto'
import { closeSync, existsSync, openSync, rmSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { checkTables } from './integrity.ts'
import { holdLock } from './lock.ts'

export interface StoreCopy {
  installationId: string
  /** Says which master key it is sealed with: see identity.ts. */
  keyProof: string
  /** The newest of its migrations. */
  version: string
  sizeBytes: number
  sha256: string
  read(): AsyncIterable<Buffer>
  close(): Promise<void>
}

const copyName = 'berth.copy'
const pieceBytes = 256 * 1024

/** All pages in one step: in several, a store that is written to meanwhile would make it begin again. */
const allPages = 2 ** 31 - 1

class CopyUnderWay extends Error {}

const holdCopy = (folder: string) =>
  holdLock(
    join(folder, `${copyName}.lock`),
    (cause) => new CopyUnderWay('Another backup of the state is being made. Try again when it has ended', { cause }),
  )

/** Throws, in a sentence, where another copy is being made, or the store is not whole. */
export async function copyStore(folder: string): Promise<StoreCopy> {
  const path = join(folder, copyName)
  const lock = holdCopy(folder)
  try {
    remove(path)
    closeSync(openSync(path, 'wx', 0o600))
    await copyPages(join(folder, 'berth.db'), path)
    const known = await examine(path)
    return await hold(await open(path), known)
  } finally {
    remove(path)
    lock.close()
  }
}

/** What a copy has left that was ended in the middle. One that is being made stays. */
export function sweepCopy(folder: string): void {
  const path = join(folder, copyName)
  if (!existsSync(path)) return
  try {
    const lock = holdCopy(folder)
    remove(path)
    lock.close()
  } catch (error) {
    if (!(error instanceof CopyUnderWay)) throw error
  }
}

function remove(path: string) {
  for (const end of ['-journal', '-wal', '-shm', '']) rmSync(`${path}${end}`, { force: true })
}

/** By a thread: others have their turn meanwhile. */
async function copyPages(from: string, to: string): Promise<void> {
  const file = new DatabaseSync(from, { readOnly: true })
  try {
    file.exec('pragma busy_timeout = 5000')
    await backup(file, to, { rate: allPages })
  } finally {
    file.close()
  }
}

type Known = Pick<StoreCopy, 'installationId' | 'keyProof' | 'version'>

/** Of one file from now on, without a log beside it. */
async function examine(path: string): Promise<Known> {
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

async function hold(file: FileHandle, known: Known): Promise<StoreCopy> {
  try {
    const hash = createHash('sha256')
    let sizeBytes = 0
    for await (const piece of piecesOf(file)) {
      hash.update(piece)
      sizeBytes += piece.length
    }
    return { ...known, sizeBytes, sha256: hash.digest('hex'), read: () => piecesOf(file), close: () => file.close() }
  } catch (error) {
    await file.close()
    throw error
  }
}

/** A piece is good until the next one is asked for. */
async function* piecesOf(file: FileHandle): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(pieceBytes)
  for (let at = 0; ; ) {
    const { bytesRead } = await file.read(buffer, 0, pieceBytes, at)
    if (bytesRead === 0) return
    yield buffer.subarray(0, bytesRead)
    at += bytesRead
  }
}
