/**
 * The operations on redirects, basic auth, published ports and certificates of applications. test/e2e tests them with a
 * running proxy.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { certificateData, privateKey } from '../fixtures/long-lived-certificate.ts'
import { type TestBerth, startTestBerth } from '../fixtures/test-berth.ts'

type Rule = Record<string, unknown> & { redirectId: string; securityId: string; portId: string; certificateId: string }

const texts = { regex: '^/old', replacement: '/new', permanent: true }

/** Creates a service that does not belong to Berth, and waits until Berth has recorded it. */
async function createApplication(
  testBerth: TestBerth,
  name: string,
  labels: Record<string, string> = {},
  onNetwork = true,
) {
  testBerth.engine.putForeign(name, { labels: { 'berth.host': `${name}.example.org`, ...labels }, onNetwork })
  await testBerth.until(`${name} to be recorded`, async () =>
    (await testBerth.ok<{ name: string }[]>('application.all', {})).some((application) => application.name === name),
  )
}

describe('redirects', () => {
  test('creates, reads, lists, updates and deletes redirects', async () => {
    await using testBerth = await startTestBerth()
    await createApplication(testBerth, 'shop')
    const created = await testBerth.ok<Rule>('redirects.create', { ...texts, applicationId: 'shop' })
    const { redirectId, createdAt, ...rest } = created
    assert.deepEqual(rest, { ...texts, applicationId: 'shop', applied: true, reason: null })
    assert.equal(new Date(createdAt as string).toISOString(), createdAt)
    assert.deepEqual(await testBerth.ok('redirects.one', { redirectId }), created)
    const changed = { ...created, regex: '^/older', permanent: false }
    const changes = { redirectId, ...texts, regex: '^/older', permanent: false }
    assert.deepEqual(await testBerth.ok('redirects.update', changes), changed)
    const other = await testBerth.ok<Rule>('redirects.create', { ...texts, applicationId: 'other' })
    assert.deepEqual(await testBerth.ok('redirects.all', {}), [changed, other])
    assert.deepEqual(await testBerth.ok('redirects.all', { applicationId: 'shop' }), [changed])
    await testBerth.ok('redirects.delete', { redirectId })
    await testBerth.refused('NOT_FOUND', 'redirects.delete', { redirectId })
    await testBerth.refused('NOT_FOUND', 'redirects.update', { redirectId, ...texts })
  })

  test('refuses a redirect that forms a loop, with the ids of the other redirects', async () => {
    await using testBerth = await startTestBerth()
    const xToY = { regex: '^https://a.example/x$', replacement: 'https://a.example/y', permanent: true }
    const yToX = { regex: '^https://a.example/y$', replacement: 'https://a.example/x', permanent: true }
    const { redirectId } = await testBerth.ok<Rule>('redirects.create', { ...xToY, applicationId: 'a' })
    const input = { ...yToX, applicationId: 'a' }
    const { message } = await testBerth.refused('BAD_REQUEST', 'redirects.create', input, 'replacement')
    assert.match(message, new RegExp(redirectId))
    await testBerth.ok('redirects.create', { ...yToX, applicationId: 'b' })
  })

  test('reports why a redirect is not applied', async () => {
    await using testBerth = await startTestBerth()
    await createApplication(testBerth, 'outside', {}, false)
    await createApplication(testBerth, 'nameless', { 'berth.host': '' })
    await createApplication(testBerth, 'first', { 'berth.host': 'x.example' })
    await createApplication(testBerth, 'second', { 'berth.host': 'x.example' })
    const reasonOf = async (applicationId: string) =>
      (await testBerth.ok<Rule>('redirects.create', { ...texts, applicationId })).reason
    assert.match((await reasonOf('nowhere')) as string, /^No service on the swarm has the id, the name or the label/)
    assert.match((await reasonOf('outside')) as string, /not on the network/)
    assert.match((await reasonOf('nameless')) as string, /no label berth\.host/)
    assert.match((await reasonOf('second')) as string, /Older services/)
    assert.equal(await reasonOf('first'), null)
  })

  test('refuses rules about services that Berth runs', async () => {
    await using testBerth = await startTestBerth()
    for (const applicationId of ['berth-proxy', 'berth-gateway-1', 'berth-port-1']) {
      await testBerth.refused('BAD_REQUEST', 'redirects.create', { ...texts, applicationId }, 'applicationId')
      const port = { applicationId, publishedPort: 5000, targetPort: 80 }
      await testBerth.refused('BAD_REQUEST', 'port.create', port, 'applicationId')
    }
  })
})

