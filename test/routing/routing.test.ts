/** Rules about applications as records: what is taken and refused, told and stored; served they are in test/e2e. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { certificateData, privateKey } from '../lasting-certificate.ts'
import { type Site, startSite } from '../fixtures/site.ts'

type Rule = Record<string, unknown> & { redirectId: string; securityId: string; portId: string; certificateId: string }

const texts = { regex: '^/old', replacement: '/new', permanent: true }

/** A service of somebody else's, once Berth has seen it. */
async function application(site: Site, name: string, labels: Record<string, string> = {}, onNetwork = true) {
  site.engine.putForeign(name, { labels: { 'berth.host': `${name}.example.org`, ...labels }, onNetwork })
  await site.until(`${name} to be seen`, async () =>
    (await site.ok<{ name: string }[]>('application.all', {})).some((it) => it.name === name),
  )
}

describe('redirects', () => {
  test('are made, read, listed, changed and deleted', async () => {
    await using site = await startSite()
    await application(site, 'shop')
    const made = await site.ok<Rule>('redirects.create', { ...texts, applicationId: 'shop' })
    const { redirectId, createdAt, ...rest } = made
    assert.deepEqual(rest, { ...texts, applicationId: 'shop', applied: true, reason: null })
    assert.equal(new Date(createdAt as string).toISOString(), createdAt)
    assert.deepEqual(await site.ok('redirects.one', { redirectId }), made)
    const changed = { ...made, regex: '^/older', permanent: false }
    const changes = { redirectId, ...texts, regex: '^/older', permanent: false }
    assert.deepEqual(await site.ok('redirects.update', changes), changed)
    const other = await site.ok<Rule>('redirects.create', { ...texts, applicationId: 'other' })
    assert.deepEqual(await site.ok('redirects.all', {}), [changed, other])
    assert.deepEqual(await site.ok('redirects.all', { applicationId: 'shop' }), [changed])
    await site.ok('redirects.delete', { redirectId })
    await site.refused('NOT_FOUND', 'redirects.delete', { redirectId })
    await site.refused('NOT_FOUND', 'redirects.update', { redirectId, ...texts })
  })

  test('a loop is refused, with the rules that it goes through', async () => {
    await using site = await startSite()
    const there = { regex: '^https://a.example/x$', replacement: 'https://a.example/y', permanent: true }
    const back = { regex: '^https://a.example/y$', replacement: 'https://a.example/x', permanent: true }
    const { redirectId } = await site.ok<Rule>('redirects.create', { ...there, applicationId: 'a' })
    const input = { ...back, applicationId: 'a' }
    const { message } = await site.refused('BAD_REQUEST', 'redirects.create', input, 'replacement')
    assert.match(message, new RegExp(redirectId))
    await site.ok('redirects.create', { ...back, applicationId: 'b' })
  })

  test('say why they are not applied', async () => {
    await using site = await startSite()
    await application(site, 'outside', {}, false)
    await application(site, 'nameless', { 'berth.host': '' })
    await application(site, 'first', { 'berth.host': 'x.example' })
    await application(site, 'second', { 'berth.host': 'x.example' })
    const reasonOf = async (applicationId: string) =>
      (await site.ok<Rule>('redirects.create', { ...texts, applicationId })).reason
    assert.match((await reasonOf('nowhere')) as string, /no service on the swarm/)
    assert.match((await reasonOf('outside')) as string, /not on the network/)
    assert.match((await reasonOf('nameless')) as string, /no label berth\.host/)
    assert.match((await reasonOf('second')) as string, /Older services/)
    assert.equal(await reasonOf('first'), null)
  })

  test('are not about what Berth runs', async () => {
    await using site = await startSite()
    for (const applicationId of ['berth-proxy', 'berth-gateway-1', 'berth-port-1']) {
      await site.refused('BAD_REQUEST', 'redirects.create', { ...texts, applicationId }, 'applicationId')
      const port = { applicationId, publishedPort: 5000, targetPort: 80 }
      await site.refused('BAD_REQUEST', 'port.create', port, 'applicationId')
    }
  })
})

