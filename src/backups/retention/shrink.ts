/**
 * Dumps that hold drastically less than the ones before: perhaps the database was lost and came back empty. Such a dump
 * is good, but it is marked, and retention keeps everything that was made before the mark (retention.ts).
 */
import type { BackupRunTable } from '../table.ts'
import { baselineOf, endShrink } from './shrink-marks.ts'
import type { Writer } from '../../store/schema.ts'

/** What held less than this may shrink as it likes. */
const [floorRows, floorBytes] = [100, 64 * 1024]

type Content = Pick<BackupRunTable, 'rowCount' | 'rawBytes'>

/** Whether rows or bytes of the dump itself are below half of those of the baseline. Pure. */
export const isShrunk = (baseline: Content, now: Content): boolean =>
  isHalved(baseline.rowCount, now.rowCount, floorRows) || isHalved(baseline.rawBytes, now.rawBytes, floorBytes)

const isHalved = (before: number | null, now: number | null, floor: number): boolean =>
  before !== null && now !== null && before >= floor && now < before / 2

/** Marks `row`, a dump that has just become good, or ends the marks before it. Of Berth's own state none is judged. */
export async function judgeShrink(tx: Writer, row: BackupRunTable): Promise<void> {
  if (row.rowCount === null) return
  const baseline = await baselineOf(tx, row)
  if (baseline === undefined || !isShrunk(baseline, row)) return endShrink(tx, row)
  await tx.updateTable('backupRun').set({ shrunkFrom: baseline.id, holdsOlder: 1 }).where('id', '=', row.id).execute()
}
