/**
 * The nightly form of the crash test: `./berth test crash`. BERTH_CRASH_KILLS says how many kills, BERTH_CRASH_SEED
 * repeats a run, whose seed stands in the name of the test.
 */
import { test } from 'node:test'
import { kinds } from '../../src/kinds/index.ts'
import { crash } from './harness.ts'

const seed = Number(process.env.BERTH_CRASH_SEED ?? Date.now() % 1_000_000)
const kills = Number(process.env.BERTH_CRASH_KILLS ?? 200)

test(`${kills} kills at random instants while calls of all groups are made (seed ${seed})`, (t) =>
  crash(t, { seed, kills, restEvery: 20, kinds: kinds.map(({ name }) => name), databases: 4 }))
