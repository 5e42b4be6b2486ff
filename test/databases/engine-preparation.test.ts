/** Berth prepares the engine again only after a failure of the engine. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Kysely, sql } from 'kysely'
import type { Schema } from '../../src/store/schema.ts'
import { startTestBerth } from '../fixtures/test-berth.ts'

test('does not prepare the engine again after a failed turn of a loop that does not call the engine', async () => {
  await using testBerth = await startTestBerth()
  const { app, engine, logged } = testBerth
  await testBerth.until('a turn', async () => engine.calls.services > 0 || null)
  const preparations = engine.calls.prepare
  await app.transact((tx) => sql`alter table condition rename to elsewhere`.execute(tx as Kysely<Schema>))
  app.wake('conditions')
  const hasFailed = () => logged.some(({ event, fields }) => event === 'a loop failed' && fields.loop === 'conditions')
  await testBerth.until('the failure', async () => hasFailed() || null)
  const queries = engine.calls.services
  await testBerth.until('two turns of the loop `watch`', async () => engine.calls.services > queries + 1 || null)
  assert.equal(engine.calls.prepare, preparations)
})

test('prepares the engine again after an outage', async () => {
  await using testBerth = await startTestBerth()
  const { engine } = testBerth
  await testBerth.until('a turn', async () => engine.calls.services > 0 || null)
  const preparations = engine.calls.prepare
  engine.setDown(true)
  await testBerth.until('a failed query', async () => engine.calls.prepare > preparations || null)
  engine.setDown(false)
  const failed = engine.calls.prepare
  await testBerth.until('a preparation', async () => engine.calls.prepare > failed || null)
})
