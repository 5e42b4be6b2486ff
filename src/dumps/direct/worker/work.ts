/** The work of a worker: streams between pipes and the storage. */
import { archiveReaders } from '../../../kinds/archive-readers.ts'
import type { ArchiveContents } from '../../../kinds/backup.ts'
import { decryptWithFileKey, encryptFor } from '../../../lib/crypto/encryption.ts'
import { sendParts, type SentParts } from '../../../lib/s3/send-parts.ts'
import type { SignedStorage } from '../../../lib/s3/signed-storage.ts'
import { type Bytes, compressed, decompressed, digester, drain, tapped } from '../../streams.ts'
import { copying } from '../../copying.ts'
import type { Reading, Report, Work } from '../protocol.ts'
import type { PipeEnds } from './pipe-ends.ts'

export interface Tools {
  storage: SignedStorage
  pipes: PipeEnds
  signal: AbortSignal
  /** Called with the size of each piece that was transferred. */
  progress(bytes: number): void
}

/** The object differs from the one that Berth has recorded. */
export class ObjectChanged extends Error {}

const nothing: Report = { object: null, parts: [], rawBytes: null, contents: null }

/** Does the work and resolves with its result. */
export async function perform(work: Work, tools: Tools): Promise<Report> {
  switch (work.do) {
    case 'dump':
      return upload(work, tools)
    case 'load':
      return load(work, tools)
    case 'check':
      return check(work, tools)
    case 'count': {
      const contents = await contentsOf(work.reading, tools, dumped(tools))
      return { ...nothing, contents }
    }
    case 'reach':
      return nothing
  }
}

/** The output of the dump tool. */
const dumped = ({ pipes, progress }: Tools): Bytes => tapped(pipes.read('dumped'), ({ length }) => progress(length))

async function upload({ recipient, reading }: Work & { do: 'dump' }, tools: Tools): Promise<Report> {
  const { storage, signal } = tools
  const digest = digester()
  let rawBytes = 0
  const raw = tapped(dumped(tools), ({ length }) => {
    rawBytes += length
  })
  const copy = reading === null ? null : copying((source) => contentsOf(reading, tools, source))
  const packed = compressed(copy === null ? raw : copy.through(raw))
  const sealed = tapped(recipient === null ? packed : encryptFor(recipient, packed), digest.tap)
  const sent: SentParts = await sendParts(sealed, (part) => storage.sendPart(part, signal), { signal })
  return { object: digest.result(), parts: sent.parts, rawBytes, contents: (await copy?.result) ?? null }
}

async function load({ fileKey, sha256 }: Work & { do: 'load' }, tools: Tools): Promise<Report> {
  const object = downloaded(tools)
  await tools.pipes.write('loaded', verified(opened(fileKey, object.bytes)))
  return { ...nothing, object: object.result() }

  async function* verified(source: Bytes): Bytes {
    yield* source
    // The tool must not read the end of its input after an object that differs.
    if (object.result().sha256 !== sha256) throw new ObjectChanged('The object differs')
  }
}

async function check({ opened: how }: Work & { do: 'check' }, tools: Tools): Promise<Report> {
  const object = downloaded(tools)
  let contents: ArchiveContents | null = null
  if (how === null) await drain(object.bytes)
  else contents = await contentsOf(how.reading, tools, opened(how.fileKey, object.bytes))
  return { ...nothing, object: object.result(), contents }
}

function downloaded({ storage, signal, progress }: Tools) {
  const digest = digester()
  const bytes = tapped(storage.read(signal), (piece) => {
    digest.tap(piece)
    progress(piece.length)
  })
  return { bytes, result: digest.result }
}

const opened = (fileKey: string | null, object: Bytes): Bytes =>
  decompressed(fileKey === null ? object : decryptWithFileKey(Buffer.from(fileKey, 'base64'), object))

/** Reads an archive to its end. If it has to be unpacked, passes it through the container that does this. */
async function contentsOf({ format, isUnpacked }: Reading, { pipes }: Tools, raw: Bytes): Promise<ArchiveContents> {
  const reading = archiveReaders[format]()
  const read = (source: Bytes) => drain(source, (piece) => reading.write(piece))
  if (!isUnpacked) await read(raw)
  else await Promise.all([pipes.write('packed', raw), read(pipes.read('unpacked'))])
  return reading.end()
}
