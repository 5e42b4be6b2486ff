/** Tests of `berth node ls` and `berth node rotate-access` with a second node. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { until } from '../engine/until.ts'
import { startCommandLine } from './cli-fixture.ts'

let passedMs = 0
const cli = await startCommandLine({ now: () => new Date(Date.now() + passedMs) })
after(() => cli[Symbol.asyncDispose]())

const engines = async () =>
  (await cli.ok('node', 'ls'))
    .trim()
    .split('\n')
    .map((row) => row.split('\t'))
    .map(([node, , , , engine]) => `${node} ${engine}`)

test('lists whether Berth reaches the engine of each node, and says why not', async () => {
  cli.engine.addNode('node2', { hostname: 'web-2', address: '192.0.2.20' })
  await until('the port to run', async () => (await engines()).includes('web-2 reachable'))
  assert.deepEqual(await engines(), ['memory own', 'web-2 reachable'])
  cli.engine.setContact('node2', 'refused')
  await until('the failure to be found', async () => {
    passedMs += 20_000
    return (await engines()).includes('web-2 unreachable')
  })
  const { stderr } = await cli.command(['node', 'ls'])
  assert.match(stderr, /web-2: 192\.0\.2\.20:2376 refuses the connection\. Open TCP port 2376/)
  cli.engine.setContact('node2', null)
  await until('the port to answer', async () => (await engines()).includes('web-2 reachable'))
})

test("replaces Berth's certificate, and revokes it", async () => {
  for (const options of [[], ['--immediately']]) {
    assert.equal(
      await cli.ok('node', 'rotate-access', ...options),
      'Replaced. No node accepts an earlier certificate.\n',
    )
  }
})
