/** Which records an operation reads: a change of one of them makes its answer old. */
import type { EventKind } from '../../../client/client.ts'

const kindsByGroup: Record<string, readonly EventKind[]> = {
  auth: ['account'],
  installation: ['settings'],
  project: ['project', 'database', 'member'],
  database: ['database', 'project'],
  deployment: ['deployment'],
  backup: ['backup', 'run'],
  destination: ['destination'],
  volume: ['volume', 'database'],
  cluster: ['node', 'deployment'],
  application: ['application', 'redirect', 'security', 'port', 'certificate', 'hostName'],
  redirects: ['redirect'],
  security: ['security'],
  port: ['port'],
  certificates: ['certificate', 'hostName'],
  registry: ['registry', 'registryServer'],
  condition: ['condition'],
  alert: ['mute', 'channel', 'condition'],
  channel: ['channel'],
  user: ['account', 'invitation', 'member'],
  state: ['backup', 'run'],
}
/** A read of one database has its backups. */
const ofDatabase: readonly EventKind[] = ['database', 'backup']
const databaseKinds = new Set(['postgres', 'mysql', 'mariadb', 'mongo', 'redis'])

export function kindsOf(operation: string): readonly EventKind[] {
  const group = operation.split('.', 1)[0]!
  return databaseKinds.has(group) ? ofDatabase : (kindsByGroup[group] ?? [])
}
