/** The table of events: one row for each change of a record. Triggers of the store write it, see migration 0034. */
import type { Flag, Time } from '../store/column-types.ts'

/** The kinds of records whose changes are events. `hostName`: a name that the proxy obtains a certificate for. */
export const eventKinds = [
  'project',
  'member',
  'database',
  'deployment',
  'backup',
  'run',
  'destination',
  'volume',
  'node',
  'application',
  'redirect',
  'security',
  'port',
  'certificate',
  'hostName',
  'registry',
  'registryServer',
  'account',
  'invitation',
  'condition',
  'settings',
  'channel',
  'mute',
] as const
export type EventKind = (typeof eventKinds)[number]

export interface EventTable {
  /** 1, 2, 3 and so on, in the order of the commits. */
  seq: number
  at: Time
  kind: EventKind
  recordId: string
  change: 'created' | 'changed' | 'removed'
  /** The project that the record belongs to; null if it belongs to none. */
  projectId: string | null
  /** Whether only administrators may read the event. */
  adminOnly: Flag
  /** JSON: columns of the record that contain no secrets. */
  data: string
}
