/** The files of an SFTP server. */
import type { FileEntry, SFTPWrapper, Stats } from 'ssh2'
import type { Entry, FileInfo, Files, OpenFile } from '../files/files.ts'
import { diskFull, status } from './faults.ts'
import type { Session } from './session.ts'

/** Every server answers reads and accepts writes of this size (draft-ietf-secsh-filexfer-02, section 3). */
const packetBytes = 32 * 1024
const [fileMode, folderMode] = [0o600, 0o700]
/** Less free space on the server than this explains why a write failed. */
const noSpaceBytes = 1024 ** 2

const flags = { create: 'w+', resume: 'r+', read: 'r' } as const

const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code

/** Returns null instead of failing because something does not exist. */
async function orNull<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work
  } catch (error) {
    if (codeOf(error) === status.noSuchFile) return null
    throw error
  }
}

function orRefused(error: unknown): 'refused' {
  if (codeOf(error) === status.permissionDenied) return 'refused'
  throw error
}

/** Makes a call of an extension. @returns false if the server does not have the extension, or refuses it */
async function extension(session: Session, start: (done: (error?: Error | null) => void) => void): Promise<boolean> {
  try {
    await session.call<undefined>((done) => {
      try {
        start((error) => done(error, undefined))
      } catch {
        done(Object.assign(new Error('No such extension'), { code: status.failure }), undefined)
      }
    })
    return true
  } catch (error) {
    if (typeof codeOf(error) !== 'number') throw error
    return false
  }
}

/** @param host for messages */
export function sftpFiles(session: Session, host: string): Files {
  const { sftp } = session
  const files: Files = {
    async open(path, how) {
      const handle = await orNull(session.call<Buffer>((done) => sftp.open(path, flags[how], { mode: fileMode }, done)))
      return handle === null ? null : openFile(session, handle, path, host)
    },
    async info(path) {
      const stats = await orNull(session.call<Stats>((done) => sftp.lstat(path, done)))
      return stats === null ? null : { name: path.slice(path.lastIndexOf('/') + 1), ...entryOf(stats) }
    },
    async entries(path) {
      const entries = await orNull(session.call<FileEntry[]>((done) => sftp.readdir(path, done))).catch(orRefused)
      if (entries === null || entries === 'refused') return entries
      return entries
        .filter(({ filename }) => filename !== '.' && filename !== '..')
        .map(({ filename, attrs }) => ({ name: filename, ...entryOf(attrs as Stats) }))
    },
    async makeFolder(path) {
      try {
        await session.call((done) => sftp.mkdir(path, { mode: folderMode }, (error) => done(error, undefined)))
      } catch (error) {
        if (typeof codeOf(error) !== 'number' || (await files.info(path))?.type !== 'folder') throw error
      }
    },
    async rename(from, to) {
      if (await extension(session, (done) => sftp.ext_openssh_rename(from, to, done))) return true
      if ((await files.info(from)) === null) return false
      // Without the extension, a server may refuse to replace a file.
      await files.remove(to)
      await session.call((done) => sftp.rename(from, to, (error) => done(error, undefined)))
      return true
    },
    async remove(path) {
      await orNull(session.call((done) => sftp.unlink(path, (error) => done(error, undefined))))
    },
    /** OpenSSH opens a folder like a file, so that it can be synchronized. */
    async syncFolder(path) {
      const handle = await session
        .call<Buffer>((done) => sftp.open(path, 'r', done))
        .catch((error: unknown) => {
          if (typeof codeOf(error) === 'number') return null
          throw error
        })
      if (handle === null) return
      await extension(session, (done) => sftp.ext_openssh_fsync(handle, done))
      await session.call((done) => sftp.close(handle, (error) => done(error, undefined)))
    },
  }
  return files
}

function entryOf(stats: Stats): Omit<Entry, 'name'> {
  // Some servers leave the mode out of a list.
  const kind = stats.mode & 0o170000
  const type = kind === 0o040000 ? 'folder' : kind === 0o100000 ? 'file' : 'other'
  return { ...infoOf(stats), type }
}

const infoOf = ({ size, mtime }: Stats): FileInfo => ({ sizeBytes: size, modifiedAt: new Date(mtime * 1000) })

function openFile(session: Session, handle: Buffer, path: string, host: string): OpenFile {
  const { sftp } = session
  const writePacket = (bytes: Buffer, at: number, position: number) =>
    session.call((done) =>
      sftp.write(handle, bytes, at, Math.min(packetBytes, bytes.length - at), position + at, (error) =>
        done(error, undefined),
      ),
    )
  return {
    async write(bytes, position) {
      const packets = Math.ceil(bytes.length / packetBytes)
      const sent = Array.from({ length: packets }, (_, i) => writePacket(bytes, i * packetBytes, position))
      try {
        await Promise.all(sent)
      } catch (error) {
        await Promise.allSettled(sent)
        if (codeOf(error) === status.failure && (await isFull(session, path))) throw diskFull(host)
        throw error
      }
    },
    async read(position, sizeBytes) {
      const packets = Math.ceil(sizeBytes / packetBytes)
      const bytes = Buffer.allocUnsafe(sizeBytes)
      const read = Array.from({ length: packets }, (_, i) =>
        readPacket(session, handle, bytes.subarray(i * packetBytes, (i + 1) * packetBytes), position + i * packetBytes),
      )
      const lengths = await Promise.all(read)
      const shortAt = lengths.findIndex((length, i) => length < Math.min(packetBytes, sizeBytes - i * packetBytes))
      return shortAt === -1 ? bytes : bytes.subarray(0, shortAt * packetBytes + lengths[shortAt]!)
    },
    info: async () => infoOf(await session.call<Stats>((done) => sftp.fstat(handle, done))),
    async sync() {
      await extension(session, (done) => sftp.ext_openssh_fsync(handle, done))
    },
    close: () => session.call((done) => sftp.close(handle, (error) => done(error, undefined))),
  }
}

/** Fills the packet, except at the end of the file. A server may answer with less than it was asked for. */
async function readPacket(session: Session, handle: Buffer, packet: Buffer, position: number): Promise<number> {
  let filled = 0
  while (filled < packet.length) {
    const [at, rest] = [filled, packet.length - filled]
    const count = await session.call<number>((done) =>
      session.sftp.read(handle, packet, at, rest, position + at, (error, bytesRead) => done(error, bytesRead)),
    )
    if (count === 0) break
    filled += count
  }
  return filled
}

/** What the answer of `statvfs@openssh.com` has, of which the types of ssh2 say nothing. */
interface Space {
  f_frsize: number
  f_bavail: number
}

type WithSpace = SFTPWrapper & {
  ext_openssh_statvfs(path: string, done: (error: Error | undefined, space: Space) => void): void
}

/** A server reports a full disk as any failure, so Berth asks for the free space. */
async function isFull(session: Session, path: string): Promise<boolean> {
  let space: Space | null = null
  const folder = path.slice(0, path.lastIndexOf('/')) || '/'
  await extension(session, (done) =>
    (session.sftp as WithSpace).ext_openssh_statvfs(folder, (error, answer) => {
      space = answer
      done(error)
    }),
  )
  const found = space as Space | null
  return found?.f_frsize !== undefined && found.f_bavail * found.f_frsize < noSpaceBytes
}
