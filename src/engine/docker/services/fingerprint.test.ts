import assert from 'node:assert/strict'
import { test } from 'node:test'
import { specOf } from '../../../../test/fixtures/samples.ts'
import type { ApiServiceSpec } from '../transport/api.ts'
import { isAltered } from './fingerprint.ts'
import { serviceBody } from './spec.ts'

const spec = specOf({
  env: { A: '1' },
  args: ['-c', 'x'],
  health: ['check'],
  ports: [{ published: 1, target: 2, protocol: 'udp' }],
  user: '7:8',
  capabilities: ['CHOWN'],
  files: [
    { path: '/a', content: 'a' },
    { path: '/b', content: 'b', isSecret: true },
  ],
  memoryLimitBytes: 5,
})
const files = [
  { path: '/a', id: 'c', name: 'n', isSecret: false },
  { path: '/b', id: 's', name: 'm', isSecret: true },
]
const body = (): ApiServiceSpec => serviceBody(spec, { installationId: 'mine', networkName: 'berth', files })

/** The specification as an engine returns it, with names resolved and defaults filled in. */
function returnedSpec(): ApiServiceSpec {
  const sent = structuredClone(body())
  const container = sent.TaskTemplate.ContainerSpec!
  const image = `${container.Image}@sha256:${'0f'.repeat(32)}`
  const defaults = { Isolation: 'default', DNSConfig: {}, Init: false, Command: null }
  return {
    ...sent,
    TaskTemplate: {
      ...sent.TaskTemplate,
      ...{ Runtime: 'container', ForceUpdate: 7 },
      Networks: [{ Target: 'network id' }],
      ContainerSpec: { ...container, ...defaults, Image: image },
    },
  }
}

test('ignores values that the engine adds or rewrites', () => assert.equal(isAltered(returnedSpec()), false))

const changes: [title: string, change: (spec: ApiServiceSpec) => void][] = [
  [
    'the image',
    (changed) => {
      changed.TaskTemplate.ContainerSpec!.Image = 'postgres:16'
    },
  ],
  [
    'an environment variable',
    (changed) => {
      changed.TaskTemplate.ContainerSpec!.Env!.push('B=2')
    },
  ],
  [
    'the arguments',
    (changed) => {
      changed.TaskTemplate.ContainerSpec!.Args = null
    },
  ],
  [
    'a mount',
    (changed) => {
      changed.TaskTemplate.ContainerSpec!.Mounts = [{ Type: 'bind', Source: '/', Target: '/host' }]
    },
  ],
  [
    'the user',
    (changed) => {
      changed.TaskTemplate.ContainerSpec!.User = 'nobody'
    },
  ],
  [
    'the added capabilities',
    (changed) => {
      changed.TaskTemplate.ContainerSpec!.CapabilityAdd = ['CAP_CHOWN', 'CAP_NET_RAW']
    },
  ],
  [
    'the dropped capabilities',
    (changed) => {
      changed.TaskTemplate.ContainerSpec!.CapabilityDrop = null
    },
  ],
  [
    'a config',
    (changed) => {
      changed.TaskTemplate.ContainerSpec!.Configs![0]!.ConfigID = 'other'
    },
  ],
  [
    'a secret',
    (changed) => {
      changed.TaskTemplate.ContainerSpec!.Secrets![0]!.SecretID = 'other'
    },
  ],
  [
    'the health check',
    (changed) => {
      changed.TaskTemplate.ContainerSpec!.Healthcheck = { Test: ['NONE'] }
    },
  ],
  [
    'a resource limit',
    (changed) => {
      changed.TaskTemplate.Resources = { Limits: { MemoryBytes: 6 } }
    },
  ],
  [
    'the placement',
    (changed) => {
      changed.TaskTemplate.Placement = { Constraints: [] }
    },
  ],
  [
    'the networks',
    (changed) => {
      changed.TaskTemplate.Networks = []
    },
  ],
  [
    'the number of replicas',
    (changed) => {
      changed.Mode = { Replicated: { Replicas: 0 } }
    },
  ],
  [
    'a port',
    (changed) => {
      changed.EndpointSpec!.Ports![0]!.PublishedPort = 3
    },
  ],
  [
    'the protocol of a port',
    (changed) => {
      changed.EndpointSpec!.Ports![0]!.Protocol = 'tcp'
    },
  ],
]

for (const [title, change] of changes) {
  test(`detects a change by someone else to ${title}`, () => {
    const spec = returnedSpec()
    change(spec)
    assert.equal(isAltered(spec), true)
  })
}

test('considers a service without a fingerprint unaltered', () => {
  const { Labels: _, ...unlabelled } = returnedSpec()
  assert.equal(isAltered({ ...unlabelled, Labels: { 'berth.digest': 'd' } }), false)
})
