/** What a gateway sees of the connections of Berth. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { measurementFrom, type Probe, withKnown } from './measure.ts'

type Status = Parameters<typeof measurementFrom>[1]

const nothing: Status = { sessions: [], refusedSources: [], refusedPorts: [], routers: ['172.18.0.1'] }
const from = (address: string, port = 40_000, isLocal = true): Probe => ({ isLocal, from: { address, port } })
const none: Probe = { isLocal: true, from: null }
const session = (address: string, port: number) => ({ id: '0x1', address, port })
const refused = (source: string, ageMs = 5) => ({ source, attempts: 1, ageMs })

const table: [title: string, Probe, Partial<Status>, expected: string][] = [
  ['to another node, and not reached', { ...none, isLocal: false }, {}, 'unknown'],
  ['accepted with its own address', from('192.0.2.10'), { sessions: [session('192.0.2.10', 40_000)] }, 'kept'],
  ['refused with its own address', from('192.0.2.10'), { refusedSources: [refused('192.0.2.10')] }, 'kept'],
  ['of the node, masqueraded by the kernel, refused', from('192.0.2.10'), { refusedPorts: [40_000] }, 'kept'],
  [
    'of the node, masqueraded by the kernel, accepted',
    from('192.0.2.10'),
    { sessions: [session('172.18.0.1', 40_000)] },
    'kept',
  ],
  [
    'forwarded by the userland proxy, and refused',
    from('192.0.2.10'),
    { refusedPorts: [51_000], refusedSources: [refused('172.18.0.1')] },
    'hidden',
  ],
  ['forwarded, and accepted', from('192.0.2.10'), { sessions: [session('172.18.0.1', 51_000)] }, 'hidden'],
  ['of another machine, masqueraded', from('192.0.2.20', 40_000, false), { refusedPorts: [40_000] }, 'hidden'],
  ['of another machine, kept', from('192.0.2.20', 40_000, false), { refusedSources: [refused('192.0.2.20')] }, 'kept'],
]
for (const [title, probe, changes, expected] of table) {
  test(`a connection over IPv4 that is ${title}: ${expected}`, () => {
    const measured = measurementFrom({ ipv4: probe, ipv6: none, loopback: none }, { ...nothing, ...changes })
    assert.deepEqual([measured?.ipv4, measured?.hiddenAddresses], [expected, ['172.18.0.1']])
  })
}

const traceless: [title: string, Partial<Status>][] = [
  ['was closed before the sessions were read', {}],
  ['was not the one that was refused long ago', { refusedSources: [refused('192.0.2.10', 60_000)] }],
  ['was not that of another client with the same address', { sessions: [session('192.0.2.10', 9)] }],
  ['was not the hidden one, of which there is only one for two', { sessions: [session('172.18.0.1', 51_000)] }],
]
for (const [title, changes] of traceless) {
  test(`a connection that ${title} tells nothing`, () => {
    const probes = { ipv4: from('192.0.2.10'), ipv6: none, loopback: from('127.0.0.1', 42_000) }
    assert.equal(measurementFrom(probes, { ...nothing, ...changes }), null)
  })
}

test('a port that is closed on the node of Berth tells nothing', () => {
  assert.equal(measurementFrom({ ipv4: none, ipv6: none, loopback: none }, nothing), null)
  const probes = { ipv4: none, ipv6: none, loopback: from('127.0.0.1', 42_000) }
  assert.equal(measurementFrom(probes, { ...nothing, refusedSources: [refused('127.0.0.1')] })?.ipv4, 'unknown')
})

test('the port alone proves nothing for IPv6 and loopback, whose address the engine must keep', () => {
  const probes = { ipv4: none, ipv6: from('2001:db8::1', 41_000), loopback: from('127.0.0.1', 42_000) }
  const masqueraded = measurementFrom(probes, { ...nothing, refusedPorts: [41_000, 42_000] })
  assert.deepEqual([masqueraded?.ipv6, masqueraded?.loopback], ['hidden', 'hidden'])
  const kept = measurementFrom(probes, { ...nothing, refusedSources: [refused('2001:db8::1'), refused('127.0.0.1')] })
  assert.deepEqual([kept?.ipv6, kept?.loopback], ['kept', 'kept'])
})

test('what is unknown of a family leaves what was known of it, and all else is replaced', () => {
  const before = { ipv4: 'kept', ipv6: 'hidden', loopback: 'unknown', hiddenAddresses: ['172.18.0.1'] } as const
  const measured = { ipv4: 'unknown', ipv6: 'kept', loopback: 'unknown', hiddenAddresses: ['172.19.0.1'] } as const
  const expected = { ipv4: 'kept', ipv6: 'kept', loopback: 'unknown', hiddenAddresses: ['172.19.0.1'] }
  assert.deepEqual(withKnown(measured, before), expected)
  assert.deepEqual(withKnown(measured, null), measured)
})