describe('users of basic auth', () => {
  const user = { applicationId: 'shop', username: 'ann', password: 'a password of her own' }

  test('their passwords are stored as sealed bcrypt, and never told', async () => {
    await using site = await startSite()
    const made = await site.ok<Rule>('security.create', user)
    assert.equal(made.password, '********')
    const [row] = await site.app.db.selectFrom('security').selectAll().execute()
    assert.match(row!.passwordHash, /^v1\./)
    const { securityId } = made
    await site.ok('security.update', { securityId, username: 'eve', password: '********' })
    const [same] = await site.app.db.selectFrom('security').selectAll().execute()
    assert.deepEqual([same!.passwordHash, same!.username], [row!.passwordHash, 'eve'])
    assert.equal((await site.ok<Rule>('security.one', { securityId })).username, 'eve')
  })

  test('a name is taken once for an application; what basic auth and bcrypt cannot carry is refused', async () => {
    await using site = await startSite()
    const { securityId } = await site.ok<Rule>('security.create', user)
    await site.refused('CONFLICT', 'security.create', user, 'username')
    await site.ok('security.create', { ...user, applicationId: 'other' })
    const second = await site.ok<Rule>('security.create', { ...user, username: 'bob' })
    await site.refused('CONFLICT', 'security.update', { ...user, securityId: second.securityId }, 'username')
    await site.refused('BAD_REQUEST', 'security.create', { ...user, username: 'a:b' }, 'username')
    for (const password of ['ü'.repeat(37), '********']) {
      await site.refused('BAD_REQUEST', 'security.create', { ...user, username: 'c', password }, 'password')
    }
    await site.ok('security.create', { ...user, username: 'c', password: 'ü'.repeat(36) })
    await site.ok('security.delete', { securityId })
    await site.refused('NOT_FOUND', 'security.one', { securityId })
  })
})

describe('an application under all of its names', () => {
  const user = { username: 'ann', password: 'a password of her own' }
  interface Seen {
    name: string
    redirects: string[]
    securities: string[]
    ports: string[]
  }
  const seen = async (site: Site, name: string) =>
    (await site.ok<Seen[]>('application.all', {})).find((it) => it.name === name)!

  test('a label that repeats the name makes no rule count twice', async () => {
    await using site = await startSite()
    await application(site, 'shop', { 'berth.application': 'shop' })
    const { securityId } = await site.ok<Rule>('security.create', { ...user, applicationId: 'shop' })
    const { redirectId } = await site.ok<Rule>('redirects.create', { ...texts, applicationId: 'shop' })
    const port = { applicationId: 'shop', publishedPort: 5353, targetPort: 53, protocol: 'udp' }
    const { portId } = await site.ok<Rule>('port.create', port, { prefer: 'wait=30' })
    const { redirects, securities, ports } = await seen(site, 'shop')
    assert.deepEqual([redirects, securities, ports], [[redirectId], [securityId], [portId]])
    await site.refused('CONFLICT', 'security.create', { ...user, applicationId: 'shop' }, 'username')
  })

  test('a user is taken once, whether by the name, the id or the label', async () => {
    await using site = await startSite()
    await application(site, 'shop', { 'berth.application': 'market' })
    const [{ id }] = (await site.app.db
      .selectFrom('application')
      .select('id')
      .where('name', '=', 'shop')
      .execute()) as [{ id: string }]
    await site.ok('security.create', { ...user, applicationId: 'shop' })
    for (const applicationId of ['market', id])
      await site.refused('CONFLICT', 'security.create', { ...user, applicationId }, 'username')
    const { securityId } = await site.ok<Rule>('security.create', { ...user, applicationId: 'market', username: 'bob' })
    await site.refused('CONFLICT', 'security.update', { securityId, ...user }, 'username')
  })

  test('of two users of one name that meet later, the older is in force, and the other says so', async () => {
    await using site = await startSite()
    const older = await site.ok<Rule>('security.create', { ...user, applicationId: 'market' })
    const newer = await site.ok<Rule>('security.create', { ...user, applicationId: 'shop' })
    await application(site, 'shop', { 'berth.application': 'market' })
    await site.ok('security.create', { ...user, applicationId: 'shop', username: 'bob' })
    const standing = async ({ securityId }: Rule) => {
      const { applied, reason } = await site.ok<Rule>('security.one', { securityId })
      return [applied, reason]
    }
    assert.deepEqual(await standing(older), [true, null])
    const [applied, reason] = await standing(newer)
    assert.equal(applied, false)
    assert.match(reason as string, new RegExp(`ann .* ${older.securityId}`))
    await site.ok('security.update', { ...user, securityId: newer.securityId, password: 'another' })
    await site.ok('security.delete', { securityId: older.securityId })
    assert.deepEqual(await standing(newer), [true, null])
  })
})

