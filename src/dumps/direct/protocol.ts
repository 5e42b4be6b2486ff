/**
 * What Berth and a worker tell each other. A worker is a container on the node of a database that exchanges a dump with
 * the storage. Each message is a line of JSON: Berth writes to the worker's standard input, the worker to its output.
 */
import type { ArchiveContents, ArchiveFormat } from '../../kinds/backup.ts'
import type { FaultContext, FaultKind } from '../../lib/s3/faults.ts'
import type { Network } from '../../lib/net/egress.ts'
import type { SentPart, SignedRequest, WantedRequest } from '../../lib/s3/s3.ts'
import type { Digest } from '../streams.ts'

/** How to read the contents of an archive. `isUnpacked`: another container unpacks the archive for the reader. */
export interface Reading {
  format: ArchiveFormat
  isUnpacked: boolean
}

/** The key of the one object that the worker reads, in base64; null: the object is not encrypted. */
type FileKey = string | null

/**
 * What the worker does. The data of a tool goes through a pipe (pipes.ts).
 * - `dump`: compresses the output of the tool, encrypts it if there is a recipient, and uploads it
 * - `load`: downloads an object, decrypts and decompresses it, and writes it to the input of the tool. Leaves the input
 *   open unless the checksum of the object is `sha256`
 * - `check`: downloads an object. With `opened`, also decrypts, decompresses and reads it
 * - `count`: reads the output of the tool, without the storage
 * - `reach`: connects to the storage only
 */
export type Work =
  | { do: 'dump'; recipient: string | null; reading: Reading | null }
  | { do: 'load'; fileKey: FileKey; sha256: string }
  | { do: 'check'; opened: { fileKey: FileKey; reading: Reading } | null }
  | { do: 'count'; reading: Reading }
  | { do: 'reach' }

/** The first line to a worker. Contains no credentials of the storage and no identity. */
export interface Instructions {
  work: Work
  storage: {
    names: Pick<FaultContext, 'host' | 'bucket' | 'region'>
    /** Certificates (PEM) of authorities that are trusted besides those of Node. */
    extraCa: string[]
    /** The certificate of the only trusted authority; null: those of Node. */
    onlyCa: string | null
    limits: { attempts?: number; waitMs?: number; idleMs?: number }
    /** See `Egress.allowed`. */
    allowed: readonly Network[]
  }
  /** The work fails if a tool neither reads nor writes a byte for this time. */
  idleMs: number
}

/** A later line to a worker: the answer to its request with this number. */
export type Reply = { reply: number; signed: SignedRequest } | { reply: number; refused: string }

/** Why the work failed. `pipe`: a tool closed its end. `idle`: a tool transferred no byte for too long. */
export type WorkFailure =
  | { cause: 'storage'; fault: FaultKind; message: string; isTransient: boolean }
  | { cause: 'idle' | 'objectChanged' | 'pipe' }
  | { cause: 'archive' | 'other'; message: string }

/** The result of the work. `object`: the object as uploaded or downloaded; null: none. */
export interface Report {
  object: Digest | null
  /** The parts of an upload; empty without an upload. */
  parts: SentPart[]
  /** The number of bytes of the dump before compression; null: unknown. */
  rawBytes: number | null
  contents: ArchiveContents | null
}

/**
 * A line of a worker.
 * - `ready`: the storage can be reached, and the pipes exist. The tools can start
 * - `unreachable`: the storage cannot be reached from this node. Nothing was transferred
 * - `failed`: the worker keeps its pipes open until Berth has ended the tools
 */
export type WorkerMessage =
  | { type: 'ready' }
  | { type: 'unreachable'; fault: FaultKind; message: string }
  | { type: 'sign'; id: number; request: WantedRequest }
  | { type: 'progress'; bytes: number }
  | { type: 'done'; report: Report }
  | { type: 'failed'; failure: WorkFailure }

/** The largest line. The contents of a dump of 100,000 tables have about 10 MiB. */
const maxLineBytes = 128 * 1024 ** 2

/** Parses lines of JSON. Ends at the end of the stream; an incomplete last line is dropped. */
export async function* jsonLines(source: AsyncIterable<Buffer>): AsyncGenerator<unknown> {
  let pieces: Buffer[] = []
  let bytes = 0
  for await (let piece of source) {
    for (;;) {
      const end = piece.indexOf('\n')
      if (end < 0) break
      pieces.push(piece.subarray(0, end))
      yield JSON.parse(Buffer.concat(pieces).toString())
      pieces = []
      bytes = 0
      piece = piece.subarray(end + 1)
    }
    bytes += piece.length
    if (bytes > maxLineBytes) throw new Error(`A line has more than ${maxLineBytes} bytes`)
    if (piece.length > 0) pieces.push(Buffer.from(piece))
  }
}
