/** The specifications of the proxy and of gateways of published ports. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseConfig } from '../config.ts'
import { portGatewaySpec, proxySpec } from './specs.ts'

const config = parseConfig({ BERTH_PROXY_HTTP_PORT: '8080', BERTH_PROXY_HTTPS_PORT: '8443' })
const location = { folder: '/var/berth/proxy', user: '7:8', nodeId: 'node1' }

test('mounts only the folder of the proxy, at the same path', () => {
  const { mounts, env } = proxySpec(location, config)
  assert.deepEqual(
    mounts.map(({ type, name, path }) => [type, name, path]),
    [['bind', location.folder, location.folder]],
  )
  for (const [name, value] of Object.entries(env)) assert.match(value, /^\/var\/berth\/proxy(?:\/|$)/, name)
})

test('restarts the service when the outgoing proxy changes, and does not show its password', () => {
  const envOf = (env: Record<string, string>) => proxySpec(location, parseConfig(env)).env
  const values = ['http://ann:hidden@proxy.example', 'http://ann:other-hidden@proxy.example', '']
  const envs = values.map((HTTPS_PROXY) => envOf({ HTTPS_PROXY, NO_PROXY: 'a.example' }))
  assert.equal(new Set(envs.map((env) => JSON.stringify(env))).size, 3)
  assert.doesNotMatch(JSON.stringify(envs), /hidden|proxy\.example/)
  assert.deepEqual(envOf({ NO_PROXY: 'a.example' }), envOf({}))
})

test('runs the proxy with few privileges, and publishes its ports on one node', () => {
  const { user, capabilities, nodeId, ports } = proxySpec(location, config)
  assert.deepEqual([user, capabilities, nodeId], ['7:8', ['NET_BIND_SERVICE'], 'node1'])
  assert.deepEqual(
    ports.map(({ published, target, protocol }) => `${published}:${target}/${protocol}`),
    ['8080:80/tcp', '8443:443/tcp'],
  )
})

const port = { id: 'p1', published: 5000, service: 'shop_web', targetPort: 53 }

test('forwards TCP to the tasks of the service, without privileges', () => {
  const spec = portGatewaySpec({ ...port, protocol: 'tcp' }, 'node1', config)
  assert.deepEqual(
    [spec.name, spec.labels, spec.image],
    ['berth-port-p1', { 'berth.role': 'port', 'berth.port-id': 'p1' }, 'haproxy:3.0'],
  )
  assert.deepEqual(spec.env, { BERTH_TARGET: 'tasks.shop_web', BERTH_TARGET_PORT: '53' })
  assert.deepEqual(spec.ports, [{ published: 5000, target: 15000, protocol: 'tcp' }])
  assert.deepEqual([spec.capabilities, spec.nodeId], [[], 'node1'])
  assert.match(spec.files[0]!.content, /server-template task 1-64 "\$\{BERTH_TARGET\}:\$\{BERTH_TARGET_PORT\}" check/)
})

test('forwards UDP to the service named in its configuration, without privileges', () => {
  const spec = portGatewaySpec({ ...port, protocol: 'udp' }, 'node1', config)
  assert.deepEqual([spec.image, spec.user, spec.capabilities], ['nginx:1', '65534:65534', []])
  assert.deepEqual(spec.ports, [{ published: 5000, target: 15000, protocol: 'udp' }])
  const [nginx, follow] = spec.files
  assert.match(nginx!.content, /default tasks\.shop_web;[\s\S]*listen 15000 udp;\n +proxy_pass \$target:53;/)
  assert.deepEqual(spec.args, ['sh', follow!.path])
  assert.ok(!follow!.content.includes('shop_web'), 'the script contains no text of a caller')
})

test('rejects service names with special characters', () => {
  for (const service of ['a;b', 'a b', 'a"b', '$a', 'a\nb', '{a}']) {
    assert.throws(
      () => portGatewaySpec({ ...port, protocol: 'udp', service }, 'node1', config),
      /is not a valid service name/,
    )
  }
})
