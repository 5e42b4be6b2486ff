import assert from 'node:assert/strict'
import type { IncomingHttpHeaders } from 'node:http'
import { test } from 'node:test'
import { blockListOf, has, networksOf } from '../../lib/net/networks.ts'
import { clientOf } from './client.ts'

const trusted = blockListOf(networksOf('127.0.0.1,10.1.0.0/16,2001:db8:1::/48')!)

const of = (peer: string, headers: IncomingHttpHeaders, isEncrypted = false) =>
  clientOf({ peer, isEncrypted, headers }, (address) => has(trusted, address))
const addressOf = (peer: string, chain?: string) =>
  of(peer, chain === undefined ? {} : { 'x-forwarded-for': chain }).address

const [proxy, client, other] = ['127.0.0.1', '198.51.100.7', '203.0.113.9']

const chains: [what: string, peer: string, chain: string | undefined, address: string][] = [
  ['without the header, the peer', proxy, undefined, proxy],
  ['an untrusted peer, whatever it says', other, client, other],
  ['an untrusted peer that names a proxy', other, `${client}, ${proxy}`, other],
  ['the client that the proxy names', proxy, client, client],
  ['the right-most address, not what the client sent', proxy, `${other}, ${client}`, client],
  ['the right-most one that is not a proxy', proxy, `${other}, ${client}, 10.1.0.5, 10.1.9.9`, client],
  ['of proxies only, the farthest', proxy, '10.1.0.5, 10.1.9.9', '10.1.0.5'],
  ['a mapped peer', '::ffff:127.0.0.1', client, client],
  ['a mapped peer that is not trusted', '::ffff:203.0.113.9', client, other],
  ['a mapped hop', proxy, '::ffff:198.51.100.7', client],
  ['a mapped hop in hexadecimal', proxy, '::ffff:c633:6407', client],
  ['a mapped proxy in the chain', proxy, `${client}, ::ffff:10.1.0.5`, client],
  ['an IPv6 client in its usual form', proxy, '2001:0DB8:2:0:0:0:0:7', '2001:db8:2::7'],
  ['an IPv6 proxy', '2001:db8:1::1', '2001:db8:2::7', '2001:db8:2::7'],
  ['a port', proxy, `${client}:49152`, client],
  ['brackets', proxy, '[2001:db8:2::7]', '2001:db8:2::7'],
  ['brackets and a port', proxy, '[2001:db8:2::7]:443', '2001:db8:2::7'],
  ['a zone', proxy, 'fe80::1%eth0', 'fe80::1'],
  ['no spaces', proxy, `${other},${client}`, client],
  ['an empty header', proxy, '', proxy],
  ['garbage of the client', proxy, `<script>, ${client}`, client],
  ['garbage of the proxy', proxy, `${client}, unknown`, proxy],
  ['garbage behind a proxy', proxy, `${client}, unknown, 10.1.0.5`, '10.1.0.5'],
  ['an empty hop', proxy, `${client}, `, proxy],
  ['an empty hop behind a proxy', proxy, `${client},,10.1.0.5`, '10.1.0.5'],
  ['only commas', proxy, ',,,', proxy],
  ['a number in place of an address', proxy, '3325256711', proxy],
  ['a short form', proxy, '127.1', proxy],
  ['too large a number', proxy, '300.1.1.1', proxy],
  ['a port that is not one', proxy, `${client}:port`, proxy],
  ['an open bracket', proxy, '[2001:db8:2::7', proxy],
  ['a name', proxy, 'client.example', proxy],
  ['thousands of hops of the client', proxy, `${`${other}, `.repeat(5000)}${client}`, client],
  ['thousands of proxies', proxy, `${client}${', 10.1.0.5'.repeat(5000)}`, '10.1.0.5'],
]

for (const [what, peer, chain, address] of chains) {
  test(`counts as the client: ${what}`, () => assert.equal(addressOf(peer, chain), address))
}

const protocols: [what: string, peer: string, proto: string | undefined, isEncrypted: boolean][] = [
  ['a proxy that received TLS', proxy, 'https', true],
  ['a proxy in other letters', proxy, 'HTTPS', true],
  ['a proxy that received no TLS', proxy, 'http', false],
  ['a proxy that says nothing', proxy, undefined, false],
  ['the proxy next to Berth after others', proxy, 'http, https', true],
  ['the text of a client before the proxy', proxy, 'https, http', false],
  ['something else', proxy, 'wss', false],
  ['an untrusted peer', other, 'https', false],
]

for (const [what, peer, proto, isEncrypted] of protocols) {
  test(`X-Forwarded-Proto of ${what}: ${isEncrypted}`, () => {
    const headers = proto === undefined ? {} : { 'x-forwarded-proto': proto }
    assert.equal(of(peer, headers).isEncrypted, isEncrypted)
    assert.equal(of(peer, headers, true).isEncrypted, true, 'Berth itself received TLS')
  })
}
