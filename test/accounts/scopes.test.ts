/** API tokens of each scope: which operations they can call, and whether they see passwords of databases. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Berth, type Session, startAuth } from './auth-fixture.ts'

const secret = 'the password of the database'
const mask = '********'

type Postgres = Record<'postgresId' | 'databasePassword' | 'name', string> & { connection: { internalUrl: string } }

let berth: Berth
let bob: Session
let projectId: string
let postgresId: string
let tokens: Record<'read' | 'deploy' | 'admin', string>
before(async () => {
  berth = await startAuth()
  bob = await berth.join((await berth.createAdmin()).accessToken, 'bob@example.org')
  const project = await berth.call<{ projectId: string }>('project.create', { name: 'shop' }, bob.accessToken)
  projectId = project.projectId
  const settings = { databaseName: 'shop', databaseUser: 'shop', databasePassword: secret }
  const input = { name: 'db', appName: '', projectId, ...settings }
  ;({ postgresId } = await berth.call<Postgres>('postgres.create', input, bob.accessToken))
  const createToken = async (scope: string) =>
    (await berth.call('auth.createToken', { name: scope, scope }, bob.accessToken)).token
  // The database is deployed first, so that the tests below do not depend on each other.
  const { status } = await berth.reply('postgres.deploy', { postgresId }, bob.accessToken, { prefer: 'wait=30' })
  assert.equal(status, 200)
  tokens = { read: await createToken('read'), deploy: await createToken('deploy'), admin: await createToken('admin') }
})
after(() => berth.close())

const one = (as: string) => berth.call<Postgres>('postgres.one', { postgresId }, as)

for (const scope of ['read', 'deploy'] as const) {
  test(`a token of scope ${scope} reads a masked password, also in connection URLs`, async () => {
    const record = await one(tokens[scope])
    assert.equal(record.databasePassword, mask)
    assert.ok(record.connection.internalUrl.includes(`:${mask}@`), record.connection.internalUrl)
    for (const form of [secret, encodeURIComponent(secret)]) assert.ok(!JSON.stringify(record).includes(form))
  })
}

test('a session and a token of scope admin read the password', async () => {
  for (const as of [bob.accessToken, tokens.admin]) {
    const record = await one(as)
    assert.equal(record.databasePassword, secret)
    assert.ok(record.connection.internalUrl.includes(encodeURIComponent(secret)))
  }
})

const calls: [name: string, input: () => Record<string, unknown>, scopes: string][] = [
  ['project.all', () => ({}), 'read deploy admin'],
  ['postgres.logs', () => ({ postgresId }), 'read deploy admin'],
  ['postgres.deploy', () => ({ postgresId }), 'deploy admin'],
  ['postgres.stop', () => ({ postgresId }), 'deploy admin'],
  ['postgres.start', () => ({ postgresId }), 'deploy admin'],
  ['postgres.saveExternalPort', () => ({ postgresId, externalPort: null }), 'admin'],
  ['postgres.update', () => ({ postgresId, name: 'renamed' }), 'admin'],
  ['postgres.saveEnvironment', () => ({ postgresId, env: 'A=1' }), 'admin'],
  ['project.create', () => ({ name: 'more' }), 'admin'],
  ['redirects.create', () => ({ applicationId: 'web', regex: '/a', replacement: '/b', permanent: true }), 'admin'],
  ['security.create', () => ({ applicationId: 'web', username: 'ann', password: 'only for her' }), 'admin'],
  ['port.create', () => ({ applicationId: 'web', publishedPort: 9000, targetPort: 80 }), 'admin'],
  ['user.invitations', () => ({}), ''],
  ['user.revokeInvitation', () => ({ id: 'any' }), ''],
  ['audit.all', () => ({}), ''],
]
for (const [name, input, scopes] of calls) {
  test(`a user's tokens of these scopes can call ${name}: ${scopes || 'none'}`, async () => {
    for (const [scope, token] of Object.entries(tokens)) {
      if (scopes.split(' ').includes(scope)) assert.equal((await berth.reply(name, input(), token)).status, 200, scope)
      else await berth.refused('FORBIDDEN', name, input(), token)
    }
  })
}

test('a token of scope admin that sends a masked password back keeps the stored one', async () => {
  await berth.call('postgres.update', { ...(await one(tokens.read)) }, tokens.admin)
  assert.equal((await one(bob.accessToken)).databasePassword, secret)
})

test('a token of a narrower scope does not get the stored answer of a wider one', async () => {
  const key = { 'idempotency-key': 'one' }
  const input = { postgresId, name: 'again' }
  await berth.call('postgres.update', input, tokens.admin, key)
  for (const scope of ['read', 'deploy'] as const) {
    assert.equal((await berth.reply('postgres.update', input, tokens[scope], key)).status, 403)
  }
})
