/**
 * A storage that keeps each object as a file below a folder. A file gets the name of its object only when it is complete and
 * on the disk: it is written under another name in the same folder, and renamed.
 */
import { forEachConcurrent } from '../async/for-each-concurrent.ts'
import { StorageFault } from '../storage/faults.ts'
import type { Storage } from '../storage/storage.ts'
import { abortFileUpload, uploadFile, writeComplete } from './file-upload.ts'
import { read } from './file-read.ts'
import type { FileConnection } from './files.ts'
import { listFiles, listFileUploads } from './listing.ts'
import { pathOf, putPath } from './names.ts'

const removedAtOnce = 4

/** For calls without a signal. The timeouts of the connection still apply. */
const unending = () => new AbortController().signal

/** Sends no request. Dispose of the storage to close its connection. */
export function fileStorage(connection: FileConnection): Storage {
  const { base, host } = connection
  /** @throws StorageFault if no object can have this key */
  const pathFor = (key: string): string => {
    const path = pathOf(base, key)
    if (path !== null) return path
    throw new StorageFault('answer', `No object at ${host} can have the key ${JSON.stringify(key.slice(0, 200))}`)
  }
  const removeOne = (key: string, signal: AbortSignal) =>
    connection.ask('delete', signal, async ({ files }) => {
      const path = pathFor(key)
      await files.remove(putPath(path))
      await files.remove(path)
    })
  return {
    put: async (key, body, signal = unending()) => writeComplete(connection, key, pathFor(key), body, signal),
    get: (key, signal = unending()) => read(connection, pathOf(base, key), signal),
    async head(key, signal = unending()) {
      const path = pathOf(base, key)
      const found = path === null ? null : await connection.ask('read', signal, ({ files }) => files.info(path))
      return found?.type === 'file' ? { sizeBytes: found.sizeBytes } : null
    },
    presign: null,
    list: (prefix, limit, cursor = null, signal = unending()) => listFiles(connection, prefix, limit, cursor, signal),
    async remove(keys, signal = unending()) {
      await forEachConcurrent(keys, removedAtOnce, (key) => removeOne(key, signal))
      return 'gone'
    },
    upload: async (key, source, options) => uploadFile(connection, key, pathFor(key), source, options),
    abortUpload: async (key, uploadId, signal = unending()) =>
      abortFileUpload(connection, pathFor(key), uploadId, signal),
    listUploads: (prefix, signal = unending()) => listFileUploads(connection, prefix, signal),
    [Symbol.dispose]: () => connection.close(),
  }
}
