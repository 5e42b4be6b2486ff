/** Tests of long work: progress, the end of a wait, and Ctrl-C. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { until } from '../engine/until.ts'
import { startCommandLine } from './cli-fixture.ts'

const cli = await startCommandLine()
after(() => cli[Symbol.asyncDispose]())
await cli.ok('create', 'postgres', 'orders', '--project', 'shop', '--no-deploy')

test('Ctrl-C during long work says that the work goes on and how to follow it', async () => {
  cli.engine.behave('shop-orders', 'starting')
  const { child, recorded, ended } = cli.start('deploy', 'orders')
  await until('the progress', async () => recorded.stderr.includes('deploy of shop/orders'))
  await until('the deployment', async () => (await deployments()).some(({ state }) => state === 'running'))
  child.kill('SIGINT')
  const { status, stderr } = await ended
  assert.equal(status, 130)
  assert.match(stderr, /^The deploy of shop\/orders goes on\.\nFollow it: berth show shop\/orders, or berth events$/m)
  assert.doesNotMatch(stderr, /error/)
  assert.equal((await deployments())[0]!.state, 'running')
})

test('says that the work goes on when the wait ends first, and returns at once with --no-wait', async () => {
  const { status, stderr } = await cli.command(['deploy', 'orders', '--wait', '1'])
  assert.deepEqual([status, /has not ended within 1 s\. It goes on\.\nFollow it: /.test(stderr)], [6, true])
  assert.match(await cli.ok('deploy', 'orders', '--no-wait'), /^The deploy of shop\/orders has begun\.$/m)
  cli.engine.behave('shop-orders', 'running')
  assert.match(await cli.ok('deploy', 'orders'), /^shop\/orders is up\.$/m)
})

test('reports the reason when the work fails', async () => {
  cli.engine.images = () => null
  const { status, stderr } = await cli.command(['set', 'orders', '--image', 'postgres:17.1'])
  assert.equal(status, 1, stderr)
  assert.match(stderr, /^error: .*postgres:17\.1/m)
})

const deployments = async () =>
  JSON.parse(await cli.ok('api', 'deployment.all', '--order', 'desc')) as { state: string }[]
