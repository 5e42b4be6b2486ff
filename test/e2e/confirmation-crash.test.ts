/** Berth is killed with SIGKILL during confirmed calls: a code was used if, and only if, its call took effect. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { codeAt } from '../../src/lib/crypto/totp.ts'
import { rowsOf } from '../crash/store.ts'
import { compareData } from '../fixtures/compare-data.ts'
import { temporaryFolder } from '../fixtures/folder.ts'
import { berthProcess } from './process.ts'

/** When Berth is killed, in milliseconds after the call. */
const killsMs = [0, 10, 15, 20, 30, 45, 70, 150]

test('a code is used together with its call, or not at all', async (t) => {
  const folder = temporaryFolder(t)
  const berth = await berthProcess(folder)
  t.after(() => berth.kill())
  await berth.start()
  await berth.signIn()
  const ok = async <T>(name: string, input: Record<string, unknown> = {}): Promise<T> => {
    const { status, body } = await berth.call<T>(name, input)
    assert.equal(status, 200, `${name}: ${JSON.stringify(body)}`)
    return body
  }
  const { secret } = await ok<{ secret: string }>('auth.generate2FASecret')
  const factor = { secret, pin: codeAt(secret, new Date()) }
  const { recoveryCodes } = await ok<{ recoveryCodes: string[] }>('auth.verify2FASetup', factor)
  const confirmationCode = recoveryCodes.pop()!
  await ok('installation.updateSettings', { confirmDangerousCalls: true, confirmationCode })
  const { projectId } = await ok<{ projectId: string }>('project.create', { name: 'crash' })
  const unused = () => rowsOf(folder, 'select hash from recoveryCode').length
  let effective = 0
  for (const killMs of killsMs) {
    const settings = { databaseName: 'shop', databaseUser: 'shop', databasePassword: '' }
    const input = { name: 'crash', appName: '', projectId, ...settings }
    const { postgresId } = await ok<{ postgresId: string }>('postgres.create', input)
    const before = unused()
    const removal = { postgresId, removeData: true, confirmationCode: recoveryCodes.pop()! }
    const answer = berth.call('postgres.remove', removal).then(
      ({ status }) => status,
      () => null,
    )
    await pause(killMs)
    await berth.kill()
    const status = await answer
    await berth.start()
    const isRemoved = (await berth.call('postgres.one', { postgresId })).status === 404
    if (isRemoved) effective++
    await compareData(`the call that was killed after ${killMs} ms`, () => {
      assert.equal(unused(), isRemoved ? before - 1 : before)
      assert.ok(status === null || (status === 200 && isRemoved), `answered ${status}`)
    })
  }
  t.diagnostic(`${effective} of ${killsMs.length} calls took effect`)
})
