/** A condition as it was found in the store's records, and the fixed properties of each name. */
import type { Time } from '../store/column-types.ts'
import type { ConditionReason } from './reason.ts'
import type { ConditionName, Severity, SubjectKind } from './table.ts'

/** The record that needs attention. */
export interface Subject {
  kind: SubjectKind
  id: string
  name: string
}

export interface Finding {
  name: ConditionName
  severity: Severity
  subject: Subject
  projectId: string | null
  /** When the condition began; null if no record tells this. It then began when Berth first found it. */
  since: Time | null
  reason: ConditionReason
}

/** Conditions that only administrators may read. */
export const adminOnlyNames: ReadonlySet<ConditionName> = new Set<ConditionName>([
  'NodeDown',
  'NodeReturned',
  'StateNotBackedUp',
  'SignInsFailing',
  'TrustedProxyRefused',
  'ClockUntrusted',
])

/**
 * For this time, a fault may be the short effect of a repair, or a record may be from before a restart of Berth. No
 * condition begins before it has passed.
 */
const settleMs = 30_000

/** For how long Berth must have found the fault before the condition begins, in milliseconds. Others begin at once. */
export const delayMs: Readonly<Partial<Record<ConditionName, number>>> = {
  DatabaseLoginRefused: settleMs,
  DatabaseDrifted: settleMs,
  BackupOverdue: settleMs,
  BackupUnverified: settleMs,
  EngineDown: settleMs,
  NodeDown: settleMs,
  ProxyDown: settleMs,
  RegistryDown: settleMs,
  StateNotBackedUp: settleMs,
  UpgradeUnconfirmed: settleMs,
}

/** Subjects of which there is only one. */
export const installation: Subject = { kind: 'installation', id: 'installation', name: 'Berth' }
export const proxy: Subject = { kind: 'proxy', id: 'proxy', name: 'proxy' }
export const clock: Subject = { kind: 'clock', id: 'clock', name: 'clock of the machine' }
export const engine: Subject = { kind: 'engine', id: 'engine', name: 'Docker engine' }
