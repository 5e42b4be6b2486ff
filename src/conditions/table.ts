/** The table of conditions: what needs attention now, and what needed it in the last 90 days. */
import type { Json } from '../lib/json.ts'
import type { Flag, Time } from '../store/column-types.ts'
import type { ConditionReason } from './reason.ts'

export const severities = ['warning', 'critical'] as const
export type Severity = (typeof severities)[number]

export const conditionNames = [
  'DatabaseDown',
  'DatabaseRestarting',
  'DatabaseStarting',
  'DatabaseLoginRefused',
  'DatabaseRootRefused',
  'DatabaseRightsLost',
  'DatabaseDrifted',
  'DatabaseVersionEnded',
  'BackupFailed',
  'BackupOverdue',
  'BackupUnverified',
  'BackupShrunk',
  'BackupIncomplete',
  'DestinationUnreachable',
  'EngineDown',
  'NodeDown',
  'NodeReturned',
  'CertificateExpiring',
  'CertificateNotRenewable',
  'ProxyDown',
  'RegistryDown',
  'StateNotBackedUp',
  'NotInCharge',
  'UpgradeUnconfirmed',
  'StateUnconfirmed',
  'SignInsFailing',
  'TrustedProxyRefused',
  'ClockUntrusted',
] as const
export type ConditionName = (typeof conditionNames)[number]

export const subjectKinds = [
  'database',
  'backup',
  'destination',
  'engine',
  'node',
  'certificate',
  'hostName',
  'proxy',
  'registry',
  'account',
  'clock',
  'installation',
] as const
/** The kind of the record that needs attention. `hostName`: a name that the proxy obtains a certificate for. */
export type SubjectKind = (typeof subjectKinds)[number]

/** A condition. At most one condition with the same name and subject is present. */
export interface ConditionTable {
  id: string
  name: ConditionName
  severity: Severity
  subjectKind: SubjectKind
  /** The id of the record, the host name, or the kind again if there is only one such subject. */
  subjectId: string
  subjectName: string
  /** The project of the database; null if the subject belongs to none. */
  projectId: string | null
  /** 1 if only administrators may read the condition. */
  adminOnly: Flag
  reason: Json<ConditionReason>
  /** When the condition began. */
  since: Time
  /** When the condition ended; null while it is present. */
  endedAt: Time | null
}
