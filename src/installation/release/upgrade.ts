/**
 * Replaces the installed version by that of an archive. After a crash between any two steps, either a version runs, or a
 * repeated command finishes the upgrade.
 */
import { join } from 'node:path'
import { compareVersions } from '../../lib/text/version.ts'
import { placeRelease, removeIncomplete, unpackArchive, verifyArchive } from './archive.ts'
import { goBack } from './go-back.ts'
import { notReadyReason, storeFault, waitUntilReady } from './ready.ts'
import { readRecord, type UpgradeRecord, writeRecord } from './record.ts'
import { backUpState } from './state-backup.ts'
import { currentVersion, removeOtherVersions, switchTo } from './switch.ts'
import { locked, type Upgrading } from './upgrading.ts'

/**
 * Upgrades to the release in an archive.
 * @returns the text for the operator
 * @throws an error with a message for the operator. The version before runs then
 */
export async function upgrade(upgrading: Upgrading, archive: string): Promise<string> {
  return locked(upgrading.layout, async () => {
    const { layout } = upgrading
    const record = readRecord(layout)
    if (record?.state === 'goingBack') {
      await goBack(upgrading, record)
      throw new Error(`The interrupted way back to Berth ${record.from} is finished. Repeat the command to upgrade`)
    }
    const from = currentVersion(layout)
    if (from === null) throw new Error('Berth is not installed here. Install it first: bin/berth install')
    const to = await place(upgrading, archive, pendingVersion(record) ?? from, record)
    if (to === null) return `Berth ${from} is installed already. Nothing was changed.`
    return carryOut(upgrading, await begin(upgrading, record, from, to))
  })
}

const isPending = (record: UpgradeRecord | null): record is UpgradeRecord =>
  record?.state === 'preparing' || record?.state === 'switching'

/** The version that was in use when an interrupted upgrade began; null if there is none. */
const pendingVersion = (record: UpgradeRecord | null) => (isPending(record) ? record.from : null)

/**
 * Unpacks the archive beside the installed versions.
 * @returns its version; null if it is installed already
 */
async function place(
  { layout, say, reached }: Upgrading,
  archive: string,
  from: string,
  record: UpgradeRecord | null,
): Promise<string | null> {
  say(`Checking ${archive}`)
  await verifyArchive(archive)
  try {
    const release = await unpackArchive(layout, archive)
    const { version } = release
    if (isPending(record) && record.to !== version) {
      const ways = 'Finish it: berth upgrade --resume. Or go back: berth upgrade --back'
      throw new Error(`An upgrade to Berth ${record.to} was interrupted. ${ways}`)
    }
    if (compareVersions(version, from) < 0) {
      throw new Error(`Berth ${version} is older than the installed ${from}. To go back: berth upgrade --back`)
    }
    if (compareVersions(version, from) === 0) return null
    await placeRelease(layout, release)
    reached('placed')
    return version
  } finally {
    removeIncomplete(layout)
  }
}

/** Records the upgrade, or returns the record of an interrupted one. */
async function begin(
  { layout, config, service, reached }: Upgrading,
  pending: UpgradeRecord | null,
  from: string,
  to: string,
): Promise<UpgradeRecord> {
  if (isPending(pending)) return pending
  const wasActive = service?.isActive() ?? false
  // Only a working Berth can show afterwards whether the new version works.
  const reason = wasActive ? await storeFault(config) : null
  if (reason !== null) throw new Error(`Berth ${from} does not work, so an upgrade could not be checked: ${reason}`)
  const record: UpgradeRecord = { from, to, wasActive, backup: null, isConfirmed: false, state: 'preparing' }
  writeRecord(layout, record)
  reached('recorded')
  return record
}

/**
 * Finishes an interrupted upgrade without its archive.
 * @returns the text for the operator
 * @throws an error with a message for the operator
 */
export async function resumeUpgrade(upgrading: Upgrading): Promise<string> {
  return locked(upgrading.layout, async () => {
    const record = readRecord(upgrading.layout)
    if (record?.state === 'goingBack') return goBack(upgrading, record)
    if (!isPending(record)) throw new Error('No upgrade was interrupted')
    return carryOut(upgrading, record)
  })
}

async function carryOut(upgrading: Upgrading, begun: UpgradeRecord): Promise<string> {
  const { layout, service, config, reached } = upgrading
  const record = begun.state === 'preparing' ? prepare(upgrading, begun) : begun
  const fault = await switchOver(upgrading, record).catch((error: Error) => error.message)
  if (fault !== null) {
    const outcome = await goBack(upgrading, record)
    throw new Error(`Berth ${record.to} did not become ready: ${fault}\n${outcome}`)
  }
  // From here on the new version accepts changes, and only a person goes back.
  writeRecord(layout, { ...record, isConfirmed: true, state: 'done' })
  reached('confirmed')
  removeOtherVersions(layout, [record.from, record.to])
  const reason = record.wasActive ? await notReadyReason(config) : null
  return upgradedText(record, service !== null, reason)
}

/** @returns null if the new version is in use, and works if it has to run; otherwise the reason */
async function switchOver(
  { layout, config, service, readyTimeoutMs, say, reached }: Upgrading,
  { to, wasActive }: UpgradeRecord,
): Promise<string | null> {
  // After an interruption, a boot may have started either version.
  if (wasActive) service?.stop()
  switchTo(layout, to, service)
  reached('switched')
  if (!wasActive) return null
  say(`Starting Berth ${to}`)
  service?.start()
  reached('started')
  return waitUntilReady(config, to, readyTimeoutMs)
}

/** Stops the old version and backs up its state. If the backup fails, the old version is started again. */
function prepare({ layout, config, service, now, say, reached }: Upgrading, record: UpgradeRecord): UpgradeRecord {
  const { from, wasActive } = record
  try {
    if (wasActive) {
      say(`Stopping Berth ${from}`)
      service?.stop()
    }
    reached('stopped')
    const backup = backUpState(join(layout.programs, from), from, config.dataFolder, now())
    const prepared: UpgradeRecord = { ...record, backup, state: 'switching' }
    if (backup !== null) say(`The state is backed up in ${backup.path}`)
    writeRecord(layout, prepared)
    reached('backedUp')
    return prepared
  } catch (error) {
    if (wasActive) service?.start()
    writeRecord(layout, { ...record, state: 'back' })
    throw error
  }
}

function upgradedText(
  { from, to, wasActive, backup }: UpgradeRecord,
  hasService: boolean,
  notReady: string | null,
): string {
  const next = {
    true: notReady === null ? `Berth ${to} is ready.` : `Berth ${to} works, but is not ready yet: ${notReady}`,
    false: hasService
      ? 'The service was not running. Start it: systemctl start berth'
      : 'Restart Berth now: stop the running process, and run berth up again.',
  }[`${wasActive}`]
  return [
    `Berth ${from} was replaced by ${to}. ${next}`,
    ...(backup === null ? [] : [`The state from before the upgrade is in ${backup.path}.`]),
    `To go back to ${from}: berth upgrade --back`,
  ].join('\n')
}
