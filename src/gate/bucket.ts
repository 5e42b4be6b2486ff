/** The bucket of a storage behind the gate: a deletion asks the gate first. */
import type { Bucket } from '../lib/s3/s3.ts'
import { passGate } from './engine.ts'
import type { Gate } from './gate.ts'

export function gatedBucket(bucket: Bucket, gate: Gate): Bucket {
  const deletions: Pick<Bucket, 'remove' | 'abortUpload'> = {
    async remove(keys, signal) {
      await passGate(gate, 'change')
      return bucket.remove(keys, signal)
    },
    async abortUpload(key, uploadId, signal) {
      await passGate(gate, 'change')
      await bucket.abortUpload(key, uploadId, signal)
    },
  }
  return Object.assign(Object.create(bucket) as Bucket, deletions)
}
