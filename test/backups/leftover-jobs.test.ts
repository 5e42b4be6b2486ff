/** Containers of jobs that an earlier process of Berth left are removed on every node, at the start and periodically. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kinds } from '../../src/kinds/index.ts'
import { databaseClientsOf } from '../fixtures/database-clients.ts'
import { startTestBerth, type TestBerth } from '../fixtures/test-berth.ts'

const minuteMs = 60_000

const jobNames = async ({ engine }: TestBerth) => (await engine.listJobs()).map(({ name }) => name)

const untilJobs = (testBerth: TestBerth, expected: string[]) =>
  testBerth.until(`the jobs ${expected.join(', ')}`, async () => {
    testBerth.app.wake('backups')
    return (await jobNames(testBerth)).join() === expected.join() ? true : null
  })

test('removes leftover jobs of all nodes at the start, and later those of a node that answers again', async () => {
  await using testBerth = await startTestBerth()
  const { engine } = testBerth
  engine.addNode('node2')
  engine.addNode('node3')
  await databaseClientsOf(testBerth, kinds[0]!).create()
  engine.leaveJob('berth-a', 'r')
  engine.leaveJob('berth-b', 'r', 'node2')
  engine.leaveJob('berth-c', 'r', 'node3')
  engine.setNode('node3', { availability: 'drain' })
  await testBerth.restart()
  await untilJobs(testBerth, ['berth-c'])
  testBerth.pass(minuteMs)
  await untilJobs(testBerth, ['berth-c'])
  engine.setNode('node3', { availability: 'active' })
  testBerth.pass(5 * minuteMs)
  await untilJobs(testBerth, [])
})

test('keeps a job that this process runs', async () => {
  await using testBerth = await startTestBerth()
  const { engine } = testBerth
  await databaseClientsOf(testBerth, kinds[0]!).create()
  const end = Promise.withResolvers<number>()
  engine.onJob = () => end.promise
  const abort = new AbortController()
  const job = await engine.runJob(
    { name: 'berth-mine', recordId: 'r', image: 'x', argv: ['x'], env: {}, stdin: false },
    abort.signal,
  )
  engine.leaveJob('berth-left', 'r')
  testBerth.pass(10 * minuteMs)
  await untilJobs(testBerth, ['berth-mine'])
  testBerth.pass(10 * minuteMs)
  await untilJobs(testBerth, ['berth-mine'])
  assert.equal((await engine.listJobs())[0]!.attached, true)
  end.resolve(0)
  job.stdout.resume()
  await job.ended
})
