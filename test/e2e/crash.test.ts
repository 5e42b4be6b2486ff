/**
 * Kills Berth with SIGKILL at random times during calls of all operation groups. No acknowledged change is lost,
 * nothing is left over, and every state is true. The seed is fixed; `./berth test crash` runs a longer version.
 */
import { test } from 'node:test'
import { crash } from '../crash/harness.ts'

test('no acknowledged change is lost when Berth is killed 20 times at random', (t) =>
  crash(t, { seed: 1, kills: 20, compareEvery: 10, kinds: ['postgres', 'redis'], databases: 3 }))
