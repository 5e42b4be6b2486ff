/** Berth predicts the answer of the proxy for a URL: a table of patterns and URLs, compared with a real Caddy. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { redirectOutcome } from '../../src/routing/caddy/redirects/outcome.ts'
import { requestedUrl } from '../../src/routing/caddy/redirects/requested-url.ts'
import type { RedirectRule } from '../../src/routing/caddy/redirects/routes.ts'
import { behind, rule, startApplication, startProxy } from './caddy.ts'

const application = await startApplication()
after(() => application[Symbol.asyncDispose]())
const proxy = await startProxy()
after(() => proxy[Symbol.asyncDispose]())

type Case = [url: string, ...rules: RedirectRule[]]

const cases: Case[] = [
  ['http://a.example/old/x?y=1', rule('/old/(.*)$', 'https://b.example/$1')],
  ['http://a.example/old', rule('/old', '/one', true), rule('/old', '/two')],
  ['http://a.example/old', rule('/none', '/one'), rule('^http://a\\.example/old$', '/two', true)],
  ['HTTP://A.EXAMPLE/Old', rule('^http://a\\.example/Old$', '/lower-case-host')],
  ['http://a.example:80/port', rule('^http://a\\.example/port$', '/without-port')],
  ['http://a.example', rule('^http://a\\.example/$', '/root')],
  ['http://a.example?q', rule('^http://a\\.example/\\?q$', '/query-only')],
  ['http://a.example/x?', rule('^http://a\\.example/x\\?$', '/empty-query')],
  ['http://a.example/x?#part', rule('^http://a\\.example/x\\?$', '/empty-query')],
  ['http://a.example/x#part', rule('^http://a\\.example/x$', '/no-fragment')],
  ['http://ann:secret@a.example/x', rule('^http://a\\.example/x$', '/no-user')],
  ['http://a.example/a/../b/./c', rule('^http://a\\.example/b/c$', '/dots-resolved')],
  ['http://a.example/a\\b', rule('/a/b$', '/slash')],
  ['http://a.example//x//y', rule('^http://a\\.example//x//y$', '/two-slashes')],
  ['http://a.example/grün', rule('/gr%C3%BCn$', '/unicode')],
  ['http://a.example/grün', rule('/grün$', '/never'), rule('/(.*)$', '/all/$1')],
  ['http://a.example/%67r%c3%bcn', rule('^http://a\\.example/(.*)$', '/as-sent/$1')],
  ['http://a.example/a b"c<d>`e', rule('^http://a\\.example/(.*)$', '/encoded/$1')],
  ['http://a.example/a|b', rule('^http://a\\.example/(.*)$', '/bar/$1')],
  ["http://a.example/(a)|!'*[b]", rule('^http://a\\.example/(.*)$', '/all-encoded/$1')],
  ["http://a.example/(a)!'*[b];c=d,e:f@g$h&i", rule('^http://a\\.example/(.*)$', '/none-encoded/$1')],
  ['http://a.example/a%7Cb|c%2fd', rule('^http://a\\.example/(.*)$', '/decoded-slash/$1')],
  ['http://a.example/{env.HOME}^~', rule('^http://a\\.example/(.*)$', '/braces/$1')],
  ['http://a.example/?a=ü&b="|\'{}^`', rule('\\?(.*)$', '/query?$1')],
  ['http://a.example/?a=%zz+b c', rule('\\?(.*)$', '/query?$1')],
  ['http://a.example/2026/some-news', rule('/(?P<year>\\d{4})/(?<slug>[a-z-]+)$', '/${slug}?of=${year}&all=$0')],
  ['http://a.example/pay?x', rule('/pay\\?(.*)$', 'https://pay.example/$$1/$1')],
  ['http://a.example/ab', rule('/(a)|/(b)', '/[$1][$2]')],
  ['http://a.example/old', rule('/old(er)?$', '$1'), rule('/old', '/after-empty')],
  ['http://a.example/old', rule('^(.*)/never|/old(er)?$', '$2'), rule('/old', '/after-empty', true)],
  ['http://a.example/same', rule('/same$', '/same'), rule('/same$', 'http://a.example/same'), rule('/s', '/next')],
  ['http://a.example/keep', rule('^(.*)$', '$1')],
  ['http://a.example/SHOUT', rule('(?i)/shout', '/quiet')],
  ['http://a.example/a+b', rule('/a\\+b$', '/plus'), rule('/a b$', '/never')],
  ['http://a.example/x.y', rule('/\\Qx.y\\E$', '/quoted')],
  ['http://a.example/word', rule('/\\bword\\b', '/boundary')],
  ['http://a.example/aaa', rule('/(a+?)(a*)$', '/$1-$2')],
  ['http://a.example/λ', rule('/(?:%[0-9A-F]{2})+$', '/bytes')],
  ['http://a.example/x', rule('[[:upper:]]', '/never'), rule('\\pL+/x$', '/letters', true)],
]

for (const [url, ...rules] of cases) {
  test(`predicts the redirect of ${url} by ${rules.map(({ regex }) => regex).join(' and ')}`, async () => {
    await proxy.loadRules([behind(application.dial, { redirects: rules })])
    const requested = requestedUrl(url)
    assert.ok(!('fault' in requested))
    const { trials, winner } = redirectOutcome(rules, requested.url)
    const expected = winner === -1 ? undefined : trials[winner]!.location
    const [get, post] = winner === -1 ? [200, 200] : rules[winner]!.permanent ? [301, 308] : [302, 307]
    // A browser sends the path and the query of its parsed URL.
    const { host, href, origin, hash } = new URL(url.replace('ann:secret@', ''))
    const path = href.slice(origin.length, href.length - hash.length)
    for (const [method, status] of [
      ['GET', get],
      ['POST', post],
    ] as const) {
      const response = await proxy.get(`http://${host}${path}`, { method })
      assert.deepEqual([response.status, response.headers.location], [status, expected], requested.url)
    }
  })
}

test('refuses a URL of which the proxy refuses the request', async () => {
  await proxy.loadRules([behind(application.dial, { redirects: [rule('.*', '/x')] })])
  assert.match(JSON.stringify(requestedUrl('http://a.example/%zz')), /answers 400/)
  assert.equal((await proxy.get('http://a.example/%zz')).status, 400)
})
