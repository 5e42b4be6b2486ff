/** Writes objects: the bytes go into a file with another name in the same folder, which is renamed when it is complete. */
import { randomBytes } from 'node:crypto'
import { AbandonedUpload, isNoConnection, StorageFault } from '../storage/faults.ts'
import type { UploadOptions } from '../storage/storage.ts'
import { batchesOf } from './batches.ts'
import type { FileConnection, Files, OpenFile } from './files.ts'
import { baseMissing } from './listing.ts'
import { folderOfPath, foldersOf, putPath, uploadPath } from './names.ts'

/** How many bytes are sent and acknowledged together. An upload takes the memory of two batches. */
const batchBytes = 4 * 1024 ** 2
/** The timeout for the removal of what a failed upload has written, for all attempts together. */
const abortMs = 30_000

/** The places of an object while it is written. */
interface Target {
  key: string
  path: string
  temporary: string
}

/** See `Storage.put`. The bytes are read back before the file gets its name. */
export async function writeComplete(
  connection: FileConnection,
  key: string,
  path: string,
  body: Buffer,
  signal: AbortSignal,
): Promise<void> {
  const target: Target = { key, path, temporary: putPath(path) }
  await connection.ask('write', signal, async ({ files, attempt }) => {
    const file = await create(connection, files, target)
    await file.write(body, 0)
    const written = await file.read(0, body.length)
    if (!written.equals(body)) throw otherBytes(connection)
    await finish(connection, files, file, target, { sizeBytes: body.length, attempt })
  })
}

/** See `Storage.upload`. */
export async function uploadFile(
  connection: FileConnection,
  key: string,
  path: string,
  source: AsyncIterable<Buffer>,
  options: UploadOptions,
): Promise<{ sizeBytes: number }> {
  const uploadId = randomBytes(8).toString('hex')
  const target: Target = { key, path, temporary: uploadPath(path, uploadId) }
  options.signal.throwIfAborted()
  try {
    await options.onBegun?.(uploadId)
    const open = opener(connection, target)
    const sizeBytes = await sendAll(connection, open, source, options)
    await connection.ask('write', options.signal, async ({ files, attempt }) => {
      const file = await open(files)
      if (file !== null) await finish(connection, files, file, target, { sizeBytes, attempt })
      else await checkRenamed(connection, files, target, { sizeBytes, attempt })
    })
    return { sizeBytes }
  } catch (error) {
    if (isNoConnection(error)) throw new AbandonedUpload(uploadId, error)
    await abortFileUpload(connection, path, uploadId, AbortSignal.timeout(abortMs)).catch(() => {
      throw new AbandonedUpload(uploadId, error)
    })
    throw error
  }
}

/** See `Storage.abortUpload`. */
export async function abortFileUpload(
  connection: FileConnection,
  path: string,
  uploadId: string,
  signal: AbortSignal,
): Promise<void> {
  if (!/^[0-9a-f]{16}$/.test(uploadId)) return
  await connection.ask('delete', signal, ({ files }) => files.remove(uploadPath(path, uploadId)))
}

/** Returns the file of an upload; null if it is gone. */
type Open = (files: Files) => Promise<OpenFile | null>

/** Creates the file once, and opens it again for each new connection. */
function opener(connection: FileConnection, target: Target): Open {
  let opened: { files: Files; file: OpenFile } | null = null
  return async (files) => {
    if (opened?.files === files) return opened.file
    const file =
      opened === null ? await create(connection, files, target) : await files.open(target.temporary, 'resume')
    if (file !== null) opened = { files, file }
    return file
  }
}

/** Creates the temporary file, and the folders above it. */
async function create(connection: FileConnection, files: Files, { key, temporary }: Target): Promise<OpenFile> {
  const file = await files.open(temporary, 'create')
  if (file !== null) return file
  if ((await files.info(connection.base)) === null) throw baseMissing(connection)
  for (const folder of foldersOf(connection.base, key)) await files.makeFolder(folder)
  const second = await files.open(temporary, 'create')
  if (second !== null) return second
  throw new StorageFault('answer', `${connection.host} could not create a file in a folder that it has just made`)
}

/** Sends one batch while the next one is collected. @returns the number of bytes */
async function sendAll(
  connection: FileConnection,
  open: Open,
  source: AsyncIterable<Buffer>,
  { signal, onProgress }: UploadOptions,
): Promise<number> {
  const batches = batchesOf(source, batchBytes)
  const { promise: failed, reject } = Promise.withResolvers<never>()
  failed.catch(() => undefined)
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  let sizeBytes = 0
  let hasEnded = false
  const send = async (batch: Buffer, position: number) => {
    await connection.ask('write', signal, async ({ files }) => {
      const file = await open(files)
      if (file === null) throw new StorageFault('missing', 'The upload does not exist any more')
      await file.write(batch, position)
    })
    onProgress?.(position + batch.length)
  }
  try {
    let sending: Promise<void> = Promise.resolve()
    for (;;) {
      const next = await Promise.race([batches.next(), failed])
      await Promise.race([sending, failed])
      hasEnded = next.done === true
      if (next.done === true) break
      sending = send(next.value, sizeBytes)
      sending.catch(reject)
      sizeBytes += next.value.length
    }
    // Also creates the file of an empty object.
    if (sizeBytes === 0) await send(Buffer.alloc(0), 0)
    signal.throwIfAborted()
    return sizeBytes
  } finally {
    signal.removeEventListener('abort', abort)
    // Not awaited: a source that stalls never ends.
    if (!hasEnded) batches.return(undefined).catch(() => undefined)
  }
}

interface Written {
  sizeBytes: number
  attempt: number
}

/** Gives a file that is complete the name of its object. */
async function finish(
  connection: FileConnection,
  files: Files,
  file: OpenFile,
  target: Target,
  written: Written,
): Promise<void> {
  if ((await file.info()).sizeBytes !== written.sizeBytes) throw otherBytes(connection)
  await file.sync()
  await file.close()
  if (!(await files.rename(target.temporary, target.path))) await checkRenamed(connection, files, target, written)
  await files.syncFolder(folderOfPath(target.path))
}

/** The temporary file is gone. If the answer of an earlier attempt was lost, the object has to have the right size. */
async function checkRenamed(
  connection: FileConnection,
  files: Files,
  { path }: Target,
  { sizeBytes, attempt }: Written,
): Promise<void> {
  const found = attempt > 1 ? await files.info(path) : null
  if (found?.type === 'file' && found.sizeBytes === sizeBytes) return
  throw new StorageFault('missing', `The upload does not exist any more at ${connection.host}`)
}

const otherBytes = ({ host }: FileConnection) =>
  new StorageFault('answer', `${host} has other bytes than were written. Check its disk and its free space`)
