/** All screens of the console and their addresses. */
import type { Records } from './records.ts'

export interface Screen {
  /** The name of its screenshots. */
  name: string
  /** `:database` and the like stand for the ids of records. */
  path: string
}

const tabs = ['connect', 'state', 'logs', 'metrics', 'terminal', 'backups', 'settings', 'danger']

export const screens: readonly Screen[] = [
  { name: 'overview', path: '/' },
  { name: 'conditions', path: '/conditions' },
  { name: 'alerts', path: '/alerts' },
  { name: 'alert-channels', path: '/alerts/channels' },
  { name: 'alert-muted', path: '/alerts/muted' },
  { name: 'databases', path: '/databases' },
  { name: 'new-database', path: '/databases/new' },
  ...tabs.map((tab) => ({ name: `database-${tab}`, path: `/databases/:database/${tab}` })),
  { name: 'projects', path: '/projects' },
  { name: 'project', path: '/projects/:project' },
  { name: 'destinations', path: '/destinations' },
  { name: 'work', path: '/work' },
  { name: 'nodes', path: '/nodes' },
  { name: 'volumes', path: '/volumes' },
  { name: 'registries', path: '/registries' },
  { name: 'applications', path: '/applications' },
  { name: 'application', path: '/applications/:application' },
  { name: 'certificates', path: '/certificates' },
  { name: 'people', path: '/people' },
  { name: 'person', path: '/people/:user' },
  { name: 'audit', path: '/audit' },
  { name: 'state', path: '/state' },
  { name: 'account', path: '/account' },
]

/** The address of a screen; null if it is about a record, and there is none. */
export function addressOf({ path }: Screen, records: Records | null): string | null {
  if (records === null) return path.includes(':') ? null : path
  return path.replace(/:(\w+)/g, (_, name: string) => records[name as keyof Records])
}
