/** The command to type for each condition. docs/conditions.md explains them. Pure. */
import type { Operations } from '../../client/client.ts'

export type Condition = Awaited<ReturnType<Operations['condition']['all']>>[number]

/** The command for a condition. `name` is the name of its subject, project/name for databases and their backups. */
export const nextCommands: Readonly<Record<Condition['name'], (name: string) => string>> = {
  DatabaseDown: (name) => `berth logs ${name}`,
  DatabaseRestarting: (name) => `berth logs ${name}`,
  DatabaseStarting: (name) => `berth logs ${name}`,
  DatabaseLoginRefused: (name) => `berth set ${name} --ask-password`,
  DatabaseRootRefused: (name) => `berth set ${name} --ask-root-password`,
  DatabaseRightsLost: (name) => `berth regain-account ${name}`,
  DatabaseDrifted: (name) => `berth deploy ${name}`,
  DatabaseVersionEnded: (name) => `berth backup now ${name}`,
  BackupFailed: (name) => `berth backup now ${name}`,
  BackupOverdue: (name) => `berth backup ls ${name}`,
  BackupUnverified: (name) => `berth backup verify ${name}`,
  BackupShrunk: (name) => `berth backup accept ${name}`,
  BackupIncomplete: (name) => `berth backup manifest ${name}`,
  DestinationUnreachable: (name) => `berth destination test ${name}`,
  EngineDown: () => 'systemctl start docker',
  NodeDown: () => 'berth node ls',
  NodeReturned: (name) => `berth node adopt ${name}`,
  CertificateExpiring: () => 'berth certificate add --help',
  CertificateNotRenewable: () => 'berth certificate ls',
  ProxyDown: () => 'docker ps --all',
  RegistryDown: () => 'berth registry ls',
  StateNotBackedUp: () => 'berth state schedule --help',
  NotInCharge: () => 'berth up --take-over',
  UpgradeUnconfirmed: () => 'berth upgrade --resume',
  StateUnconfirmed: () => 'berth state review',
  SignInsFailing: () => 'berth audit',
  TrustedProxyRefused: () => 'docker network ls',
  ClockUntrusted: () => 'berth clock trust',
}
