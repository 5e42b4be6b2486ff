import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startBerth } from '../harness.ts'

test('x', async () => {
  await using berth = await startBerth()
  console.log(await berth.call('project.create', { name: 'shop', x: 1 }))
  console.log(await berth.call('project.create', { name: 'shop', x: 1 }, null))
  console.log(await berth.call('project.nix', { name: 'shop', x: 1 }, null))
  console.log(await berth.call('auth.get'))
  console.log(berth.logged)
})
