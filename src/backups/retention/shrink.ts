/**
 * Marks dumps with less than half of the rows or bytes of an earlier dump. In such a case, the database may have been
 * lost and recreated empty. A marked dump is good, but retention keeps all dumps before the oldest marked one
 * (retention.ts).
 */
import type { BackupRunTable } from '../table.ts'
import { baselineOf, endShrink } from './shrink-marks.ts'
import type { Writer } from '../../store/schema.ts'

/** Rows are compared only with a baseline of at least this many rows. The same applies to bytes. */
const [minBaselineRows, minBaselineBytes] = [100, 64 * 1024]

type Content = Pick<BackupRunTable, 'rowCount' | 'rawBytes'>

/** Whether a dump has less than half of the rows or the uncompressed bytes of the baseline. Pure. */
export const isShrunk = (baseline: Content, now: Content): boolean =>
  isHalved(baseline.rowCount, now.rowCount, minBaselineRows) ||
  isHalved(baseline.rawBytes, now.rawBytes, minBaselineBytes)

const isHalved = (before: number | null, now: number | null, min: number): boolean =>
  before !== null && now !== null && before >= min && now < before / 2

/** Marks `row`, a dump that just succeeded, if it is shrunk. Otherwise removes the marks of the database's dumps. */
export async function updateShrinkMarks(tx: Writer, row: BackupRunTable): Promise<void> {
  // Dumps of Berth's own state have no row count and are not compared.
  if (row.rowCount === null) return
  const baseline = await baselineOf(tx, row)
  if (baseline === undefined || !isShrunk(baseline, row)) return endShrink(tx, row)
  await tx.updateTable('backupRun').set({ shrunkFrom: baseline.id, holdsOlder: 1 }).where('id', '=', row.id).execute()
}
