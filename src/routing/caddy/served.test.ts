/** The choice of the certificate for each name. */
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

const serve = (...pairs: ServedPair[]) =>
  pairsByName(pairs, now).map(({ pair: { id }, names }) => `${id}: ${names.join(' ')}`)

test('serves the newest valid certificate of a name, and leaves out the others', () => {
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

test('chooses a certificate for each name separately', () => {
  assert.deepEqual(serve(pair('both', ['a.example', 'b.example'], -90, 5), pair('new', ['a.example'], -1, 90)), [
    'both: b.example',
    'new: a.example',
  ])
})

test('lists exact names before wildcards, even if the certificate with the wildcard is newer', () => {
  assert.deepEqual(
    serve(
      pair('wild', ['*.w.example', 'w.example'], -2, 90),
      pair('exact', ['x.w.example'], -90, 5),
      pair('older', ['*.w.example', 'v.example'], -3, 90),
    ),
    ['wild: w.example', 'exact: x.w.example', 'older: v.example', 'wild: *.w.example'],
  )
})

test('serves the certificate that expired last if none is valid', () => {
  assert.deepEqual(serve(pair('a', ['a.example'], -90, -5), pair('b', ['a.example'], -80, -9)), ['a: a.example'])
  assert.deepEqual(serve(), [])
})
