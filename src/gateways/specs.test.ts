/** The specifications of gateways. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../test/fixtures/folder.ts'
import { openTcpGateway, tcpGateway, udpGateway } from './specs.ts'

const options = {
  name: 'gateway',
  labels: {},
  image: 'haproxy:3.0',
  nodeId: 'node1',
  published: 5000,
  target: 'orders',
  targetPort: 6379,
  maxTargets: 2,
}
const textOf = (more: { tlsTargetPort?: number } = {}) => tcpGateway({ ...options, ...more }).files[0]!.content

test('knows the configuration of earlier versions, so that an upgrade of Berth replaces no gateway', () => {
  const hash = createHash('sha256').update(openTcpGateway(options).files[0]!.content).digest('hex')
  assert.equal(hash, '4fad165e30609b0b5a3cdc76eb75a672c2d445320cfd11c4d492fc8777863359')
})

test('inspects the first bytes of a client only if TLS has a port of its own', () => {
  assert.doesNotMatch(textOf(), /inspect-delay|use_backend|ssl/)
  const text = textOf({ tlsTargetPort: 6380 })
  assert.match(
    text,
    /inspect-delay 2s\n[\s\S]*use_backend tls if \{ req\.ssl_hello_type 1 \}\n {2}server-template task/,
  )
  assert.match(text, /backend tls\n {2}server-template task 1-2 "\$\{BERTH_TARGET\}:6380" check/)
})

test('accepts nobody without the file in the volume of the gateway', () => {
  const { files, mounts, user, capabilities } = tcpGateway(options)
  const text = files[0]!.content
  assert.deepEqual(
    mounts.map(({ type, name, path }) => [type, name, path]),
    [['volume', 'gateway-sources', '/var/lib/haproxy']],
  )
  assert.deepEqual([user, capabilities], [null, []])
  assert.match(
    text,
    /acl allowed src -f opt@\/var\/lib\/haproxy\/allowed\.acl\n {2}tcp-request connection accept if allowed\n/,
  )
  assert.match(text, /tcp-request connection reject\n {2}server-template/)
})

test('can be controlled only from inside its container', () => {
  assert.match(textOf(), /stats socket ipv4@127\.0\.0\.1:15001 level admin/)
  assert.deepEqual(
    tcpGateway(options).ports.map(({ target }) => target),
    [15000],
  )
})

test('has the sources of a UDP gateway in its configuration, and no other text', () => {
  const nginx = (allowedSources: string[] | null) =>
    udpGateway({ ...options, image: 'nginx:1', allowedSources }).files[0]!.content
  assert.doesNotMatch(nginx(null), /allow|deny/)
  const rules = (sources: string[]) => nginx(sources).match(/(?:allow|deny|include \/tmp) ?.*;/g)
  const first = 'include /tmp/denied.conf;'
  assert.deepEqual(rules(['10.0.0.0/8', '::1']), [first, 'allow 10.0.0.0/8;', 'allow ::1/128;', 'deny all;'])
  assert.deepEqual(rules([]), [first, 'deny all;'])
  assert.throws(() => nginx(['10.0.0.0/8; }']), /is not a network/)
})

test('a UDP gateway without a list is that of earlier versions, so that an upgrade of Berth replaces none', () => {
  const { args, files } = udpGateway({ ...options, image: 'nginx:1', allowedSources: null })
  const hash = createHash('sha256')
  for (const { content } of files) hash.update(content)
  assert.deepEqual([args, files.length], [['sh', '/etc/berth/follow.sh'], 2])
  assert.equal(hash.digest('hex'), '2f62180e206cf09018b16ef91f8419b0b3a01154fbb0e739321b0d05d4230a0b')
})

test('a UDP gateway with a list denies the routers of its container, as which hidden clients arrive', (t) => {
  const { args, files } = udpGateway({ ...options, image: 'nginx:1', allowedSources: ['172.16.0.0/12'] })
  const folder = temporaryFolder(t)
  const [routes, denied, next] = ['routes', 'denied.conf', 'next.sh'].map((name) => join(folder, name))
  const header = 'Iface\tDestination\tGateway\tFlags\n'
  writeFileSync(routes!, `${header}eth1\t00000000\t010012AC\t0003\neth1\t000012AC\t00000000\t0001\n`)
  writeFileSync(next!, 'echo started')
  const script = files
    .find(({ path }) => path === args[1])!
    .content.replace('/proc/net/route', routes!)
    .replace('/tmp/denied.conf', denied!)
    .replace('/etc/berth/follow.sh', next!)
  const { stdout, stderr } = spawnSync('sh', ['-c', script], { encoding: 'utf8', timeout: 20_000 })
  assert.deepEqual([stdout, stderr], ['started\n', ''])
  assert.equal(readFileSync(denied!, 'utf8'), 'deny 172.18.0.1;\n')
})
