/** Certificates of servers that Swarm, and not Berth, has started again. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { stepCertificate } from '../../src/databases/tls/replace/replace.ts'
import { readRunningServer } from '../../src/databases/tls/replace/running-server.ts'
import type { AskCertificate } from '../../src/databases/tls/replace/served.ts'
import { EngineFailure, type Outcome } from '../../src/engine/engine.ts'
import type { Exec } from '../../src/engine/exec.ts'
import { kindNamed } from '../../src/kinds/index.ts'
import type { Runtime } from '../../src/runtime.ts'
import { databaseClientsOf } from '../fixtures/database-clients.ts'
import { startTestBerth, wait } from '../fixtures/test-berth.ts'

const kind = kindNamed('postgres')

/** A database whose certificate was compared. */
async function startCompared() {
  const testBerth = await startTestBerth()
  const { app, engine } = testBerth
  const clients = databaseClientsOf(testBerth, kind)
  const database = await clients.createDeployed()
  const tls = async () => (await app.db.selectFrom('databaseTls').selectAll().executeTakeFirst())!
  const untilServed = (isExpected: (servedSince: string) => boolean) =>
    testBerth.until('the comparison', async () => {
      app.wake('certificates')
      const { servedSince } = await tls()
      return servedSince !== null && isExpected(servedSince) ? servedSince : null
    })
  const servedSince = await untilServed(() => true)
  const volume = (await app.db.selectFrom('tlsVolume').select('name').executeTakeFirst())!.name
  const runtime = { ...app, engine } as unknown as Runtime
  return { testBerth, engine, runtime, clients, database, volume, tls, untilServed, servedSince }
}

describe('a server that Swarm has started again', { concurrency: true }, () => {
  test('without the volume of its certificate gets the files again by a deploy, which fails', async () => {
    const { testBerth, engine, clients, database, volume } = await startCompared()
    await using _ = testBerth
    engine.loseVolume(volume)
    engine.behave(database.appName, 'crash:1')
    engine.replaceTask(database.appName)
    const { status } = await clients.call('deploy', database, {}, wait)
    assert.equal(status, 422)
    assert.ok(engine.files.has(volume))
    engine.behave(database.appName, 'running')
    await testBerth.until('the recovery', async () => (await clients.one(database)).applicationStatus === 'done')
  })

  test('reports the failure of the server also if the files cannot be written', async () => {
    const { testBerth, engine, clients, database, volume } = await startCompared()
    await using _ = testBerth
    engine.loseVolume(volume)
    engine.onWriteFiles = () => {
      throw new EngineFailure('failed', 'no space left on device')
    }
    engine.behave(database.appName, 'crash:3')
    engine.replaceTask(database.appName)
    const { body } = await clients.call('deploy', database, {}, wait)
    assert.match(String(body.message), /^The server ended with exit code 3/)
  })

  test('gets another certificate if its own ended while the machine was off, although no login verifies it', async () => {
    const { testBerth, engine, database } = await startCompared()
    await using _ = testBerth
    const { answer } = engine
    const hasEnded: Outcome = { exitCode: 2, stdout: '', stderr: 'SSL error: certificate verify failed' }
    const isReload = ({ argv }: Exec) => argv.some((part) => part.includes('HUP'))
    let isRenewed = false
    engine.answer = (task, program) => {
      isRenewed ||= isReload(program)
      return isRenewed || program.env.PGSSLMODE !== 'verify-full' ? answer(task, program) : hasEnded
    }
    testBerth.pass(100 * 24 * 3600_000)
    engine.replaceTask(database.appName)
    const untilStatus = (status: string) =>
      testBerth.until(status, async () => {
        testBerth.pass(30_000)
        testBerth.app.wake('watch')
        // The session of the test has ended, too.
        const row = (await testBerth.app.db.selectFrom('database').selectAll().executeTakeFirst())!
        return row.applicationStatus === status ? String(row.statusReason) : null
      })
    assert.match(await untilStatus('error'), /certificate verify failed/)
    await untilStatus('done')
    assert.ok(isRenewed)
  })

  test('is compared again, because it may have started with other files', async () => {
    const { testBerth, engine, database, untilServed, servedSince } = await startCompared()
    await using _ = testBerth
    testBerth.pass(60_000)
    engine.replaceTask(database.appName)
    const again = await untilServed((since) => since !== servedSince)
    assert.ok(again > servedSince)
  })

  test('gets the files of its certificate again if it presents an older one, as from a restored volume', async () => {
    const { testBerth, engine, runtime, tls, volume } = await startCompared()
    await using _ = testBerth
    const ask: AskCertificate = async (_runtime, _task, _id, { expected }) => ({ fingerprint: expected ?? 'older' })
    const server = (await readRunningServer(runtime, ask, (await tls()).databaseId))!
    const notCompared = { ...server, tls: { ...server.tls, servedFingerprint: null, servedSince: null } }
    const written: string[] = []
    engine.onWriteFiles = (files) => {
      written.push(files.volume)
    }
    await stepCertificate(runtime, notCompared, AbortSignal.timeout(10_000))
    assert.deepEqual(written, [volume])
    assert.equal((await tls()).servedFingerprint, server.current.fingerprint)
  })
})
