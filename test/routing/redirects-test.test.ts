/** The operation `redirects.test`. test/e2e/proxy-config-redirects.test.ts compares its rules with a real Caddy. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestBerth, type TestBerth } from '../fixtures/test-berth.ts'

interface Answer {
  url: string
  applicationId: string | null
  result: string
  getStatus: number | null
  postStatus: number | null
  location: string | null
  redirectId: string | null
  groups: { name: string; text: string }[]
  rules: { redirectId: string | null; matched: boolean; location: string | null }[]
  reason: string | null
}

async function addApplication(berth: TestBerth, name: string, labels: Record<string, string>) {
  const service = berth.engine.putForeign(name, { labels, onNetwork: true })
  await berth.until(`${name} to be recorded`, async () =>
    (await berth.ok<{ name: string }[]>('application.all', {})).some((application) => application.name === name),
  )
  return service
}

const add = async (berth: TestBerth, applicationId: string, regex: string, replacement: string, permanent = false) =>
  (await berth.ok<{ redirectId: string }>('redirects.create', { applicationId, regex, replacement, permanent }))
    .redirectId

const evaluate = (berth: TestBerth, input: Record<string, unknown>) => berth.ok<Answer>('redirects.test', input)

test('answers the redirect that applies, its groups, and which redirects match', async () => {
  await using berth = await startTestBerth()
  await addApplication(berth, 'shop', { 'berth.host': 'shop.example, *.shop.example', 'berth.application': 'store' })
  const ids = [
    await add(berth, 'shop', '/none$', '/x'),
    await add(berth, 'store', '/(?P<year>\\d+)/(a)?', '/by/${year}', true),
    await add(berth, 'shop', '/2026', '/later'),
  ]
  const answer = await evaluate(berth, { url: 'https://SHOP.example:8443/2026/é#part' })
  assert.deepEqual(
    [answer.url, answer.result, answer.getStatus, answer.postStatus, answer.location, answer.redirectId],
    ['https://shop.example/2026/%C3%A9', 'redirect', 301, 308, '/by/2026', ids[1]],
  )
  assert.deepEqual(
    answer.groups.map(({ name, text }) => `${name}=${text}`),
    ['0=/2026/', '1=2026', '2=', 'year=2026'],
  )
  assert.deepEqual(answer.rules, [
    { redirectId: ids[0], matched: false, location: null },
    { redirectId: ids[1], matched: true, location: '/by/2026' },
    { redirectId: ids[2], matched: true, location: '/later' },
  ])
  const none = await evaluate(berth, { url: 'http://www.shop.example/' })
  assert.deepEqual([none.applicationId, none.result, none.getStatus], [answer.applicationId, 'none', null])
  const unknown = await evaluate(berth, { url: 'http://a.www.shop.example/2026' })
  assert.deepEqual([unknown.result, unknown.getStatus, unknown.applicationId], ['unknownHost', 404, null])
})

test('tries a redirect before it is stored, as a new one and in the place of another', async () => {
  await using berth = await startTestBerth()
  await addApplication(berth, 'shop', { 'berth.host': 'shop.example' })
  const url = 'http://shop.example/old'
  const redirectId = await add(berth, 'shop', '/old$', '/stored')
  const unsaved = { url, regex: '/(o)ld$', replacement: '/${1}', permanent: 'true' }
  const asNew = await evaluate(berth, unsaved)
  assert.deepEqual([asNew.redirectId, asNew.location], [redirectId, '/stored'])
  assert.deepEqual(asNew.rules[1], { redirectId: null, matched: true, location: '/o' })
  const asChange = await evaluate(berth, { ...unsaved, redirectId })
  assert.deepEqual([asChange.result, asChange.redirectId, asChange.location], ['redirect', null, '/o'])
  assert.deepEqual([asChange.getStatus, asChange.rules.length], [301, 1])
  const later = await evaluate(berth, { ...unsaved, applicationId: 'later' })
  assert.deepEqual([later.applicationId, later.location], ['later', '/o'])
  assert.match(later.reason!, /^No service on the swarm/)
  assert.equal((await berth.ok<unknown[]>('redirects.all', {})).length, 1, 'nothing is stored')
})

test('answers the redirect to HTTPS of an application with automatic TLS', async () => {
  await using berth = await startTestBerth()
  await addApplication(berth, 'shop', { 'berth.host': 'shop.example', 'berth.tls': 'auto' })
  await add(berth, 'shop', '/old', '/new')
  const http = await evaluate(berth, { url: 'http://shop.example/old?a' })
  const location = 'https://shop.example/old?a'
  assert.deepEqual([http.result, http.location, http.getStatus, http.redirectId], ['https', location, 301, null])
  assert.equal((await evaluate(berth, { url: location })).location, '/new')
})

test('says that the proxy does not serve the host for the application', async () => {
  await using berth = await startTestBerth()
  await addApplication(berth, 'shop', { 'berth.host': 'shop.example' })
  const { reason, result } = await evaluate(berth, { url: 'http://other.example/', applicationId: 'shop' })
  assert.deepEqual([reason, result], ['The proxy does not serve the host other.example for this application', 'none'])
})

test('refuses a wrong URL, and an incomplete or invalid redirect', async () => {
  await using berth = await startTestBerth()
  const url = 'http://shop.example/'
  const rule = { regex: 'a', replacement: '/b' }
  const refused = (input: Record<string, unknown>, field: string) =>
    berth.refused('BAD_REQUEST', 'redirects.test', { url, ...input }, field)
  for (const wrong of ['shop.example', '/path', 'ftp://shop.example/', 'http://shop.example/%zz', 'http://']) {
    await refused({ url: wrong }, 'url')
  }
  await refused({ regex: 'a' }, 'regex')
  await refused({ replacement: '/b' }, 'replacement')
  await refused({ redirectId: 'x' }, 'redirectId')
  await refused({ ...rule, regex: '(?=a)' }, 'regex')
  await refused({ ...rule, replacement: '/$1' }, 'replacement')
  await refused({ ...rule, permanent: 'yes' }, 'permanent')
  await berth.refused('NOT_FOUND', 'redirects.test', { url, ...rule, redirectId: 'x' })
})
