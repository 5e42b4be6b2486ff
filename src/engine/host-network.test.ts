import assert from 'node:assert/strict'
import { networkInterfaces } from 'node:os'
import type { NetworkInterfaceInfo } from 'node:os'
import { test } from 'node:test'
import { defaultInterface, firstAddress, freeRange, hostRanges, hostRoutes, routesFrom } from './host-network.ts'

const table = [
  'Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT',
  'eth1\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0',
  'eth0\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0',
  'tun0\t0000C80A\t00000000\t0001\t0\t0\t0\t0000FCFF\t0\t0\t0',
].join('\n')

const at = (address: string, changes: Partial<NetworkInterfaceInfo> = {}) =>
  ({
    address,
    netmask: '',
    family: 'IPv4',
    mac: '',
    internal: false,
    cidr: `${address}/24`,
    ...changes,
  }) as NetworkInterfaceInfo

test('parses the routes of Linux', () => {
  const routes = routesFrom(table)
  assert.deepEqual(
    routes.map((it) => `${it.network} ${it.device}`),
    ['0.0.0.0/0 eth1', '192.0.2.0/24 eth0', '10.200.0.0/14 tun0'],
  )
  assert.equal(defaultInterface(routes), 'eth1')
  assert.equal(defaultInterface([]), null)
})

const interfaces = {
  lo: [at('127.0.0.1', { internal: true })],
  docker0: [at('172.17.0.1')],
  'br-1234': [at('172.18.0.1')],
  eth0: [at('fe80::1', { family: 'IPv6', cidr: 'fe80::1/64' }), at('192.0.2.2')],
  eth1: [at('198.51.100.7')],
}
const addresses: [title: string, preferred: string | null, address: string | null][] = [
  ['of the default route', 'eth1', '198.51.100.7'],
  ['the first outward one without a default route', null, '192.0.2.2'],
  ['the first outward one where the default route has none', 'wg0', '192.0.2.2'],
  ['never of a bridge of Docker', 'docker0', '192.0.2.2'],
]
for (const [title, preferred, address] of addresses) {
  test(`address: ${title}`, () => assert.equal(firstAddress(interfaces, preferred), address))
}

test('address: returns null on a host without a network', () => {
  assert.equal(firstAddress({ lo: interfaces.lo }, null), null)
})

test("lists the ranges of the host's addresses and routes, without the default route", () => {
  assert.deepEqual(
    hostRanges({ eth0: interfaces.eth0 }, routesFrom(table)),
    ['192.0.2.2/24', '0.0.0.0/0', '192.0.2.0/24', '10.200.0.0/14'].filter((it) => it !== '0.0.0.0/0'),
  )
})

const ranges: [title: string, taken: string[], free: string | null][] = [
  ['the first', [], '10.200.0.0/16'],
  ['not one that is taken', ['10.200.0.0/16'], '10.201.0.0/16'],
  ['not one that lies in a wider range', ['10.200.0.0/14'], '10.204.0.0/16'],
  ['not one in which an address lies', ['10.200.3.4/32', '10.201.9.0/24'], '10.202.0.0/16'],
  ['others do not matter', ['192.168.0.0/16', '172.17.0.0/16', '10.0.1.0/24'], '10.200.0.0/16'],
  ['none', ['10.0.0.0/8'], null],
]
for (const [title, taken, free] of ranges) {
  test(`range: ${title}`, () => assert.equal(freeRange(taken), free))
}

test('range: finds one on this host', () => {
  assert.match(String(freeRange(hostRanges(networkInterfaces(), hostRoutes()))), /^10\.2\d\d\.0\.0\/16$/)
})
