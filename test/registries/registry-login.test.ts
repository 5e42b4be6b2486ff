/** Logins of the operations on registries, with a fake registry in this process. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startFakeRegistry } from '../fixtures/fake-registry.ts'
import { basicAuth, mask, password, startRegistryTest, unknownId } from './registry-fixture.ts'

test('logs in with the password of the call, and with the stored password for a mask', async () => {
  await using registryTest = await startRegistryTest()
  const { testBerth, registry, fields, create, update, testLogin, storedPassword } = registryTest
  const created = await create()
  const bob = { username: 'bob', password: 'the-password-of-bob' }
  await update(created, { registryName: 'x' })
  await update(created, { password: mask })
  assert.deepEqual(new Set(registry.authorizations), new Set([basicAuth('ann', password)]))
  await update(created, bob)
  assert.deepEqual(
    [registry.authorizations.at(-1), await storedPassword(created)],
    [basicAuth('bob', bob.password), bob.password],
  )
  const { registryId } = created
  assert.deepEqual(await testLogin({ ...bob, password: mask, registryId }), {
    message: `Logged in to ${registry.host} as bob`,
    host: registry.host,
    isChecked: true,
  })
  assert.deepEqual(
    [(await testLogin({ registryId })).isChecked, registry.authorizations.at(-1)],
    [true, basicAuth('ann', password)],
  )
  await testBerth.refused('BAD_REQUEST', 'registry.testRegistry', { ...fields, password: mask, registryId }, 'password')
  await testBerth.refused('BAD_REQUEST', 'registry.testRegistry', { ...fields, password: mask }, 'password')
  await testBerth.refused('NOT_FOUND', 'registry.testRegistry', { ...fields, registryId: unknownId })
  await testBerth.refused('BAD_REQUEST', 'registry.create', { ...fields, password: mask }, 'password')
  await testBerth.refused('BAD_REQUEST', 'registry.update', { registryId, password: 'wrong' }, 'password')
  await testBerth.refused('BAD_REQUEST', 'registry.update', { registryId, username: 'ann' }, 'password')
})

test('sends a stored password only to its own host, and a new password to any host', async () => {
  await using registryTest = await startRegistryTest()
  const { testBerth, registry, fields, create, update, testLogin } = registryTest
  await using other = await startFakeRegistry({ users: { ann: password } })
  const created = await create({ registryUrl: `http://${registry.host}` })
  const { registryId } = created
  for (const registryUrl of [other.host, `http://${other.host}/v2/`, 'docker.io']) {
    const { message } = await testBerth.refused(
      'BAD_REQUEST',
      'registry.update',
      { registryId, registryUrl },
      'registryUrl',
    )
    assert.match(message, /Send the password for this address as well/)
    const input = { ...fields, registryId, registryUrl, password: mask }
    await testBerth.refused('BAD_REQUEST', 'registry.testRegistry', input, 'registryUrl')
  }
  assert.deepEqual(other.authorizations, [])
  assert.equal((await testLogin({ registryId, registryUrl: other.host })).host, other.host)
  assert.equal((await update(created, { registryUrl: `${registry.host}/v1/`, registryName: 'x' })).host, registry.host)
  const moved = await update(created, { registryUrl: other.host, password })
  assert.deepEqual([moved.host, other.authorizations.at(-1)], [other.host, basicAuth('ann', password)])
})

test('sends passwords unchanged, also with special characters and beyond 72 bytes', async () => {
  await using registryTest = await startRegistryTest()
  const { registry, create, update, testLogin, storedPassword } = registryTest
  const printable = String.fromCharCode(...Array.from({ length: 95 }, (_, at) => at + 32))
  const created = await create()
  for (const secret of [printable, ' a ', ':', 'é'.repeat(100), '日本語-😀', 'x'.repeat(5000)]) {
    registry.users = { ann: secret }
    assert.equal((await testLogin({ password: secret })).isChecked, true)
    await update(created, { password: secret })
    assert.equal(await storedPassword(created), secret)
    assert.equal((await update(created, { registryName: 'x' })).password, mask)
  }
})

test('accepts a self-signed certificate only with insecure', async () => {
  await using registryTest = await startRegistryTest()
  const { testBerth, fields, create, read, update, testLogin } = registryTest
  await using tlsRegistry = await startFakeRegistry({ users: { ann: password }, tls: true })
  const strict = { ...fields, registryUrl: tlsRegistry.host }
  for (const name of ['create', 'testRegistry']) {
    const { message } = await testBerth.refused('BAD_GATEWAY', `registry.${name}`, strict, 'registryUrl')
    assert.match(message, /does not know.*With insecure, Berth accepts any certificate/)
  }
  assert.deepEqual(tlsRegistry.authorizations, [])
  assert.equal((await testLogin({ registryUrl: tlsRegistry.host, insecure: true })).isChecked, true)
  const created = await create({ registryUrl: tlsRegistry.host, insecure: true })
  const { registryId } = created
  assert.deepEqual([created.insecure, (await update(created, { registryName: 'x' })).insecure], [true, true])
  await testBerth.refused('BAD_GATEWAY', 'registry.update', { registryId, insecure: false }, 'registryUrl')
  assert.equal((await read(registryId)).insecure, true)
})

test('merges concurrent updates, and refuses a combination of credentials that was not tested', async () => {
  await using registryTest = await startRegistryTest()
  const { testBerth, registry, create, read, update, storedPassword } = registryTest
  const created = await create()
  const { registryId } = created
  const during = (other: () => Promise<unknown>) => {
    registry.answer = (_, response) => {
      registry.answer = () => false
      void other().finally(() => response.end('{}'))
      return true
    }
  }
  during(() => update(created, { imagePrefix: 'others' }))
  assert.deepEqual(await update(created, { registryName: 'both' }), {
    ...created,
    registryName: 'both',
    imagePrefix: 'others',
  })
  registry.users = null
  during(() => update(created, { password: 'another-password' }))
  const late = await testBerth.call('registry.update', { registryId, username: 'carl' })
  assert.deepEqual([late.status, late.body.code], [409, 'CONFLICT'])
  assert.deepEqual([(await read(registryId)).username, await storedPassword(created)], ['ann', 'another-password'])
  during(() => testBerth.ok('registry.remove', { registryId }))
  assert.equal((await testBerth.call('registry.update', { registryId, username: 'carl' })).status, 404)
  assert.deepEqual(await testBerth.ok('registry.all'), [])
})
