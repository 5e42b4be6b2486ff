/** Which certificate is served for which name. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pairsByName, type ServedPair } from './served.ts'

const day = 86_400_000
const now = new Date('2026-06-01T00:00:00Z')
const pair = (id: string, names: string[], from: number, to: number): ServedPair => ({
  id,
  names,
  chain: '',
  key: '',
  notBefore: new Date(now.getTime() + from * day),
  notAfter: new Date(now.getTime() + to * day),
})

const serve = (...pairs: ServedPair[]) => pairsByName(pairs, now).map((it) => `${it.pair.id}: ${it.names.join(' ')}`)

test('of several for one name the newest valid one is served, and others are left out', () => {
  assert.deepEqual(
    serve(
      pair('old', ['a.example'], -90, 5),
      pair('new', ['a.example'], -1, 90),
      pair('early', ['a.example'], 1, 100),
      pair('ended', ['a.example'], -0.5, -0.1),
    ),
    ['new: a.example'],
  )
})

test('a certificate left out for one name is there for another, and each name has its own', () => {
  assert.deepEqual(serve(pair('both', ['a.example', 'b.example'], -90, 5), pair('new', ['a.example'], -1, 90)), [
    'both: b.example',
    'new: a.example',
  ])
})

test('a name of its own goes before a wildcard, however new that is', () => {
  assert.deepEqual(
    serve(
      pair('wild', ['*.w.example', 'w.example'], -2, 90),
      pair('exact', ['x.w.example'], -90, 5),
      pair('older', ['*.w.example', 'v.example'], -3, 90),
    ),
    ['wild: w.example', 'exact: x.w.example', 'older: v.example', 'wild: *.w.example'],
  )
})

test('where none is valid, the one that ended last tells the client so', () => {
  assert.deepEqual(serve(pair('a', ['a.example'], -90, -5), pair('b', ['a.example'], -80, -9)), ['a: a.example'])
  assert.deepEqual(serve(), [])
})
