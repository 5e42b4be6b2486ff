/** Sessions with a database: each one that ended is in the audit log, and none leaves a container. */
import assert from 'node:assert/strict'
import { jobLabel } from '../../src/engine/labels.ts'
import { docker } from '../e2e/swarm.ts'
import { until } from '../engine/until.ts'
import { runSql } from '../node-faults/session.ts'
import type { Group, Runtime } from './group.ts'
import { rowsOf } from './store.ts'

/** A container that was being created during a kill is removed a minute after the next start. */
const maxLeftoverMs = 120_000

/** @param databaseId a PostgreSQL database. It may be restored during a session */
export function sessionsOf({ client, folder }: Runtime, databaseId: string): Group {
  let acknowledged = 0
  return { name: 'sessions', calls, compare, compareExternal }

  async function calls(): Promise<void> {
    const { exitCode, output } = await runSql(...client.address(), databaseId, 'select 6 * 7')
    if (exitCode !== 0) return
    assert.equal(output, '42\n')
    acknowledged++
  }

  async function compare(): Promise<void> {
    const query = "select details from audit where operation = 'database.openSession' and result = 'OK'"
    const entries = rowsOf<{ details: string }>(folder, query).map(({ details }) => JSON.parse(details))
    const begun = new Set(entries.filter(({ event }) => event === 'begin').map(({ sessionId }) => sessionId))
    const ended = entries.filter(({ event }) => event === 'end')
    assert.ok(ended.every(({ sessionId }) => begun.has(sessionId)))
    assert.equal(new Set(ended.map(({ sessionId }) => sessionId)).size, ended.length, 'a session has ended twice')
    const good = ended.filter(({ exitCode }) => exitCode === 0).length
    assert.ok(good >= acknowledged, `${acknowledged} sessions have ended, but ${good} are in the audit log`)
  }

  async function compareExternal(): Promise<void> {
    const containers = () =>
      docker('ps', '--all', '--quiet', '--filter', `label=${jobLabel}=${databaseId}`, '--filter', 'name=berth-session-')
    await until(
      'the containers of sessions to be removed',
      async () => (await containers()).length === 0,
      maxLeftoverMs,
    )
  }
}
