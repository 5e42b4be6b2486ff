/** Dangerous calls of callers that do not reach all projects, while such calls need a code of the second factor. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { updateSettings } from '../../../src/accounts/confirmation/settings.ts'
import { codeAt, newSecret } from '../../../src/lib/crypto/totp.ts'
import { unknownId } from '../../sweep-inputs.ts'
import { startTwoProjects } from './two-projects.ts'

const cleanup = new AsyncDisposableStack()
after(() => cleanup.disposeAsync())
const projects = cleanup.use(await startTwoProjects())

/** A Berth in which calls need codes, and an owner of the bakery with a second factor. */
async function start() {
  const berth = cleanup.use(await projects.start())
  const { app, call, bakery, member } = berth
  const owner = await member({ [bakery.projectId]: 'owner' })
  const secret = newSecret()
  const setup = await call('auth.verify2FASetup', { secret, pin: codeAt(secret, app.now()) }, owner.token)
  const changes = { confirmDangerousCalls: 1, changedAt: app.now().toISOString() } as const
  await app.transact((tx) => updateSettings(tx, changes))
  return { ...berth, owner, codes: setup.body.recoveryCodes as string[] }
}

test('a record out of reach is answered like an unknown one, with and without a code, and the code stays unused', async () => {
  const { call, shop, bakery, owner, codes, member } = await start()
  const [confirmationCode] = codes
  const remove = (volumeId: string, more = {}) => call('volume.remove', { volumeId, ...more }, owner.token)
  for (const [more, status] of [
    [{}, 403],
    [{ confirmationCode: 'abcdef' }, 403],
    [{ confirmationCode }, 404],
  ] as const) {
    const [hidden, unknown] = [await remove(shop.volumeId!, more), await remove(unknownId, more)]
    assert.deepEqual([hidden.status, hidden.body], [status, unknown.body])
  }
  const cleo = await member({})
  const add = { projectId: bakery.projectId, email: cleo.email, role: 'owner', confirmationCode }
  assert.equal((await call('project.addMember', add, owner.token)).status, 200)
  const update = { projectId: bakery.projectId, accountId: cleo.id, role: 'owner', confirmationCode }
  assert.equal((await call('project.updateMember', update, owner.token)).body.reason, 'ConfirmationWrong')
})

test('a call that the role does not permit leaves its code unused', async () => {
  const { call, shop, bakery, app, owner, codes } = await start()
  const at = app.now().toISOString()
  const viewer = { projectId: shop.projectId, accountId: owner.id, role: 'viewer', createdAt: at } as const
  await app.transact((tx) => tx.insertInto('projectMember').values(viewer).execute())
  const [confirmationCode] = codes
  const remove = { volumeId: shop.volumeId!, confirmationCode }
  const refused = await call('volume.remove', remove, owner.token)
  assert.deepEqual([refused.status, refused.body.reason], [403, undefined])
  assert.match(String(refused.body.message), /needs the role owner/)
  const add = { projectId: bakery.projectId, email: 'admin@example.org', role: 'owner', confirmationCode }
  const added = await call('project.addMember', add, owner.token)
  assert.equal(added.status, 200, JSON.stringify(added.body))
})

test('a limited API token uses the codes of its account, and only for what it reaches', async () => {
  const { call, shop, bakery, owner, codes, tokenOf } = await start()
  const token = await tokenOf(owner.id, 'admin', [bakery.projectId])
  const [confirmationCode] = codes
  const input = { projectId: bakery.projectId, accountId: owner.id, role: 'owner' }
  assert.equal((await call('project.updateMember', input, token)).body.reason, 'ConfirmationMissing')
  const foreign = { ...input, projectId: shop.projectId, confirmationCode }
  assert.equal((await call('project.updateMember', foreign, token)).status, 404)
  assert.equal((await call('project.updateMember', { ...input, confirmationCode }, token)).status, 200)
  const again = { ...input, confirmationCode }
  for (const as of [token, owner.token]) {
    assert.equal((await call('project.updateMember', again, as)).body.reason, 'ConfirmationWrong')
  }
})
