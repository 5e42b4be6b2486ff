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
  startTimeout: 45,
  applicationStatus: 'done',
}

/** create refuses a call with both fields. */
export const placementSamples: Placement = { node: 'memory', nodeLabel: 'disk=ssd' }
