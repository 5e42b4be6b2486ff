/** Which certificate is served for which name. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { certificatesToServe, servedFor, type ServedPair } from './served.ts'

const day = 86_400_000
const now = new Date('2026-06-01T00:00:00Z')
const pair = (id: string, names: string[], from: number, to: number): ServedPair => ({
  id, names, chain: '', key: '', notBefore: new Date(now.getTime() + from * day),
    notAfter: new Date(now.getTime() + to * day),
})

function serve(pairs: ServedPair[]) {
  const served = certificatesToServe(pairs, now)
  return { ids: served.pairs.map(({ id }) => id), policies: served.policies, for: (name: string) =>
    servedFor(name, served) }
}

test('of several for one name the newest valid one is served, and others are left out', () => {
  const { ids, policies } = serve([pair('old', ['a.example'], -90, 5), pair('new', ['a.example'], -1, 90),
    pair('early', ['a.example'], 1, 100), pair('ended', ['a.example'], -0.5, -0.1)])
  assert.deepEqual([ids, policies], [['new'], []])
})

test('a certificate left out for one name is there for another, and each name has its own', () => {
  const it = serve([pair('both', ['a.example', 'b.example'], -90, 5), pair('new', ['a.example'], -1, 90)])
  assert.deepEqual(it.ids, ['both', 'new'])
  assert.deepEqual(it.policies, [{ id: 'both', names: ['b.example'] }, { id: 'new', names: ['a.example'] }])
  assert.deepEqual([it.for('a.example'), it.for('b.example'), it.for('c.example')], ['new', 'both', null])
})

test('a name of its own goes before a wildcard, however new that is', () => {
  const it = serve([pair('exact', ['x.w.example'], -90, 5), pair('wild', ['*.w.example', 'w.example'], -2, 90),
    pair('older', ['*.w.example', 'v.example'], -3, 90)])
  assert.deepEqual([it.for('x.w.example'), it.for('y.w.example'), it.for('w.example'), it.for('v.example')],
    ['exact', 'wild', 'wild', 'older'])
  assert.deepEqual(it.policies.map(({ names }) => names),
    [['x.w.example'], ['w.example'], ['v.example'], ['*.w.example']], 'exact ones first')
})

test('where none is valid, the one that ended last tells the client so', () => {
  assert.deepEqual(serve([pair('a', ['a.example'], -90, -5), pair('b', ['a.example'], -80, -9)]).ids, ['a'])
  assert.deepEqual(serve([]).ids, [])
})
