/** A value for each column that create and update accept and that may be left out. None is the initial value. */
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

/** One of them at a time: create refuses both. */
export const placementSamples: Placement = { node: 'memory', nodeLabel: 'disk=ssd' }
