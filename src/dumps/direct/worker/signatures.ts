/** Asks Berth to sign requests. */
import type { SignedRequest, WantedRequest } from '../../../lib/s3/sign.ts'
import type { Reply, WorkerMessage } from '../protocol.ts'

export function signatures(send: (message: WorkerMessage) => void) {
  const waiting = new Map<number, PromiseWithResolvers<SignedRequest>>()
  let lastId = 0
  return {
    /** Resolves with the signed request. Rejects if Berth refuses it. */
    sign(request: WantedRequest): Promise<SignedRequest> {
      const id = ++lastId
      const pending = Promise.withResolvers<SignedRequest>()
      waiting.set(id, pending)
      send({ type: 'sign', id, request })
      return pending.promise
    },
    /** Takes a reply of Berth. */
    answer(reply: Reply): void {
      const pending = waiting.get(reply.reply)
      waiting.delete(reply.reply)
      if ('signed' in reply) pending?.resolve(reply.signed)
      else pending?.reject(new Error(reply.refused))
    },
  }
}
