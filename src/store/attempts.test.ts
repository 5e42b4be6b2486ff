/** Tries are counted, slowed, taken back and forgotten, by the clock that is given. */
import assert from 'node:assert/strict'
import { after, beforeEach, describe, test } from 'node:test'
import { folderUnder } from '../../test/folder.ts'
import { Refusal } from '../errors.ts'
import {
  accountGuesser, addressGuesser, countTry, forgetQuietTries, forgetTries, type Guesser, takeBack, waitMsAfter,
} from './attempts.ts'
import { openStore } from './open-sqlite.ts'

const end = new AsyncDisposableStack()
const folder = folderUnder(end)
let store = await openStore(folder)
end.defer(() => store.close())
after(() => end.disposeAsync())

const start = Date.parse('2030-01-01T00:00:00.000Z')
const account = accountGuesser('ada@example.org')
const address = addressGuesser('203.0.113.9')

/** Counts a try so many milliseconds after the start; gives the seconds to wait where it is refused. */
async function count(guessers: Guesser[], atMs: number) {
  try {
    return await store.transact((tx) => countTry(tx, guessers, new Date(start + atMs)))
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { code: error.code, seconds: error.retryAfterSeconds, message: error.message }
  }
}

const rows = () => store.db.selectFrom('attempt').selectAll().orderBy('failures').execute()

async function failTimes(times: number, guesser = account, atMs = 0) {
  for (let i = 0; i < times; i++) assert.ok(Array.isArray(await count([guesser], atMs)), `try ${i + 1} is free`)
}

describe('tries at guessing', () => {
  beforeEach(async () => {
    for (const { key } of await rows()) await store.transact((tx) => forgetTries(tx, { ...account, key }))
  })

  test('ten tries at an account are free, the eleventh waits, and counts nothing', async () => {
    await failTimes(10)
    const before = await rows()
    assert.deepEqual(await count([account], 0),
      { code: 'TOO_MANY_REQUESTS', seconds: 1, message: 'Too many tries have failed. Try again in 1 second' })
    assert.deepEqual(await rows(), before)
  })

  test('the seconds to wait are rounded up and said in the plural', async () => {
    await failTimes(10)
    await count([account], 1000)
    assert.deepEqual(await count([account], 1001),
      { code: 'TOO_MANY_REQUESTS', seconds: 2, message: 'Too many tries have failed. Try again in 2 seconds' })
  })

  test('waits double up to the ceiling: slowed, never locked for good', async () => {
    await failTimes(9)
    let atMs = 0
    const waits: number[] = []
    for (let i = 0; i < 12; i++) {
      assert.ok(Array.isArray(await count([account], atMs)), 'whoever waits is let in')
      const refused = await count([account], atMs)
      assert.ok('seconds' in refused)
      waits.push(refused.seconds!)
      atMs += refused.seconds! * 1000
    }
    assert.deepEqual(waits, [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300])
  })

  test('a hundred tries at once do not all pass', async () => {
    const all = await Promise.all(Array.from({ length: 100 }, () => count([account], 0)))
    assert.equal(all.filter(Array.isArray).length, 10)
  })

  test('an address has a hundred free tries, whatever account they are at', async () => {
    for (let i = 0; i < 100; i++) {
      assert.ok(Array.isArray(await count([accountGuesser(`user${i}@example.org`), address], 0)))
    }
    const refused = await count([accountGuesser('other@example.org'), address], 0)
    assert.ok('seconds' in refused)
    assert.equal(refused.seconds, 1)
    assert.equal((await rows()).length, 101, 'the try that was refused is not counted for its account either')
    assert.ok(Array.isArray(await count([accountGuesser('other@example.org'), addressGuesser('203.0.113.10')], 0)))
  })

  test('an hour of quiet forgets; a minute less does not', async () => {
    await failTimes(10)
    await count([account], 59 * 60_000)
    assert.equal((await rows())[0]?.failures, 11)
    await count([account], (59 + 60) * 60_000)
    assert.equal((await rows())[0]?.failures, 1)
  })

  test('refused tries do not put off the end of the wait', async () => {
    await failTimes(10)
    for (const atMs of [100, 500, 999]) assert.ok('seconds' in await count([account], atMs))
    assert.ok(Array.isArray(await count([account], 1000)))
  })

  test('a right try is taken back as if it had not been', async () => {
    await failTimes(9)
    const before = await rows()
    const counted = await count([account, address], 30 * 60_000)
    assert.ok(Array.isArray(counted))
    assert.ok('seconds' in await count([account], 30 * 60_000))
    await store.transact((tx) => takeBack(tx, counted))
    assert.deepEqual(await rows(), before)
  })

  test('a right try takes back itself alone where others failed meanwhile', async () => {
    const counted = await count([address], 0)
    await count([address], 1)
    await count([address], 2)
    assert.ok(Array.isArray(counted))
    await store.transact((tx) => takeBack(tx, counted))
    assert.equal((await rows())[0]?.failures, 2)
  })

  test('right tries at once leave nothing', async () => {
    const all = await Promise.all(Array.from({ length: 10 }, () => count([address], 0)))
    await Promise.all(all.map((counted) => store.transact((tx) => takeBack(tx, counted as never))))
    assert.deepEqual(await rows(), [])
  })

  test('a clock that was ahead and is set back locks nobody out', async () => {
    await failTimes(10, account, 365 * 24 * 3600_000)
    assert.ok(Array.isArray(await count([account], 0)))
    assert.ok('seconds' in await count([account], 0), 'and the count goes on from there')
  })

  test('the store names no account and no address', async () => {
    await count([account, address], 0)
    for (const { key } of await rows()) assert.match(key, /^[0-9a-f]{64}$/)
  })

  test('tries and waits outlive a restart', async () => {
    await failTimes(10)
    await store.close()
    store = await openStore(folder)
    assert.ok('seconds' in await count([account], 0))
  })

  test('housekeeping deletes what is quiet for an hour and nothing else', async () => {
    await count([account], 0)
    await count([address], 1)
    await store.transact((tx) => forgetQuietTries(tx, new Date(start + 3600_000 + 1)))
    assert.deepEqual((await rows()).map(({ key }) => key), [address.key])
  })
})

test('the waits of a count', () => {
  const limit = { freeTries: 3, ceilingMs: 5000 }
  assert.deepEqual([1, 2, 3, 4, 5, 6, 7, 5000].map((failures) => waitMsAfter(failures, limit)),
    [0, 0, 1000, 2000, 4000, 5000, 5000, 5000])
})
