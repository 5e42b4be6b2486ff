/** Tests `networkOf` with all notations of addresses. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isAddress, networkOf } from './address.ts'

const cases: [address: string, network: string][] = [
  ['127.0.0.1', '127.0.0.1'],
  ['203.0.113.9', '203.0.113.9'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['::FFFF:203.0.113.9', '203.0.113.9'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['2001:db8:1:2:aaaa:bbbb:cccc:dddd', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::7', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:db8:0:0:1::', '2001:db8:0:0::/64'],
  ['2001:db8:1:3::7', '2001:db8:1:3::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['', ''],
  ['no address', 'no address'],
]
for (const [address, network] of cases) {
  test(`the network of ${address || 'an empty text'} is ${network || 'an empty text'}`, () =>
    assert.equal(networkOf(address), network))
}

test('tells addresses from names', () => {
  assert.deepEqual(['10.0.0.2', '::1', 'fe80::1', '[::1]', 'db', '10.0.0', ''].map(isAddress), [
    true,
    true,
    true,
    false,
    false,
    false,
    false,
  ])
})
