/** An SFTP server that keeps files in memory, with faults. It has no extensions, as older servers. */
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { posix } from 'node:path'
import ssh2, { type Connection, type FileEntry, type SFTPWrapper } from 'ssh2'
import { fingerprintOf } from '../../src/lib/sftp/address.ts'
import type { SftpSettings } from '../../src/lib/sftp/sftp.ts'

const { OPEN_MODE, STATUS_CODE } = ssh2.utils.sftp

export interface Faults {
  /** How many bytes of files the disk holds. */
  diskBytes?: number
  /** The connection ends after this many further bytes were written; then the fault is over. */
  cutAfterBytes?: number
  /** The connection ends after this many further bytes were read; then the fault is over. */
  cutReadAfterBytes?: number
  /** No request is answered. */
  isStalled?: boolean
  /** The paths in which the user may change nothing. */
  readOnly?: string
  /** The folder that the user may not read. */
  unreadable?: string
  /** How many bytes an answer to a read has at most. */
  maxReadBytes?: number
  /** The server acknowledges writes and keeps other bytes. */
  keepsOtherBytes?: boolean
}

export interface MemorySftp extends AsyncDisposable {
  settings: SftpSettings
  /** The content of each file, by path. */
  files: Map<string, Buffer>
  folders: Set<string>
  faults: Faults
  /** The users and passwords of all logins that were tried, in their order. */
  logins: string[]
  /** The number of connections so far. */
  connections(): number
  /** Shows another host key from now on, and ends all connections. */
  changeHostKey(): void
}

const socketOf = (client: Connection) => (client as unknown as { _sock: Socket })._sock

/** A private key in PEM. Not by ssh2, which sometimes generates one that it cannot read. */
const newKey = (): string =>
  generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'sec1', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  }).privateKey

function publicKeyOf(privateKey: string): Buffer {
  const parsed = ssh2.utils.parseKey(privateKey)
  if (parsed instanceof Error) throw parsed
  return parsed.getPublicSSH()
}

export async function memorySftp(faults: Faults = {}): Promise<MemorySftp> {
  const files = new Map<string, Buffer>()
  const folders = new Set(['/', '/backups'])
  const logins: string[] = []
  const sockets = new Set<Connection>()
  let count = 0
  let key = newKey()
  const settings: SftpSettings = {
    host: '127.0.0.1',
    port: 0,
    user: 'berth',
    secret: 'a-secret-of-the-storage',
    hostKey: fingerprintOf(publicKeyOf(key)),
    folder: '/backups',
  }
  const storage = { files, folders, faults }
  const serverOf = () => new ssh2.Server({ hostKeys: [key] }, onConnection)
  const onConnection = (client: Connection) => {
    count++
    sockets.add(client)
    socketOf(client).setNoDelay()
    client.on('error', () => undefined)
    client.on('close', () => void sockets.delete(client))
    client.on('authentication', (login) => {
      logins.push(login.method === 'password' ? `${login.username}:${login.password}` : login.username)
      const isRight = login.method === 'password' && login.password === settings.secret
      if (login.username === settings.user && isRight) login.accept()
      else login.reject(['password'])
    })
    client.on('session', (accept) => {
      accept().on('sftp', (acceptSftp) => serve(acceptSftp(), storage, () => client.end()))
    })
  }
  let server = serverOf().listen(0, '127.0.0.1')
  await once(server, 'listening')
  settings.port = (server.address() as AddressInfo).port
  const endAll = () => {
    for (const client of sockets) socketOf(client).destroy()
  }
  return {
    settings,
    files,
    folders,
    faults,
    logins,
    connections: () => count,
    changeHostKey() {
      key = newKey()
      server.close()
      endAll()
      server = serverOf().listen(settings.port, '127.0.0.1')
    },
    async [Symbol.asyncDispose]() {
      endAll()
      server.close()
      await once(server, 'close')
    },
  }
}

interface Stored {
  files: Map<string, Buffer>
  folders: Set<string>
  faults: Faults
}

/** What a handle stands for. Bytes written through a handle go to its file, also after the file was renamed or removed. */
interface Handle {
  path: string
  file: { bytes: Buffer } | null
  /** The answer to the next request for entries; null: all were answered. */
  entries: FileEntry[] | null
}

const modifiedAt = 1_700_000_000
const attributesOf = (bytes: Buffer | null) => ({
  mode: bytes === null ? 0o040700 : 0o100600,
  uid: 0,
  gid: 0,
  size: bytes?.length ?? 0,
  atime: modifiedAt,
  mtime: modifiedAt,
})

