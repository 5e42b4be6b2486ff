/** What Caddy has to forget on the way from one configuration to the next: see stepBetween. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FrontInput, stepBetween } from './front-config.ts'

const front = (pairs: [chain: string, ...names: string[]][], managed: string[]): FrontInput => ({
  listen: { host: '', httpPort: 80, httpsPort: 443 }, now: new Date(0), acme: null, managed,
  pairs: pairs.map(([chain, ...names]) =>
    ({ id: chain, chain, key: '', names, notBefore: new Date(0), notAfter: new Date(1) })),
  adminSocket: '', rulesSocket: '', storageFolder: '', acmeLog: '',
})
const empty = front([], [])

const cases: [what: string, before: FrontInput, after: FrontInput, step: FrontInput | null][] = [
  ['an upload', empty, front([['U', 'a']], []), null],
  ['a removal', front([['U', 'a']], ['b']), front([], ['b']), null],
  ['an upload for a name that Caddy has one of its own for', front([], ['a']), front([['U', 'a']], []), null],
  ['a renewal that begins', front([['U', 'a', 'b']], []), front([['U', 'a', 'b']], ['a', 'b']), null],
  ['what was renewed takes its place: the old one is served while Caddy forgets its own',
    front([['U', 'a', 'b']], ['a', 'b', 'c']), front([['A', 'a'], ['B', 'b']], ['c']), front([['U', 'a', 'b']], ['c'])],
  ['what was renewed is removed, and Caddy is to have its own',
    front([['A', 'a'], ['U', 'u']], ['c']), front([['U', 'u']], ['a', 'c']), front([['U', 'u']], ['c'])],
]

for (const [what, before, after, step] of cases) {
  test(what, () => assert.deepEqual(stepBetween(before, after), step))
}
