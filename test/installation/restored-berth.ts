/** Restores earlier states of a test Berth with the in-memory engine, and confirms them. */
import assert from 'node:assert/strict'
import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { issueToken } from '../../src/accounts/tokens.ts'
import { type Config, parseConfig } from '../../src/config.ts'
import { issueCode } from '../../src/installation/confirmation/code.ts'
import { placeStore } from '../../src/installation/state/replace.ts'
import { endInterrupted } from '../../src/installation/state/interrupted.ts'
import { openState } from '../../src/installation/state/file.ts'
import { readOwnState, storeOf } from '../../src/installation/state/state.ts'
import type { Input, TestBerth } from '../fixtures/test-berth.ts'

export interface Entry {
  subjectKind: string
  subjectId: string
  name: string
  reason: string
  reasonCode: string
  decisions: string[]
  proposal: string | null
  credentials: { name: string; isSecret: boolean }[]
}

export interface Differences {
  unconfirmedSince: string | null
  version: string
  entries: Entry[]
}

const configOf = ({ folder }: TestBerth): Config => parseConfig({ BERTH_DATA: folder })

/** Returns a backup of the present state. */
export async function backUpState(berth: TestBerth): Promise<Buffer> {
  const state = await readOwnState(configOf(berth), berth.now())
  try {
    return Buffer.concat(await Array.fromAsync(state.sealed()))
  } finally {
    await state.close()
  }
}

/** Stops Berth, replaces its state, and starts it again. The swarm runs on. */
export function restoreState(berth: TestBerth, backup: Buffer): Promise<void> {
  return berth.restart(async () => {
    const config = configOf(berth)
    const store = storeOf(await openState(Readable.from([backup])), config)
    const write = (path: string) => pipeline(Readable.from(store), createWriteStream(path))
    const now = berth.now()
    await placeStore(config, { replaces: true, isExact: false, now, write, endInterrupted, reached: () => undefined })
  })
}

/** Signs the administrator in again. Returns the token of the session. */
export async function signInAgain({ app }: TestBerth, email = 'admin@example.org'): Promise<string> {
  const { id } = await app.db.selectFrom('account').select('id').where('email', '=', email).executeTakeFirstOrThrow()
  const fields = { id: app.newId(), kind: 'session', accountId: id, address: '' } as const
  return (await app.transact((tx) => issueToken(tx, fields, app.now()))).token
}

export const differencesOf = (berth: TestBerth, token: string) =>
  berth.ok<Differences>('state.differences', {}, {}, token)

/** Confirms the state with a new code. Entries without a decision get the proposed one. */
export async function confirmState(
  berth: TestBerth,
  token: string,
  decisions: Input = {},
  adoptions: Input = {},
): Promise<Input> {
  return berth.ok('state.confirm', { ...(await confirmation(berth, token)), decisions, adoptions }, {}, token)
}

/** The input of state.confirm that takes the proposals, with a new code. */
export async function confirmation(berth: TestBerth, token: string) {
  const { version } = await differencesOf(berth, token)
  const code = await berth.app.transact((tx) => issueCode(tx, berth.app.now()))
  return { code, version, takeProposals: true }
}

/** Asserts that each volume is mounted by at most one service that should have a container. */
export function assertNoSharedVolume({ engine }: TestBerth, names: readonly string[]): void {
  const mounted = names.flatMap((name) => {
    const spec = engine.specOf(name)
    return spec === null || spec.replicas === 0 ? [] : spec.mounts.filter(({ type }) => type === 'volume')
  })
  const volumes = mounted.map(({ name }) => name)
  assert.deepEqual(volumes, [...new Set(volumes)], 'no volume has two containers')
}
