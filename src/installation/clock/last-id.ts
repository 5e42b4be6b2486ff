/** Finds the greatest id of records whose order counts, so that new records come after them. */
import type { Reader } from '../../store/schema.ts'

/** The tables whose ids tell which record is the newest. */
const orderedTables = ['backup', 'backupRun', 'deployment', 'registry'] as const

/** The greatest id; '' if there is no record. It may be ahead of the clock: the clock may have been wrong. */
export async function lastIdOf(db: Reader): Promise<string> {
  const ids = orderedTables.map(async (table) => {
    const row = await db.selectFrom(table).select('id').orderBy('id', 'desc').limit(1).executeTakeFirst()
    return row?.id ?? ''
  })
  return (await Promise.all(ids)).toSorted().at(-1)!
}
