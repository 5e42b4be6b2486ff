/** The audit log after a kill of Berth: the next start records the end of the sessions that were open. */
import assert from 'node:assert/strict'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { endLostSessions } from '../../src/api/sessions/lost-sessions.ts'
import { until } from '../engine/until.ts'
import { folderUnder } from '../fixtures/folder.ts'
import { type Berth, startBerth } from '../fixtures/harness.ts'
import { endless, type SessionBerth, startSessionBerth } from './session-berth.ts'

interface Entry {
  operation: string
  details: { event: string; sessionId: string } | null
  [name: string]: unknown
}

const entriesOf = async ({ call }: Berth) =>
  (await call<Entry[]>('audit.all', { operation: 'database.openSession' })).body

const endsOf = async (berth: Berth) => (await entriesOf(berth)).filter(({ details }) => details?.event === 'end')

/** Copies the data of a running Berth, as they are on the disk at a kill. */
function copyData(berth: SessionBerth, stack: AsyncDisposableStack): string {
  const folder = join(folderUnder(stack), 'data')
  cpSync(berth.folder, folder, { recursive: true, filter: (path) => !path.endsWith('.lock') })
  return folder
}

async function openEndless(berth: SessionBerth, mode: string) {
  berth.setProgram(endless)
  const session = await berth.open({ mode })
  await until('the program', async () => session.messages.some(({ type }) => type === 'started'))
  return session
}

test('the start after a kill records the end of each open session once', async () => {
  await using stack = new AsyncDisposableStack()
  await using killed = await startSessionBerth()
  const ended = await killed.open()
  ended.post({ type: 'endInput' })
  await ended.closed
  await openEndless(killed, 'client')
  await openEndless(killed, 'tunnel')
  const startedAt = new Date('2030-01-02T00:00:00.000Z')
  await using berth = await startBerth({ folder: copyData(killed, stack), now: () => startedAt })
  await until('the ends', async () => (await endsOf(berth)).length === 3)
  // A start that was killed before its end is repeated.
  await endLostSessions(berth.app, Number.MAX_SAFE_INTEGER)
  const entries = await entriesOf(berth)
  assert.equal(entries.length, 6)
  for (const { details, auditId: _id, at, hash: _hash, ...call } of (await endsOf(berth)).slice(1)) {
    const begin = entries.find((entry) => entry.details?.sessionId === details!.sessionId)!
    const unknown = { exitCode: null, seconds: null, receivedBytes: null, sentBytes: null }
    assert.deepEqual(details, { ...begin.details, event: 'end', reason: 'BerthStopped', ...unknown })
    assert.deepEqual({ ...begin, ...call }, begin)
    assert.equal(at, startedAt.toISOString())
  }
  assert.equal((await berth.call<{ valid: boolean }>('audit.check')).body.valid, true)
})

test('a session that is open in this process is not lost', async () => {
  await using berth = await startSessionBerth()
  const { app } = berth
  const lastSeq = async () =>
    (await app.db.selectFrom('audit').select('seq').orderBy('seq', 'desc').limit(1).executeTakeFirstOrThrow()).seq
  await openEndless(berth, 'client')
  const atStart = await lastSeq()
  await openEndless(berth, 'tunnel')
  for (let turn = 0; turn < 2; turn++) await endLostSessions(app, atStart)
  const ends = (await berth.audit()).filter(({ event }) => event === 'end')
  assert.deepEqual(
    ends.map(({ mode }) => mode),
    ['client'],
  )
})
