/** Networks in CIDR notation. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { cidrText, contains, parseCidr, without } from './network.ts'

const cidr = (text: string) => parseCidr(text) ?? assert.fail(`${text} is not a network`)
const canonical = (text: string) => cidrText(cidr(text))

describe('the canonical text of a network', () => {
  const samples: [string, string][] = [
    ['192.0.2.7', '192.0.2.7/32'],
    ['192.0.2.7/24', '192.0.2.0/24'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['255.255.255.255/1', '128.0.0.0/1'],
    ['10.1.2.3/31', '10.1.2.2/31'],
    ['2001:DB8:0:0::1', '2001:db8::1/128'],
    ['2001:db8:ffff::/32', '2001:db8::/32'],
    ['::/0', '::/0'],
    ['::1', '::1/128'],
    ['fe80::1/10', 'fe80::/10'],
    ['::ffff:192.0.2.7', '192.0.2.7/32'],
    ['::ffff:192.0.2.7/120', '192.0.2.0/24'],
    ['::ffff:0:0/96', '0.0.0.0/0'],
    ['::ffff:192.0.2.7/95', '::fffe:0:0/95'],
    ['64:ff9b::192.0.2.7', '64:ff9b::c000:207/128'],
  ]
  for (const [text, expected] of samples) {
    test(`of ${text} is ${expected}, and stays the same when parsed again`, () => {
      assert.equal(canonical(text), expected)
      assert.equal(canonical(expected), expected)
    })
  }
})

test('refuses texts that are neither addresses nor networks', () => {
  const texts = [
    '',
    ' 10.0.0.1',
    'localhost',
    '10.0.0',
    '10.0.0.256',
    '010.0.0.1',
    '10.0.0.1/33',
    '10.0.0.1/',
    '10.0.0.1/-1',
    '10.0.0.1/8/8',
    '::1/129',
    'fe80::1%eth0',
    '[::1]',
    '1::2::3',
    '10.0.0.1,10.0.0.2',
    '10.0.0.1\n',
    '10.0.0.1;',
    'dead',
  ]
  for (const text of texts) assert.equal(parseCidr(text), null, JSON.stringify(text))
})

test('tells what a network contains', () => {
  const samples: [string, string, boolean][] = [
    ['10.0.0.0/8', '10.255.255.255', true],
    ['10.0.0.0/8', '11.0.0.0', false],
    ['10.0.0.0/8', '10.0.0.0/8', true],
    ['10.0.0.0/8', '10.0.0.0/7', false],
    ['0.0.0.0/0', '203.0.113.9', true],
    ['0.0.0.0/0', '2001:db8::1', false],
    ['::/0', '203.0.113.9', false],
    ['10.0.0.0/8', '::ffff:10.1.1.1', true],
    ['2001:db8::/32', '2001:db8:1::/48', true],
    ['2001:db8::/32', '2001:db9::', false],
    ['10.0.0.1', '10.0.0.1', true],
  ]
  for (const [outer, inner, expected] of samples) {
    assert.equal(contains(cidr(outer), cidr(inner)), expected, `${outer} contains ${inner}`)
  }
})

test('removes an address or a network from a network', () => {
  const samples: [string, string, string[]][] = [
    ['10.0.0.0/30', '10.0.0.1', ['10.0.0.0/32', '10.0.0.2/31']],
    ['10.0.0.0/8', '11.0.0.1', ['10.0.0.0/8']],
    ['10.0.0.1', '10.0.0.1', []],
    ['10.0.0.0/24', '10.0.0.0/8', []],
    ['10.0.0.0/24', '::1', ['10.0.0.0/24']],
    ['::/126', '::3', ['::/127', '::2/128']],
  ]
  for (const [from, excluded, expected] of samples) {
    assert.deepEqual(without(cidr(from), cidr(excluded)).map(cidrText), expected, `${from} without ${excluded}`)
  }
})

test('keeps every other address when one is removed, in at most one network for each bit', () => {
  const excluded = cidr('172.18.0.1')
  const rest = without(cidr('0.0.0.0/0'), excluded)
  assert.equal(rest.length, 32)
  for (const address of ['172.18.0.0', '172.18.0.2', '0.0.0.0', '255.255.255.255', '8.8.8.8']) {
    assert.equal(rest.filter((network) => contains(network, cidr(address))).length, 1, address)
  }
  assert.ok(!rest.some((network) => contains(network, excluded)))
})
