/** Tests which addresses are refused, in all notations, and that refused addresses get no connection. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { type Egress, EgressFault, egressOf } from './egress.ts'
import { networksOf } from './networks.ts'

const refused = [
  '169.254.169.254',
  '169.254.0.0',
  '169.254.170.2',
  '169.254.255.255',
  '100.100.100.200',
  '100.96.0.96',
  '168.63.129.16',
  '192.0.0.192',
  'fe80::1',
  'FE80::1',
  'febf:ffff::1',
  'fe80::1%eth0',
  'fe80::a9fe:a9fe',
  'fd00:ec2::254',
  'fd00:0ec2:0:0:0:0:0:254',
  'fd00:ec2::23',
  'fd20:ce::254',
  'fd00:c1::a9fe:a9fe',
  'fd00:42::42',
  // IPv4 in IPv6: mapped, compatible, translated, NAT64, 6to4, ISATAP.
  '::ffff:169.254.169.254',
  '::ffff:a9fe:a9fe',
  '0:0:0:0:0:ffff:a9fe:a9fe',
  '::169.254.169.254',
  '::ffff:0:169.254.169.254',
  '64:ff9b::169.254.169.254',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::a9fe:a9fe',
  '64:ff9b:1:ab:1::6464:64c8',
  '2002:a9fe:a9fe::1',
  '2001:db8::5efe:169.254.169.254',
  '2001:db8::200:5efe:a9fe:a9fe',
  '::ffff:100.100.100.200',
  '64:ff9b::a83f:8110',
]
const open = [
  '127.0.0.1',
  '::1',
  '10.0.0.5',
  '172.16.0.1',
  '192.168.1.1',
  '100.64.0.1',
  '100.100.100.201',
  '169.253.255.255',
  '169.255.0.0',
  '168.63.129.17',
  '8.8.8.8',
  'fd00:ec3::254',
  'fd12:3456::1',
  'fec0::1',
  'fe7f::1',
  '2606:4700::1111',
  '::ffff:10.0.0.5',
  '64:ff9b::8.8.8.8',
  '2002:a00:5::1',
  '2001:db8::a9fe:a9fe',
  '0.0.0.0',
]
const any = egressOf([])
for (const address of refused) {
  test(`refuses ${address}`, () => {
    assert.ok(any.faultOf(address) instanceof EgressFault)
    if (address.includes(':') && !address.includes('%')) assert.ok(any.faultOf(`[${address}]`) instanceof EgressFault)
  })
}
for (const address of open) test(`allows ${address}`, () => assert.equal(any.faultOf(address), null))

test('accepts a name before it is resolved', () =>
  assert.deepEqual(
    ['metadata.google.internal', 'localhost', ''].map((host) => any.faultOf(host)),
    [null, null, null],
  ))

test('allows exceptions, which are addresses and networks in any notation', () => {
  const some = egressOf(networksOf('169.254.10.5, fd00:ec2::/32,fe80::/64,100.100.100.200/32')!)
  const faults = (hosts: string[]) => hosts.filter((host) => some.faultOf(host) !== null)
  assert.deepEqual(
    faults([
      '169.254.10.5',
      '::ffff:169.254.10.5',
      '64:ff9b::a9fe:a05',
      'fd00:ec2::254',
      'fe80::1%eth0',
      '100.100.100.200',
    ]),
    [],
  )
  const others = ['169.254.169.254', '169.254.10.6', 'fe80:0:0:1::1', '::ffff:169.254.10.6']
  assert.deepEqual(faults(others), others)
})

for (const text of [
  '169.254.1',
  '10.0.0.0/33',
  'fe80::/129',
  'example.org',
  '10.0.0.1,',
  '',
  '10.0.0.0/',
  '1/2/3',
  '10.0.0.0/-1',
  'fe80::1%eth0',
]) {
  test(`refuses the list of networks ${JSON.stringify(text)}`, () => assert.equal(networksOf(text), null))
}

/** A local server that counts its connections. */
async function listen() {
  let connections = 0
  const server = createServer((_request, response) => void response.end('OK'))
    .on('connection', () => {
      connections += 1
    })
    .listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function get(egress: Egress, url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const isPlain = url.startsWith('http:')
    const sent = isPlain
      ? request(url, { agent: egress.httpAgent({ keepAlive: true }) })
      : https.request(url, { agent: egress.httpsAgent({ keepAlive: true }) })
    sent
      .on('error', reject)
      .on('response', (response) => {
        response.destroy()
        resolve(response.statusCode!)
      })
      .end()
  })
}

/** Returns an egress that resolves names with these answers, one per lookup, and the number of lookups by name. */
function names(answers: Record<string, string[][]>) {
  const lookups: Record<string, number> = {}
  const egress = egressOf([], (host, _options, callback) => {
    const turn = (lookups[host] ?? 0) + 1
    lookups[host] = turn
    const addresses = answers[host]?.[turn - 1] ?? []
    process.nextTick(
      callback,
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
  })
  return { egress, lookups }
}

for (const scheme of ['http', 'https']) {
  test(`${scheme}: refuses a metadata service, by a name or an address in any notation`, async () => {
    const { egress } = names({ 'evil.example': [['169.254.169.254']], 'six.example': [['fd00:ec2::254', 'fe80::1']] })
    const fault = {
      name: 'EgressFault',
      message: /^evil\.example resolves to 169\.254\.169\.254\. .*BERTH_EGRESS_ALLOW=/,
    }
    await assert.rejects(get(egress, `${scheme}://evil.example/`), fault)
    await assert.rejects(get(egress, `${scheme}://six.example/`), { name: 'EgressFault' })
    for (const literal of [
      '169.254.169.254',
      '2852039166',
      '0xA9FEA9FE',
      '0251.0376.0251.0376',
      '[::ffff:a9fe:a9fe]',
      '[fe80::1]',
    ]) {
      await assert.rejects(get(egress, `${scheme}://${literal}/`), { name: 'EgressFault' }, literal)
    }
  })
}

test('resolves a name once for a connection, and connects to the checked address', async () => {
  await using server = await listen()
  const { egress, lookups } = names({ 'turns.example': [['127.0.0.1'], ['169.254.169.254']] })
  assert.equal(await get(egress, `http://turns.example:${server.port}/`), 200)
  assert.deepEqual([lookups['turns.example'], server.connections()], [1, 1])
  await assert.rejects(get(egress, `http://turns.example:${server.port}/`), { name: 'EgressFault' })
})

test('ignores refused addresses of a name that has several', async () => {
  await using server = await listen()
  const { egress } = names({ 'both.example': [['169.254.169.254', 'fe80::1', '127.0.0.1']] })
  assert.equal(await get(egress, `http://both.example:${server.port}/`), 200)
  assert.equal(server.connections(), 1)
})

test('connects to a literal address that is allowed', async () => {
  await using server = await listen()
  assert.equal(await get(any, `http://127.0.0.1:${server.port}/`), 200)
  await assert.rejects(get(any, 'http://127.0.0.1:1/'), { code: 'ECONNREFUSED' })
})
