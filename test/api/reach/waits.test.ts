/** Rights that change while a call waits for its work (`Prefer: wait`). */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { App } from '../../../src/api/services.ts'
import { kinds } from '../../../src/kinds/index.ts'
import { startTwoProjects } from './two-projects.ts'

const cleanup = new AsyncDisposableStack()
after(() => cleanup.disposeAsync())
const projects = cleanup.use(await startTwoProjects())
const berth = cleanup.use(await projects.start())
const { app, call, bakery, member } = berth
const { name: kind, idField } = kinds.find(({ backup }) => backup !== undefined)!

type Ended = Awaited<ReturnType<App['waitForEnd']>>
const failed: Ended = { state: 'error', reason: 'the reason', limitedReason: null, reasonCode: null } as never

/** Deploys as a new owner, and changes the rights before the wait ends. */
async function deploy(ended: Ended, change: (owner: { id: string; token: string }) => Promise<unknown>) {
  const owner = await member({ [bakery.projectId]: 'owner' })
  const input = { [idField]: bakery.databaseId! }
  const run = () => call(`${kind}.deploy`, input, owner.token, waiting)
  return endingWith(ended, run, () => change(owner))
}

const waiting = { prefer: 'wait=30' }

/** Makes a call whose work ends like this. @param meanwhile runs before the end */
async function endingWith<T>(ended: Ended, run: () => Promise<T>, meanwhile = async () => undefined as unknown) {
  const { waitForEnd } = app
  app.waitForEnd = async () => {
    await meanwhile()
    return ended
  }
  try {
    return await run()
  } finally {
    app.waitForEnd = waitForEnd
  }
}

const inBakery = (accountId: string) => ({ projectId: bakery.projectId, accountId })
const remove = ({ id }: { id: string }) => call('project.removeMember', inBakery(id))
const narrow = ({ id }: { id: string }) => call('project.updateMember', { ...inBakery(id), role: 'viewer' })
const signOut = ({ token }: { token: string }) => call('auth.logout', {}, token)

for (const [end, ended] of [
  ['is pending', null],
  ['succeeds', { state: 'done' } as Ended],
  ['fails', failed],
] as const) {
  test(`answers nothing of a record if the rights are lost before the work ${end}`, async () => {
    const replies = [await deploy(ended, remove), await deploy(ended, narrow), await deploy(ended, signOut)]
    assert.deepEqual(
      replies.map(({ status, body }) => [status, Object.keys(body)]),
      [409, 403, 401].map((status) => [status, ['message', 'code', 'issues']]),
    )
    assert.ok(replies.every(({ body }) => !String(body.message).includes('the reason')))
    assert.match(String(replies[0]!.body.message), /^The work has begun, but you do not reach its record any more/)
  })
}

test('answers the record if the rights stay', async () => {
  const { status, body } = await deploy(null, async () => undefined)
  assert.deepEqual([status, body[idField]], [200, bakery.databaseId])
})

test('tells an owner who removed a project that the removal has begun, and not to repeat it', async () => {
  const { projectId } = bakery
  const owner = await member({ [projectId]: 'owner' })
  const input = { projectId, cascade: true }
  const { status, body } = await endingWith(failed, () => call('project.remove', input, owner.token, waiting))
  assert.equal(status, 409)
  assert.match(String(body.message), /^The work has begun, but you do not reach its record any more/)
})
