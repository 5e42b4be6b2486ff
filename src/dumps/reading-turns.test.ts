/** The reading of dumps in turns. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mysqlReader } from '../kinds/mysql/archive.ts'
import { inTurns, sliceBytes, stepsOfTurn } from './reading-turns.ts'

/** Reads one piece, and returns the steps between two turns of other work. */
async function turnsOf(piece: Buffer): Promise<number[]> {
  const reader = mysqlReader()
  const turns: number[] = []
  let before = 0
  const read = inTurns(reader, async () => {
    turns.push(reader.costs.steps - before)
    before = reader.costs.steps
  })
  await read(piece)
  return turns
}

test('other work has its turn after a bounded number of steps, however large a piece is', async () => {
  const turns = await turnsOf(Buffer.alloc(512 * 1024, ';'))
  assert.ok(turns.length >= 8)
  for (const steps of turns) assert.ok(steps <= stepsOfTurn + 64 * sliceBytes, `${steps} steps`)
})

test('a cheap piece is read in few turns', async () => {
  assert.ok((await turnsOf(Buffer.alloc(8 * 1024 * 1024, ' '))).length <= 8)
})
