/** Tests of `berth settings`, and of commands that need a code of the second factor. */
import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { updateAccount } from '../../src/accounts/accounts.ts'
import { secretCell } from '../../src/accounts/codes.ts'
import { markPassed2FA } from '../../src/accounts/tokens.ts'
import { codeAt, newSecret } from '../../src/lib/crypto/totp.ts'
import { type CommandResult, startCommandLine } from './cli-fixture.ts'
import { inTerminal } from './terminal.ts'

const cli = await startCommandLine()
after(() => cli[Symbol.asyncDispose]())
const { app } = cli.berth
const { id } = await cli.berth.admin()
const secret = newSecret()
await app.transact(async (tx) => {
  await updateAccount(tx, id, { is2FAEnabled: 1, secret: app.vault.seal(secretCell(id), secret) })
  for (const token of await tx.selectFrom('token').select('id').execute()) await markPassed2FA(tx, token.id)
})
await cli.ok('project', 'create', 'shop')
// Else the tests would have to wait for the next code.
beforeEach(() => app.transact((tx) => updateAccount(tx, id, { pinStep: 0 })))

const code = () => codeAt(secret, new Date())
const set = (state: string, env: NodeJS.ProcessEnv = {}, ...more: string[]) =>
  cli.command(['settings', 'set', '--confirm-dangerous-calls', state, ...more], { ...cli.env, ...env })
const turnOn = () => set('on', { BERTH_CONFIRMATION_CODE: code() }).then(reset)
/** Makes the used code usable again. */
async function reset(result: CommandResult) {
  await app.transact((tx) => updateAccount(tx, id, { pinStep: 0 }))
  return result
}
const create = (name: string) => cli.ok('create', 'redis', name, '--project', 'shop', '--no-deploy')
const names = async () => (await cli.ok('ls')).match(/^shop\/\S+/gm) ?? []

test('without a terminal, the setting is changed with a code from the option or the variable', async () => {
  assert.match(await cli.ok('settings', 'show'), /^confirm dangerous calls\toff\nlast change\tnever\n$/)
  const asked = await set('on')
  assert.equal(asked.status, 4)
  assert.match(asked.stderr, /^error: This needs a code of your second factor\. Nothing was changed\n/)
  assert.match(asked.stderr, /pass the code with --confirmation-code or BERTH_CONFIRMATION_CODE\n$/)
  const wrong = await set('on', {}, '--confirmation-code', 'abcdef')
  assert.equal(wrong.status, 4)
  assert.match(
    wrong.stderr,
    /^error: The code is wrong or was already used\. Nothing was changed\nWait for the next code/,
  )
  const changed = await set('on', {}, '--confirmation-code', code()).then(reset)
  assert.deepEqual([changed.status, changed.stderr], [0, ''])
  assert.match(changed.stdout, /^confirm dangerous calls\ton\n/)
  const off = await set('off', { BERTH_CONFIRMATION_CODE: code() })
  assert.match(off.stdout, /^confirm dangerous calls\toff\n/)
})

test('names the setting that is missing, and the values of the option', async () => {
  const missing = await cli.command(['settings', 'set'])
  assert.deepEqual([missing.status, /For example --confirm-dangerous-calls/.test(missing.stderr)], [2, true])
  const wrong = await set('of')
  assert.deepEqual([wrong.status, /Did you mean on/.test(wrong.stderr)], [2, true])
})

test('in a terminal, a command asks for a code, and again after a wrong one', async () => {
  await turnOn()
  await create('orders')
  const answers = ['shop/orders', 'abcdef', code()]
  const printed = await inTerminal(
    { XDG_CONFIG_HOME: cli.folder, ...cli.env },
    ['rm', 'shop/orders', '--delete-data'],
    (text) => (/(?:to confirm|or a recovery code): $/.test(text) ? answers.shift()! : null),
  )
  assert.match(printed, /This needs a code of your second factor\./)
  assert.match(printed, /error: The code is wrong or was already used\. Wait for the next one/)
  assert.match(printed, /Removed shop\/orders\./)
  assert.deepEqual([answers, await names()], [[], []])
})

test('a command that destroys nothing asks for no code', async () => {
  await turnOn()
  await create('cache')
  assert.match(await cli.ok('rm', 'shop/cache', '--yes'), /^Removed shop\/cache/)
})

test('the code of an option confirms one call', async () => {
  await turnOn()
  await create('a')
  await create('b')
  const remove = (name: string, confirmationCode: string) =>
    cli.command(['rm', name, '--delete-data', '--yes', '--confirmation-code', confirmationCode])
  const used = code()
  assert.equal((await remove('shop/a', used)).status, 0)
  assert.equal((await remove('shop/b', used)).status, 4)
  assert.deepEqual(await names(), ['shop/b'])
  const byName = await cli.command([
    'api',
    'redis.remove',
    '--redisId',
    'shop/b',
    '--removeData',
    'true',
    '--confirmationCode',
    used,
  ])
  assert.equal(byName.status, 4)
})

test('an account without a second factor is told to turn it on', async () => {
  await turnOn()
  await create('c')
  const { token } = await cli.berth.user()
  const env = { BERTH_URL: cli.url, BERTH_TOKEN: token }
  const refused = await cli.command(['rm', 'shop/c', '--delete-data', '--yes'], env)
  assert.equal(refused.status, 4)
  assert.match(
    refused.stderr,
    /your account has none\. Nothing was changed\nTurn it on in a session of your account: berth account 2fa on\n$/,
  )
  assert.deepEqual(
    (await names()).filter((each) => each === 'shop/c'),
    ['shop/c'],
  )
})

test('the audit log shows the confirmed calls', async () => {
  await set('off', { BERTH_CONFIRMATION_CODE: code() })
  assert.match(
    await cli.ok('audit', '--operation', 'installation.updateSettings'),
    /updateSettings \(confirmed with a code\)/,
  )
})
