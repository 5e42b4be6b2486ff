/** A value for each optional column of create and update. None is the initial value. */
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
  applicationStatus: 'done',
}

/** create refuses both at once, so only one of them is sent. */
export const placementSamples: Placement = { node: 'memory', nodeLabel: 'disk=ssd' }
