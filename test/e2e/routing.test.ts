/** Rules for applications, with real requests through the real proxy: a rule takes effect when its call returns. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { until } from '../engine/until.ts'
import { startRoutingBerth, type RoutingBerth } from './routing-berth.ts'
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
  let runtime: RoutingBerth
  let name = ''
  before(async () => {
    runtime = await startRoutingBerth()
    name = await runtime.application({ 'berth.host': 'shop.example.org' })
  })
  after(() => runtime[Symbol.asyncDispose]())

  test('a redirect and its changes take effect immediately, until it is deleted', async () => {
    const { ask, call } = runtime
    const texts = { regex: '^http://shop\\.example\\.org/old/(\\w+)', permanent: true }
    const created = await call<Rule>('redirects.create', {
      ...texts,
      applicationId: name,
      replacement: 'https://new.example.org/$1',
    })
    assert.deepEqual([created.applied, created.reason], [true, null])
    const { redirectId } = created
    const redirected = async (method: string) => {
      const { status, headers } = await ask('http://shop.example.org/old/page', { method })
      return [status, headers.location]
    }
    assert.deepEqual(await redirected('GET'), [301, 'https://new.example.org/page'])
    assert.deepEqual(await redirected('POST'), [308, 'https://new.example.org/page'])
    assert.match((await ask('http://shop.example.org/other')).body, /GET \/other/)
    await call('redirects.update', { ...texts, redirectId, permanent: false, replacement: '/new/${1}' })
    assert.deepEqual(await redirected('GET'), [302, '/new/page'])
    assert.deepEqual(await redirected('POST'), [307, '/new/page'])
    await call('redirects.delete', { redirectId })
    assert.match((await ask('http://shop.example.org/old/page')).body, /GET \/old\/page/)
  })

  test('refuses a rule that the proxy could not apply, names its field, and changes nothing', async () => {
    const { berth, ask } = runtime
    const assertRefused = async (path: string, input: Record<string, unknown>) => {
      const { status, body } = await berth.call<{ issues: { path: string }[] }>('redirects.create', {
        applicationId: name,
        regex: 'x',
        replacement: '/y',
        permanent: true,
        ...input,
      })
      assert.deepEqual([status, body.issues.map((it) => it.path)], [400, [path]], JSON.stringify(input))
    }
    await assertRefused('regex', { regex: '(?=lookahead)' })
    await assertRefused('regex', { regex: '(' })
    await assertRefused('regex', { regex: '((((a{1,1000}){1,1000}){1,1000}){1,1000}' })
    await assertRefused('replacement', { regex: '(a)', replacement: '/$2' })
    await assertRefused('replacement', {
      regex: '^http://shop\\.example\\.org/a$',
      replacement: 'http://shop.example.org/a',
    })
    await assertRefused('applicationId', { applicationId: 'berth-proxy' })
    assert.equal((await berth.call('redirects.all', {})).body.length, 0)
    assert.equal((await ask('http://shop.example.org/x')).status, 200)
  })

  test('does not expand placeholders of the proxy in rules and requests', async () => {
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

  test('requires a password from the first user on, and lets users in with their own password only', async () => {
    const { ask, call, berth } = runtime
    const status = async (headers = {}) => (await ask('http://shop.example.org/', { headers })).status
    const unusual = 'p:a"s$s\\w {env.HOME}`ü'
    const { securityId } = await call<Rule>('security.create', {
      applicationId: name,
      username: 'ann',
      password: 'one',
    })
    assert.deepEqual(
      [await status(), await status(basic('ann', 'one')), await status(basic('ann', 'two'))],
      [401, 200, 401],
    )
    const second = await call<Rule>('security.create', {
      applicationId: name,
      username: '{env.HOME}',
      password: unusual,
    })
    assert.deepEqual([await status(basic('{env.HOME}', unusual)), await status(basic('ann', unusual))], [200, 401])
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

  test('applies a rule once if the label berth.application repeats the name of the service', async () => {
    const { ask, call, berth } = runtime
    const own = await runtime.application({ 'berth.host': 'own.example.org' })
    await docker('service', 'update', '--detach', '--quiet', '--label-add', `berth.application=${own}`, own)
    const alias = async () =>
      (await berth.call<{ name: string; alias: string | null }[]>('application.all', {})).body.find(
        (it) => it.name === own,
      )?.alias
    await until('Berth to list the label', async () => (await alias()) === own)
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

  test('a rule that was created before its application applies when the application is deployed', async () => {
    const { ask, call, application } = runtime
    const alias = uniqueName('alias')
    const { redirectId, applied, reason } = await call<Rule>('redirects.create', {
      applicationId: alias,
      regex: '/old',
      replacement: '/new',
      permanent: false,
    })
    assert.deepEqual([applied, /^No service on the swarm/.test(reason!)], [false, true])
    const late = await application({ 'berth.host': 'late.example.org', 'berth.application': alias })
    await until('the redirect to apply', async () => (await ask('http://late.example.org/old')).status === 302)
    assert.equal((await call<Rule>('redirects.one', { redirectId })).applied, true)
    await docker('service', 'update', '--detach', '--quiet', '--label-add', 'berth.host=later.example.org', late)
    await until('the new host name to be served', async () => (await ask('http://later.example.org/')).status === 200)
    assert.equal((await ask('http://late.example.org/')).status, 404)
    await docker('service', 'rm', late)
    await until(
      'the application to be removed from the proxy',
      async () => (await ask('http://later.example.org/')).status === 404,
    )
    assert.equal((await call<Rule>('redirects.one', { redirectId })).applied, false)
    await call('redirects.delete', { redirectId })
  })

  test('reports why an application is not served', async () => {
    const { application, findApplication } = runtime
    const [withoutNetwork, withoutHost, duplicate] = [
      await application({ 'berth.host': 'outside.example.org' }, { network: false }),
      await application({}),
      await application({ 'berth.host': 'shop.example.org' }),
    ]
    assert.match((await findApplication(withoutNetwork))!.reason!, /not on the network berth\. Attach it/)
    assert.match((await findApplication(withoutHost))!.reason!, /no label berth\.host/)
    assert.match((await findApplication(duplicate))!.reason!, /Older services already have the host names/)
    assert.deepEqual([(await findApplication(name))!.served, (await findApplication(name))!.reason], [true, null])
  })
})
