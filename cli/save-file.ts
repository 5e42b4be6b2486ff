/** Saves a file that Berth sends: under another name until it is complete and its checksum is right. */
import { createHash, randomBytes } from 'node:crypto'
import { constants, existsSync } from 'node:fs'
import { copyFile, type FileHandle, link, open, rename, rm } from 'node:fs/promises'
import type { FileDownload } from '../client/client.ts'
import { CommandError } from './exit.ts'
import type { ProgressLine } from './terminal/output.ts'
import { readableSize } from './terminal/size.ts'

/** How often the progress is shown at most, in milliseconds. */
const showMs = 200

export interface Received {
  sizeBytes: number
  /** The SHA-256 checksum as hex. */
  sha256: string
}

/** @throws CommandError if the file exists and must not be replaced */
export function checkFree(path: string, isReplacing: boolean): void {
  if (!isReplacing && existsSync(path)) throw fileExists(path)
}

const fileExists = (path: string) => new CommandError('usage', `${path} exists already`, '--force replaces it')

/**
 * Saves the file with the mode 0600. If anything fails, no file is left.
 * @throws CommandError if the file exists and must not be replaced, or if the checksum is wrong
 */
export async function saveFile(
  file: FileDownload,
  path: string,
  isReplacing: boolean,
  progress: ProgressLine,
): Promise<Received> {
  const partial = `${path}.${randomBytes(4).toString('hex')}.part`
  const handle = await open(partial, 'wx', 0o600).catch((error: Error) => {
    throw new CommandError('usage', `${path} cannot be written: ${error.message}`)
  })
  try {
    const received = await receive(file, (piece) => writeAll(handle, piece), progress)
    await handle.sync()
    await handle.close()
    await place(partial, path, isReplacing)
    return received
  } finally {
    await handle.close().catch(() => undefined)
    await rm(partial, { force: true })
  }
}

/**
 * Passes the bytes on and compares the checksum.
 * @throws CommandError if it is wrong
 */
export async function receive(
  { bytes, sizeBytes, sha256 }: FileDownload,
  write: (piece: Uint8Array) => Promise<void>,
  progress: ProgressLine,
): Promise<Received> {
  const hash = createHash('sha256')
  const begunAt = performance.now()
  let [received, shownAt] = [0, 0]
  try {
    for await (const piece of bytes) {
      hash.update(piece)
      await write(piece)
      received += piece.length
      if (performance.now() - shownAt < showMs) continue
      shownAt = performance.now()
      progress.show(progressText(received, sizeBytes), (shownAt - begunAt) / 1000)
    }
  } finally {
    progress.end()
  }
  const digest = hash.digest('hex')
  if (sha256 === null || sha256 === digest) return { sizeBytes: received, sha256: digest }
  throw new CommandError(
    'failed',
    `The file arrived with the checksum ${digest}, but it has to be ${sha256}`,
    'Try again',
  )
}

/** Changes at most a hundred times, because each text is a line if standard error is not a terminal. */
const progressText = (received: number, sizeBytes: number | null): string =>
  sizeBytes === null || sizeBytes === 0
    ? 'Downloading'
    : `Downloading ${readableSize(sizeBytes)}: ${Math.floor((received / sizeBytes) * 100)} %`

async function writeAll(handle: FileHandle, piece: Uint8Array): Promise<void> {
  for (let at = 0; at < piece.length; ) at += (await handle.write(piece, at)).bytesWritten
}

/** Gives the complete file its name. A file that another program has created meanwhile is kept. */
async function place(partial: string, path: string, isReplacing: boolean): Promise<void> {
  if (isReplacing) return rename(partial, path)
  const refuseExisting = (error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST' ? fileExists(path) : error
  }
  await link(partial, path)
    .catch((error: NodeJS.ErrnoException) => {
      // Some file systems have no links.
      if (error.code === 'EEXIST') throw error
      return copyFile(partial, path, constants.COPYFILE_EXCL)
    })
    .catch(refuseExisting)
}