describe('users of basic auth', () => {
  const user = { applicationId: 'shop', username: 'ann', password: 'a password of her own' }

  test('stores passwords as sealed bcrypt hashes, and never returns them', async () => {
    await using testBerth = await startTestBerth()
    const created = await testBerth.ok<Rule>('security.create', user)
    assert.equal(created.password, '********')
    const [row] = await testBerth.app.db.selectFrom('security').selectAll().execute()
    assert.match(row!.passwordHash, /^v1\./)
    const { securityId } = created
    await testBerth.ok('security.update', { securityId, username: 'eve', password: '********' })
    const [same] = await testBerth.app.db.selectFrom('security').selectAll().execute()
    assert.deepEqual([same!.passwordHash, same!.username], [row!.passwordHash, 'eve'])
    assert.equal((await testBerth.ok<Rule>('security.one', { securityId })).username, 'eve')
  })

  test('refuses duplicate usernames, and values that basic auth or bcrypt cannot represent', async () => {
    await using testBerth = await startTestBerth()
    const { securityId } = await testBerth.ok<Rule>('security.create', user)
    await testBerth.refused('CONFLICT', 'security.create', user, 'username')
    await testBerth.ok('security.create', { ...user, applicationId: 'other' })
    const second = await testBerth.ok<Rule>('security.create', { ...user, username: 'bob' })
    await testBerth.refused('CONFLICT', 'security.update', { ...user, securityId: second.securityId }, 'username')
    await testBerth.refused('BAD_REQUEST', 'security.create', { ...user, username: 'a:b' }, 'username')
    for (const password of ['ü'.repeat(37), '********']) {
      await testBerth.refused('BAD_REQUEST', 'security.create', { ...user, username: 'c', password }, 'password')
    }
    await testBerth.ok('security.create', { ...user, username: 'c', password: 'ü'.repeat(36) })
    await testBerth.ok('security.delete', { securityId })
    await testBerth.refused('NOT_FOUND', 'security.one', { securityId })
  })
})

describe('rules under different names of one application', () => {
  const user = { username: 'ann', password: 'a password of her own' }
  interface Application {
    name: string
    redirects: string[]
    securities: string[]
    ports: string[]
  }
  const readApplication = async (testBerth: TestBerth, name: string) =>
    (await testBerth.ok<Application[]>('application.all', {})).find((application) => application.name === name)!

  test('lists each rule once if the label repeats the name', async () => {
    await using testBerth = await startTestBerth()
    await createApplication(testBerth, 'shop', { 'berth.application': 'shop' })
    const { securityId } = await testBerth.ok<Rule>('security.create', { ...user, applicationId: 'shop' })
    const { redirectId } = await testBerth.ok<Rule>('redirects.create', { ...texts, applicationId: 'shop' })
    const port = { applicationId: 'shop', publishedPort: 5353, targetPort: 53, protocol: 'udp' }
    const { portId } = await testBerth.ok<Rule>('port.create', port, { prefer: 'wait=30' })
    const { redirects, securities, ports } = await readApplication(testBerth, 'shop')
    assert.deepEqual([redirects, securities, ports], [[redirectId], [securityId], [portId]])
    await testBerth.refused('CONFLICT', 'security.create', { ...user, applicationId: 'shop' }, 'username')
  })

  test('refuses a duplicate username for the name, the id and the label of an application', async () => {
    await using testBerth = await startTestBerth()
    await createApplication(testBerth, 'shop', { 'berth.application': 'market' })
    const [{ id }] = (await testBerth.app.db
      .selectFrom('application')
      .select('id')
      .where('name', '=', 'shop')
      .execute()) as [{ id: string }]
    await testBerth.ok('security.create', { ...user, applicationId: 'shop' })
    for (const applicationId of ['market', id])
      await testBerth.refused('CONFLICT', 'security.create', { ...user, applicationId }, 'username')
    const { securityId } = await testBerth.ok<Rule>('security.create', {
      ...user,
      applicationId: 'market',
      username: 'bob',
    })
    await testBerth.refused('CONFLICT', 'security.update', { securityId, ...user }, 'username')
  })

  test('applies the older of two users with the same username, and reports why the newer one is not applied', async () => {
    await using testBerth = await startTestBerth()
    const older = await testBerth.ok<Rule>('security.create', { ...user, applicationId: 'market' })
    const newer = await testBerth.ok<Rule>('security.create', { ...user, applicationId: 'shop' })
    await createApplication(testBerth, 'shop', { 'berth.application': 'market' })
    await testBerth.ok('security.create', { ...user, applicationId: 'shop', username: 'bob' })
    const readStatus = async ({ securityId }: Rule) => {
      const { applied, reason } = await testBerth.ok<Rule>('security.one', { securityId })
      return [applied, reason]
    }
    assert.deepEqual(await readStatus(older), [true, null])
    const [applied, reason] = await readStatus(newer)
    assert.equal(applied, false)
    assert.match(reason as string, new RegExp(`ann .* ${older.securityId}`))
    await testBerth.ok('security.update', { ...user, securityId: newer.securityId, password: 'another' })
    await testBerth.ok('security.delete', { securityId: older.securityId })
    assert.deepEqual(await readStatus(newer), [true, null])
  })
})

