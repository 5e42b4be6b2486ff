/** Which sources a gateway admits. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { admits, admittedSources, canonicalSources, effectiveSources, sourceFaultOf } from './admitted.ts'
import { type Cidr, contains, parseCidr } from '../../lib/net/network.ts'
import type { Measurement } from './table.ts'

const usual: Measurement = { ipv4: 'kept', ipv6: 'hidden', loopback: 'hidden', hiddenAddresses: ['172.18.0.1'] }
const everythingKept: Measurement = { ipv4: 'kept', ipv6: 'kept', loopback: 'kept', hiddenAddresses: [] }
const unmeasured: Measurement = { ipv4: 'unknown', ipv6: 'unknown', loopback: 'unknown', hiddenAddresses: [] }

test('stores sources in canonical form, each of them one time, in the order of the caller', () => {
  assert.deepEqual(canonicalSources(['192.0.2.9/24', '10.0.0.1', '192.0.2.0/24', '::ffff:10.0.0.1', '2001:DB8::/32']), [
    '192.0.2.0/24',
    '10.0.0.1/32',
    '2001:db8::/32',
  ])
  assert.throws(() => canonicalSources(['localhost']), /neither an address nor a network/)
})

test('prefers the list of the database, even an empty one, to that of the project', () => {
  assert.deepEqual(effectiveSources(['10.0.0.1/32'], ['10.0.0.2/32']), ['10.0.0.1/32'])
  assert.deepEqual(effectiveSources([], ['10.0.0.2/32']), [])
  assert.deepEqual(effectiveSources(null, ['10.0.0.2/32']), ['10.0.0.2/32'])
})

describe('the networks that a gateway admits', () => {
  test('are all for an empty list, whatever was measured', () => {
    for (const measurement of [null, usual, unmeasured]) {
      assert.deepEqual(admittedSources([], measurement), { admitted: ['0.0.0.0/0', '::/0'], faults: [] })
    }
  })

  test('are those of the list', () => {
    assert.deepEqual(admittedSources(['192.0.2.0/24', '10.0.0.7/32'], usual), {
      admitted: ['192.0.2.0/24', '10.0.0.7/32'],
      faults: [],
    })
  })

  test('never have the address that stands for hidden clients', () => {
    for (const list of [['172.16.0.0/12'], ['0.0.0.0/0'], ['172.18.0.0/31', '10.0.0.0/8']]) {
      const { admitted, faults } = admittedSources(list, usual)
      assert.deepEqual(faults, [], 'the other addresses can be enforced')
      const isAdmitted = admits(admitted)
      assert.deepEqual([isAdmitted('172.18.0.1'), isAdmitted('172.18.0.0')], [false, true], list.join())
    }
  })

  // HAProxy looks an IPv4 address that no IPv4 network has up as ::ffff:a.b.c.d in the IPv6 networks.
  test('have no IPv6 network with IPv4 addresses, and all other addresses of it', () => {
    const mapped: Cidr = { family: 6, value: 0xffffc0000207n, prefix: 128 }
    for (const source of ['::/0', '::/16', '::fffe:0:0/95']) {
      const { admitted, faults } = admittedSources([source, '10.0.0.0/8'], everythingKept)
      assert.deepEqual(faults, [])
      assert.ok(!admitted.some((network) => contains(parseCidr(network)!, mapped)), source)
      const isAdmitted = admits(admitted)
      assert.deepEqual(['::fffe:1:1', '10.1.1.1', '192.0.2.7'].map(isAdmitted), [true, true, false], source)
    }
    assert.ok(admits(admittedSources(['::/0'], everythingKept).admitted)('2001:db8::1'))
  })

  test('are none if no entry can be enforced: the gateway then refuses everyone', () => {
    const { admitted, faults } = admittedSources(['2001:db8::/32', '127.0.0.1/32'], usual)
    assert.deepEqual(admitted, [])
    assert.equal(faults.length, 2)
  })
})

describe('an entry that cannot be enforced', () => {
  const table: [source: string, Measurement | null, expected: ReturnType<typeof sourceFaultOf>][] = [
    ['192.0.2.0/24', usual, null],
    ['2001:db8::/32', null, null],
    ['2001:db8::/32', everythingKept, null],
    ['127.0.0.1/32', everythingKept, null],
    ['2001:db8::/32', usual, { reason: 'SourceHidden', source: '2001:db8::/32', family: 'ipv6' }],
    ['::/0', usual, { reason: 'SourceHidden', source: '::/0', family: 'ipv6' }],
    ['127.0.0.0/8', usual, { reason: 'SourceHidden', source: '127.0.0.0/8', family: 'loopback' }],
    ['::1/128', usual, { reason: 'SourceHidden', source: '::1/128', family: 'loopback' }],
    ['172.18.0.1/32', usual, { reason: 'SourceShared', source: '172.18.0.1/32' }],
    ['172.18.0.0/16', usual, null],
    ['192.0.2.0/24', unmeasured, { reason: 'SourceUnmeasured', source: '192.0.2.0/24', family: 'ipv4' }],
    ['192.0.2.0/24', { ...usual, ipv4: 'hidden' }, { reason: 'SourceHidden', source: '192.0.2.0/24', family: 'ipv4' }],
  ]
  for (const [source, measurement, expected] of table) {
    test(`${source} with ${JSON.stringify(measurement)}: ${expected?.reason ?? 'none'}`, () => {
      assert.deepEqual(sourceFaultOf(source, measurement), expected)
    })
  }
})

test('compares addresses of both families, and admits no text that is none', () => {
  const isAdmitted = admits(['10.0.0.0/8', '2001:db8::/32'])
  const table: [address: string, expected: boolean][] = [
    ['10.1.2.3', true],
    ['::ffff:10.1.2.3', true],
    ['11.0.0.1', false],
    ['2001:db8::1', true],
    ['2001:db9::1', false],
    ['', false],
    ['unix', false],
  ]
  for (const [address, expected] of table) assert.equal(isAdmitted(address), expected, address)
})
