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
  ['nothing of nothing', [], [], []],
  ['what is missing is made', [a, b], [], ['create a', 'create b']],
  ['what is equal is left', [a], [foundAs(a)], []],
  ['what differs is changed', [specOf('a', { restarts: 1 })], [foundAs(a)], ['update a']],
  ['labels alone make a difference', [specOf('a', { labels: { x: 'y' } })], [foundAs(a)], ['update a']],
  ['a stop is a change', [specOf('a', { replicas: 0 })], [foundAs(a)], ['update a']],
  ['what is not wanted goes, and goes first', [b], [foundAs(a)], ['remove a', 'create b']],
  ["a stranger's service is never adopted", [a], [foreign('a')], ['conflict a']],
  ['nor is one of another installation, however equal', [a], [foundAs(a, 'theirs')], ['conflict a']],
  ["a stranger's service that is not wanted stays", [], [foreign('a'), foundAs(b, 'theirs')], []],
  ['a service of ours that lost its digest is put right', [a], [{ ...foundAs(a), digest: null }], ['update a']],
]

for (const [title, wanted, found, changes] of cases) {
  test(`plan: ${title}`, () => {
    const words = plan(wanted, found, 'mine').map((it) => `${it.do} ${'spec' in it ? it.spec.name : it.name}`)
    assert.deepEqual(words, changes)
  })
}

test('plan: the specification comes along', () => {
  assert.deepEqual(plan([a], [], 'mine'), [{ do: 'create', spec: a }])
})
