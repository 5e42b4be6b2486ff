/** The search for redirect loops. A loop is reported only if an example URL shows it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { processorMs } from '../../../../test/fixtures/processor-time.ts'
import { loopOf } from './loops.ts'

/** Returns the positions of the rules in the loop through the last rule, or null. */
function loopThroughLast(rules: [regex: string, replacement: string][], hosts = ['a.example']): number[] | null {
  const numbered = rules.map(([regex, replacement], id) => ({ id, regex, replacement }))
  return loopOf({ rules: numbered, id: rules.length - 1, hosts })?.rules ?? null
}

test('reports a rule that leads to itself or to ever longer URLs', () => {
  assert.deepEqual(loopThroughLast([['.*', '/gone?a']]), null, 'the target is another URL')
  assert.deepEqual(loopThroughLast([['^(.*)$', '$1']]), [0], 'the target is always the requested URL')
  assert.deepEqual(
    loopThroughLast([['^https?://a\\.example/(.*)$', 'https://a.example/x/$1']]),
    [0],
    'the URL grows with each redirect',
  )
  assert.deepEqual(loopThroughLast([['^http://a\\.example/(.*)$', 'https://a.example/$1']]), null)
  assert.deepEqual(loopThroughLast([['^https://(?:www\\.)?a\\.example/(.*)$', 'https://b.example/$1']]), null)
})

test('reports rules that lead to each other, in the order in which a client follows them', () => {
  const ab: [string, string][] = [
    ['/one$', '/two'],
    ['/two$', 'https://a.example/three'],
  ]
  assert.deepEqual(loopThroughLast([...ab, ['/three$', '/one']])?.sort(), [0, 1, 2])
  assert.deepEqual(loopThroughLast([...ab, ['/three$', '/four']]), null)
  assert.deepEqual(
    loopThroughLast([['/three$', '/end'], ...ab, ['/three$', '/one']]),
    null,
    'an earlier rule ends the loop',
  )
  assert.deepEqual(
    loopThroughLast([
      ['^https://a\\.example/x/(.*)$', 'https://a.example/y/$1'],
      ['^https://a\\.example/y/(.*)$', 'https://a.example/x/$1'],
    ])?.sort(),
    [0, 1],
  )
})

test('ignores loops through other applications', () => {
  const rules: [string, string][] = [
    ['/one$', 'https://b.example/two'],
    ['/two$', 'https://b.example/one'],
  ]
  assert.deepEqual(loopThroughLast(rules), null)
  assert.deepEqual(loopThroughLast(rules, ['a.example', '*.example'])?.sort(), [0, 1])
  assert.deepEqual(loopThroughLast(rules, [])?.sort(), [0, 1], 'without known host names, every host counts')
})

test('ignores loops that the last rule is not part of', () => {
  assert.deepEqual(
    loopThroughLast([
      ['/one$', '/two'],
      ['/two$', '/one'],
      ['/three$', '/one'],
    ]),
    null,
  )
  assert.deepEqual(
    loopThroughLast([
      ['(', '/one'],
      ['/three$', '/one'],
    ]),
    null,
    'a rule with an invalid pattern is ignored',
  )
})

test('searches a thousand rules within 200 ms of processor time', () => {
  const rules = Array.from({ length: 1_000 }, (_, i): [string, string] => [
    `^https://a\\.example/${i}/(.*)$`,
    `https://a.example/${i + 1}/$1`,
  ])
  const durationMs = processorMs(() => assert.equal(loopThroughLast(rules), null))
  assert.ok(durationMs < 200, `${durationMs} ms`)
})
