/** Sessions from the handshake to the removal of the container, with the in-memory engine. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { type Kysely, sql } from 'kysely'
import type { TerminalSize } from '../../src/engine/job.ts'
import type { Schema } from '../../src/store/schema.ts'
import { until } from '../engine/until.ts'
import { endless, type SessionBerth, startSessionBerth } from './session-berth.ts'
import type { OpenSession } from './session-client.ts'

/** Waits for the audit entry of the end, and returns its fields. */
async function endOf(berth: SessionBerth): Promise<Record<string, unknown>> {
  return until('the end in the audit log', async () => (await berth.audit()).find(({ event }) => event === 'end'))
}

const started = (session: OpenSession) =>
  until('the start', async () => session.messages.some(({ type }) => type === 'started'))

test('passes bytes and the exit code, and records the begin and the end without what was typed', async () => {
  await using berth = await startSessionBerth()
  const session = await berth.open({ argument: ['-c', 'select 1'] })
  session.send('typed text')
  session.post({ type: 'endInput' })
  assert.equal(await session.closed, 1000)
  assert.equal(session.text(), 'typed text')
  assert.deepEqual(session.messages, [
    { type: 'started' },
    { type: 'stderr', text: 'select 1' },
    { type: 'ended', exitCode: 3 },
  ])
  const [job] = berth.jobs
  assert.deepEqual(job!.argv.slice(-2), ['-c', 'select 1'])
  assert.deepEqual([job!.memoryMib, job!.terminal], [512, undefined])
  assert.ok(job!.networkOf)
  assert.ok(!JSON.stringify([job!.argv, job!.env]).includes('a databasePassword'))
  assert.equal(job!.files![0]!.content, 'a databasePassword')
  const { seconds, ...end } = await endOf(berth)
  const [begin] = await berth.audit()
  const shared = { result: 'OK', record: berth.databaseId, mode: 'client', sessionId: begin!.sessionId }
  assert.deepEqual(begin, { ...shared, event: 'begin' })
  const traffic = { receivedBytes: 10, sentBytes: 18 }
  assert.deepEqual(end, { ...shared, event: 'end', reason: null, exitCode: 3, ...traffic })
  assert.equal(seconds, 0)
  assert.deepEqual(await berth.jobsOnEngine(), [])
  assert.equal((await berth.ok<{ valid: boolean }>('audit.check')).valid, true)
})

test('a terminal has the requested size and follows its changes', async () => {
  await using berth = await startSessionBerth()
  const sizes: TerminalSize[] = []
  berth.setProgram((job, { signal }) => {
    sizes.push(job.terminal!)
    return new Promise((resolve) =>
      signal.addEventListener('resize', (event) => {
        sizes.push((event as CustomEvent<TerminalSize>).detail)
        resolve(0)
      }),
    )
  })
  const session = await berth.open({ columns: 100, rows: 40 })
  await started(session)
  session.post({ type: 'resize', columns: 81, rows: 25 })
  assert.equal(await session.closed, 1000)
  assert.deepEqual(sizes, [
    { columns: 100, rows: 40 },
    { columns: 81, rows: 25 },
  ])
})

test('removes the container when the client disconnects, and records it', async () => {
  await using berth = await startSessionBerth()
  berth.setProgram(endless)
  const session = await berth.open()
  await started(session)
  assert.equal((await berth.jobsOnEngine()).length, 1)
  session.socket.terminate()
  assert.deepEqual(await endOf(berth).then(({ reason, exitCode }) => [reason, exitCode]), ['ClientGone', null])
  assert.deepEqual(await berth.jobsOnEngine(), [])
})

test('ends a session without traffic, and not one with traffic', async () => {
  let ms = 0
  const limits = { checkMs: 10, clock: () => ms }
  await using berth = await startSessionBerth({ env: { BERTH_SESSION_IDLE_SECONDS: '60' }, limits })
  const session = await berth.open()
  await started(session)
  for (let i = 0; i < 3; i++) {
    ms += 59_000
    session.send('a')
    await until('the echo', async () => session.text().length > i)
  }
  ms += 60_000
  assert.equal(await session.closed, 1011)
  assert.equal(session.messages.at(-1)!.code, 'Idle')
  assert.equal((await endOf(berth)).reason, 'Idle')
  assert.deepEqual(await berth.jobsOnEngine(), [])
})

test('stops the program while the client reads nothing', async () => {
  await using berth = await startSessionBerth()
  let written = 0
  berth.setProgram(async (_job, { stdout, signal }) => {
    const piece = Buffer.alloc(256 * 1024)
    while (!signal.aborted && written < 400) {
      if (!stdout.write(piece)) await Promise.race([once(stdout, 'drain'), once(signal, 'abort')])
      written++
    }
    return 0
  })
  const session = await berth.open()
  session.socket.pause()
  let before = -1
  await until('the program to stand still', async () => {
    const isStill = written === before && written > 0
    before = written
    return isStill
  })
  assert.ok(written < 200, `${written} pieces of 256 KiB were taken from the program`)
  session.socket.resume()
  assert.equal(await session.closed, 1000)
  assert.equal(session.text().length, 400 * 256 * 1024)
})

