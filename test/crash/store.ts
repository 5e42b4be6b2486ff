/** Direct queries of the store's file, independent of Berth's API. */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

export function rowsOf<T>(folder: string, query: string): T[] {
  const file = new DatabaseSync(join(folder, 'berth.db'), { readOnly: true })
  try {
    return file.prepare(query).all() as T[]
  } finally {
    file.close()
  }
}
