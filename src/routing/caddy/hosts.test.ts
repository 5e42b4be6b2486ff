/** Host names, the labels of services, and the messages about invalid labels. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hostMatches, hostOf, routingLabels } from './hosts.ts'

test('normalizes host names', () => {
  const cases: Record<string, string | null> = {
    'A.Example': 'a.example',
    'a.example.': 'a.example',
    '*.a.example': '*.a.example',
    'bücher.example': 'xn--bcher-kva.example',
    '*.Bücher.example': '*.xn--bcher-kva.example',
    localhost: 'localhost',
    'my_app.local': 'my_app.local',
    '*': null,
    '*.': null,
    '*.example': null,
    'a.*.example': null,
    'a*.example': null,
    '-a.example': null,
    'a..b': null,
    '': null,
    '10.0.0.1': null,
    '[::1]': null,
    'a.example:80': null,
    'https://a.example': null,
    'a.example/x': null,
    '{env.HOME}': null,
    '{env.HOME}.a.example': null,
    [`${'a'.repeat(64)}.example`]: null,
    [`${'a.'.repeat(130)}example`]: null,
    'a b': null,
  }
  for (const [text, expected] of Object.entries(cases)) assert.equal(hostOf(text), expected, text)
})

test('lets a wildcard match exactly one DNS label', () => {
  assert.deepEqual(
    ['x.a.example', 'a.example', 'y.x.a.example'].map((name) => hostMatches('*.a.example', name)),
    [true, false, false],
  )
  assert.deepEqual([hostMatches('a.example', 'a.example'), hostMatches('a.example', 'b.a.example')], [true, false])
})

test('parses labels, with defaults for missing ones', () => {
  assert.deepEqual(routingLabels({}), { alias: null, hosts: [], port: 80, tls: null, preflight: null, faults: [] })
  assert.deepEqual(
    routingLabels({
      'berth.application': 'shop',
      'berth.host': 'a.example, B.example\n*.c.example a.example',
      'berth.port': '3000',
      'berth.tls': '',
    }),
    {
      alias: 'shop',
      hosts: ['a.example', 'b.example', '*.c.example'],
      port: 3000,
      tls: null,
      preflight: null,
      faults: [],
    },
  )
  assert.deepEqual(routingLabels({ 'berth.host': 'a.example', 'berth.tls': 'AUTO' }).tls, 'auto')
})

test('reports invalid labels, and keeps the valid ones', () => {
  const { hosts, port, tls, faults } = routingLabels({
    'berth.host': 'a.example 10.0.0.1 {file./etc/passwd}',
    'berth.port': '0',
    'berth.tls': 'yes',
  })
  assert.deepEqual([hosts, port, tls], [['a.example'], 80, null])
  assert.deepEqual(
    faults.map((fault) => fault.split(':')[0]),
    ['berth.host', 'berth.host', 'berth.tls', 'berth.port'],
  )
  assert.match(
    routingLabels({ 'berth.host': '*.a.example', 'berth.tls': 'auto' }).faults[0]!,
    /upload one for \*\.a\.example/,
  )
  assert.equal(routingLabels({ 'berth.port': '65536' }).faults.length, 1)
  assert.match(
    routingLabels({ 'berth.host': Array.from({ length: 101 }, (_, i) => `h${i}.example`).join(' ') }).faults[0]!,
    /more than 100/,
  )
})
