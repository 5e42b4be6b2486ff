/** The command to type for each condition. docs/conditions.md explains them. Pure. */
import type { Operations } from '../../client/client.ts'

export type Condition = Awaited<ReturnType<Operations['condition']['all']>>[number]

/**
 * The command for a condition. `name` is the name of its subject, project/name for databases and their backups. The
 * conditions of sources are about databases and about published ports.
 */
export const nextCommands: Readonly<
  Record<Condition['name'], (name: string, kind: Condition['subjectKind']) => string>
> = {
  DatabaseDown: (name) => `berth logs ${name}`,
  DatabaseRestarting: (name) => `berth logs ${name}`,
  DatabaseLoginRefused: (name) => `berth set ${name} --ask-password`,
  DatabaseDrifted: (name) => `berth deploy ${name}`,
  OpenToEveryone: (name, kind) =>
    kind === 'port' ? `berth route allow ${name} ADDRESS` : `berth set ${name} --allow-from ADDRESS`,
  SourcesNotEnforced: (name, kind) => (kind === 'port' ? 'berth route ls --rules' : `berth show ${name}`),
  CertificateEnding: (name) => `berth deploy ${name}`,
  PlainConnections: (name) => `berth show ${name}`,
  MemoryNearLimit: (name) => `berth stats ${name} --since 24h`,
  ConnectionsNearLimit: (name) => `berth stats ${name} --since 24h`,
  DataShrunk: (name) => `berth stats ${name} --since 7d`,
  NoTransactions: (name) => `berth stats ${name} --since 7d`,
  BackupFailed: (name) => `berth backup now ${name}`,
  BackupOverdue: (name) => `berth backup ls ${name}`,
  BackupUnverified: (name) => `berth backup verify ${name}`,
  BackupShrunk: (name) => `berth backup accept ${name}`,
  DestinationUnreachable: (name) => `berth destination test ${name}`,
  EngineDown: () => 'systemctl start docker',
  NodeDown: () => 'berth node ls',
  NodeEngineUnreachable: () => 'berth node ls',
  DiskFilling: () => 'berth node ls',
  ClockOff: () => 'timedatectl status',
  CertificateExpiring: () => 'berth certificate add --help',
  CertificateNotRenewable: () => 'berth certificate ls',
  AuthorityExpiring: (name) => `berth authority rotate ${name}`,
  ProxyDown: () => 'docker ps --all',
  PublicUrlDown: () => 'berth certificate add --help',
  RegistryDown: () => 'berth registry ls',
  StateNotBackedUp: () => 'berth state schedule --help',
  SignInsFailing: () => 'berth audit',
}
