/** Reads a file as a stream. Reads ahead, and continues at the same position after a broken connection. */
import { StorageFault } from '../storage/faults.ts'
import type { Failures } from '../storage/retries.ts'
import type { FileConnection, FileInfo, Files, OpenFile } from './files.ts'

const blockBytes = 1024 ** 2

/** How far a file was read, and its version. */
interface Position {
  at: number
  info: FileInfo | null
}

/** @param path null: the object does not exist */
export async function* read(
  connection: FileConnection,
  path: string | null,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  if (path === null) throw missing(connection)
  const position: Position = { at: 0, info: null }
  let failures: Failures = { count: 0, since: 0 }
  while (position.info === null || position.at < position.info.sizeBytes) {
    const startPosition = position.at
    try {
      yield* readFrom(connection, path, position, signal)
    } catch (error) {
      signal.throwIfAborted()
      if (position.at > startPosition || failures.count === 0) failures = { count: 0, since: performance.now() }
      failures.count++
      await connection.waitForRetry(connection.faultOf(error, 'read'), failures, signal)
    }
  }
}

const missing = ({ host }: FileConnection) => new StorageFault('missing', `The object does not exist at ${host}`)

interface Opened {
  files: Files
  file: OpenFile
  sizeBytes: number
}

/** Reads from the position on, until the end or until the connection breaks. */
async function* readFrom(
  connection: FileConnection,
  path: string,
  position: Position,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const opened = await open(connection, path, position, signal)
  let ahead = block(connection, opened, position.at, signal)
  try {
    while (position.at < opened.sizeBytes) {
      const bytes = await ahead
      if (bytes.length === 0) throw changed()
      position.at += bytes.length
      ahead = position.at < opened.sizeBytes ? block(connection, opened, position.at, signal) : ahead
      // A failure counts when the block is needed.
      ahead.catch(() => undefined)
      yield bytes
    }
  } finally {
    ahead.catch(() => undefined)
    opened.file.close().catch(() => undefined)
  }
}

const changed = () => new StorageFault('changed', 'The object was replaced while it was read. Read it again')

const open = (connection: FileConnection, path: string, position: Position, signal: AbortSignal): Promise<Opened> =>
  connection.ask(
    'read',
    signal,
    async ({ files }) => {
      const file = await files.open(path, 'read')
      if (file === null) throw position.info === null ? missing(connection) : changed()
      const { sizeBytes, modifiedAt } = await file.info()
      const before = position.info
      if (before !== null && (before.sizeBytes !== sizeBytes || before.modifiedAt.getTime() !== modifiedAt.getTime())) {
        throw changed()
      }
      position.info = { sizeBytes, modifiedAt }
      return { files, file, sizeBytes }
    },
    1,
  )

const block = (connection: FileConnection, opened: Opened, at: number, signal: AbortSignal): Promise<Buffer> =>
  connection.ask(
    'read',
    signal,
    async ({ files }) => {
      if (files !== opened.files) throw brokenOff
      return opened.file.read(at, Math.min(blockBytes, opened.sizeBytes - at))
    },
    1,
  )

/** The file was opened by a connection that has ended. */
const brokenOff = Object.assign(new Error('The connection ended'), { code: 'ECONNRESET' })
