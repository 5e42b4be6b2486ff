/** Limits on attempts: counting, waits, uncounting and expiry, with a clock that the test sets. */
import assert from 'node:assert/strict'
import { after, beforeEach, describe, test } from 'node:test'
import { folderUnder } from '../../test/fixtures/folder.ts'
import { Refusal } from '../errors.ts'
import { insertAccount } from './accounts.ts'
import {
  accountCounter,
  callerCounter,
  countAttempt,
  forgetPasswordAttempts,
  forgetOldAttempts,
  forgetAttempts,
  type AttemptCounter,
  passwordCounters,
  pinCounters,
  uncountAttempt,
  waitMsAfter,
} from './attempts.ts'
import { forgetOldNetworks, isKnownNetwork, knownMs, rememberNetwork } from './known-networks.ts'
import { openStore } from '../store/sqlite/open.ts'

const end = new AsyncDisposableStack()
const folder = folderUnder(end)
let store = await openStore(folder)
end.defer(() => store.close())
after(() => end.disposeAsync())

const start = Date.parse('2030-01-01T00:00:00.000Z')
const emailKey = 'ada@example.org'
const installation = { accountId: '', tokenId: 'installation' }
const at = (address: string, more = {}) => ({ ...installation, address, ...more })
const caller = at('203.0.113.9')
const account = accountCounter(emailKey, caller)
const address = callerCounter(caller)

/** Counts an attempt `atMs` milliseconds after the start. Returns the counted attempt, or the refusal. */
async function count(counters: AttemptCounter[], atMs: number) {
  try {
    return await store.transact((tx) => countAttempt(tx, counters, new Date(start + atMs)))
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { code: error.code, seconds: error.retryAfterSeconds, message: error.message }
  }
}

const rows = () => store.db.selectFrom('attempt').selectAll().orderBy('failures').execute()

async function failTimes(times: number, counter = account, atMs = 0) {
  for (let i = 0; i < times; i++) assert.ok(Array.isArray(await count([counter], atMs)), `attempt ${i + 1} is free`)
}

