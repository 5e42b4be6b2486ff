/** Pages of lists for callers that do not reach all projects: records out of reach leave no gap and no cursor. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startTwoProjects } from './two-projects.ts'

const cleanup = new AsyncDisposableStack()
after(() => cleanup.disposeAsync())
const projects = cleanup.use(await startTwoProjects())
const berth = cleanup.use(await projects.start())
const { call, shop, bakery, member } = berth
const viewer = await member({ [bakery.projectId]: 'viewer' })

/** The pages of a list with one record each, by their ids. */
async function pagesOf(name: string, id: string, token: string, input: Record<string, unknown> = {}) {
  const pages: string[][] = []
  let cursor: string | undefined
  do {
    const page = await call(name, { ...input, limit: 1, ...(cursor === undefined ? {} : { cursor }) }, token)
    assert.equal(page.status, 200, `${name}: ${JSON.stringify(page.body)}`)
    pages.push((page.body as object as Record<string, string>[]).map((record) => record[id]!))
    const next = page.headers['berth-next-cursor'] as string | undefined
    cursor = next === undefined ? undefined : decodeURIComponent(next)
  } while (cursor !== undefined)
  return pages
}

for (const [name, id, input] of [
  ['project.all', 'projectId', {}],
  ['database.all', 'databaseId', {}],
  ['database.all', 'databaseId', { order: 'desc' }],
  ['backup.all', 'backupId', {}],
  ['backup.runs', 'runId', {}],
  ['backup.runs', 'runId', { order: 'desc' }],
  ['deployment.all', 'deploymentId', { order: 'desc' }],
  ['condition.all', 'conditionId', {}],
] as const) {
  test(`${name} ${JSON.stringify(input)} has one page with one record of the project`, async () => {
    const pages = await pagesOf(name, id, viewer.token, input)
    assert.deepEqual([pages.length, pages[0]!.length], [1, 1])
    const whole = (await call(name, { ...input, limit: 1000 }, viewer.token)).body as object as Record<string, string>[]
    assert.deepEqual(
      whole.map((record) => record[id]),
      pages.flat(),
    )
  })
}

test('the members of a project are listed in pages, each of them once', async () => {
  const owners = [await member({ [shop.projectId]: 'owner' }), await member({ [shop.projectId]: 'viewer' })]
  await member({ [bakery.projectId]: 'owner' })
  const pages = await pagesOf('project.members', 'accountId', owners[1]!.token, { projectId: shop.projectId })
  assert.deepEqual(
    pages,
    owners.map((account) => [account.id]),
  )
})
