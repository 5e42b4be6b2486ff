/**
 * Answers that are files. An error after the first byte breaks the connection: before the last byte if the size was
 * announced, and without the end of the answer otherwise. So a client can tell a part from the whole.
 */
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { FileAnswer } from '../../api/contract.ts'
import type { Answer } from '../../api/invoke.ts'
import type { App } from '../../api/services.ts'
import { refuse } from '../../errors.ts'
import { setIgnoredFields } from '../answers.ts'
import { disconnectSignal } from './ndjson.ts'

export const fileType = 'application/octet-stream'

/** How often the access is checked during the answer, in milliseconds. */
const checkMs = 30_000

/**
 * Sends a file. The headers wait for the first bytes: an earlier error is answered.
 *
 * @param checkAccess is called at intervals; if it rejects, the connection breaks
 */
export async function sendFile(
  app: App,
  request: FastifyRequest,
  reply: FastifyReply,
  { name, sizeBytes, sha256, open }: FileAnswer,
  answer: Answer,
  checkAccess: () => Promise<void>,
): Promise<void> {
  const signal = app.engineQueries.registerStream(disconnectSignal(reply.raw))
  const pieces = open(signal)[Symbol.asyncIterator]()
  const first = await pieces.next().catch((error: unknown) => {
    if (signal.aborted) refuse('SERVICE_UNAVAILABLE', 'Berth is stopping. Try again later')
    throw error
  })
  const bytes = Readable.from(piecesFrom(first, pieces), { objectMode: false })
  const timer = setInterval(() => void checkAccess().catch((error: Error) => bytes.destroy(error)), checkMs)
  bytes.once('close', () => clearInterval(timer))
  bytes.on('error', (error) => {
    if (!reply.raw.destroyed) app.log.error('a file broke off', error, { op: request.op, requestId: request.id })
  })
  setIgnoredFields(reply, answer)
  if (sizeBytes !== null) reply.header('content-length', sizeBytes)
  if (sha256 !== null) reply.header('repr-digest', digestField(sha256))
  // The connection is not reused: otherwise the shutdown of the server would wait for it.
  reply.header('connection', 'close').header('content-type', fileType)
  reply.header('content-disposition', `attachment; filename="${name.replace(/[^\w.~%-]/g, '_')}"`)
  // Turns off buffering in nginx and proxies that know this header.
  reply.header('x-accel-buffering', 'no').send(bytes)
}

async function* piecesFrom(first: IteratorResult<Buffer>, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    for (let next = first; next.done !== true; next = await rest.next()) yield next.value
  } finally {
    await rest.return?.()
  }
}

/** The header field Repr-Digest of RFC 9530. */
const digestField = (sha256: string) => `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`
