/** The decisions about engine ports: renewals, fingerprints, urgent changes and the steps of a rotation. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { acceptedFingerprints, isRenewalDue, isUrgent, type RotationStep, rotationStep } from './plan.ts'
import type { AccessState, EngineState } from './table.ts'

const now = new Date('2030-01-01T00:00:00.000Z')
const after = (days: number) => new Date(now.getTime() + days * 24 * 3600_000).toISOString()

const renewals: [title: string, certificate: [generation: number, from: number, to: number], isDue: boolean][] = [
  ['a new certificate', [2, 0, 365], false],
  ['a certificate with 61 days left', [2, -304, 61], false],
  ['a certificate with 59 days left', [2, -306, 59], true],
  ['an expired certificate', [2, -366, -1], true],
  ['a certificate of the earlier generation', [1, 0, 365], true],
  ['a certificate that was issued while the clock was ahead', [2, 1, 366], true],
]
const signing = { generation: 2, notAfter: after(3000) }
for (const [title, [generation, from, to], isDue] of renewals) {
  test(`${isDue ? 'renews' : 'keeps'} ${title}`, () => {
    const certificate = { generation, notBefore: new Date(after(from)), notAfter: after(to) }
    assert.equal(isRenewalDue(certificate, signing, now), isDue)
  })
}

test('keeps a certificate that ends with its authority, because a new one would not end later', () => {
  const certificate = { generation: 2, notBefore: new Date(after(-300)), notAfter: after(30) }
  assert.equal(isRenewalDue(certificate, { generation: 2, notAfter: after(30) }, now), false)
  assert.equal(isRenewalDue(certificate, { generation: 3, notAfter: after(3000) }, now), true)
})

const access = (states: Record<string, AccessState>) =>
  Object.entries(states).map(([fingerprint, state]) => ({ fingerprint, state, generation: 1, notAfter: after(300) }))
const port = (nodeId: string, fingerprints: string, state: EngineState = 'reachable') => ({
  nodeId,
  fingerprints,
  state,
})

test('nodes accept the current and the next certificate, in a fixed order', () => {
  assert.deepEqual(acceptedFingerprints(access({ b: 'next', a: 'current', c: 'previous', d: 'revoked' })), ['a', 'b'])
})

const urgencies: [title: string, row: ReturnType<typeof port>, states: Record<string, AccessState>, is: boolean][] = [
  ['a port that accepts the current certificate', port('n', 'a'), { a: 'current' }, false],
  ['a port that has to accept the next one, too', port('n', 'a'), { a: 'current', b: 'next' }, false],
  ['a port that still accepts the previous one', port('n', 'a,b'), { a: 'previous', b: 'current' }, false],
  ['a port that accepts a revoked one', port('n', 'a,b'), { a: 'revoked', b: 'current' }, true],
  ['a port that does not accept the current one', port('n', 'a'), { b: 'current' }, true],
  ['a port that Berth does not reach', port('n', 'a', 'unreachable'), { a: 'current' }, true],
]
for (const [title, row, states, is] of urgencies) {
  test(`changes ${title} ${is ? 'at once' : 'when the node is idle'}`, () =>
    assert.equal(isUrgent(row, access(states)), is))
}

const steps: [title: string, Record<string, AccessState>, ReturnType<typeof port>[], RotationStep][] = [
  ['nothing without a rotation', { a: 'current' }, [port('n', 'a')], { do: 'none' }],
  [
    'a wait for nodes that do not accept the next certificate',
    { a: 'current', b: 'next' },
    [port('n', 'a,b'), port('m', 'a')],
    { do: 'wait', nodeIds: ['m'] },
  ],
  [
    'a wait for a port that is starting',
    { a: 'current', b: 'next' },
    [port('n', 'a,b', 'starting')],
    { do: 'wait', nodeIds: ['n'] },
  ],
  [
    'a switch when all nodes accept both, although one cannot be reached',
    { a: 'current', b: 'next' },
    [port('n', 'a,b'), port('m', 'a,b', 'unreachable')],
    { do: 'switch' },
  ],
  [
    'a wait for nodes that accept the previous certificate',
    { a: 'previous', b: 'current' },
    [port('n', 'a,b')],
    { do: 'wait', nodeIds: ['n'] },
  ],
  [
    'the end when no node accepts an old certificate',
    { a: 'revoked', b: 'current' },
    [port('n', 'b')],
    { do: 'finish' },
  ],
  ['the end without other nodes', { a: 'revoked', b: 'current' }, [], { do: 'finish' }],
]
for (const [title, states, ports, expected] of steps) {
  test(`plans ${title}`, () => assert.deepEqual(rotationStep(access(states), ports), expected))
}
