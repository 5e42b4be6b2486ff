import assert from 'node:assert/strict'
import { test } from 'node:test'
import { engineOverFakeApi } from '../../../../test/engine/engine-over-fake-api.ts'
import { installationLabel } from '../../labels.ts'
import type { ApiTask } from '../transport/api.ts'
import { isAboutToDelete } from './removal.ts'

const task = (desired: string, state: string, more: Partial<ApiTask> = {}) =>
  ({ Slot: 1, DesiredState: desired, Status: { State: state }, ...more }) as ApiTask

const ended = Array.from({ length: 5 }, () => task('shutdown', 'failed'))

const cases: [title: string, tasks: ApiTask[], limit: number, isExpected: boolean][] = [
  ['no task', [], 5, false],
  ['a running task', [task('running', 'running')], 5, false],
  ['a task that ends because it is to be removed', [task('remove', 'running')], 5, false],
  ['a task that is to be removed and has ended', [task('remove', 'shutdown')], 5, true],
  ['a task that is to be removed and has no node yet', [task('remove', 'pending')], 5, true],
  ['a task whose node is gone', [task('shutdown', 'orphaned')], 5, true],
  ['as many tasks in a slot as the swarm keeps', [...ended.slice(1), task('running', 'running')], 5, false],
  ['one task more in a slot than the swarm keeps', [...ended, task('running', 'running')], 5, true],
  ['no limit for a slot', [...ended, task('running', 'running')], -1, false],
  ['several slots', [...ended, task('running', 'running', { Slot: 2 })], 5, false],
  ['running tasks beyond the limit', [task('running', 'running')], 0, false],
]
for (const [title, tasks, limit, isExpected] of cases) {
  test(`is the swarm about to delete a task: ${title}`, () => assert.equal(isAboutToDelete(tasks, limit), isExpected))
}

test('a service is removed when the swarm has deleted its ended tasks', async (t) => {
  const service = { ID: 'id1', Spec: { Name: 'db', Labels: { [installationLabel]: 'mine' }, TaskTemplate: {} } }
  const answers = [[task('remove', 'shutdown')], []]
  const { engine, paths } = await engineOverFakeApi(t, ({ path, method }) => {
    if (path === '/services') return [200, [service]]
    if (path === '/tasks') return [200, answers.shift()]
    if (path === '/swarm') return [200, { Spec: { Orchestration: { TaskHistoryRetentionLimit: 5 } } }]
    if (path === '/services/id1' && method === 'DELETE') return [200, {}]
    return undefined
  })
  await engine.removeService('db')
  assert.deepEqual(paths(), ['GET /services', 'GET /tasks', 'GET /swarm', 'GET /tasks', 'DELETE /services/id1'])
})
