/** What `require` changed in the data of a server, after a restore of a state of Berth that does not know of the change. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { forgetObservedTls } from '../../src/databases/tls/queries.ts'
import type { Outcome } from '../../src/engine/engine.ts'
import type { TlsMode } from '../../src/kinds/kind.ts'
import { kindNamed } from '../../src/kinds/index.ts'
import { databaseClientsOf } from '../fixtures/database-clients.ts'
import { startTestBerth } from '../fixtures/test-berth.ts'

const kind = kindNamed('postgres')
const success: Outcome = { exitCode: 0, stdout: '', stderr: '' }

/** A deployed database in this mode, as after a restore. `modes` are the modes that Berth applies to its server. */
async function startRestored(tls: TlsMode) {
  const testBerth = await startTestBerth()
  const clients = databaseClientsOf(testBerth, kind)
  const database = await clients.create({ tls })
  await clients.complete('deploy', database)
  const row = async () => testBerth.app.db.selectFrom('databaseTls').selectAll().executeTakeFirst()
  if (tls !== 'off') {
    await testBerth.until('the certificate', async () => ((await row())!.servedFingerprint === null ? null : true))
  }
  const modes: string[] = []
  const outcomes: Outcome[] = []
  const { answer } = testBerth.engine
  testBerth.engine.answer = (task, program) => {
    const mode = program.argv[program.argv.indexOf('berth') + 1]!
    if (!program.argv.includes('berth') || (mode !== 'allow' && mode !== 'require')) return answer(task, program)
    modes.push(mode)
    return outcomes.shift() ?? success
  }
  await testBerth.app.transact(forgetObservedTls)
  const untilServed = () =>
    testBerth.until('the certificate', async () => {
      testBerth.app.wake('certificates')
      return ((await row())?.servedFingerprint ?? null) === null ? null : true
    })
  return { testBerth, clients, database, modes, outcomes, row, untilServed }
}

describe('after a restore of the state of Berth', { concurrency: true }, () => {
  for (const mode of ['allow', 'require'] as const) {
    test(`a running server gets the mode ${mode} of the restored state without a deploy`, async () => {
      const { testBerth, modes, row, untilServed } = await startRestored(mode)
      await using _ = testBerth
      await untilServed()
      await testBerth.until('the mode', async () => (modes.length > 0 ? true : null))
      // The first step after the deploy can apply the mode, too.
      assert.deepEqual([...new Set(modes)], [mode])
      assert.equal((await row())!.isRequired, mode === 'require' ? 1 : 0)
    })
  }

  test('a mode that could not be applied is applied later', async () => {
    const { testBerth, modes, outcomes, untilServed } = await startRestored('allow')
    await using _ = testBerth
    outcomes.push({ exitCode: 1, stdout: '', stderr: 'read-only file system' })
    await testBerth.until('the second attempt', async () => {
      testBerth.app.wake('certificates')
      return modes.length === 2 ? true : null
    })
    await untilServed()
    assert.deepEqual(modes, ['allow', 'allow'])
  })

  test('a deploy without TLS takes back a later require, of which the restored state has no record', async () => {
    const { testBerth, clients, database, modes, row } = await startRestored('off')
    await using _ = testBerth
    assert.equal(await row(), undefined)
    await clients.complete('deploy', database)
    assert.deepEqual(modes, ['allow'])
  })

  test('a deploy without TLS does not need the program, which an unusual image may lack', async () => {
    const { testBerth, clients, database, modes, outcomes } = await startRestored('off')
    await using _ = testBerth
    outcomes.push(...Array.from({ length: 9 }, () => ({ exitCode: 127, stdout: '', stderr: 'xargs: not found' })))
    await clients.complete('deploy', database)
    assert.deepEqual(modes, ['allow'])
  })
})
