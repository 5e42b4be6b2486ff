/** The settings of the installation: who reads and changes them, and what a change needs. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import type { Refused } from './auth-fixture.ts'
import { type Confirming, startConfirming } from './confirmation-fixture.ts'

let team: Confirming
beforeEach(async () => {
  team = await startConfirming(false)
})
afterEach(() => team.berth.close())

interface Settings {
  confirmDangerousCalls: boolean
  changedAt: string | null
}

const read = (as: string) => team.berth.call<Settings>('installation.settings', {}, as)
const name = 'installation.updateSettings'
const on = { confirmDangerousCalls: true }
const change = (input: object, as = team.ada.accessToken) => team.berth.call<Settings>(name, { ...input }, as)

test('the confirmation of dangerous calls is off at first, and every account reads the settings', async () => {
  for (const { accessToken } of [team.ada, team.bob]) {
    assert.deepEqual(await read(accessToken), { confirmDangerousCalls: false, changedAt: null })
  }
})

test('an administrator turns it on and off again, each with a code, and it stays on after a restart', async () => {
  const { berth, ada } = team
  const confirmationCode = team.fresh()
  const changed = await change({ ...on, confirmationCode })
  assert.deepEqual(changed, { confirmDangerousCalls: true, changedAt: berth.now().toISOString() })
  await berth.restart()
  assert.deepEqual(await read(ada.accessToken), changed)
  const off = { confirmDangerousCalls: false }
  await berth.refused('FORBIDDEN', name, off, ada.accessToken)
  await berth.refused('FORBIDDEN', name, { ...off, confirmationCode }, ada.accessToken)
  assert.equal((await read(ada.accessToken)).confirmDangerousCalls, true)
  await change({ ...off, confirmationCode: team.fresh() })
  assert.equal((await read(ada.accessToken)).confirmDangerousCalls, false)
})

test('a change to the present value needs a code too, and keeps the time of the last change', async () => {
  const { changedAt } = await change({ ...on, confirmationCode: team.fresh() })
  assert.equal((await change({ ...on, confirmationCode: team.fresh() })).changedAt, changedAt)
})

test('users, API tokens and sessions that have not passed the second factor are refused', async () => {
  const { berth, ada, bob } = team
  const { token } = await berth.call('auth.generateToken', {}, ada.accessToken)
  await berth.turnOn(bob.accessToken)
  const code = team.fresh()
  for (const as of [bob.accessToken, token])
    await berth.refused('FORBIDDEN', name, { ...on, confirmationCode: code }, as)
  // Such a session exists if the second factor was turned on in another session at the same moment.
  await berth.change((tx) => tx.updateTable('token').set({ passed2FA: 0 }).execute())
  const { message } = await berth.refused('FORBIDDEN', name, { ...on, confirmationCode: code }, ada.accessToken)
  assert.match(message, /has not passed the second factor/)
})

test('an administrator without a second factor is told to turn one on', async () => {
  const { berth, ada } = team
  const cleo = await berth.join(ada.accessToken, 'cleo@example.org', 'admin')
  const { message } = await berth.refused('FORBIDDEN', name, on, cleo.accessToken)
  assert.match(message, /your account has none\. Turn one on with auth\.generate2FASecret/)
})

test('the change is in the audit log and an event, and a refused one is no event', async () => {
  const { berth, ada } = team
  await change(on).catch((error: Refused) => assert.equal(error.code, 'FORBIDDEN'))
  await change({ ...on, confirmationCode: team.fresh() })
  const events = await berth.app.db.selectFrom('event').selectAll().where('kind', '=', 'settings').execute()
  assert.deepEqual(
    events.map(({ change: made, adminOnly, data }) => [made, adminOnly, data]),
    [['changed', 0, '{"confirmDangerousCalls":true}']],
  )
  const audit = await berth.call<{ email: string; result: string }[]>('audit.all', { operation: name }, ada.accessToken)
  assert.deepEqual(
    (audit as unknown as { email: string; result: string }[]).map(({ email, result }) => [email, result]),
    [
      ['Ada@Example.org', 'FORBIDDEN'],
      ['Ada@Example.org', 'OK'],
    ],
  )
})
