/**
 * Berth is killed with SIGKILL at random times during calls of all groups of operations. No acknowledged change is lost,
 * nothing is left over, and no reported state is wrong. The seed is fixed. `./berth test crash` is the long form.
 */
import { test } from 'node:test'
import { crash } from '../crash/harness.ts'

test('loses no acknowledged change in 20 kills during calls of all groups', (t) =>
  crash(t, { seed: 1, kills: 20, compareEvery: 7, kinds: ['postgres', 'redis', 'mariadb'], databases: 3 }))