test('takes input only as fast as the program reads it', async () => {
  await using berth = await startSessionBerth()
  const gate = Promise.withResolvers<void>()
  let read = 0
  berth.setProgram(async (_job, { stdin }) => {
    await gate.promise
    for await (const piece of stdin!) read += (piece as Buffer).length
    return 0
  })
  const session = await berth.open()
  await started(session)
  const piece = Buffer.alloc(64 * 1024)
  for (let i = 0; i < 640; i++) session.send(piece)
  session.post({ type: 'endInput' })
  await until('the connection to be full', async () => session.socket.bufferedAmount > 16 * 1024 * 1024)
  gate.resolve()
  assert.equal(await session.closed, 1000)
  assert.equal(read, 640 * piece.length)
})

test('ends sessions when the token is revoked', async () => {
  await using berth = await startSessionBerth()
  berth.setProgram(endless)
  const token = await berth.apiToken('admin')
  const session = await berth.open({}, { token })
  await started(session)
  await berth.app.transact((tx) => tx.deleteFrom('token').where('kind', '=', 'api').execute())
  assert.equal(await session.closed, 1011)
  assert.equal(session.messages.at(-1)!.code, 'AccessEnded')
  assert.deepEqual(await berth.jobsOnEngine(), [])
})

test('goes on while the access cannot be checked, and ends when it is lost', async () => {
  await using berth = await startSessionBerth()
  const token = await berth.apiToken('admin')
  const session = await berth.open({}, { token })
  await started(session)
  await berth.app.transact((tx) => sql`alter table token rename to hidden`.execute(tx as Kysely<Schema>))
  await until('a failed check', async () =>
    berth.logged.some(({ event }) => event === 'cannot check the access of a session'),
  )
  await berth.app.transact((tx) => sql`alter table hidden rename to token`.execute(tx as Kysely<Schema>))
  session.send('still open')
  await until('the echo', async () => session.text() === 'still open')
  await berth.app.transact((tx) => tx.deleteFrom('token').where('kind', '=', 'api').execute())
  assert.equal(await session.closed, 1011)
  assert.equal(session.messages.at(-1)!.code, 'AccessEnded')
})

test('ends a session with a message that is not part of the protocol', async () => {
  await using berth = await startSessionBerth()
  for (const message of ['{"type": "resize", "columns": 0, "rows": 1}', '{"type": "kill"}', 'no JSON', '']) {
    const session = await berth.open()
    session.socket.send(message)
    assert.equal(await session.closed, 1011, message)
    assert.equal(session.messages.at(-1)!.code, 'MessageInvalid')
  }
  const session = await berth.open()
  session.socket.send(Buffer.alloc(1024 * 1024 + 1))
  assert.equal(await session.closed, 1009)
  await until('all containers to be removed', async () => (await berth.jobsOnEngine()).length === 0)
})

test('ends sessions when Berth stops, and the next start removes what a killed one left', async () => {
  await using berth = await startSessionBerth()
  berth.setProgram(endless)
  const session = await berth.open()
  await started(session)
  berth.engine.leaveJob('berth-session-left', berth.databaseId)
  await berth.restart()
  assert.equal(await session.closed, 1011)
  assert.equal(session.messages.at(-1)!.code, 'Stopping')
  assert.equal((await endOf(berth)).reason, 'Stopping')
  await until('the container to be removed', async () => (await berth.jobsOnEngine()).length === 0)
})

test('reports a program that cannot be started, runs out of memory or loses its engine', async () => {
  await using berth = await startSessionBerth()
  berth.setProgram(() => {
    throw new Error('no such program')
  })
  const failed = await berth.open()
  assert.equal(await failed.closed, 1011)
  assert.deepEqual(
    failed.messages.map(({ type, code }) => [type, code]),
    [['failed', 'EngineFailed']],
  )
  berth.setProgram(async () => ({ exitCode: 137, outOfMemory: true }))
  const killed = await berth.open()
  assert.equal(await killed.closed, 1011)
  assert.equal(killed.messages.at(-1)!.code, 'OutOfMemory')
  berth.setProgram(endless)
  const lost = await berth.open()
  await started(lost)
  berth.engine.setDown(true)
  assert.equal(await lost.closed, 1011)
  assert.equal(lost.messages.at(-1)!.code, 'EngineFailed')
})

test('counts sessions in the metrics', async () => {
  await using berth = await startSessionBerth()
  berth.setProgram(endless)
  const session = await berth.open({ mode: 'tunnel' })
  await started(session)
  assert.match(await berth.app.metrics(), /berth_sessions\{mode="tunnel"\} 1\n/)
  session.socket.close()
  await session.closed
  await until('the end', async () => /berth_sessions\{mode="tunnel"\} 0\n/.test(await berth.app.metrics()))
  assert.match(await berth.app.metrics(), /berth_sessions_begun_total\{mode="tunnel"\} 1\n/)
})

test('ends a session whose client takes nothing, and Berth stops in time', async () => {
  let ms = 0
  const limits = { checkMs: 10, clock: () => ms }
  await using berth = await startSessionBerth({ limits })
  let written = 0
  berth.setProgram(async (_job, { stdout, signal }) => {
    const piece = Buffer.alloc(256 * 1024)
    while (!signal.aborted) {
      if (!stdout.write(piece)) await Promise.race([once(stdout, 'drain'), once(signal, 'abort')])
      written++
    }
    return 0
  })
  const stalled = await berth.open()
  stalled.socket.pause()
  let before = -1
  await until('the program to stand still', async () => {
    const isStill = written === before && written > 0
    before = written
    return isStill
  })
  ms += 1800_000
  assert.equal((await endOf(berth)).reason, 'Idle')
  assert.deepEqual(await berth.jobsOnEngine(), [])
  await berth.close()
  stalled.socket.terminate()
})
