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

const interfaceAddress = (address: string, changes: Partial<NetworkInterfaceInfo> = {}) =>
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
    routes.map(({ network, device }) => `${network} ${device}`),
    ['0.0.0.0/0 eth1', '192.0.2.0/24 eth0', '10.200.0.0/14 tun0'],
  )
  assert.equal(defaultInterface(routes), 'eth1')
  assert.equal(defaultInterface([]), null)
})

const interfaces = {
  lo: [interfaceAddress('127.0.0.1', { internal: true })],
  docker0: [interfaceAddress('172.17.0.1')],
  'br-1234': [interfaceAddress('172.18.0.1')],
  eth0: [interfaceAddress('fe80::1', { family: 'IPv6', cidr: 'fe80::1/64' }), interfaceAddress('192.0.2.2')],
  eth1: [interfaceAddress('198.51.100.7')],
}
const addresses: [title: string, preferred: string | null, address: string | null][] = [
  ['returns the address of the preferred interface', 'eth1', '198.51.100.7'],
  ['returns the first outward address without a preferred interface', null, '192.0.2.2'],
  ['returns the first outward address if the preferred interface has none', 'wg0', '192.0.2.2'],
  ['never returns the address of a bridge of Docker', 'docker0', '192.0.2.2'],
]
for (const [title, preferred, address] of addresses) {
  test(title, () => assert.equal(firstAddress(interfaces, preferred), address))
}

test('returns no address on a host without a network', () => {
  assert.equal(firstAddress({ lo: interfaces.lo }, null), null)
})

test("lists the ranges of the host's addresses and routes, without the default route", () => {
  assert.deepEqual(hostRanges({ eth0: interfaces.eth0 }, routesFrom(table)), [
    '192.0.2.2/24',
    '192.0.2.0/24',
    '10.200.0.0/14',
  ])
})

const ranges: [title: string, taken: string[], free: string | null][] = [
  ['selects the first candidate if no range is taken', [], '10.200.0.0/16'],
  ['avoids a taken range', ['10.200.0.0/16'], '10.201.0.0/16'],
  ['avoids a range within a wider taken range', ['10.200.0.0/14'], '10.204.0.0/16'],
  ['avoids a range that contains a taken address', ['10.200.3.4/32', '10.201.9.0/24'], '10.202.0.0/16'],
  ['ignores taken ranges outside the candidates', ['192.168.0.0/16', '172.17.0.0/16', '10.0.1.0/24'], '10.200.0.0/16'],
  ['selects no range if all candidates are taken', ['10.0.0.0/8'], null],
]
for (const [title, taken, free] of ranges) {
  test(title, () => assert.equal(freeRange(taken), free))
}

test('selects a range on this host', () => {
  assert.match(String(freeRange(hostRanges(networkInterfaces(), hostRoutes()))), /^10\.2\d\d\.0\.0\/16$/)
})
