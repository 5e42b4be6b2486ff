/** The way back from an upgrade to the version before. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { waitUntilReady } from './ready.ts'
import { readRecord, type StateBackup, type UpgradeRecord, writeRecord } from './record.ts'
import { callsSince, restoreState, storeVersion } from './state-backup.ts'
import { switchTo } from './switch.ts'
import { locked, type Upgrading } from './upgrading.ts'

/**
 * Goes back to the version before the last upgrade.
 * @param acceptsLoss whether the person accepts that everything stored since the upgrade is lost
 * @returns the text for the operator
 * @throws an error with a message for the operator
 */
export async function upgradeBack(upgrading: Upgrading, acceptsLoss: boolean): Promise<string> {
  return locked(upgrading.layout, async () => {
    const { layout, service, config } = upgrading
    const record = readRecord(layout)
    if (record === null || record.state === 'back') throw new Error('There is no version to go back to')
    const { from, to, backup } = record
    if (!existsSync(join(layout.programs, from))) throw new Error(`The program of Berth ${from} is no longer here`)
    // Before an upgrade is confirmed, Berth accepts no change that could be lost.
    if (record.state === 'done' && !acceptsLoss && needsRestore(record, config.dataFolder)) {
      throw new Error(
        `Berth ${to} has migrated the store, so going back restores the backup of ${backup!.madeAt}. ` +
          `${lossText(config.dataFolder, backup!)}; the data of databases does not change. ` +
          'To confirm: berth upgrade --back --yes',
      )
    }
    return goBack(upgrading, { ...record, wasActive: record.wasActive || (service?.isActive() ?? false) })
  })
}

/** What going back loses: the calls in the audit log since the backup. */
function lossText(dataFolder: string, backup: StateBackup): string {
  const count = callsSince(dataFolder, backup)
  if (count === null) return 'Everything stored since then is lost'
  const calls = count === 1 ? '1 call' : `${count} calls`
  return `Everything stored since then is lost: ${calls} of the audit log (berth audit ls)`
}

/** The old version worked before, so it gets all the time it needs. */
const oldTimeoutMs = 300_000

/** Whether the old version cannot open the store, because a newer one has migrated it. */
const needsRestore = ({ backup }: UpgradeRecord, dataFolder: string): boolean =>
  backup !== null && storeVersion(dataFolder) !== backup.storeVersion

/**
 * Puts the old version back into use, and its state if the store was migrated. A repeat finishes an interrupted way
 * back.
 * @returns the text for the operator
 */
export async function goBack(upgrading: Upgrading, record: UpgradeRecord): Promise<string> {
  const { layout, config, service, say, reached } = upgrading
  const { from, backup, wasActive } = record
  say(`Going back to Berth ${from}`)
  writeRecord(layout, { ...record, state: 'goingBack' })
  reached('goingBack')
  service?.stop()
  reached('backStopped')
  const isRestored = needsRestore(record, config.dataFolder)
  if (isRestored) restoreState(join(layout.programs, from), backup!, config.dataFolder, !record.isConfirmed)
  reached('restored')
  switchTo(layout, from, service)
  reached('switchedBack')
  const fault = wasActive ? await startOld(upgrading, from) : null
  if (fault !== null) throw new Error(`Berth ${from} is back in use, but does not become ready: ${fault}`)
  writeRecord(layout, { ...record, state: 'back' })
  return backText(record, isRestored, service !== null)
}

function startOld({ config, service }: Upgrading, version: string): Promise<string | null> {
  service?.start()
  return waitUntilReady(config, version, oldTimeoutMs)
}

function backText({ from, backup, wasActive }: UpgradeRecord, isRestored: boolean, hasService: boolean): string {
  const restart = hasService ? 'Start it: systemctl start berth' : 'Restart Berth now.'
  return [
    `Berth ${from} is in use again. ${wasActive ? 'It is ready.' : restart}`,
    isRestored
      ? `Its state of ${backup!.madeAt} was restored. The store of the newer version is kept beside it.`
      : 'The store is unchanged.',
  ].join('\n')
}