describe('ports', () => {
  const port = { applicationId: 'shop', publishedPort: 5353, targetPort: 53, protocol: 'udp' }
  const wait = { prefer: 'wait=30' }

  test('a gateway is made for each, changed and removed', async () => {
    await using site = await startSite()
    await application(site, 'shop')
    const made = await site.ok<Rule>('port.create', port, wait)
    assert.deepEqual([made.applied, made.reason], [true, null])
    const { portId } = made
    const names = async () => (await site.engine.services()).map(({ name }) => name)
    assert.ok((await names()).includes(`berth-port-${portId}`))
    const changes = { portId, publishedPort: 5354, targetPort: 53, protocol: 'udp' }
    const changed = await site.ok<Rule>('port.update', changes, wait)
    assert.deepEqual([changed.applied, changed.publishedPort], [true, 5354])
    await site.ok('port.delete', { portId }, wait)
    assert.ok(!(await names()).includes(`berth-port-${portId}`))
    assert.deepEqual(await site.ok('port.all', {}), [])
  })

  test('each is published once, whoever holds it', async () => {
    await using site = await startSite()
    site.engine.putForeign('theirs', { published: [{ port: 7000, protocol: 'tcp' }] })
    await application(site, 'shop')
    await site.ok('port.create', port, wait)
    await site.refused('CONFLICT', 'port.create', port, 'publishedPort')
    await site.ok('port.create', { ...port, protocol: 'tcp', applicationId: 'nowhere' }, wait)
    for (const publishedPort of [7000, 80, 443, 3000, 2377]) {
      await site.refused('CONFLICT', 'port.create', { ...port, publishedPort, protocol: 'tcp' }, 'publishedPort')
    }
    for (const publishedPort of [0, 65_536, 1.5, -1]) {
      await site.refused('BAD_REQUEST', 'port.create', { ...port, publishedPort }, 'publishedPort')
    }
  })
})

describe('certificates', () => {
  const upload = { name: 'sweep', certificateData, privateKey }

  test('are described; the key is never told', async () => {
    await using site = await startSite()
    const made = await site.ok<Rule>('certificates.create', { ...upload, certificateId: 'own', certificatePath: 'a/b' })
    assert.deepEqual(
      [made.certificateId, made.names, made.privateKey, made.renewsAt, made.certificatePath],
      ['own', ['sweep.example'], '********', null, 'a/b'],
    )
    assert.ok((made.daysLeft as number) > 30_000)
    await site.refused('CONFLICT', 'certificates.create', { ...upload, certificateId: 'own' }, 'certificateId')
    const one = await site.ok('certificates.one', { certificateId: 'own' })
    assert.deepEqual(await site.ok('certificates.all', {}), [one])
    assert.ok(!JSON.stringify(await site.everything()).includes('PRIVATE KEY'))
    await site.ok('certificates.remove', { certificateId: 'own' })
    await site.refused('NOT_FOUND', 'certificates.one', { certificateId: 'own' })
  })

  test('what cannot be served is refused by its field', async () => {
    await using site = await startSite()
    const refused = (path: string, input: Record<string, unknown>) =>
      site.refused('BAD_REQUEST', 'certificates.create', { ...upload, ...input }, path)
    await refused('certificateData', { certificateData: 'none' })
    await refused('privateKey', { privateKey: 'none' })
    await refused('certificatePath', { certificatePath: '../../etc/passwd' })
    await refused('certificateId', { certificateId: '../a' })
  })
})
