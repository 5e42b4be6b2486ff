/** Conditions in words, and the screens where they can be mended. Pure. */
import type { Operations } from '../../../client/client.ts'

export type Condition = Awaited<ReturnType<Operations['condition']['all']>>[number]
export type Severity = Condition['severity']

export const conditionTitles: Record<Condition['name'], string> = {
  DatabaseDown: 'Down',
  DatabaseRestarting: 'Restarts often',
  DatabaseStarting: 'Takes long to start',
  DatabaseLoginRefused: 'Refuses the login',
  DatabaseRootRefused: 'Refuses the login of root',
  DatabaseRightsLost: 'Berth has no account on the server',
  DatabaseDrifted: 'Differs from what was deployed',
  DatabaseVersionEnded: 'Version gets no more fixes',
  BackupFailed: 'Backup failed',
  BackupOverdue: 'Backup overdue',
  BackupUnverified: 'Backup not verified',
  BackupShrunk: 'Backup became much smaller',
  BackupIncomplete: 'Objects of the database are at fault',
  DestinationUnreachable: 'Destination cannot be reached',
  EngineDown: 'Docker engine is down',
  NodeDown: 'Node is down',
  NodeReturned: 'Data of a lost node was found',
  CertificateExpiring: 'Certificate ends soon',
  CertificateNotRenewable: 'Certificate cannot be renewed',
  ProxyDown: 'Proxy is down',
  RegistryDown: 'Registry is down',
  StateNotBackedUp: "Berth's own state is not backed up",
  NotInCharge: 'Another Berth is in charge',
  UpgradeUnconfirmed: 'An upgrade has not finished',
  StateUnconfirmed: 'The restored state is not confirmed',
  SignInsFailing: 'Failed sign-ins',
  TrustedProxyRefused: 'A trusted proxy is refused',
  ClockUntrusted: 'Clock is not trusted',
}

/** Reasons whose sentence in the API names operations and inputs, in the words of the console. */
const reasonTexts: Record<string, string> = {
  NoStateBackup:
    "Berth's own state is its list of databases with their passwords. If the machine of Berth is lost, nobody can " +
    'manage the databases any more.',
  DumpShrunk:
    'The newest dump has less than half of the content of the one before. Berth deletes no older dumps until a dump ' +
    'has its size again, or somebody accepts the smaller one.',
  DrillsMissed: 'No dump was verified by a restore for longer than its schedule says.',
}

export const reasonText = ({ reason, reasonCode }: Pick<Condition, 'reason' | 'reasonCode'>): string =>
  reasonTexts[reasonCode] ?? reason

/** The record that a link of the condition opens, in words. */
export interface Remedy {
  href: string
  text: string
}

const screens: Partial<Record<Condition['subjectKind'], Remedy>> = {
  destination: { href: '/destinations', text: 'Test the destination' },
  engine: { href: '/nodes', text: 'See the nodes' },
  node: { href: '/nodes', text: 'See the nodes' },
  certificate: { href: '/certificates', text: 'See the certificates' },
  hostName: { href: '/certificates', text: 'See the certificates' },
  proxy: { href: '/applications', text: 'See the applications' },
  registry: { href: '/registries', text: 'See the registry' },
  account: { href: '/audit', text: 'See the audit log' },
  clock: { href: '/state', text: 'See the clock' },
  installation: { href: '/state', text: "See Berth's own state" },
}

/** @param databaseOf finds the database of a backup; undefined if it is not known (yet) */
export function remedyOf(
  { name, subjectKind, subjectId }: Pick<Condition, 'name' | 'subjectKind' | 'subjectId'>,
  databaseOf: (backupId: string) => string | undefined,
): Remedy | null {
  if (name === 'DatabaseRightsLost')
    return { href: `/databases/${subjectId}/danger`, text: "Make Berth's account again" }
  if (subjectKind === 'database') return { href: `/databases/${subjectId}/state`, text: 'See its state' }
  if (subjectKind !== 'backup') return screens[subjectKind] ?? null
  // The backup of Berth's own state belongs to no database.
  const databaseId = databaseOf(subjectId)
  return databaseId === undefined ? null : { href: `/databases/${databaseId}/backups`, text: 'See its backups' }
}

/** Critical ones first; of the same severity the newest first. */
export function inOrder<T extends Pick<Condition, 'severity' | 'since'>>(conditions: readonly T[]): T[] {
  const rank = ({ severity }: T) => (severity === 'critical' ? 0 : 1)
  return conditions.toSorted((a, b) => rank(a) - rank(b) || b.since.localeCompare(a.since))
}
