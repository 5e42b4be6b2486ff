/** The answers that the SDK reads whole, limited: all but the bytes of an object, which are read as a stream. */
import { pipeline, Readable, Transform } from 'node:stream'
import type { S3Client } from '@aws-sdk/client-s3'
import { StorageFault } from './faults.ts'

/** Far above a page of a list with the longest keys. */
const maxAnswerBytes = 16 * 1024 ** 2

interface Answer {
  statusCode: number
  body?: unknown
}

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

/** Without `$metadata` the SDK would add words of its own to the message. */
function tooLarge(maxBytes: number): StorageFault {
  const text =
    `The storage gave an answer larger than ${maxBytes / 1024 ** 2} MiB. Check that the endpoint is the one ` +
    'of its S3 API'
  return Object.assign(new StorageFault('answer', text), { $metadata: {} })
}
