/** Tests of `berth node adopt`, for a swarm that was made anew. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { until } from '../engine/until.ts'
import { startCommandLine } from './cli-fixture.ts'

const cli = await startCommandLine()
after(() => cli[Symbol.asyncDispose]())

test('names the lost node and what comes back, and takes it back on one confirmed command', async () => {
  await cli.berth.call('project.create', { name: 'shop' })
  await cli.ok('create', 'redis', 'cache', '--project', 'shop')
  cli.engine.rejoin('node1', 'anew')
  await until('the volume to be found', async () => (await cli.ok('node', 'ls')).includes('berth node adopt'))
  assert.match(await cli.ok('node', 'ls'), /^berth node adopt node1 --node memory$/m)
  assert.match(await cli.ok('node', 'ls', '--json'), /"returned": ?\[\s*\{\s*"nodeId": ?"node1"/)

  const unconfirmed = await cli.command(['node', 'adopt', 'memory'])
  assert.notEqual(unconfirmed.status, 0)
  assert.match(unconfirmed.stderr, /This takes back on memory: shop-cache\./)
  const unknown = await cli.command(['node', 'adopt', 'nobody', '--node', 'memory', '--yes'])
  assert.match(unknown.stderr, /no volume on a node with this id/)
  assert.match(await cli.ok('node', 'adopt', 'memory', '--yes'), /^Took back on memory: shop-cache\.?$/m)
  assert.match(await cli.ok('ls'), /cache\s.*\bup\b/)
  assert.doesNotMatch(await cli.ok('node', 'ls'), /adopt/)
})
