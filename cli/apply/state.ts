/** The present state of an installation, as far as `berth apply` and `berth export` compare it with files. */
import type { Client, Operations } from '../../client/client.ts'
import { type DatabaseSummary, idInput } from '../databases.ts'

type Listed<Group extends keyof Operations> = Operations[Group] extends {
  all: (...input: never[]) => Promise<infer List>
}
  ? List extends (infer Item)[]
    ? Item
    : never
  : never

export type Destination = Listed<'destination'>
export type Backup = Listed<'backup'>
export type Application = Listed<'application'>
export type Redirect = Listed<'redirects'>
export type Security = Listed<'security'>
export type Port = Listed<'port'>
export type Certificate = Listed<'certificates'>
export type Project = Pick<Listed<'project'>, 'projectId' | 'name' | 'description'>

/** The fields of a database of any kind that a file can set. The last four depend on the kind. */
export interface DatabaseRecord {
  appName: string
  description: string | null
  dockerImage: string
  command: string | null
  env: string | null
  memoryReservation: number | null
  memoryLimit: number | null
  cpuReservation: number | null
  cpuLimit: number | null
  externalPort: number | null
  startTimeout: number | null
  node: string | null
  nodeLabel: string | null
  /** Null before the first deploy. */
  volume: string | null
  lastDeployedAt: string | null
  applicationStatus: 'idle' | 'running' | 'done' | 'error'
  pendingChanges: boolean
  databaseName?: string
  databaseUser?: string
  replicaSet?: string | null
  databasePassword: string
  databaseRootPassword?: string
}

export interface Database {
  summary: DatabaseSummary
  /** Null for a database whose record was not asked for. */
  record: DatabaseRecord | null
}

export interface State {
  destinations: Destination[]
  projects: Project[]
  databases: Database[]
  backups: Backup[]
  applications: Application[]
  redirects: Redirect[]
  securities: Security[]
  ports: Port[]
  certificates: Certificate[]
}

/** What the API answers in place of a secret that it does not show to this caller. */
export const mask = '********'

/**
 * Reads the state.
 * @param isWanted whether the complete record of a database is read. Each such read is in the audit log, because
 *   records have passwords
 */
export async function readState(client: Client, isWanted: (database: DatabaseSummary) => boolean): Promise<State> {
  const [destinations, projects, summaries, backups, applications] = await Promise.all([
    client.destination.all(),
    client.project.all(),
    client.database.all({}),
    client.backup.all(),
    client.application.all(),
  ])
  const [redirects, securities, ports, certificates] = await Promise.all([
    client.redirects.all(),
    client.security.all(),
    client.port.all(),
    client.certificates.all(),
  ])
  const databases: Database[] = []
  for (const summary of summaries) {
    databases.push({ summary, record: isWanted(summary) ? await recordOf(client, summary) : null })
  }
  return { destinations, projects, databases, backups, applications, redirects, securities, ports, certificates }
}

const recordOf = async (client: Client, summary: DatabaseSummary) =>
  (await client.call(`${summary.databaseType}.one`, idInput(summary))) as DatabaseRecord

/**
 * Returns a function that gives the one name of an application for its id, name or label. Rules can name an application
 * that does not exist yet: such a name is answered as it is.
 */
export function applicationNameOf(applications: readonly Application[]): (name: string) => string {
  const names = new Map(
    applications.flatMap(({ applicationId, name, alias }) =>
      [applicationId, alias ?? name, name].map((each) => [each, name] as const),
    ),
  )
  return (name) => names.get(name) ?? name
}
