/** Sessions with a database on another node, while the node of Berth is paused. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { until } from '../engine/until.ts'
import { type MultiNodeBerth, type PlacedDatabase, startMultiNodeBerth } from './multi-node-berth.ts'
import { type CommandLine, commandLineOn } from './session-command.ts'

const images = ['postgres:15', 'haproxy:3.0', 'nginx:1']

let runtime: MultiNodeBerth
let cli: CommandLine
let placed: PlacedDatabase

before(async () => {
  runtime = await startMultiNodeBerth(2, { managerImages: images, workerImages: images })
  cli = await commandLineOn(runtime.berth)
  placed = (await runtime.deployOnWorkers('postgres'))[0]!
  const own = (await runtime.engine.nodes()).find(({ local }) => local)!
  await runtime.engine.updateNode(own.id, { availability: 'pause' })
})

after(async () => {
  cli?.[Symbol.dispose]()
  await runtime?.[Symbol.asyncDispose]()
})

const sessionsOn = ({ docker }: MultiNodeBerth['own']) =>
  docker('ps', '--all', '--quiet', '--filter', 'name=berth-session-')

test('a client, a tunnel and a dump run on the node of the database', async () => {
  const { database, databaseClients, node } = placed
  const client = cli.start('psql', database.appName, '--', '-At')
  client.child.stdin!.write('select 1 + 1;\n')
  await client.prints('2\n')
  assert.deepEqual([(await sessionsOn(node)).length, (await sessionsOn(runtime.own)).length], [1, 0])
  client.child.stdin!.end()
  assert.equal(await client.ended, 0)

  const tunnel = cli.start('tunnel', database.appName)
  await tunnel.prints('\n')
  const session = await databaseClients.client.connect(tunnel.stdout().trim())
  await session.write('from another node')
  assert.deepEqual(await session.read(), ['from another node'])
  await session.close()
  tunnel.child.kill('SIGINT')
  await tunnel.ended

  const dumped = await cli.run(['dump', database.appName])
  assert.deepEqual([dumped.status, dumped.stdout.startsWith('PGDMP')], [0, true], dumped.stderr)
  await until('the containers to be removed', async () => (await sessionsOn(node)).length === 0)
})

test('a container that is killed on another node ends the session with an error', async () => {
  const { database, node } = placed
  const client = cli.start('psql', database.appName, '--', '-c', 'select pg_sleep(600)')
  const id = await until(
    'the container to run',
    async () => (await node.docker('ps', '--quiet', '--filter', 'name=berth-session-'))[0],
  )
  await node.docker('kill', id)
  assert.notEqual(await client.ended, 0)
  await until('the container to be removed', async () => (await sessionsOn(node)).length === 0)
})