describe('limits of one caller', () => {
  beforeEach(async () => {
    for (const { key } of await rows()) await store.transact((tx) => forgetAttempts(tx, { ...account, key }))
  })

  test('ten attempts for an account are free; the eleventh has to wait and is not counted', async () => {
    await failTimes(10)
    const before = await rows()
    assert.deepEqual(await count([account], 0), {
      code: 'TOO_MANY_REQUESTS',
      seconds: 1,
      message: 'Too many failed attempts. Try again in 1 second',
    })
    assert.deepEqual(await rows(), before)
  })

  test('the message rounds the seconds up and uses the plural', async () => {
    await failTimes(10)
    await count([account], 1000)
    assert.deepEqual(await count([account], 1001), {
      code: 'TOO_MANY_REQUESTS',
      seconds: 2,
      message: 'Too many failed attempts. Try again in 2 seconds',
    })
  })

  test('waits double up to a maximum and never lock permanently', async () => {
    await failTimes(9)
    let atMs = 0
    const waits: number[] = []
    for (let i = 0; i < 12; i++) {
      assert.ok(Array.isArray(await count([account], atMs)), 'an attempt after the wait is accepted')
      const refused = await count([account], atMs)
      assert.ok('seconds' in refused)
      waits.push(refused.seconds!)
      atMs += refused.seconds! * 1000
    }
    assert.deepEqual(waits, [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300])
  })

  test('a hundred concurrent attempts are limited', async () => {
    const all = await Promise.all(Array.from({ length: 100 }, () => count([account], 0)))
    assert.equal(all.filter(Array.isArray).length, 10)
  })

  test('a caller has a hundred free attempts for all accounts together', async () => {
    for (let i = 0; i < 100; i++) {
      assert.ok(Array.isArray(await count([accountCounter(`user${i}@example.org`, caller), address], 0)))
    }
    const refused = await count([accountCounter('other@example.org', caller), address], 0)
    assert.ok('seconds' in refused)
    assert.equal(refused.seconds, 1)
    assert.equal((await rows()).length, 101, 'the refused attempt is not counted for its account')
    const other = [accountCounter('other@example.org', caller), callerCounter(at('203.0.113.10'))]
    assert.ok(Array.isArray(await count(other, 0)))
  })

  test('attempts are forgotten after an hour without a failure', async () => {
    await failTimes(10)
    await count([account], 59 * 60_000)
    assert.equal((await rows())[0]?.failures, 11)
    await count([account], (59 + 60) * 60_000)
    assert.equal((await rows())[0]?.failures, 1)
  })

  test('refused attempts do not extend the wait', async () => {
    await failTimes(10)
    for (const atMs of [100, 500, 999]) assert.ok('seconds' in (await count([account], atMs)))
    assert.ok(Array.isArray(await count([account], 1000)))
  })

  test('a correct attempt is uncounted', async () => {
    await failTimes(9)
    const before = await rows()
    const counted = await count([account, address], 30 * 60_000)
    assert.ok(Array.isArray(counted))
    assert.ok('seconds' in (await count([account], 30 * 60_000)))
    await store.transact((tx) => uncountAttempt(tx, counted))
    assert.deepEqual(await rows(), before)
  })

  test('a correct attempt uncounts only itself if others failed meanwhile', async () => {
    const counted = await count([address], 0)
    await count([address], 1)
    await count([address], 2)
    assert.ok(Array.isArray(counted))
    await store.transact((tx) => uncountAttempt(tx, counted))
    assert.equal((await rows())[0]?.failures, 2)
  })

  test('concurrent correct attempts leave no count', async () => {
    const all = await Promise.all(Array.from({ length: 10 }, () => count([address], 0)))
    await Promise.all(all.map((counted) => store.transact((tx) => uncountAttempt(tx, counted as never))))
    assert.deepEqual(await rows(), [])
  })

  test('attempts that were counted before the clock was set back lock nobody out', async () => {
    await failTimes(10, account, 365 * 24 * 3600_000)
    assert.ok(Array.isArray(await count([account], 0)))
    assert.ok('seconds' in (await count([account], 0)), 'the count continues')
  })

  test('counters contain accounts and addresses only as hashes', async () => {
    await count([account, address], 0)
    for (const { key } of await rows()) assert.match(key, /^[0-9a-f]{64}$/)
  })

  test('attempts and waits survive a restart', async () => {
    await failTimes(10)
    await store.close()
    store = await openStore(folder)
    assert.ok('seconds' in (await count([account], 0)))
  })

  test('housekeeping deletes only counters without a failure for an hour', async () => {
    await count([account], 0)
    await count([address], 1)
    await store.transact((tx) => forgetOldAttempts(tx, new Date(start + 3600_000 + 1)))
    assert.deepEqual(
      (await rows()).map(({ key }) => key),
      [address.key],
    )
  })
})

