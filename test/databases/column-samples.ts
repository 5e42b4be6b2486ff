/** A value for each optional column of create and update. Each value differs from the initial value. */
import type { Columns, Placement } from '../../src/databases/columns.ts'

export const columnSamples: Columns = {
  description: 'orders',
  command: '-c "work mem=1"',
  env: 'TZ=UTC\nLANG="C"\n',
  memoryReservation: 64,
  memoryLimit: 128.5,
  cpuReservation: 0.25,
  cpuLimit: 0.5,
  externalPort: 5000,
  tls: 'require',
  applicationStatus: 'done',
}

/** A value for each optional list. `null` is a value of allowedSources, but not of tlsNames. */
export const listSamples = { tlsNames: ['orders.example.com'], allowedSources: ['203.0.113.0/24'] }

/** create refuses a call with both fields. */
export const placementSamples: Placement = { node: 'memory', nodeLabel: 'disk=ssd' }

/** `sources` of a database that has no gateway. */
export const sourcesWithoutPort = {
  ...{ allowedSources: [], isOfProject: true, isEnforced: false, enforcedSince: null },
  ...{ reason: null, reasonCode: null, refusedAttempts: 0, refusedSources: [] },
}
