import assert from 'node:assert/strict'
import { test } from 'node:test'
import { engineSpec } from './spec.ts'

const spec = engineSpec({
  nodeId: 'n1',
  image: 'haproxy:3.0',
  address: '10.0.0.1',
  port: 8000,
  sources: [{ address: '10.0.0.0', prefix: 24 }],
  fingerprints: ['aa'],
  trustBundle: 'authority',
  certificatePem: 'certificate',
  keyPem: 'key',
})
const configuration = spec.files[0]!.content
const maxConnections = Number(/^ {2}maxconn (\d+)$/m.exec(configuration)![1])

test('has connections for all sessions and hundreds of databases on one node', () => {
  const [sessions, connectionsOfSession, databases, others] = [200, 3, 1000, 200]
  assert.ok(maxConnections >= sessions * connectionsOfSession + databases + others, String(maxConnections))
})

test('has memory for all connections, also if each of them is in its handshake', () => {
  const [base, buffers, handshake] = [40 * 1024 * 1024, 2 * 16 * 1024, 76 * 1024]
  assert.ok(spec.memoryLimitBytes! >= base + maxConnections * (buffers + handshake), String(spec.memoryLimitBytes))
})
