/**
 * Whether an upgrade is under way that may still go back to the store from before. Until it has finished, no process
 * changes anything: an acknowledged change would be lost on the way back.
 */
import { statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { Barrier } from '../../gate/gate.ts'
import type { GateReason } from '../../gate/reason.ts'
import { readRecord, recordPath, type UpgradeRecord } from './record.ts'
import { isVersion } from './release.ts'

/** @param programs the folder with a folder for each version */
function upgradeBarrier(programs: string): Barrier {
  let read = { changedAtMs: -1, inode: -1, reason: null as GateReason | null }
  return {
    reason() {
      const file = statSync(recordPath({ programs }), { throwIfNoEntry: false })
      const [changedAtMs, inode] = [file?.mtimeMs ?? 0, file?.ino ?? 0]
      if (changedAtMs !== read.changedAtMs || inode !== read.inode)
        read = { changedAtMs, inode, reason: reasonOf(readRecord({ programs })) }
      return read.reason
    },
  }
}

/** @param folder the folder of the program. That of a release has its version as the name, beside the record of upgrades */
export const upgradeBarriers = (folder: string): Barrier[] =>
  isVersion(basename(folder)) ? [upgradeBarrier(dirname(folder))] : []

function reasonOf(record: UpgradeRecord | null): GateReason | null {
  return record === null || !isUndecided(record)
    ? null
    : { reason: 'UpgradeUnconfirmed', from: record.from, to: record.to }
}

/** Whether it is undecided which version stays. Without systemd, Berth runs while its state is backed up. */
const isUndecided = ({ state, wasActive }: UpgradeRecord): boolean =>
  state === 'switching' || state === 'goingBack' || (state === 'preparing' && !wasActive)
