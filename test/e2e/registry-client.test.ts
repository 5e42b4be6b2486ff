/** Login to real registries with htpasswd and with tokens, with and without TLS, and the lists of their images. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type FaultKind, openRegistry, type Options, RegistryFault } from '../../src/lib/registry-client/registry.ts'
import { startRegistry, type Users } from './registry.ts'
import { removeImages, smallImage } from './registry-image.ts'
import { startTokenServer } from './token-server.ts'

after(removeImages)

const never = new AbortController().signal

async function signIn(registryUrl: string, username: string, password: string, options: Options = {}) {
  using registry = openRegistry({ registryUrl, username, password }, options)
  return await registry.signIn(never)
}

async function assertRefused(attempt: Promise<unknown>, kind: FaultKind, messagePattern: RegExp = /./) {
  const fault = await attempt.then(
    () => assert.fail('The attempt was not refused'),
    (error: unknown) => error,
  )
  assert.ok(fault instanceof RegistryFault, String(fault))
  assert.deepEqual([fault.kind, messagePattern.test(fault.message)], [kind, true], fault.message)
  assert.ok(!fault.message.includes('a-secret'))
}

const printable = String.fromCharCode(...Array.from({ length: 95 }, (_, index) => index + 32))

/** All printable characters, colons and spaces at the ends, and the 72 bytes that bcrypt reads at most. */
const users: Users = {
  first: printable.slice(0, 48),
  second: printable.slice(48),
  colons: ':a:b:',
  spaces: '  a  ',
  'with space': 'a',
  beyond: 'pä§§wörd-€-日本語-😀',
  longest: 'é'.repeat(36),
  name: 'a-secret',
  'a.b@example.com': 'a-secret',
}

test('htpasswd: accepts each password, and refuses it with another last character', async () => {
  await using registry = await startRegistry({ users })
  const { host } = registry
  for (const [name, password] of Object.entries(users)) {
    assert.deepEqual(await signIn(host, name, password), { host, isChecked: true }, name)
    await assertRefused(signIn(host, name, `${password.slice(0, -1)}_`), 'credentials', /rejected this username/)
  }
  await assertRefused(signIn(host, 'nobody', 'a-secret'), 'credentials')
  for (const form of [`http://${host}`, `${host}/v2/`, `localhost:${registry.port}`, `http://${host}/v1/`]) {
    assert.equal((await signIn(form, 'name', 'a-secret')).isChecked, true)
  }
  await assertRefused(signIn(`https://${host}`, 'name', 'a-secret'), 'tls', /does not speak TLS on this port/)
})

test('reports that an open registry does not check credentials', async () => {
  await using registry = await startRegistry()
  assert.deepEqual(await signIn(registry.host, 'anybody', 'a-secret'), { host: registry.host, isChecked: false })
})

for (const manner of ['basic', 'form'] as const) {
  test(`a token server with ${manner} requests accepts correct and refuses wrong credentials`, async () => {
    await using server = await startTokenServer(users, manner)
    await using registry = await startRegistry({ tokens: server.tokens })
    for (const [name, password] of Object.entries(users)) {
      assert.equal((await signIn(registry.host, name, password)).isChecked, true, name)
    }
    await assertRefused(
      signIn(registry.host, 'name', 'wrong'),
      'credentials',
      new RegExp(`^${registry.host} rejected this username`),
    )
    assert.ok(!server.requests.join('').includes('a-secret'))
  })
}

test('a token that the registry does not trust is not reported as wrong credentials', async () => {
  await using server = await startTokenServer(users, 'stranger')
  await using registry = await startRegistry({ tokens: server.tokens })
  await assertRefused(signIn(registry.host, 'name', 'a-secret'), 'answer', /rejected the token/)
})

test('TLS: checks the authority, the expiry date and the name of the certificate', async () => {
  const credentials = ['name', 'a-secret'] as const
  {
    await using registry = await startRegistry({ users, certificate: 'good' })
    const { host, ca = '' } = registry
    await assertRefused(signIn(host, ...credentials), 'tls', /does not know.*NODE_EXTRA_CA_CERTS.*certs\.d/)
    assert.equal((await signIn(host, ...credentials, { ca })).isChecked, true)
    assert.equal((await signIn(`https://${host}`, ...credentials, { insecure: true })).isChecked, true)
    await assertRefused(signIn(host, 'name', 'wrong', { ca }), 'credentials')
    await assertRefused(signIn(`http://${host}`, ...credentials), 'notRegistry')
  }
  await using expired = await startRegistry({ users, certificate: 'expired' })
  await assertRefused(signIn(expired.host, ...credentials, { ca: expired.ca! }), 'tls', /has expired/)
  await using other = await startRegistry({ users, certificate: 'other name' })
  await assertRefused(signIn(other.host, ...credentials, { ca: other.ca! }), 'tls', /for another name/)
})

test('lists the images page by page, and the tags of an image', async () => {
  const names = Array.from({ length: 3 }, (_, index) => `team/image-${index}`)
  await using server = await startTokenServer({ name: 'a-secret', modest: 'a-secret' })
  await using byTokens = await startRegistry({ tokens: server.tokens })
  await using byPasswords = await startRegistry({ users })
  for (const { host, push } of [byTokens, byPasswords]) {
    for (const name of names) await push(`${name}:1`, 'name', 'a-secret', await smallImage())
    await push(`${names[0]}:2`, 'name', 'a-secret', await smallImage())
    using registry = openRegistry({ registryUrl: host, username: 'name', password: 'a-secret' })
    assert.deepEqual(await registry.catalogue(10, null, never), { names, isWhole: true })
    assert.deepEqual(await registry.catalogue(2, null, never), { names: names.slice(0, 2), isWhole: false })
    assert.deepEqual(await registry.catalogue(2, names[1]!, never), { names: names.slice(2), isWhole: true })
    const { names: tags, isWhole } = await registry.tags(names[0]!, 10, never)
    assert.deepEqual([tags.toSorted(), isWhole], [['1', '2'], true])
    for (const unknown of ['no/such', '../_catalog', 'team/../x', 'Upper', '']) {
      assert.deepEqual(await registry.tags(unknown, 10, never), { names: [], isWhole: true })
    }
    using wrong = openRegistry({ registryUrl: host, username: 'name', password: 'wrong' })
    await assertRefused(wrong.catalogue(10, null, never), host === byTokens.host ? 'credentials' : 'rights')
  }
  using modest = openRegistry({ registryUrl: byTokens.host, username: 'modest', password: 'a-secret' })
  await assertRefused(modest.catalogue(10, null, never), 'rights', /does not let this account list its repositories/)
})