describe('published ports', () => {
  const port = { applicationId: 'shop', publishedPort: 5353, targetPort: 53, protocol: 'udp' }
  const wait = { prefer: 'wait=30' }

  test('creates, changes and removes the gateway of a port', async () => {
    await using testBerth = await startTestBerth()
    await createApplication(testBerth, 'shop')
    const created = await testBerth.ok<Rule>('port.create', port, wait)
    assert.deepEqual([created.applied, created.reason], [true, null])
    const { portId } = created
    const names = async () => (await testBerth.engine.services()).map(({ name }) => name)
    assert.ok((await names()).includes(`berth-port-${portId}`))
    const changes = { portId, publishedPort: 5354, targetPort: 53, protocol: 'udp' }
    const changed = await testBerth.ok<Rule>('port.update', changes, wait)
    assert.deepEqual([changed.applied, changed.publishedPort], [true, 5354])
    await testBerth.ok('port.delete', { portId }, wait)
    assert.ok(!(await names()).includes(`berth-port-${portId}`))
    assert.deepEqual(await testBerth.ok('port.all', {}), [])
  })

  test('refuses a port that has another owner or is out of range', async () => {
    await using testBerth = await startTestBerth()
    testBerth.engine.putForeign('foreign', { published: [{ port: 7000, protocol: 'tcp' }] })
    await createApplication(testBerth, 'shop')
    await testBerth.ok('port.create', port, wait)
    await testBerth.refused('CONFLICT', 'port.create', port, 'publishedPort')
    await testBerth.ok('port.create', { ...port, protocol: 'tcp', applicationId: 'nowhere' }, wait)
    for (const publishedPort of [7000, 80, 443, 3000, 2377]) {
      await testBerth.refused('CONFLICT', 'port.create', { ...port, publishedPort, protocol: 'tcp' }, 'publishedPort')
    }
    for (const publishedPort of [0, 65_536, 1.5, -1]) {
      await testBerth.refused('BAD_REQUEST', 'port.create', { ...port, publishedPort }, 'publishedPort')
    }
  })
})

describe('certificates', () => {
  const upload = { name: 'sweep', certificateData, privateKey }

  test('returns the properties of a certificate, but never its key', async () => {
    await using testBerth = await startTestBerth()
    const created = await testBerth.ok<Rule>('certificates.create', {
      ...upload,
      certificateId: 'own',
      certificatePath: 'a/b',
    })
    assert.deepEqual(
      [created.certificateId, created.names, created.privateKey, created.renewsAt, created.certificatePath],
      ['own', ['sweep.example'], '********', null, 'a/b'],
    )
    assert.ok((created.daysLeft as number) > 30_000)
    await testBerth.refused('CONFLICT', 'certificates.create', { ...upload, certificateId: 'own' }, 'certificateId')
    const one = await testBerth.ok('certificates.one', { certificateId: 'own' })
    assert.deepEqual(await testBerth.ok('certificates.all', {}), [one])
    assert.ok(!JSON.stringify(await testBerth.everything()).includes('PRIVATE KEY'))
    await testBerth.ok('certificates.remove', { certificateId: 'own' })
    await testBerth.refused('NOT_FOUND', 'certificates.one', { certificateId: 'own' })
  })

  test('refuses an invalid certificate with the name of the field', async () => {
    await using testBerth = await startTestBerth()
    const refused = (path: string, input: Record<string, unknown>) =>
      testBerth.refused('BAD_REQUEST', 'certificates.create', { ...upload, ...input }, path)
    await refused('certificateData', { certificateData: 'none' })
    await refused('privateKey', { privateKey: 'none' })
    await refused('certificatePath', { certificatePath: '../../etc/passwd' })
    await refused('certificateId', { certificateId: '../a' })
  })
})