describe('limits of one account across callers', () => {
  const now = new Date(start)
  const [bob, eve] = [
    { accountId: 'bob', tokenId: 'one' },
    { accountId: 'eve', tokenId: 'two' },
  ]
  beforeEach(() =>
    store.transact(async (tx) => {
      for (const table of ['attempt', 'knownNetwork', 'account'] as const) await tx.deleteFrom(table).execute()
      for (const id of ['ada', 'bob']) {
        await insertAccount(tx, { id, email: `${id}@example.org`, passwordHash: '', rol: 'user' }, now)
      }
    }),
  )

  /** Counts a wrong password. Returns the counted attempt, or the refusal. */
  const guess = async (from: ReturnType<typeof at>, atMs = 0) =>
    count(await passwordCounters(store.db, emailKey, from, new Date(start + atMs)), atMs)
  const guessCode = async (from: ReturnType<typeof at>, isRecoveryCode = false, atMs = 0) =>
    count(await pinCounters(store.db, 'ada', from, isRecoveryCode, new Date(start + atMs)), atMs)
  const remember = (id: string, address: string, atMs = 0) =>
    store.transact((tx) => rememberNetwork(tx, id, address, new Date(start + atMs)))
  const otherNetwork = (n: number) => at(`198.51.${n >> 8}.${n & 255}`)

  test('the limit of a network or token does not affect other networks or tokens', async () => {
    for (let i = 0; i < 10; i++) assert.ok(Array.isArray(await guess(caller)))
    assert.ok('seconds' in (await guess(caller)))
    for (const other of [at('203.0.113.10'), at('2001:db8::1'), { ...caller, ...bob }, { ...caller, ...eve }]) {
      assert.ok(Array.isArray(await guess(other)), JSON.stringify(other))
    }
  })

  test('a /64 of IPv6 is one network, and all tokens of an account are one caller', async () => {
    for (let i = 0; i < 10; i++) await guess(at(`2001:db8:0:1::${i}`, { ...bob, tokenId: `token ${i}` }))
    assert.ok('seconds' in (await guess(at('2001:db8:0:1:ffff::', bob))))
    assert.ok(Array.isArray(await guess(at('2001:db8:0:2::', bob))))
  })

  test('attempts from many networks wait after the first hundred, at most ten seconds each', async () => {
    for (let i = 0; i < 100; i++) assert.ok(Array.isArray(await guess(otherNetwork(i))), `attempt ${i + 1} is free`)
    const waits: number[] = []
    for (let i = 100, atMs = 0; i < 108; i++) {
      const refused = await guess(otherNetwork(i), atMs)
      assert.ok('seconds' in refused)
      waits.push(refused.seconds!)
      atMs += refused.seconds! * 1000
      assert.ok(Array.isArray(await guess(otherNetwork(i), atMs)), 'an attempt after the wait is accepted')
    }
    assert.deepEqual(waits, [1, 2, 4, 8, 10, 10, 10, 10])
  })

  test('attempts from many networks do not delay a network that is known for any account', async () => {
    await remember('bob', '203.0.113.9')
    for (let i = 0; i < 110; i++) await guess(otherNetwork(i))
    assert.ok('seconds' in (await guess(at('203.0.113.10'))))
    assert.ok(Array.isArray(await guess(caller)))
  })

  test("many networks share five free codes, but recovery codes and the account's networks are exempt", async () => {
    await remember('ada', '203.0.113.9')
    await remember('bob', '203.0.113.10')
    for (let i = 0; i < 5; i++) assert.ok(Array.isArray(await guessCode(otherNetwork(i))))
    for (const other of [otherNetwork(5), at('203.0.113.10')]) assert.ok('seconds' in (await guessCode(other)))
    assert.ok(Array.isArray(await guessCode(caller)))
    assert.ok(Array.isArray(await guessCode(otherNetwork(6), true)), 'a recovery code is accepted from any network')
  })

  test('forgetPasswordAttempts resets the counters of an account for all callers, and no others', async () => {
    for (let i = 0; i < 3; i++) await guess(otherNetwork(i))
    await guessCode(caller)
    const before = await rows()
    await store.transact((tx) => forgetPasswordAttempts(tx, emailKey))
    assert.equal(before.length - (await rows()).length, 4, 'one for each network, and the common one')
  })

  test('the five networks of the latest sign-ins are known for 30 days', async () => {
    const knownBy = async (address: string, atMs = 10) => [
      await isKnownNetwork(store.db, address, null, new Date(start + atMs)),
      await isKnownNetwork(store.db, address, 'ada', new Date(start + atMs)),
    ]
    for (let i = 0; i < 6; i++) await remember('ada', `203.0.113.${i}`, i)
    await remember('ada', '203.0.113.1', 6)
    await remember('bob', '203.0.113.0', 6)
    await remember('ada', '203.0.113.7', 7)
    assert.deepEqual(await Promise.all(['0', '1', '2', '7'].map((end) => knownBy(`203.0.113.${end}`))), [
      [true, false],
      [true, true],
      [false, false],
      [true, true],
    ])
    assert.deepEqual(await knownBy('203.0.113.7', knownMs + 6), [true, true])
    assert.deepEqual(await knownBy('203.0.113.7', knownMs + 7), [false, false])
    await store.transact((tx) => forgetOldNetworks(tx, new Date(start + knownMs + 6)))
    assert.equal((await store.db.selectFrom('knownNetwork').selectAll().execute()).length, 1)
  })
})

test('the wait doubles with each failure after the free attempts', () => {
  const limit = { freeAttempts: 3, maxWaitMs: 5000 }
  assert.deepEqual(
    [1, 2, 3, 4, 5, 6, 7, 5000].map((failures) => waitMsAfter(failures, limit)),
    [0, 0, 1000, 2000, 4000, 5000, 5000, 5000],
  )
})
