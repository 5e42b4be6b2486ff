/** So many at once, in order, and a failure holds up nobody. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { turnstile } from './turnstile.ts'

test('no more than so many pass the turnstile at once, in the order in which they came', async () => {
  const pass = turnstile(2)
  const begun: number[] = []
  const ends: (() => void)[] = []
  const works = [0, 1, 2, 3].map((i) =>
    pass(() => {
      begun.push(i)
      return new Promise<number>((end) => {
        ends[i] = () => end(i)
      })
    }),
  )
  await turns()
  assert.deepEqual(begun, [0, 1])
  ends[1]!()
  await turns()
  assert.deepEqual(begun, [0, 1, 2])
  ends[0]!()
  ends[2]!()
  await turns()
  ends[3]!()
  assert.deepEqual(await Promise.all(works), [0, 1, 2, 3])
})

test('work that fails gives its place back', async () => {
  const pass = turnstile(1)
  await assert.rejects(
    pass(async () => {
      throw new Error('broken')
    }),
    /broken/,
  )
  assert.equal(await pass(async () => 'through'), 'through')
})

async function turns() {
  for (let i = 0; i < 10; i++) await Promise.resolve()
}
