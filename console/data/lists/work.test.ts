import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Run } from '../../../client/client.ts'
import { type Deployment, workOfDeployment, workOfRun } from './work.ts'

const deployment = {
  deploymentId: 'w1',
  action: 'deploy',
  appName: 'shop-orders',
  subjectKind: 'database',
  subjectId: 'd1',
  state: 'running',
  phase: 'rollback',
  reason: 'The image is missing',
} as Deployment

const run = {
  runId: 'r1',
  action: 'dump',
  trigger: 'schedule',
  database: 'orders',
  databaseId: 'd1',
  status: 'running',
  ...{ step: 'check', startedAt: '2026-07-05T02:00:00.000Z', attempt: 1 },
  progressBytes: 2048,
  reason: null,
} as Run

test('a deployment says what is done, to which database, and how far it is', () => {
  const { text, subject, href, note, reason } = workOfDeployment(deployment)
  assert.deepEqual(
    [text, subject, href, note, reason],
    [
      ...['Deploy', 'shop-orders', '/databases/d1/state'],
      ...['Going back to the last configuration that worked', 'The image is missing'],
    ],
  )
})

test('work of an unknown kind is named after its action', () => {
  const { text, href } = workOfDeployment({ ...deployment, action: 'removeNode', subjectKind: 'node' })
  assert.deepEqual([text, href], ['Remove node', '/nodes'])
})

test('work that no call began says who began it', () => {
  assert.equal(workOfDeployment({ ...deployment, action: 'repair' }).text, 'Repair by Berth')
  assert.equal(workOfDeployment({ ...deployment, action: 'restart' }).text, 'Restart by Swarm')
})

test('a run says its step and its size', () => {
  assert.equal(workOfRun(run).note, 'Reading the dump back from the bucket · 2 KiB')
  assert.equal(workOfRun({ ...run, status: 'done', step: null, sizeBytes: 1024 }).note, '1 KiB')
  assert.equal(workOfRun({ ...run, trigger: 'safety' }).text, 'Safety dump before a restore')
  assert.equal(workOfRun({ ...run, databaseId: null }).href, null)
})
