/** Berth needs no capability of root: it starts and deploys without any, and cannot acquire one. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { folderUnder } from '../fixtures/folder.ts'
import { berthProcess } from './process.ts'
import { uniqueName } from './swarm.ts'

const before = ['setpriv', '--bounding-set=-all', '--inh-caps=-all', '--no-new-privs']

test('starts and deploys without any capability', async () => {
  await using end = new AsyncDisposableStack()
  const berth = await berthProcess(folderUnder(end), {}, { before })
  end.defer(() => berth.kill())
  await berth.start()
  const status = readFileSync(`/proc/${berth.pid()}/status`, 'utf8')
  const rights = ['CapEff', 'CapPrm', 'CapBnd', 'NoNewPrivs'].map((name) =>
    Number.parseInt(new RegExp(`^${name}:\\s+(\\w+)$`, 'm').exec(status)![1]!, 16),
  )
  assert.deepEqual(rights, [0, 0, 0, 1])
  await berth.signIn()
  const {
    body: { projectId },
  } = await berth.call<{ projectId: string }>('project.create', { name: 'e2e' })
  const fields = { name: 'e2e', appName: uniqueName('rights'), databasePassword: '', dockerImage: 'redis:8' }
  const {
    body: { redisId },
  } = await berth.call<{ redisId: string }>('redis.create', { ...fields, projectId })
  const waitHeader = { prefer: 'wait=120' }
  const { body: deployed } = await berth.call<{ applicationStatus: string }>('redis.deploy', { redisId }, waitHeader)
  assert.equal(deployed.applicationStatus, 'done')
  const { status: removed } = await berth.call('redis.remove', { redisId, removeData: true }, waitHeader)
  assert.equal(removed, 200)
})
