/** A storage behind the gate: a deletion asks the gate first. */
import type { Storage } from '../lib/storage/storage.ts'
import { passGate } from './engine.ts'
import type { Gate } from './gate.ts'

export function gatedStorage(storage: Storage, gate: Gate): Storage {
  const deletions: Pick<Storage, 'remove' | 'abortUpload'> = {
    async remove(keys, signal) {
      await passGate(gate, 'change')
      return storage.remove(keys, signal)
    },
    async abortUpload(key, uploadId, signal) {
      await passGate(gate, 'change')
      await storage.abortUpload(key, uploadId, signal)
    },
  }
  return Object.assign(Object.create(storage) as Storage, deletions)
}
