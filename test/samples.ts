/** Plain values for tests of pure parts: a whole one each, of which a test names only what it is about. */
import type { FoundService, FoundTask } from '../src/engine/engine.ts'
import type { ServiceSpec } from '../src/engine/spec.ts'

export function taskOf(more: Partial<FoundTask> = {}): FoundTask {
  return {
    id: 'task',
    serviceName: 'shop-db',
    state: 'running',
    desired: 'running',
    failure: null,
    exitCode: null,
    containerId: 'container',
    nodeId: 'node',
    address: '10.0.0.2',
    digest: 'digest',
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
    ...more,
  }
}

export function specOf(more: Partial<ServiceSpec> = {}): ServiceSpec {
  return {
    name: 'shop-db',
    labels: { 'berth.database': 'db1' },
    image: 'postgres:15',
    env: {},
    args: [],
    mounts: [],
    files: [],
    health: null,
    ports: [],
    user: null,
    capabilities: null,
    nodeId: 'node',
    memoryLimitBytes: null,
    memoryReservationBytes: null,
    cpuLimitNano: null,
    cpuReservationNano: null,
    stopGraceSeconds: 50,
    replicas: 1,
    restarts: 0,
    ...more,
  }
}

export function serviceOf(more: Partial<FoundService> = {}): FoundService {
  return {
    id: 'service',
    name: 'shop-db',
    labels: { 'berth.installation': 'inst', 'berth.database': 'db1' },
    digest: null,
    createdAt: '2026-01-01T00:00:00.000Z',
    published: [],
    onNetwork: true,
    replicas: 1,
    running: 1,
    ...more,
  }
}
