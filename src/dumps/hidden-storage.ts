/**
 * Takes out of a stored reason what it tells about the storage of a destination: its host, its bucket and its answers.
 * Callers that do not reach all projects see only the name of a destination. Pure.
 */
import { fromJson, type Json, toJson } from '../lib/json.ts'

/** The reasons whose text may have such facts, and the field with the text. */
const textFields: Readonly<Record<string, string>> = {
  StorageFailed: 'detail',
  StorageUnreachable: 'detail',
  OlderDumpNotDeleted: 'detail',
  Legacy: 'message',
}

const hiddenText = 'The storage of the destination failed. Callers that reach all projects see the details'

/** A copy of the reason without these facts, also in the reasons inside it. */
export function withoutStorage<T>(stored: Json<T>): Json<T>
export function withoutStorage<T>(stored: Json<T> | null): Json<T> | null
export function withoutStorage<T>(stored: Json<T> | null): Json<T> | null {
  return stored === null ? null : toJson(hide(fromJson(stored)))
}

function hide<T>(part: T): T {
  if (typeof part !== 'object' || part === null) return part
  if (Array.isArray(part)) return part.map(hide) as T
  const hidden = Object.fromEntries(Object.entries(part).map(([name, value]) => [name, hide(value)]))
  const field = textFields[String(hidden.reason)]
  return (field === undefined ? hidden : { ...hidden, [field]: hiddenText }) as T
}
