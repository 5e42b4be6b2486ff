/** Lists the objects and the uploads below a folder. */
import { StorageFault } from '../storage/faults.ts'
import type { Listing, StoredObject, Upload } from '../storage/storage.ts'
import type { Entry, FileConnection, Files } from './files.ts'
import { folderOfPrefix, isListed, pathOf, uploadIn } from './names.ts'

export async function listFiles(
  connection: FileConnection,
  prefix: string,
  limit: number,
  cursor: string | null,
  signal: AbortSignal,
): Promise<Listing> {
  const found: StoredObject[] = await connection.ask('list', signal, async ({ files }) => {
    const objects: StoredObject[] = []
    const isInRange = (key: string) => key.startsWith(prefix) && (cursor === null || key > cursor)
    // A folder is left out if all its keys come before the cursor.
    const mayHave = (folder: string) =>
      (folder.startsWith(prefix) || prefix.startsWith(folder)) &&
      (cursor === null || folder > cursor || cursor.startsWith(folder))
    for await (const { key, entry } of walk(connection, files, prefix, mayHave)) {
      if (!isListed(entry.name) || !isInRange(key)) continue
      objects.push({ key, sizeBytes: entry.sizeBytes, modifiedAt: entry.modifiedAt })
      if (objects.length > limit) break
    }
    return objects
  })
  const objects = found.slice(0, limit)
  return { objects, cursor: found.length > limit ? objects.at(-1)!.key : null }
}

export const listFileUploads = (connection: FileConnection, prefix: string, signal: AbortSignal): Promise<Upload[]> =>
  connection.ask('list', signal, async ({ files }) => {
    const uploads: Upload[] = []
    const mayHave = (folder: string) => folder.startsWith(prefix) || prefix.startsWith(folder)
    for await (const { folder, entry } of walk(connection, files, prefix, mayHave)) {
      const found = uploadIn(entry.name)
      const key = `${folder}${found?.name}`
      if (found === null || !key.startsWith(prefix)) continue
      uploads.push({ key, uploadId: found.uploadId, startedAt: entry.modifiedAt })
    }
    return uploads
  })

interface Found {
  key: string
  /** The beginning of the key: '' or a text that ends in a slash. */
  folder: string
  entry: Entry
}

/** Yields the files in the order of their keys, from the folder of the prefix on. */
async function* walk(
  connection: FileConnection,
  files: Files,
  prefix: string,
  mayHave: (folder: string) => boolean,
): AsyncGenerator<Found> {
  const top = folderOfPrefix(prefix)
  if (top === null) return
  if ((await files.info(connection.base)) === null) throw baseMissing(connection)
  const path = top === '' ? connection.base : pathOf(connection.base, top.slice(0, -1))!
  if ((await files.entries(path)) === 'refused') throw unreadable(connection, path)
  yield* walkFolder(connection.base, files, top, mayHave)
}

async function* walkFolder(
  base: string,
  files: Files,
  folder: string,
  mayHave: (folder: string) => boolean,
): AsyncGenerator<Found> {
  const path = folder === '' ? base : pathOf(base, folder.slice(0, -1))!
  const found = await files.entries(path)
  // A folder of somebody else, such as lost+found, has no objects.
  if (found === null || found === 'refused') return
  const entries = found.map((entry) => ({ key: `${folder}${entry.name}${entry.type === 'folder' ? '/' : ''}`, entry }))
  entries.sort((a, b) => (a.key < b.key ? -1 : 1))
  for (const { key, entry } of entries) {
    if (entry.type === 'file') yield { key, folder, entry }
    if (entry.type === 'folder' && isListed(entry.name) && mayHave(key)) yield* walkFolder(base, files, key, mayHave)
  }
}

const unreadable = ({ host }: FileConnection, path: string) =>
  new StorageFault('rights', `The folder ${path} at ${host} may not be read. Grant the user that right`)

/** The folder of the destination is not there. */
export const baseMissing = ({ base, host }: FileConnection) =>
  new StorageFault('bucket', `There is no folder ${base} at ${host}. Create the folder, or correct its path`)
