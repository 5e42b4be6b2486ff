/**
 * Berth is killed (-9) at random instants while calls of all groups are made: no acknowledged change is lost, nothing
 * is left over, and no state is false. Always with the same seed; `./berth test crash` is the long form.
 */
import { test } from 'node:test'
import { crash } from '../crash/harness.ts'

test('20 kills at random instants while calls of all groups are made', (t) =>
  crash(t, { seed: 1, kills: 20, restEvery: 7, kinds: ['postgres', 'redis', 'mariadb'], databases: 3 }))
