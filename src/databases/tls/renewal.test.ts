import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toJson } from '../../lib/json.ts'
import { type RenewalCause, renewalCause, renewFrom } from './renewal.ts'

const certificate = {
  generation: 2,
  names: toJson<readonly string[]>(['a', 'b']),
  notBefore: '2030-01-01T00:00:00.000Z',
  notAfter: '2030-04-01T00:00:00.000Z',
}
const fresh = '2030-01-02T00:00:00.000Z'

test('a certificate is replaced when a third of its time is left', () => {
  assert.equal(renewFrom(certificate).toISOString(), '2030-03-02T00:00:00.000Z')
})

const cases: [names: string[], generation: number, now: string, cause: RenewalCause | null][] = [
  [['a', 'b'], 2, fresh, null],
  [['a', 'b'], 2, '2030-03-01T23:59:59.000Z', null],
  [['a', 'b'], 2, '2030-03-02T00:00:00.000Z', 'Ending'],
  [['a', 'b'], 2, '2031-01-01T00:00:00.000Z', 'Ending'],
  [['a', 'b'], 2, '2030-01-01T00:00:00.000Z', null],
  [['a', 'b'], 2, '2029-12-31T23:59:59.000Z', 'NotYetValid'],
  [['a', 'b'], 3, '2028-01-01T00:00:00.000Z', 'NotYetValid'],
  [['a', 'b'], 3, fresh, 'AuthorityRotated'],
  [['a'], 2, fresh, 'NamesChanged'],
  [['b', 'a'], 2, fresh, 'NamesChanged'],
]
for (const [names, generation, now, cause] of cases) {
  test(`${names} of generation ${generation} at ${now}: ${cause}`, () => {
    assert.equal(renewalCause(certificate, names, generation, new Date(now)), cause)
  })
}
