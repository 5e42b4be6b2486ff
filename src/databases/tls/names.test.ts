import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alternativeNames, certificateNames, type Named } from './names.ts'

const named: Named = { appName: 'shop-db', tlsNames: [], nodeName: 'web-1', nodeAddress: '192.0.2.1' }
const local = ['localhost', '127.0.0.1', '::1']
const none = { publicHost: null, publicUrl: null, tlsNames: [] }

test('names the service, the node, the public host, the defaults, those of the user and the own machine', () => {
  const config = { ...none, publicHost: 'Berth.example.org', tlsNames: ['*.db.example.org'] }
  assert.deepEqual(certificateNames({ ...named, tlsNames: ['db.example.org', '2001:DB8:0:0::1'] }, config), [
    'shop-db',
    'tasks.shop-db',
    'web-1',
    '192.0.2.1',
    'berth.example.org',
    '*.db.example.org',
    'db.example.org',
    '2001:db8::1',
    ...local,
  ])
})

test('leaves out what a certificate cannot contain, and names that occur twice', () => {
  const odd = { ...named, nodeName: 'web_1', tlsNames: ['192.0.2.1', 'SHOP.example', 'shop.example'] }
  assert.deepEqual(certificateNames(odd, none), ['shop-db', 'tasks.shop-db', '192.0.2.1', 'shop.example', ...local])
})

test('leaves out names that cover the host of Berth itself', () => {
  const origin = 'https://berth.example.org'
  const publicUrl = { origin, host: 'berth.example.org', port: 443, certificate: 'internal' } as const
  const config = { publicUrl, publicHost: 'Berth.example.org', tlsNames: ['*.Example.org', 'example.org'] }
  const tlsNames = ['berth.example.org', '*.berth.example.org']
  assert.deepEqual(certificateNames({ ...named, tlsNames }, config), [
    ...['shop-db', 'tasks.shop-db', 'web-1', '192.0.2.1', 'example.org', '*.berth.example.org'],
    ...local,
  ])
})

test('separates names from addresses', () => {
  const { dnsNames, ipAddresses } = alternativeNames(['a', '192.0.2.1', '*.b.example', '::1'])
  assert.deepEqual(
    [dnsNames, ipAddresses],
    [
      ['a', '*.b.example'],
      ['192.0.2.1', '::1'],
    ],
  )
})
