/**
 * Limits the size of the answers that the SDK reads into memory. The content of an object is streamed and not limited.
 */
import { pipeline, Readable, Transform } from 'node:stream'
import type { S3Client } from '@aws-sdk/client-s3'
import { StorageFault } from '../storage/faults.ts'

/** Far more than a page of a list with the longest keys. */
const maxAnswerBytes = 16 * 1024 ** 2

interface Answer {
  statusCode: number
  body?: unknown
}

/** Makes requests of the client fail with a StorageFault if an answer is larger than `maxBytes`. */
export function limitAnswers({ middlewareStack }: S3Client, maxBytes = maxAnswerBytes): void {
  middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const result = await next(args)
        const answer = result.response as Answer
        const isObject = commandName === 'GetObjectCommand' && answer.statusCode < 300
        if (!isObject && answer.body instanceof Readable) answer.body = limited(answer.body, maxBytes)
        return result
      },
    { step: 'deserialize', priority: 'low', name: 'limitAnswers' },
  )
}

function limited(body: Readable, maxBytes: number): Readable {
  let bytes = 0
  const limit = new Transform({
    transform(piece: Buffer, _encoding, done) {
      bytes += piece.length
      if (bytes <= maxBytes) done(null, piece)
      else done(tooLarge(maxBytes))
    },
  })
  pipeline(body, limit, () => undefined)
  return limit
}

/** The error has `$metadata`, because the SDK adds text to errors without it. */
function tooLarge(maxBytes: number): StorageFault {
  const text =
    `The storage sent an answer larger than ${maxBytes / 1024 ** 2} MiB. Check that the endpoint is the one ` +
    'of its S3 API'
  return Object.assign(new StorageFault('answer', text), { $metadata: {} })
}
