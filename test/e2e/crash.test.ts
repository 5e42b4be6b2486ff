/**
 * Berth is killed (-9) at random instants while calls of all groups are made: no acknowledged change is lost, nothing
 * is left over, and no state is false. `./berth test crash` is the long form. BERTH_CRASH_SEED repeats a run.
 */
import { test } from 'node:test'
import { crash } from '../crash/harness.ts'

const seed = Number(process.env.BERTH_CRASH_SEED ?? Date.now() % 1_000_000)

test(`20 kills at random instants while calls of all groups are made (seed ${seed})`, (t) =>
  crash(t, { seed, kills: 20, restEvery: 20, kinds: ['postgres', 'redis', 'mariadb'], databases: 3 }))
