/** Confirms a restored state in random restores, and adopts services that the state does not know. */
import assert from 'node:assert/strict'
import { databaseLabel, roleLabel } from '../../src/engine/labels.ts'
import type { Random } from '../crash/random.ts'
import type { TestBerth } from '../fixtures/test-berth.ts'
import { passwords, settingsWith } from './fake-servers.ts'
import { confirmation, differencesOf } from './restored-berth.ts'

interface Confirming {
  berth: TestBerth
  random: Random
  token: string
}

/**
 * Tries the passwords, sometimes a wrong one first, until the servers of all adopted services accept theirs. Leaves a
 * service if another record has its name or its volume, or if it does not run.
 *
 * @param decisions changed to `leave` for services that cannot be adopted
 */
export async function confirmRandomly(
  { berth, random, token }: Confirming,
  decisions: Record<string, string>,
): Promise<void> {
  const { entries } = await differencesOf(berth, token)
  const services = entries.filter(({ subjectKind }) => subjectKind === 'service').map(({ name }) => name)
  const untried = new Map(services.map((name) => [name, [...(random.chance(30) ? ['wrong'] : []), ...passwords]]))
  for (;;) {
    const adopted = services.filter((name) => decisions[name] === 'adopt')
    const adoptions = Object.fromEntries(adopted.map((name) => [name, settingsWith(untried.get(name)![0]!)]))
    const input = { ...(await confirmation(berth, token)), decisions, adoptions }
    const { status, body } = await berth.call<{ issues: { path: string }[] }>('state.confirm', input, {}, token)
    if (status === 200) return
    const name = body.issues[0]?.path.split('.')[1] ?? ''
    assert.ok(adopted.includes(name) && [409, 422].includes(status), JSON.stringify([status, body]))
    const others = untried.get(name)!.slice(1)
    untried.set(name, others)
    if (status === 409) decisions[name] = 'leave'
    assert.ok(others.length > 0 || status === 409, `the server of ${name} accepts no known password`)
  }
}

/** Asserts that each adopted service has a record. */
export async function assertAdopted({ app, engine }: TestBerth, decisions: Record<string, string>): Promise<void> {
  const rows = await app.db.selectFrom('database').select('id').execute()
  const listed = new Set(rows.map(({ id }) => id))
  for (const { name, labels } of await engine.services()) {
    const isAdopted = decisions[name] === 'adopt' && labels[roleLabel] === 'database'
    assert.ok(!isAdopted || listed.has(labels[databaseLabel]!), `${name} has no record`)
  }
}
