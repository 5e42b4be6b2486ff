import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serviceOf } from '../../test/fixtures/samples.ts'
import type { NamedService } from './engine.ts'
import { digestLabel, installationLabel } from './labels.ts'
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
const foundAs = (spec: ServiceSpec, installationId = 'mine'): NamedService => {
  const digest = digestOf(spec)
  const labels = { [installationLabel]: installationId, [digestLabel]: digest }
  return serviceOf({ name: spec.name, digest, labels })
}
const foreign = (name: string): NamedService => serviceOf({ name, labels: {} })

const a = specOf('a')
const b = specOf('b')
const cases: [title: string, wanted: ServiceSpec[], found: NamedService[], changes: string[]][] = [
  ['plans nothing for no services', [], [], []],
  ['creates missing services', [a, b], [], ['create a', 'create b']],
  ['leaves equal services', [a], [foundAs(a)], []],
  ['updates different services', [specOf('a', { restarts: 1 })], [foundAs(a)], ['update a']],
  ['updates a service with different labels', [specOf('a', { labels: { x: 'y' } })], [foundAs(a)], ['update a']],
  ['updates a service to stop it', [specOf('a', { replicas: 0 })], [foundAs(a)], ['update a']],
  ['removes unwanted services first', [b], [foundAs(a)], ['remove a', 'create b']],
  ["reports a conflict with someone else's service", [a], [foreign('a')], ['conflict a']],
  ['reports a conflict with an equal service of another installation', [a], [foundAs(a, 'theirs')], ['conflict a']],
  ["keeps someone else's services that are not wanted", [], [foreign('a'), foundAs(b, 'theirs')], []],
  ['updates an own service without a digest', [a], [{ ...foundAs(a), digest: null }], ['update a']],
]

for (const [title, wanted, found, changes] of cases) {
  test(`plan: ${title}`, () => {
    const withDueTimes = plan(wanted, found, 'mine').map((it) => `${it.do} ${'spec' in it ? it.spec.name : it.name}`)
    assert.deepEqual(withDueTimes, changes)
  })
}

test('plan: returns the specification', () => {
  assert.deepEqual(plan([a], [], 'mine'), [{ do: 'create', spec: a }])
})
