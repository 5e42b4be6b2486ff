/** Rules about applications by real requests through the real proxy: in force with the next one after the answer. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { until } from '../engine/until.ts'
import { openRouting, type Routing } from './routing-world.ts'
import { docker, uniqueName } from './swarm.ts'

interface Rule {
  redirectId: string
  securityId: string
  applied: boolean
  reason: string | null
}

const basic = (username: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
})

describe('routing', () => {
  let runtime: Routing
  let name = ''
  before(async () => {
    runtime = await openRouting()
    name = await runtime.application({ 'berth.host': 'shop.example.org' })
  })
  after(() => runtime[Symbol.asyncDispose]())

  test('a redirect is in force from its making to its deletion, with each change', async () => {
    const { ask, call } = runtime
    const texts = { regex: '^http://shop\\.example\\.org/old/(\\w+)', permanent: true }
    const made = await call<Rule>('redirects.create', {
      ...texts,
      applicationId: name,
      replacement: 'https://new.example.org/$1',
    })
    assert.deepEqual([made.applied, made.reason], [true, null])
    const { redirectId } = made
    const sentTo = async (method: string) => {
      const { status, headers } = await ask('http://shop.example.org/old/page', { method })
      return [status, headers.location]
    }
    assert.deepEqual(await sentTo('GET'), [301, 'https://new.example.org/page'])
    assert.deepEqual(await sentTo('POST'), [308, 'https://new.example.org/page'])
    assert.match((await ask('http://shop.example.org/other')).body, /GET \/other/)
    await call('redirects.update', { ...texts, redirectId, permanent: false, replacement: '/new/${1}' })
    assert.deepEqual(await sentTo('GET'), [302, '/new/page'])
    assert.deepEqual(await sentTo('POST'), [307, '/new/page'])
    await call('redirects.delete', { redirectId })
    assert.match((await ask('http://shop.example.org/old/page')).body, /GET \/old\/page/)
  })

  test('what could not be served is refused by its field, and changes nothing', async () => {
    const { berth, ask } = runtime
    const refused = async (path: string, input: Record<string, unknown>) => {
      const { status, body } = await berth.call<{ issues: { path: string }[] }>('redirects.create', {
        applicationId: name,
        regex: 'x',
        replacement: '/y',
        permanent: true,
        ...input,
      })
      assert.deepEqual([status, body.issues.map((it) => it.path)], [400, [path]], JSON.stringify(input))
    }
    await refused('regex', { regex: '(?=lookahead)' })
    await refused('regex', { regex: '(' })
    await refused('regex', { regex: '((((a{1,1000}){1,1000}){1,1000}){1,1000}' })
    await refused('replacement', { regex: '(a)', replacement: '/$2' })
    await refused('replacement', { regex: '^http://shop\\.example\\.org/a$', replacement: 'http://shop.example.org/a' })
    await refused('applicationId', { applicationId: 'berth-proxy' })
    assert.equal((await berth.call('redirects.all', {})).body.length, 0)
    assert.equal((await ask('http://shop.example.org/x')).status, 200)
  })

  test('placeholders of the proxy are text, in what callers and clients write', async () => {
    const { ask, call } = runtime
    const { redirectId } = await call<Rule>('redirects.create', {
      applicationId: name,
      regex: '/leak/(.*)',
      permanent: false,
      replacement: 'https://x.example/{env.HOME}/{file./etc/passwd}/$1',
    })
    const { headers } = await ask('http://shop.example.org/leak/%7Benv.PATH%7D{http.request.host}')
    assert.ok(headers.location!.startsWith('https://x.example/{env.HOME}/{file./etc/passwd}/'))
    assert.match(headers.location!, /\/(?:%7B|\{)env\.PATH/)
    assert.match(headers.location!, /http\.request\.host/)
    await call('redirects.delete', { redirectId })
  })

  test('users are asked for from the first on, and let through with their password alone', async () => {
    const { ask, call, berth } = runtime
    const status = async (headers = {}) => (await ask('http://shop.example.org/', { headers })).status
    const odd = 'p:a"s$s\\w {env.HOME}`ü'
    const { securityId } = await call<Rule>('security.create', {
      applicationId: name,
      username: 'ann',
      password: 'one',
    })
    assert.deepEqual(
      [await status(), await status(basic('ann', 'one')), await status(basic('ann', 'two'))],
      [401, 200, 401],
    )
    const second = await call<Rule>('security.create', { applicationId: name, username: '{env.HOME}', password: odd })
    assert.deepEqual([await status(basic('{env.HOME}', odd)), await status(basic('ann', odd))], [200, 401])
    const again = await berth.call('security.create', { applicationId: name, username: 'ann', password: 'three' })
    assert.equal(again.status, 409)
    await call('security.update', { securityId, username: 'ann', password: 'two' })
    assert.deepEqual([await status(basic('ann', 'one')), await status(basic('ann', 'two'))], [401, 200])
    await call('security.update', { securityId, username: 'eve', password: '********' })
    assert.deepEqual([await status(basic('ann', 'two')), await status(basic('eve', 'two'))], [401, 200])
    await call('security.delete', { securityId })
    assert.deepEqual([await status(basic('eve', 'two')), await status()], [401, 401])
    await call('security.delete', { securityId: second.securityId })
    assert.equal(await status(), 200)
  })

  test('a label that repeats the name of the service makes no rule count twice', async () => {
    const { ask, call, berth } = runtime
    const own = await runtime.application({ 'berth.host': 'own.example.org' })
    await docker('service', 'update', '--detach', '--quiet', '--label-add', `berth.application=${own}`, own)
    const alias = async () =>
      (await berth.call<{ name: string; alias: string | null }[]>('application.all', {})).body.find(
        (it) => it.name === own,
      )?.alias
    await until('the label to be seen', async () => (await alias()) === own)
    const { securityId } = await call<Rule>('security.create', { applicationId: own, username: 'ann', password: 'one' })
    const { redirectId } = await call<Rule>('redirects.create', {
      applicationId: own,
      regex: '/old',
      replacement: '/new',
      permanent: false,
    })
    const status = async (path: string, headers = {}) =>
      (await ask(`http://own.example.org${path}`, { headers })).status
    assert.deepEqual([await status('/'), await status('/', basic('ann', 'one')), await status('/old')], [401, 200, 302])
    await call('security.delete', { securityId })
    await call('redirects.delete', { redirectId })
  })

  test('rules may be made before their application, and apply when it appears', async () => {
    const { ask, call, application } = runtime
    const alias = uniqueName('alias')
    const { redirectId, applied, reason } = await call<Rule>('redirects.create', {
      applicationId: alias,
      regex: '/old',
      replacement: '/new',
      permanent: false,
    })
    assert.deepEqual([applied, /no service on the swarm/.test(reason!)], [false, true])
    const late = await application({ 'berth.host': 'late.example.org', 'berth.application': alias })
    await until('the redirect to apply', async () => (await ask('http://late.example.org/old')).status === 302)
    assert.equal((await call<Rule>('redirects.one', { redirectId })).applied, true)
    await docker('service', 'update', '--detach', '--quiet', '--label-add', 'berth.host=later.example.org', late)
    await until('its new name to be served', async () => (await ask('http://later.example.org/')).status === 200)
    assert.equal((await ask('http://late.example.org/')).status, 404)
    await docker('service', 'rm', late)
    await until('it to be gone', async () => (await ask('http://later.example.org/')).status === 404)
    assert.equal((await call<Rule>('redirects.one', { redirectId })).applied, false)
    await call('redirects.delete', { redirectId })
  })

  test('what keeps an application from being served is said', async () => {
    const { application, seen } = runtime
    const [outside, nameless, twice] = [
      await application({ 'berth.host': 'outside.example.org' }, { network: false }),
      await application({}),
      await application({ 'berth.host': 'shop.example.org' }),
    ]
    assert.match((await seen(outside))!.reason!, /not on the network berth\. Attach it/)
    assert.match((await seen(nameless))!.reason!, /no label berth\.host/)
    assert.match((await seen(twice))!.reason!, /Older services already have the host names/)
    assert.deepEqual([(await seen(name))!.served, (await seen(name))!.reason], [true, null])
  })
})
