/** Replacements and the resulting locations. test/e2e/proxy-config.test.ts tests the same with the real proxy. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { locationOf, redirectOf } from './redirects.ts'

const locate = (regex: string, replacement: string, url: string): string | null => {
  const redirect = redirectOf({ regex, replacement })
  assert.ok(!('message' in redirect), JSON.stringify(redirect))
  return locationOf(redirect, url)
}

const faultOf = (regex: string, replacement: string): string => {
  const redirect = redirectOf({ regex, replacement })
  return 'message' in redirect ? `${redirect.path}: ${redirect.message}` : 'none'
}

test('substitutes groups and nothing else, and returns null if the target is the URL itself', () => {
  const url = 'https://a.example/old/x?y=1'
  const cases: [regex: string, replacement: string, expected: string | null][] = [
    ['/old/(.*)$', 'https://b.example/$1', 'https://b.example/x?y=1'],
    ['/old/(.*)$', 'https://b.example/${1}0', 'https://b.example/x?y=10'],
    ['^https://(?P<host>[^/]+)/(?<rest>.*)', 'https://www.${host}/${rest}', 'https://www.a.example/old/x?y=1'],
    ['^https://a', 'https://b.example/?from=$0', 'https://b.example/?from=https://a'],
    ['old(er)?', 'https://b.example/[$1]', 'https://b.example/[]'],
    ['old', 'https://b.example/$$1/{env.HOME}/{1}/}{', 'https://b.example/$1/{env.HOME}/{1}/}{'],
    ['(old)', '/$1er', '/older'],
    ['new', '/x', null],
    ['^(.*)$', '$1', null],
    ['^https://a.example(.*)$', '$1', null],
    ['old', url, null],
    ['old', '/old/x?y=1', null],
    ['old(er)?', '$1', null],
  ]
  for (const [regex, replacement, expected] of cases)
    assert.equal(locate(regex, replacement, url), expected, replacement)
})

test('refuses invalid replacements, and says what is valid', () => {
  const cases: [regex: string, replacement: string, expected: RegExp][] = [
    ['a', '', /must not be empty/],
    ['a', '/$1', /no group 1\. The pattern has no groups/],
    ['(a)', '/$2', /no group 2\. The groups are \$1/],
    ['(?<n>a)(b)', '/${m}', /no group m\. The groups are \$1, \$2, \$\{n\}/],
    ['(a)', '/$12', /for a digit after a group write \$\{1\}2/],
    ['(a)', '/$', /\$ is not a group: .*\$\$ for a dollar/],
    ['(a)', '/$n', /\$n is not a group/],
    ['(a)', '/${1', /is not a group/],
    ['(a)', '/${}', /is not a group/],
    ['(a)', '/${a-b}', /is not a group/],
    ['a', 'https://x/\\', /backslash/],
    ['a', 'https://x/ü', /write %C3%BC for "ü"/],
    ['a', 'https://x/\r\nSet-Cookie: a', /printable ASCII/],
    ['a', 'https://x/a b', /write %20 for " "/],
    ['a', '//x.example/', /begin with https/],
    ['a', 'javascript:1', /begin/],
    ['a', 'x', /begin/],
    ['a', `https://${'x'.repeat(2_000)}`, /at most 2000/],
  ]
  for (const [regex, replacement, expected] of cases) assert.match(faultOf(regex, replacement), expected, replacement)
  for (const [regex, replacement] of cases) assert.match(faultOf(regex, replacement), /^replacement: /)
  assert.match(faultOf('(', '/$1'), /^regex: /)
})
