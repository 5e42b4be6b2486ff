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
const held = [
  { path: '/a', id: 'c', name: 'n', isSecret: false },
  { path: '/b', id: 's', name: 'm', isSecret: true },
]
const made = (): ApiServiceSpec => serviceBody(spec, { installationId: 'mine', networkName: 'berth', files: held })

/** The specification as an engine returns it, with names resolved and defaults filled in. */
function echoed(): ApiServiceSpec {
  const body = structuredClone(made())
  const task = body.TaskTemplate as Record<string, unknown>
  const container = body.TaskTemplate.ContainerSpec!
  const image = `${container.Image}@sha256:${'0f'.repeat(32)}`
  const more = { Isolation: 'default', DNSConfig: {}, Init: false, Command: null }
  return {
    ...body,
    TaskTemplate: {
      ...body.TaskTemplate,
      ...{ Runtime: 'container', ForceUpdate: 7 },
      Networks: [{ Target: 'network id' }],
      ContainerSpec: { ...container, ...more, Image: image },
      Resources: task.Resources,
    },
  }
}

test('ignores what the engine adds or rewrites', () => assert.equal(isAltered(echoed()), false))

const changes: [what: string, change: (spec: ApiServiceSpec) => void][] = [
  [
    'its image',
    (it) => {
      it.TaskTemplate.ContainerSpec!.Image = 'postgres:16'
    },
  ],
  [
    'an environment variable',
    (it) => {
      it.TaskTemplate.ContainerSpec!.Env!.push('B=2')
    },
  ],
  [
    'its arguments',
    (it) => {
      it.TaskTemplate.ContainerSpec!.Args = null
    },
  ],
  [
    'a mount',
    (it) => {
      it.TaskTemplate.ContainerSpec!.Mounts = [{ Type: 'bind', Source: '/', Target: '/host' }]
    },
  ],
  [
    'its user',
    (it) => {
      it.TaskTemplate.ContainerSpec!.User = 'nobody'
    },
  ],
  [
    'its capabilities',
    (it) => {
      it.TaskTemplate.ContainerSpec!.CapabilityAdd = ['CAP_CHOWN', 'CAP_NET_RAW']
    },
  ],
  [
    'what it may not',
    (it) => {
      it.TaskTemplate.ContainerSpec!.CapabilityDrop = null
    },
  ],
  [
    'a configuration file',
    (it) => {
      it.TaskTemplate.ContainerSpec!.Configs![0]!.ConfigID = 'other'
    },
  ],
  [
    'a secret',
    (it) => {
      it.TaskTemplate.ContainerSpec!.Secrets![0]!.SecretID = 'other'
    },
  ],
  [
    'its health check',
    (it) => {
      it.TaskTemplate.ContainerSpec!.Healthcheck = { Test: ['NONE'] }
    },
  ],
  [
    'a limit',
    (it) => {
      it.TaskTemplate.Resources = { Limits: { MemoryBytes: 6 } }
    },
  ],
  [
    'its place',
    (it) => {
      it.TaskTemplate.Placement = { Constraints: [] }
    },
  ],
  [
    'its networks',
    (it) => {
      it.TaskTemplate.Networks = []
    },
  ],
  [
    'the number of its replicas',
    (it) => {
      it.Mode = { Replicated: { Replicas: 0 } }
    },
  ],
  [
    'a port',
    (it) => {
      it.EndpointSpec!.Ports![0]!.PublishedPort = 3
    },
  ],
  [
    'the protocol of a port',
    (it) => {
      it.EndpointSpec!.Ports![0]!.Protocol = 'tcp'
    },
  ],
]

for (const [what, change] of changes) {
  test(`detects a change by someone else: ${what}`, () => {
    const spec = echoed()
    change(spec)
    assert.equal(isAltered(spec), true)
  })
}

test('takes a service without a fingerprint as unaltered', () => {
  const { Labels: _, ...body } = echoed()
  assert.equal(isAltered({ ...body, Labels: { 'berth.digest': 'd' } }), false)
})
