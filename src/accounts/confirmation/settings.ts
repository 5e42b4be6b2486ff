/** The settings of the installation that administrators change while Berth runs: one row of the store. */
import { prepared } from '../../store/prepared.ts'
import type { Reader, SettingsTable, Writer } from '../../store/schema.ts'

const settingsRow = prepared((db) => db.selectFrom('settings').selectAll())

/** The settings. The migration has inserted the row. */
export async function settings(db: Reader): Promise<SettingsTable> {
  const [row] = await settingsRow(db)
  return row!
}

export async function updateSettings(
  tx: Writer,
  changes: Pick<SettingsTable, 'confirmDangerousCalls' | 'changedAt'>,
): Promise<void> {
  await tx.updateTable('settings').set(changes).execute()
}

/** Whether dangerous calls need a code of the second factor. */
export const needsConfirmation = async (db: Reader): Promise<boolean> =>
  (await settings(db)).confirmDangerousCalls === 1