function serve(sftp: SFTPWrapper, { files, folders, faults }: Stored, cut: () => void): void {
  const handles = new Map<string, Handle>()
  const handleOf = (handle: Buffer) => handles.get(handle.toString('hex'))!
  const opened = (id: number, handle: Handle) => {
    const name = randomBytes(4)
    handles.set(name.toString('hex'), handle)
    sftp.handle(id, name)
  }
  const end = (id: number, code: number) => sftp.status(id, code)
  const isRefused = (path: string) => faults.readOnly !== undefined && path.startsWith(faults.readOnly)
  /** Answers a request, unless the server is stalled. */
  const on = <A extends unknown[]>(event: string, answer: (id: number, ...rest: A) => void) =>
    sftp.on(
      event as 'READY',
      ((id: number, ...rest: A) => {
        if (faults.isStalled !== true) answer(id, ...rest)
      }) as () => void,
    )

  on('OPEN', (id, path: string, flags: number) => {
    const isWritten = (flags & OPEN_MODE.WRITE) !== 0
    const before = files.get(path)
    if (!folders.has(posix.dirname(path))) return end(id, STATUS_CODE.NO_SUCH_FILE)
    if (isWritten && isRefused(path)) return end(id, STATUS_CODE.PERMISSION_DENIED)
    if (before === undefined && (flags & OPEN_MODE.CREAT) === 0) return end(id, STATUS_CODE.NO_SUCH_FILE)
    const bytes = before === undefined || (flags & OPEN_MODE.TRUNC) !== 0 ? Buffer.alloc(0) : before
    files.set(path, bytes)
    opened(id, { path, file: { bytes }, entries: null })
  })
  on('WRITE', (id, handle: Buffer, offset: number, data: Buffer) => {
    const { path, file } = handleOf(handle)
    if (faults.cutAfterBytes !== undefined) {
      faults.cutAfterBytes -= data.length
      if (faults.cutAfterBytes < 0) {
        delete faults.cutAfterBytes
        return cut()
      }
    }
    const used = files.values().reduce((sum, { length }) => sum + length, 0)
    if (used + data.length > (faults.diskBytes ?? Infinity)) return end(id, STATUS_CODE.FAILURE)
    const wasFile = files.get(path) === file!.bytes
    file!.bytes = written(file!.bytes, offset, faults.keepsOtherBytes === true ? Buffer.alloc(data.length) : data)
    if (wasFile) files.set(path, file!.bytes)
    end(id, STATUS_CODE.OK)
  })
  on('READ', (id, handle: Buffer, offset: number, length: number) => {
    const { bytes } = handleOf(handle).file!
    const part = bytes.subarray(offset, offset + Math.min(length, faults.maxReadBytes ?? length))
    if (faults.cutReadAfterBytes !== undefined) {
      faults.cutReadAfterBytes -= part.length
      if (faults.cutReadAfterBytes < 0) {
        delete faults.cutReadAfterBytes
        return cut()
      }
    }
    if (part.length === 0) end(id, STATUS_CODE.EOF)
    else sftp.data(id, part)
  })
  const stat = (id: number, path: string) => {
    const bytes = files.get(path) ?? (folders.has(path) ? null : undefined)
    if (bytes === undefined) end(id, STATUS_CODE.NO_SUCH_FILE)
    else sftp.attrs(id, attributesOf(bytes))
  }
  on('STAT', stat)
  on('LSTAT', stat)
  on('FSTAT', (id, handle: Buffer) => sftp.attrs(id, attributesOf(handleOf(handle).file!.bytes)))
  on('OPENDIR', (id, path: string) => {
    if (!folders.has(path)) return end(id, STATUS_CODE.NO_SUCH_FILE)
    if (path === faults.unreadable) return end(id, STATUS_CODE.PERMISSION_DENIED)
    const entries = [...files.keys(), ...folders].filter((each) => each !== '/' && posix.dirname(each) === path)
    const entryOf = (each: string) => {
      return { filename: posix.basename(each), longname: each, attrs: attributesOf(files.get(each) ?? null) }
    }
    opened(id, { path, file: null, entries: ['.', '..'].concat(entries).map(entryOf) as FileEntry[] })
  })
  on('READDIR', (id, handle: Buffer) => {
    const opened = handleOf(handle)
    if (opened.entries === null) return end(id, STATUS_CODE.EOF)
    sftp.name(id, opened.entries)
    opened.entries = null
  })
  on('CLOSE', (id, handle: Buffer) => {
    handles.delete(handle.toString('hex'))
    end(id, STATUS_CODE.OK)
  })
  on('REMOVE', (id, path: string) => {
    if (isRefused(path)) return end(id, STATUS_CODE.PERMISSION_DENIED)
    end(id, files.delete(path) ? STATUS_CODE.OK : STATUS_CODE.NO_SUCH_FILE)
  })
  on('MKDIR', (id, path: string) => {
    if (isRefused(path)) return end(id, STATUS_CODE.PERMISSION_DENIED)
    if (folders.has(path)) return end(id, STATUS_CODE.FAILURE)
    folders.add(path)
    end(id, STATUS_CODE.OK)
  })
  on('RENAME', (id, from: string, to: string) => {
    const bytes = files.get(from)
    if (bytes === undefined) return end(id, STATUS_CODE.NO_SUCH_FILE)
    // As in version 3 of the protocol, which replaces no file.
    if (files.has(to)) return end(id, STATUS_CODE.FAILURE)
    files.delete(from)
    files.set(to, bytes)
    end(id, STATUS_CODE.OK)
  })
}

/** The bytes with `data` at the offset. Grows in large steps, so that large files are not copied at each write. */
function written(bytes: Buffer, offset: number, data: Buffer): Buffer {
  const length = Math.max(bytes.length, offset + data.length)
  const capacity = bytes.buffer.byteLength - bytes.byteOffset
  let grown = bytes
  if (length > bytes.length) {
    grown =
      length <= capacity && bytes.byteOffset === 0 && bytes.length > 0
        ? Buffer.from(bytes.buffer as ArrayBuffer, 0, length)
        : Buffer.alloc(Math.max(length * 2, 1024 ** 2)).subarray(0, length)
    if (grown.buffer !== bytes.buffer) bytes.copy(grown)
  }
  data.copy(grown, offset)
  return grown
}
