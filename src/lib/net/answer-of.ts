/** Waits for the answer to an HTTP request. */
import type { ClientRequest, IncomingMessage } from 'node:http'

/**
 * Resolves when the status and the headers are known.
 *
 * @throws the error of node:http if there was no answer. Node reports none for status 101, but closes the connection
 */
export function answerOf(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request
      .on('response', (response) => {
        // An error before the first read must not end the process. The reader gets it.
        response.on('error', () => undefined)
        resolve(response)
      })
      .on('error', reject)
      .on('close', () => reject(Object.assign(new Error('closed without an answer'), { code: 'ECONNRESET' })))
  })
}
