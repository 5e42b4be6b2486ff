import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fingerprintOf } from './fingerprint.ts'
import { serviceBody } from './spec.ts'
import { containerDigestOf, digestOf } from '../../spec.ts'
import type { ServiceSpec } from '../../spec.ts'

const minimal: ServiceSpec = {
  name: 'db',
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
}
const full: ServiceSpec = {
  ...minimal,
  labels: { 'berth.record': 'r1' },
  env: { B: '2 {{x', A: '1' },
  command: ['sh', '/start.sh', 'entry.sh'],
  args: ['-c', 'x y'],
  health: ['/bin/check', '5'],
  mounts: [
    { type: 'volume', path: '/data', name: 'db-data', sizeBytes: 0, labels: { comment: '{{.Node.ID}}' } },
    { type: 'tmpfs', path: '/scratch', name: '', sizeBytes: 1024, labels: {} },
    { type: 'bind', path: '/inside', name: '/on/{{the node', sizeBytes: 0, labels: {} },
  ],
  files: [
    { path: '/etc/a.cfg', content: 'a' },
    { path: '/etc/a.key', content: 'k', isSecret: true },
  ],
  ports: [
    { published: 15432, target: 5432, protocol: 'tcp' },
    { published: 443, target: 8443, protocol: 'udp' },
  ],
  user: '1000:1001',
  capabilities: ['NET_BIND_SERVICE'],
  memoryLimitBytes: 1,
  memoryReservationBytes: 2,
  cpuLimitNano: 3,
  cpuReservationNano: 4,
  stopGraceSeconds: 60,
  replicas: 0,
  restarts: 7,
}
const references = [
  { path: '/etc/a.cfg', id: 'c1', name: 'berth-1', isSecret: false },
  { path: '/etc/a.key', id: 's1', name: 'berth-2', isSecret: true },
]
const bodyOf = (spec: ServiceSpec, files = references) =>
  serviceBody(spec, { installationId: 'mine', networkName: 'berth', files })

test('an isolated service is on a network of its own', () => {
  const { Networks } = bodyOf({ ...full, isIsolated: true }).TaskTemplate
  assert.deepEqual(Networks, [{ Target: 'berth-isolated' }])
})

test('translates a full specification', () => {
  const oneAtATime = { Parallelism: 1, Order: 'stop-first', FailureAction: 'pause' }
  assert.deepEqual(bodyOf(full), {
    Name: 'db',
    Labels: {
      'berth.record': 'r1',
      'berth.installation': 'mine',
      'berth.digest': digestOf(full),
      'berth.fingerprint': fingerprintOf(bodyOf(full)),
    },
    TaskTemplate: {
      ContainerSpec: {
        Image: 'postgres:15',
        Command: ['sh', '/start.sh', 'entry.sh'],
        Args: ['-c', 'x y'],
        Env: ['A=1', 'B=2 {{"{{"}}x'],
        User: '1000:1001',
        CapabilityDrop: ['ALL'],
        CapabilityAdd: ['CAP_NET_BIND_SERVICE'],
        Labels: { 'berth.installation': 'mine', 'berth.digest': containerDigestOf(full) },
        Mounts: [
          {
            Type: 'volume',
            Source: 'db-data',
            Target: '/data',
            VolumeOptions: { Labels: { comment: '{{"{{"}}.Node.ID}}', 'berth.installation': 'mine' } },
          },
          { Type: 'tmpfs', Target: '/scratch', TmpfsOptions: { SizeBytes: 1024 } },
          { Type: 'bind', Source: '/on/{{"{{"}}the node', Target: '/inside' },
        ],
        Healthcheck: {
          Test: ['CMD', '/bin/check', '5'],
          Interval: 250e6,
          Timeout: 30e9,
          Retries: 3,
          StartPeriod: 3_153_600_000e9,
          StartInterval: 250e6,
        },
        Configs: [
          { ConfigID: 'c1', ConfigName: 'berth-1', File: { Name: '/etc/a.cfg', UID: '0', GID: '0', Mode: 0o444 } },
        ],
        Secrets: [
          { SecretID: 's1', SecretName: 'berth-2', File: { Name: '/etc/a.key', UID: '0', GID: '0', Mode: 0o444 } },
        ],
        StopGracePeriod: 60e9,
      },
      LogDriver: { Name: 'json-file', Options: { 'max-size': '10m', 'max-file': '3' } },
      RestartPolicy: { Condition: 'any', Delay: 1e9 },
      Placement: { Constraints: ['node.id==node1'] },
      Resources: { Limits: { MemoryBytes: 1, NanoCPUs: 3 }, Reservations: { MemoryBytes: 2, NanoCPUs: 4 } },
      Networks: [{ Target: 'berth' }],
      ForceUpdate: 7,
    },
    Mode: { Replicated: { Replicas: 0 } },
    UpdateConfig: oneAtATime,
    RollbackConfig: oneAtATime,
    EndpointSpec: {
      Mode: 'dnsrr',
      Ports: [
        { Protocol: 'tcp', PublishMode: 'host', PublishedPort: 15432, TargetPort: 5432 },
        { Protocol: 'udp', PublishMode: 'host', PublishedPort: 443, TargetPort: 8443 },
      ],
    },
  })
})

test("omits absent fields, and disables the image's health check", () => {
  const { TaskTemplate, EndpointSpec } = bodyOf(minimal, [])
  const container = TaskTemplate.ContainerSpec
  const present = ['Command', 'Args', 'User', 'CapabilityDrop', 'CapabilityAdd'].filter((name) => name in container)
  assert.deepEqual(present, [])
  assert.deepEqual(TaskTemplate.ContainerSpec.Healthcheck, { Test: ['NONE'] })
  assert.deepEqual(TaskTemplate.Resources, { Limits: {}, Reservations: {} })
  assert.deepEqual(EndpointSpec.Ports, [])
})

test("Berth's labels replace labels of the same name in the specification", () => {
  const labels = { 'berth.installation': 'other', 'berth.digest': 'x' }
  assert.equal(bodyOf({ ...minimal, labels }, []).Labels['berth.installation'], 'mine')
  assert.notEqual(bodyOf({ ...minimal, labels }, []).Labels['berth.digest'], 'x')
})

test('the container digest changes exactly when the container changes', () => {
  const changes: [Partial<ServiceSpec>, isContainerChanged: boolean][] = [
    [{ labels: { a: 'b' } }, false],
    [{ replicas: 0 }, false],
    [{ restarts: 1 }, true],
    [{ image: 'x' }, true],
    [{ env: { A: '1' } }, true],
    [{ ports: [{ published: 1, target: 2, protocol: 'tcp' }] }, true],
    [{ nodeId: 'node2' }, true],
    [{ user: '1:1' }, true],
    [{ capabilities: [] }, true],
  ]
  for (const [change, isContainerChanged] of changes) {
    assert.equal(
      containerDigestOf({ ...minimal, ...change }) !== containerDigestOf(minimal),
      isContainerChanged,
      JSON.stringify(change),
    )
    assert.notEqual(digestOf({ ...minimal, ...change }), digestOf(minimal))
  }
})

test('computes a digest that does not depend on the order of keys', () => {
  assert.equal(digestOf({ ...full, env: { A: '1', B: '2 {{x' } }), digestOf(full))
  assert.notEqual(digestOf({ ...full, args: ['x y', '-c'] }), digestOf(full))
})
