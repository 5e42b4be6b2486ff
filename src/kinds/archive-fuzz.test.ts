/**
 * Gives the readers generated and damaged archives. A reader returns contents or throws BrokenArchive, makes a bounded
 * number of steps for each byte, keeps a bounded number of bytes, and does not depend on how the archive is cut.
 * BERTH_FUZZ_ARCHIVES sets the number of archives for each reader, and BERTH_FUZZ_SEED the seed.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Random, randomFrom } from '../../test/crash/random.ts'
import { type Sample, samples } from '../../test/fixtures/archive-samples.ts'
import { readOutcome } from '../../test/fixtures/archive-outcome.ts'

const archives = Number(process.env.BERTH_FUZZ_ARCHIVES ?? 400)
const seed = Number(process.env.BERTH_FUZZ_SEED ?? 1)

/** Changes the archive at a few random places. */
function damaged(random: Random, archive: Buffer, { tokens }: Sample): Buffer {
  let bytes = archive
  for (let left = 1 + random.below(5); left > 0; left--) {
    const at = random.below(bytes.length + 1)
    const length = random.below(random.pick([2, 16, 200]))
    bytes = Buffer.concat([bytes.subarray(0, at), inserted(random, bytes, at, tokens), bytes.subarray(at + length)])
  }
  return bytes
}

function inserted(random: Random, bytes: Buffer, at: number, tokens: readonly Buffer[]): Buffer {
  const token = random.pick(tokens)
  switch (random.below(6)) {
    case 0:
      return Buffer.alloc(0)
    case 1:
      return Buffer.concat([token, bytes.subarray(at, at + 100)])
    case 2:
      return Buffer.concat(Array.from({ length: random.below(300) }, () => token))
    case 3:
      return Buffer.from(Array.from({ length: random.below(8) }, () => random.below(256)))
    case 4:
      return bytes.subarray(random.below(bytes.length + 1)).subarray(0, random.below(300))
    default:
      return Buffer.concat(Array.from({ length: random.below(12) }, () => random.pick(tokens)))
  }
}

function shuffled(random: Random, parts: Buffer[]): Buffer[] {
  const moved = [...parts]
  for (let left = random.below(3); left > 0; left--) {
    moved.splice(random.below(moved.length), random.below(2), random.pick(moved))
  }
  return moved
}

for (const sample of samples) {
  test(`the reader of ${sample.name} reads its own archives`, () => {
    const random = randomFrom(seed, sample.name)
    for (let i = 0; i < 20; i++) {
      const outcome = readOutcome(sample.reader(), Buffer.concat(sample.parts(random)), undefined, '', sample.maxSteps)
      assert.ok('contents' in outcome, JSON.stringify(outcome))
    }
  })

  test(`the reader of ${sample.name} bears ${archives} damaged archives`, () => {
    for (let i = 0; i < archives; i++) {
      const random = randomFrom(seed + i, sample.name)
      const whole = Buffer.concat(shuffled(random, sample.parts(random)))
      const bytes = random.chance(10) ? whole : damaged(random, whole, sample)
      const about = `BERTH_FUZZ_SEED=${seed + i} BERTH_FUZZ_ARCHIVES=1`
      const expected = readOutcome(sample.reader(), bytes, bytes.length, about, sample.maxSteps)
      for (const size of [1, 1 + random.below(64), 1 + random.below(2000)]) {
        assert.deepEqual(
          readOutcome(sample.reader(), bytes, size, about, sample.maxSteps),
          expected,
          `${about}, chunks of ${size} bytes`,
        )
      }
    }
  })
}
