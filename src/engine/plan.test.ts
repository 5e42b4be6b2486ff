import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serviceOf } from '../../test/fixtures/samples.ts'
import type { NamedService } from './engine.ts'
import { databaseLabel, digestLabel, installationLabel } from './labels.ts'
import { plan } from './plan.ts'
import { digestOf } from './spec.ts'
import type { ServiceSpec } from './spec.ts'

const specOf = (name: string, changes: Partial<ServiceSpec> = {}): ServiceSpec => ({
  name,
  labels: {},
  image: 'postgres:15',
  env: {},
  args: [],
  mounts: [],
  files: [],
  health: null,
  ports: [],
  user: null,
  capabilities: null,
  nodeId: 'node1',
  memoryLimitBytes: null,
  memoryReservationBytes: null,
  cpuLimitNano: null,
  cpuReservationNano: null,
  stopGraceSeconds: 10,
  replicas: 1,
  restarts: 0,
  ...changes,
})
const existingFor = (spec: ServiceSpec, installationId = 'mine'): NamedService => {
  const digest = digestOf(spec)
  const labels = { [installationLabel]: installationId, [digestLabel]: digest }
  return serviceOf({ name: spec.name, digest, labels })
}
const foreignService = (name: string): NamedService => serviceOf({ name, labels: {} })

const a = specOf('a')
const b = specOf('b')
const cases: [title: string, wanted: ServiceSpec[], existing: NamedService[], changes: string[]][] = [
  ['plans no change if no service is wanted and none exists', [], [], []],
  ['creates missing services', [a, b], [], ['create a', 'create b']],
  ['plans no change for an equal service', [a], [existingFor(a)], []],
  ['updates a service with a different specification', [specOf('a', { restarts: 1 })], [existingFor(a)], ['update a']],
  ['updates a service with different labels', [specOf('a', { labels: { x: 'y' } })], [existingFor(a)], ['update a']],
  ['updates a service to stop it', [specOf('a', { replicas: 0 })], [existingFor(a)], ['update a']],
  ['removes unwanted services before it creates others', [b], [existingFor(a)], ['remove a', 'create b']],
  ["reports a conflict with someone else's service", [a], [foreignService('a')], ['conflict a']],
  ['reports a conflict with an equal service of another installation', [a], [existingFor(a, 'other')], ['conflict a']],
  ["plans no change for someone else's services", [], [foreignService('a'), existingFor(b, 'other')], []],
  ['updates a service of this installation without a digest', [a], [{ ...existingFor(a), digest: null }], ['update a']],
]

for (const [title, wanted, existing, changes] of cases) {
  test(title, () => {
    const planned = plan(wanted, existing, { installationId: 'mine', databaseId: null })
    assert.deepEqual(
      planned.map((change) => `${change.do} ${'spec' in change ? change.spec.name : change.name}`),
      changes,
    )
  })
}

test('returns the specification with the change', () => {
  assert.deepEqual(plan([a], [], { installationId: 'mine', databaseId: null }), [{ do: 'create', spec: a }])
})

const owners: [title: string, labels: Record<string, string>, changes: string[]][] = [
  ['removes a service of the database', { [installationLabel]: 'mine', [databaseLabel]: 'db1' }, ['remove a']],
  ['removes no service of another database', { [installationLabel]: 'mine', [databaseLabel]: 'db2' }, []],
  ['removes no service without a database', { [installationLabel]: 'mine' }, []],
  ["removes no service of another installation's database", { [installationLabel]: 'x', [databaseLabel]: 'db1' }, []],
]

for (const [title, labels, changes] of owners) {
  test(title, () => {
    const planned = plan([], [serviceOf({ name: 'a', labels })], { installationId: 'mine', databaseId: 'db1' })
    assert.deepEqual(
      planned.map((change) => `${change.do} ${'spec' in change ? change.spec.name : change.name}`),
      changes,
    )
  })
}
