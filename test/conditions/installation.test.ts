/** Conditions of nodes, the engine, the proxy, certificates and sign-ins. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { writeProxyFault } from '../../src/routing/queries.ts'
import { certificateData, privateKey } from '../fixtures/long-lived-certificate.ts'
import { startTestBerth, type TestBerth } from '../fixtures/test-berth.ts'
import { waitForNode } from '../nodes/cluster.ts'
import { afterTurn, readConditions, untilPresent } from './conditions.ts'

describe('conditions of the installation', { concurrency: true }, () => {
  nodeTests()
  proxyTests()
  certificateTests()
  signInTests()
  proxySettingTests()
})

function nodeTests(): void {
  test('a node that is down for 30 seconds begins a condition, which ends when the node is ready', async () => {
    await using testBerth = await startTestBerth()
    testBerth.engine.addNode('node2')
    await waitForNode(testBerth, 'node2')
    testBerth.engine.setNode('node2', { state: 'down' })
    await testBerth.until('the state', async () => (await waitForNode(testBerth, 'node2')).state === 'down' || null)
    await afterTurn(testBerth)
    assert.deepEqual(await readConditions(testBerth), [])
    testBerth.pass(30_000)
    const { NodeDown: down } = await untilPresent(testBerth, 'NodeDown')
    assert.deepEqual(
      [down!.severity, down!.subjectId, down!.subjectKind, down!.reason],
      ['critical', 'node2', 'node', 'Swarm reports the node as down'],
    )
    assert.equal(down!.since, (await waitForNode(testBerth, 'node2')).since)
    testBerth.engine.setNode('node2', { state: 'ready' })
    await untilPresent(testBerth)
  })

  test('an engine that does not answer begins a condition', async () => {
    await using testBerth = await startTestBerth()
    await afterTurn(testBerth)
    testBerth.engine.setDown(true)
    await untilLoopFails(testBerth)
    await afterTurn(testBerth)
    assert.deepEqual(await readConditions(testBerth), [])
    testBerth.pass(30_000)
    const { EngineDown: down } = await untilPresent(testBerth, 'EngineDown')
    assert.deepEqual([down!.severity, down!.reasonCode], ['critical', 'EngineUnavailable'])
    testBerth.engine.setDown(false)
    await untilPresent(testBerth)
  })
}

const untilLoopFails = (testBerth: TestBerth) =>
  testBerth.until('a failed turn', async () => {
    testBerth.app.wake('nodes')
    return /^berth_loop_failures\{loop="nodes"\} [1-9]/m.test(await testBerth.app.metrics()) || null
  })

function proxyTests(): void {
  test('a proxy that does not serve for 30 seconds begins a condition', async () => {
    await using testBerth = await startTestBerth()
    await testBerth.app.transact((tx) => writeProxyFault(tx, 'The proxy does not run: no answer'))
    await afterTurn(testBerth)
    assert.deepEqual(await readConditions(testBerth), [])
    testBerth.pass(30_000)
    const { ProxyDown: down } = await untilPresent(testBerth, 'ProxyDown')
    assert.deepEqual(
      [down!.severity, down!.subjectId, down!.reason],
      ['critical', 'proxy', 'The proxy does not run: no answer'],
    )
    await testBerth.app.transact((tx) => writeProxyFault(tx, null))
    await untilPresent(testBerth)
  })
}

function certificateTests(): void {
  test('a certificate begins a condition 14 days before its end, which is critical after the end', async () => {
    await using testBerth = await startTestBerth()
    const upload = { name: 'sweep', certificateData, privateKey }
    const { certificateId } = await testBerth.ok<{ certificateId: string }>('certificates.create', upload)
    const end = await shorten(testBerth, certificateId, 14 * day + 60_000)
    await afterTurn(testBerth)
    assert.deepEqual(await readConditions(testBerth), [])
    testBerth.pass(60_000)
    const { CertificateExpiring: found } = await untilPresent(testBerth, 'CertificateExpiring')
    assert.deepEqual(
      [found!.severity, found!.subjectId, found!.subjectName, found!.reason],
      ['warning', certificateId, 'sweep', `The certificate expires at ${end}`],
    )
    for (let i = 0; i < 3; i++) {
      testBerth.pass(5 * day)
      await afterTurn(testBerth)
    }
    const [expired] = await readConditions(testBerth)
    assert.deepEqual(expired, {
      ...found,
      severity: 'critical',
      reason: `The certificate expired at ${end}`,
      reasonCode: 'CertificateExpired',
    })
    await testBerth.ok('certificates.remove', { certificateId })
    await untilPresent(testBerth)
  })
}

const day = 24 * 3600_000

/** Changes the description of the certificate, as if it ended after this time. Returns the end. */
async function shorten({ app, now }: TestBerth, id: string, ms: number): Promise<string> {
  const notAfter = new Date(now().getTime() + ms).toISOString()
  await app.transact(async (tx) => {
    const row = await tx.selectFrom('certificate').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    const described = JSON.stringify((JSON.parse(row.described) as object[]).map((each) => ({ ...each, notAfter })))
    await tx.updateTable('certificate').set({ described }).where('id', '=', id).execute()
  })
  return notAfter
}

function proxySettingTests(): void {
  test('a trusted proxy in a network of containers begins a condition', async () => {
    await using testBerth = await startTestBerth({ BERTH_TRUSTED_PROXIES: '10.0.0.0/8' })
    const { TrustedProxyRefused: found } = await untilPresent(testBerth, 'TrustedProxyRefused')
    assert.match(found!.reason, /^10\.0\.0\.0\/8 of BERTH_TRUSTED_PROXIES has addresses of containers \(ingress\)/)
    testBerth.engine.networks = []
    await untilPresent(testBerth)
  })
}

function signInTests(): void {
  test('ten wrong passwords for an account begin a condition that only administrators can read', async () => {
    await using testBerth = await startTestBerth()
    const email = 'user@example.org'
    const signIn = async (times: number) => {
      for (let i = 0; i < times; i++) {
        const input = { email, password: 'wrong password' }
        assert.equal((await testBerth.call('auth.signIn', input)).status, 401)
      }
    }
    await signIn(9)
    await afterTurn(testBerth)
    assert.deepEqual(await readConditions(testBerth), [])
    await signIn(1)
    const { SignInsFailing: found } = await untilPresent(testBerth, 'SignInsFailing')
    assert.deepEqual([found!.severity, found!.subjectKind, found!.subjectName], ['warning', 'account', email])
    assert.match(found!.reason, /^10 wrong passwords and 0 wrong codes/)
    assert.deepEqual(await readConditions(testBerth, {}, testBerth.user), [])
    testBerth.pass(3600_000)
    await untilPresent(testBerth)
  })
}
