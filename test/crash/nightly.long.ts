/**
 * The long form of the crash test: `./berth test crash`. BERTH_CRASH_KILLS sets the number of kills. BERTH_CRASH_SEED
 * repeats a run. The name of the test contains its seed.
 */
import { test } from 'node:test'
import { kinds } from '../../src/kinds/index.ts'
import { crash } from './harness.ts'

const seed = Number(process.env.BERTH_CRASH_SEED ?? Date.now() % 1_000_000)
const kills = Number(process.env.BERTH_CRASH_KILLS ?? 200)

test(`loses no acknowledged change in ${kills} kills during calls of all groups (seed ${seed})`, (t) =>
  crash(t, { seed, kills, compareEvery: 20, kinds: kinds.map(({ name }) => name), databases: 4 }))
