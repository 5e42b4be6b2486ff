/** The record of the last upgrade. A repeated command reads in it how far an interrupted upgrade came. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeInOneStep } from '../../store/sqlite/synced.ts'
import type { Layout } from './layout.ts'

export interface UpgradeRecord {
  from: string
  to: string
  /** Whether the service ran before the upgrade, and has to run afterwards. */
  wasActive: boolean
  /** The backup of the state before the upgrade; null if there was no store yet, or before it is made. */
  backup: StateBackup | null
  /** Whether the new version was confirmed: going back to the backup then loses changes. */
  isConfirmed: boolean
  /**
   * `preparing`: the old version is in use. `switching`: the backup is made, and either version can be in use.
   * `done`: the new version is in use. `goingBack` and `back`: the same for the way back to the old version. While the
   * state is `switching` or `goingBack`, Berth changes nothing (unconfirmed.ts). `done` confirms the new version: after
   * it only a person goes back.
   */
  state: 'preparing' | 'switching' | 'done' | 'goingBack' | 'back'
}

export interface StateBackup {
  path: string
  /** The name of the newest migration in the backup. */
  storeVersion: string
  madeAt: string
  /** The number of the last entry in the audit log of the backup. */
  lastEntry: number
}

type Programs = Pick<Layout, 'programs'>

export const recordPath = ({ programs }: Programs): string => join(programs, 'upgrade.json')

/** @returns null if there was no upgrade yet */
export function readRecord(layout: Programs): UpgradeRecord | null {
  const path = recordPath(layout)
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as UpgradeRecord) : null
}

export const writeRecord = (layout: Programs, record: UpgradeRecord): void =>
  writeInOneStep(recordPath(layout), `${JSON.stringify(record, null, 2)}\n`)
